//! Clocks of games: `5:00/0:03` in GGF, `300+3` in PGN.

use std::fmt;

use super::scanner::decimal;

/// Longest clock time that makes sense, seconds: ten years.
const MAX_SECONDS: f64 = 3.2e8;

/// A clock: `main/increment/overtime`, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Time for the whole game.
    pub main: f64,
    /// Time added after each own move.
    pub increment: f64,
    /// Reserve after the flag fell, if written; a search must not plan with it.
    pub overtime: Option<f64>,
}

impl fmt::Display for Clock {
    /// The value of `TI`, `TB` and `TW`; `0` is no limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let increment = Some(self.increment).filter(|seconds| *seconds > 0.0);
        let parts = [Some(self.main), increment, self.overtime];
        let text = parts
            .map(|seconds| seconds.map_or_else(String::new, time_text))
            .join("/");
        f.write_str(text.trim_end_matches('/'))
    }
}

/// Whole seconds as minutes and seconds, anything finer as decimal seconds, which all programs read.
fn time_text(seconds: f64) -> String {
    let whole = seconds as u64;
    match seconds {
        0.0 => "0".to_owned(),
        _ if whole as f64 == seconds => format!("{}:{:02}", whole / 60, whole % 60),
        _ => format!("{seconds:.3}"),
    }
}

impl Clock {
    /// Reads the value of `TI`, `TB` or `TW`: `main[/increment[/overtime]]`, such as `5:00/3`; `None` if the main time
    /// cannot be read.
    pub fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split('/');
        let main = parse_time(parts.next()?)?;
        let increment = parts.next().and_then(parse_time).unwrap_or(0.0);
        let overtime = parts.next().and_then(parse_time);
        Some(Self {
            main,
            increment,
            overtime,
        })
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
        // The first of four parts is days.
        let factor = if units.len() - index == 3 { 24.0 } else { 60.0 };
        seconds = (seconds + whole(if index == 0 { first } else { unit })?) * factor;
    }
    let last = decimal(last).filter(|s| *s >= 0.0)?;
    let total = days * 86_400.0 + seconds + last;
    (total <= MAX_SECONDS).then_some(total)
}

fn whole(text: &str) -> Option<f64> {
    text.trim().parse::<u32>().ok().map(f64::from)
}

/// PGN's `TimeControl` for a clock: `300`, `300+3`, `-` without a limit; `None` for one with overtime.
pub fn control_of(clock: &Clock) -> Option<String> {
    match clock {
        Clock {
            overtime: Some(_), ..
        } => None,
        Clock {
            main: 0.0,
            increment: 0.0,
            ..
        } => Some("-".into()),
        Clock {
            increment: 0.0,
            main,
            ..
        } => Some(format!("{main}")),
        Clock {
            main, increment, ..
        } => Some(format!("{main}+{increment}")),
    }
}

/// The clock by PGN's `TimeControl`; `None` for forms that [`control_of`] does not write.
pub fn clock_of(control: &str) -> Option<Clock> {
    if control == "-" {
        return Some(Clock::default());
    }
    let (main, increment) = control.split_once('+').unwrap_or((control, "0"));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds = |text: &str| decimal(text).filter(|_| plain(text));
    let clock = Clock {
        main: seconds(main)?,
        increment: seconds(increment)?,
        overtime: None,
    };
    (control_of(&clock).as_deref() == Some(control)).then_some(clock)
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
        for text in [
            "",
            " ",
            ":",
            "x",
            "1:2:3:4:5",
            "-5",
            "5:-1",
            "1e9",
            "5:00:",
            "nan",
            "9999999999",
            "+1:x",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_have_one_to_three_parts() {
        let clock = |main, increment, overtime| {
            Some(Clock {
                main,
                increment,
                overtime,
            })
        };
        assert_eq!(Clock::parse("5:00"), clock(300.0, 0.0, None));
        assert_eq!(Clock::parse("15:00//02:00"), clock(900.0, 0.0, Some(120.0)));
        assert_eq!(Clock::parse("1:00:00/30"), clock(3600.0, 30.0, None));
        assert_eq!(
            Clock::parse("05:00/0.5/1:00"),
            clock(300.0, 0.5, Some(60.0))
        );
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
    fn time_controls_are_clocks() {
        for (control, clock) in [
            ("300", "5:00"),
            ("300+3", "5:00/0:03"),
            ("-", "0"),
            ("0.1+0.25", "0.100/0.250"),
        ] {
            assert_eq!(clock_of(control).unwrap().to_string(), clock);
            assert_eq!(
                control_of(&Clock::parse(clock).unwrap()).as_deref(),
                Some(control)
            );
        }
        for other in ["40/9000", "?", "", "*60", "300+", "1e3", "05", "5:00"] {
            assert_eq!(clock_of(other), None, "{other}");
        }
        assert_eq!(control_of(&Clock::parse("15:00//02:00").unwrap()), None);
    }
}
