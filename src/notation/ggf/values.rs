//! Values of GGF tags: match type, clocks, result.

use std::fmt::{self, Write};

use crate::board::Color;
use crate::notation::moves::decimal;

/// Longest clock time that makes sense, seconds: ten years.
const MAX_SECONDS: f64 = 3.2e8;

/// A clock: `main/increment/overtime`, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Time for the whole game.
    pub main: f64,
    /// Time added after each own move.
    pub increment: f64,
    /// Reserve after the flag fell, if written; never to be planned with.
    pub overtime: Option<f64>,
}

impl fmt::Display for Clock {
    /// The value of `TI`, `TB` and `TW`; `0` is no limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(f, self.main)?;
        if self.increment > 0.0 || self.overtime.is_some() {
            f.write_char('/')?;
        }
        if self.increment > 0.0 {
            write_time(f, self.increment)?;
        }
        if let Some(overtime) = self.overtime {
            f.write_char('/')?;
            write_time(f, overtime)?;
        }
        Ok(())
    }
}

/// Whole seconds as minutes and seconds, anything finer as decimal seconds, which all programs read.
fn write_time(f: &mut fmt::Formatter<'_>, seconds: f64) -> fmt::Result {
    let whole = seconds as u64;
    match seconds {
        0.0 => f.write_char('0'),
        _ if whole as f64 == seconds => write!(f, "{}:{:02}", whole / 60, whole % 60),
        _ => write!(f, "{seconds:.3}"),
    }
}

/// The match type, tag `TY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchType {
    /// Two games at once with swapped colours.
    pub is_synchro: bool,
    /// Komi game: the colours were bid for.
    pub is_komi: bool,
    /// Discs of a random start; novello's tool writes the disc count of any start here.
    pub random_discs: Option<u32>,
    /// The colour asked for by the first player.
    pub preferred: Option<Color>,
}

/// How a game ended, tag `RE`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrittenResult {
    /// Discs for Black, if a number was given.
    pub discs: Option<f64>,
    /// The end came before the last move.
    pub ending: Option<Ending>,
}

/// Why a game ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `:r`, one side resigned.
    Resigned,
    /// `:t`, a flag fell.
    Timeout,
    /// `:l`, a player left; adjourned.
    Left,
}

/// Reads `TY`; the error is what was expected.
pub(in crate::notation) fn parse_match_type(value: &str) -> Result<MatchType, &'static str> {
    const EXPECTED: &str = "a match type such as 8, s8r20 or 8k";
    let mut kind = MatchType::default();
    let mut size = None;
    let mut rest = value.trim();
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_digit() && size.is_none() {
            size = Some(take_number(&mut rest).ok_or(EXPECTED)?);
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c.to_ascii_lowercase() {
            's' => kind.is_synchro = true,
            'k' => kind.is_komi = true,
            'a' => return Err("ordinary rules, not the anti game"),
            'b' => kind.preferred = Some(Color::Black),
            'w' => kind.preferred = Some(Color::White),
            'r' => kind.random_discs = take_number(&mut rest),
            _ => return Err(EXPECTED),
        }
    }
    match size {
        None | Some(8) => Ok(kind),
        Some(_) => Err("board size 8"),
    }
}

/// The number at the start of `rest`, which then begins behind it.
fn take_number(rest: &mut &str) -> Option<u32> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..length].parse().ok()?;
    *rest = &rest[length..];
    Some(number)
}

impl Clock {
    /// Reads the value of `TI`, `TB` or `TW`: `main[/increment[/overtime]]`, such as `5:00/3`; `None` if the main time
    /// cannot be read.
    pub fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split('/');
        let main = parse_time(parts.next()?)?;
        let increment = parts.next().and_then(parse_time).unwrap_or(0.0);
        let overtime = parts.next().and_then(parse_time);
        Some(Self { main, increment, overtime })
    }
}

/// Reads `[[[D.]H:]M:]S`, also `D:H:M:S`, decimals in the seconds; `None` if it is blank or no time.
fn parse_time(text: &str) -> Option<f64> {
    let text = text.trim();
    let parts: Vec<&str> = text.split(':').collect();
    if text.is_empty() || parts.len() > 4 {
        return None;
    }
    // A point in the first of three parts separates the days.
    let (days, first) = match parts[0].split_once('.') {
        Some((days, hours)) if parts.len() == 3 => (whole(days)?, hours),
        _ => (0.0, parts[0]),
    };
    let (last, units) = parts.split_last()?;
    let mut seconds = 0.0;
    for (index, unit) in units.iter().enumerate() {
        // Days pass to hours times 24, hours to minutes and minutes to seconds times 60.
        seconds = (seconds + whole(if index == 0 { first } else { unit })?) * scale(units.len() - index);
    }
    let last = decimal(last).filter(|s| *s >= 0.0)?;
    let total = days * 86_400.0 + seconds + last;
    (total <= MAX_SECONDS).then_some(total)
}

