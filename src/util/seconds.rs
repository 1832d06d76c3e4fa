//! Times as people write them.

use std::time::Duration;

/// Reads a time in seconds, or in minutes and seconds as Edax takes it too (`5:00`): a millisecond at least, ten days
/// at most, which keeps the arithmetic of clocks far from overflow.
///
/// # Errors
/// What was expected.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    const MOST: f64 = 864_000.0;
    let (minutes, rest) = text.split_once(':').unwrap_or(("0", text));
    let whole = minutes.parse::<u32>().ok().map(|minutes| 60.0 * f64::from(minutes));
    // Behind minutes there are less than 60 seconds.
    let rest = rest.parse::<f64>().ok().filter(|&seconds| !text.contains(':') || seconds < 60.0);
    let seconds = whole.zip(rest).map(|(minutes, seconds)| minutes + seconds);
    match seconds {
        Some(seconds) if (0.001..=MOST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "expected seconds from 0.001 to {MOST}, such as 2.5, or minutes and seconds, such as 5:00; found {text:?}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_minutes_and_seconds() {
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(parse_seconds("5:30"), Ok(Duration::from_secs(330)));
        for text in ["", "0", "-1", "nan", "inf", "1e9", "x", "1:x", "5:75", "1:60", "-1:30", "99999999:00"] {
            assert!(parse_seconds(text).is_err(), "{text:?}");
        }
    }
}
