//! Parses times of users.

use crate::util::refusal::Refusal;
use std::time::Duration;

/// Parses seconds, minutes and seconds, or hours, minutes and seconds, as Edax does (`5:00`, `1:00:00`): from a millisecond to
/// ten days, far from overflow in clocks.
pub fn parse_seconds(text: &str) -> Result<Duration, Refusal> {
    const MOST: f64 = 864_000.0;
    let parts: Vec<&str> = text.split(':').collect();
    let number = |place: usize, part: &str| -> Option<f64> {
        let is_last = place + 1 == parts.len();
        let value = if is_last {
            part.parse().ok()?
        } else {
            f64::from(part.parse::<u32>().ok()?)
        };
        (place == 0 || (0.0..60.0).contains(&value)).then_some(value)
    };
    let add = |sum, (place, part): (usize, &&str)| Some(60.0 * sum + number(place, part)?);
    let seconds = parts
        .iter()
        .enumerate()
        .try_fold(0.0, add)
        .filter(|_| parts.len() <= 3);
    match seconds {
        Some(seconds) if (0.001..=MOST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "expected seconds from 0.001 to {MOST}, such as 2.5, or minutes and seconds, such as 5:00; found {text:?}"
        ).into()),
    }
}

/// Parses the clock of a game: the time of a side and its increment per move, `300` or `5:00+3`.
pub fn parse_clock(text: &str) -> Result<(Duration, Duration), Refusal> {
    let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
    let increment = if increment == "0" {
        Duration::ZERO
    } else {
        parse_seconds(increment)?
    };
    Ok((parse_seconds(main)?, increment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_minutes_and_seconds() {
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(parse_seconds("5:30"), Ok(Duration::from_secs(330)));
        assert_eq!(parse_seconds("1:02:03"), Ok(Duration::from_secs(3723)));
        let wrong = " 0 -1 nan inf 1e9 x 1:x 5:75 1:60 1:-5 1:60:00 1:0:0:0 :5 -1:30 99999999:00";
        for text in wrong.split(' ') {
            assert!(parse_seconds(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn clocks_may_have_an_increment() {
        let seconds = |main, increment| {
            Ok((
                Duration::from_secs(main),
                Duration::from_secs_f64(increment),
            ))
        };
        for (text, clock) in [
            ("300", seconds(300, 0.0)),
            ("5:00", seconds(300, 0.0)),
            ("5:00+3", seconds(300, 3.0)),
            ("0:30+0", seconds(30, 0.0)),
            ("60+0.5", seconds(60, 0.5)),
        ] {
            assert_eq!(parse_clock(text), clock, "{text}");
        }
        for text in ["5:75", "0:00", "5:00+x", "5:00+", "+3", "soon", "-1:00", ""] {
            assert!(parse_clock(text).is_err(), "{text:?}");
        }
    }
}