/// How many of the next smaller unit there are in the unit `steps` above seconds.
fn scale(steps: usize) -> f64 {
    if steps == 3 { 24.0 } else { 60.0 }
}

fn whole(text: &str) -> Option<f64> {
    text.trim().parse::<u32>().ok().map(f64::from)
}

/// Reads `RE`: a number with an optional `:r`, `:t`, `:l`; anything else, `34:30` for one, says nothing.
pub(in crate::notation) fn parse_result(value: &str) -> WrittenResult {
    let (number, ending) = value.split_once(':').unwrap_or((value, ""));
    let ending = match ending.trim().chars().next().map(|c| c.to_ascii_lowercase()) {
        Some('r') => Some(Ending::Resigned),
        Some('t') => Some(Ending::Timeout),
        Some('l') => Some(Ending::Left),
        Some(_) => return WrittenResult::default(),
        None => None,
    };
    WrittenResult { discs: decimal(number), ending }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_to_four_parts() {
        for (text, seconds) in [
            ("5:00", 300.0),
            ("0", 0.0),
            ("90", 90.0),
            ("05:30.5", 330.5),
            ("1:00:00", 3600.0),
            ("2.01:00:05", 176_405.0),
            ("2:01:00:05", 176_405.0),
            (" 0:00,25 ", 0.25),
            ("12.5", 12.5),
        ] {
            assert_eq!(parse_time(text), Some(seconds), "{text}");
        }
        for text in
            ["", " ", ":", "x", "1:2:3:4:5", "-5", "5:-1", "1e9", "5:00:", "nan", "9999999999", "+1:x"]
        {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_have_one_to_three_parts() {
        let clock = |main, increment, overtime| Some(Clock { main, increment, overtime });
        assert_eq!(Clock::parse("5:00"), clock(300.0, 0.0, None));
        assert_eq!(Clock::parse("15:00//02:00"), clock(900.0, 0.0, Some(120.0)));
        assert_eq!(Clock::parse("1:00:00/30"), clock(3600.0, 30.0, None));
        assert_eq!(Clock::parse("05:00/0.5/1:00"), clock(300.0, 0.5, Some(60.0)));
        assert_eq!(Clock::parse("/5"), None);
        for (text, written) in [
            ("0", "0"),
            ("5:00", "5:00"),
            ("1:00:00/30", "60:00/0:30"),
            ("15:00//02:00", "15:00//2:00"),
            ("0.1/0:00.25", "0.100/0.250"),
            ("0/0.5", "0/0.500"),
            ("1:30/1/2.5", "1:30/0:01/2.500"),
        ] {
            let clock = Clock::parse(text).unwrap();
            assert_eq!(clock.to_string(), written, "{text}");
            assert_eq!(Clock::parse(written), Some(clock), "{text}");
        }
        assert_eq!(Clock::parse(""), None);
    }

    #[test]
    fn match_types_come_in_any_order() {
        let kind = |text| parse_match_type(text).unwrap();
        assert_eq!(kind("8"), MatchType::default());
        assert_eq!(kind(""), MatchType::default());
        let synchro = MatchType { is_synchro: true, random_discs: Some(20), ..MatchType::default() };
        assert_eq!(kind("s8r20"), synchro);
        assert_eq!(kind("8r20s"), synchro);
        assert_eq!(kind("r20s8"), synchro);
        assert!(kind("8k").is_komi);
        assert_eq!(kind("8w").preferred, Some(Color::White));
        assert_eq!(parse_match_type("8a"), Err("ordinary rules, not the anti game"));
        for size in ["10", "s10", "88", "4", "14", "99999999999"] {
            assert!(parse_match_type(size).is_err(), "{size}");
        }
        assert!(parse_match_type("8x").is_err());
        assert!(parse_match_type("8 8").is_err());
    }

    #[test]
    fn results_are_numbers_with_a_reason_or_nothing() {
        let result = |discs, ending| WrittenResult { discs, ending };
        assert_eq!(parse_result("?"), result(None, None));
        assert_eq!(parse_result("34:30"), result(None, None));
        assert_eq!(parse_result("+12.00"), result(Some(12.0), None));
        assert_eq!(parse_result("-2"), result(Some(-2.0), None));
        assert_eq!(parse_result("64.00:r"), result(Some(64.0), Some(Ending::Resigned)));
        assert_eq!(parse_result("-6.000:t"), result(Some(-6.0), Some(Ending::Timeout)));
        assert_eq!(parse_result("0:l"), result(Some(0.0), Some(Ending::Left)));
        assert_eq!(parse_result("aborted"), result(None, None));
    }
}
