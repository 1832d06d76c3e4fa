//! The facts that decide the answers of a job or the games of a match, as its files record them.

/// Names with their values, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(Vec<(String, String)>);

/// A fact that differs: its name, its value in the record and its value now, if it has them.
pub type Difference<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl Facts {
    /// Facts with a blank or `=` between name and value, such as the lines `--depth 6`.
    pub fn of<'a>(facts: impl IntoIterator<Item = &'a str>, between: char) -> Self {
        let pair = |fact: &'a str| fact.split_once(between).unwrap_or((fact, ""));
        let pairs = facts.into_iter().map(pair);
        Self(
            pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    /// Adds a fact.
    pub fn push(&mut self, name: &str, value: String) {
        self.0.push((name.to_owned(), value));
    }

    /// The facts with this sign between name and value.
    pub fn texts(&self, between: char) -> impl Iterator<Item = String> {
        let text = move |(name, value): &(String, String)| format!("{name}{between}{value}");
        self.0.iter().map(text)
    }

    /// The value of a fact.
    pub fn value(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The facts of this record that differ now; then those that only `now` has.
    pub fn differences<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = Difference<'a>> {
        let changed = self
            .0
            .iter()
            .map(|(name, value)| (&**name, Some(&**value), now.value(name)));
        let only_now = now.0.iter().filter(|(name, _)| self.value(name).is_none());
        let added = only_now.map(|(name, value)| (&**name, None, Some(&**value)));
        changed
            .chain(added)
            .filter(|(_, before, now)| before != now)
    }
}

/// The differences between two records of options, one a line such as `--depth 6`, in words, if any.
pub fn difference(before: &str, now: &str) -> Option<String> {
    let [before, now] = [before, now].map(|text| Facts::of(text.lines(), ' '));
    let words = |(name, before, now): Difference| {
        let text = |value: Option<&str>| {
            let value = value.map(|value| format!("{name} {value}"));
            value.map(|text| text.trim_end().to_owned())
        };
        match (text(before), text(now)) {
            (Some(before), Some(now)) => format!("it was made with {before}, not {now}"),
            (Some(before), None) => format!("it was made with {before}, not without {name}"),
            (None, now) => {
                let now = now.unwrap_or_default();
                format!("it was made without {name}, not with {now}")
            }
        }
    };
    let all: Vec<String> = before.differences(&now).map(words).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_named() {
        let same = |before, now| difference(before, now);
        assert_eq!(same("--depth 6\n--wld", "--wld\n--depth 6"), None);
        assert_eq!(
            same("--depth 6\n--wld", "--depth 8\n--book a"),
            Some(
                "it was made with --depth 6, not --depth 8, it was made with --wld, not without --wld, \
                 it was made without --book, not with --book a"
                    .to_owned()
            )
        );
    }
}
