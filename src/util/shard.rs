//! Parts of a numbered sequence: a shard, a range.

use crate::util::refusal::Refusal;
use std::fmt;
use std::str::FromStr;

const MAX_SHARDS: u64 = 1_000_000;

/// One of `count` parts: every `count`-th number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0, below `count`.
    pub index: u64,
    pub count: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl Shard {
    /// Whether it holds this number of a sequence from 1: shard I of N holds those with the remainder I modulo N.
    pub fn holds(self, number: u64) -> bool {
        number % self.count == (self.index + 1) % self.count
    }
}

impl FromStr for Shard {
    type Err = Refusal;

    /// Parses `2/4`, the second of four. `0/4` is the last one as `4/4`, for counters from 0.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let expected = || format!("expected a part such as 2/4, found {text:?}");
        let (index, count) = text.split_once('/').ok_or_else(expected)?;
        let [index, count] = [index, count].map(|word| word.trim().parse::<u64>().ok());
        match (index, count) {
            (Some(index), Some(count)) if index <= count && (1..=MAX_SHARDS).contains(&count) => {
                Ok(Self {
                    index: (index + count - 1) % count,
                    count,
                })
            }
            _ => Err(expected().into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub skip: u64,
    /// The most numbers after these, of all shards together.
    pub limit: Option<u64>,
    pub shard: Shard,
}

impl Selection {
    pub fn takes(&self, number: u64) -> bool {
        number > self.skip && !self.ends_before(number) && self.shard.holds(number)
    }

    /// Whether it takes neither this number nor a greater one.
    pub fn ends_before(&self, number: u64) -> bool {
        self.limit
            .is_some_and(|limit| number > self.skip.saturating_add(limit))
    }

    /// Whether it may take nothing of a sequence.
    pub fn may_be_empty(&self) -> bool {
        self.skip > 0 || self.limit == Some(0) || self.shard.count > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_nothing_and_leave_nothing_out() {
        for count in 1..=5 {
            for number in 1..=20 {
                let holders: Vec<u64> = (1..=count)
                    .filter(|index| {
                        Shard {
                            index: index - 1,
                            count,
                        }
                        .holds(number)
                    })
                    .collect();
                assert_eq!(holders, [(number - 1) % count + 1]);
            }
        }
    }

    #[test]
    fn shards_are_read_and_written() {
        for (text, written) in [
            ("2/4", "2/4"),
            ("4/4", "4/4"),
            ("0/4", "4/4"),
            ("0/1", "1/1"),
            ("1 / 1", "1/1"),
        ] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), written);
        }
        for text in [
            "",
            "1",
            "5/4",
            "0/0",
            "1/0",
            "-1/4",
            "1/1000001",
            "a/b",
            "1/2/3",
        ] {
            let error = text.parse::<Shard>().unwrap_err();
            assert_eq!(
                error,
                format!("expected a part such as 2/4, found {text:?}").into()
            );
        }
    }

    #[test]
    fn a_range_is_dealt_out() {
        let taken = |skip, limit, shard: &str| -> Vec<u64> {
            let selection = Selection {
                skip,
                limit,
                shard: shard.parse().unwrap(),
            };
            (1..=12).filter(|&number| selection.takes(number)).collect()
        };
        assert_eq!(taken(0, None, "1/1").len(), 12);
        assert_eq!(taken(2, Some(5), "1/1"), [3, 4, 5, 6, 7]);
        assert_eq!(taken(2, Some(5), "1/2"), [3, 5, 7]);
        assert_eq!(taken(2, Some(5), "2/2"), [4, 6]);
        assert!(taken(u64::MAX, Some(u64::MAX), "1/1").is_empty());
    }
}
