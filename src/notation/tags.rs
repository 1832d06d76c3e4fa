//! Tags of a game under one name each, whatever notation they stand in.
//!
//! The names are those of PGN. What GGF and SGF call otherwise stands in [`SGF_NAMES`] and in the files of those
//! notations; tags that only one notation knows keep the name that they have there.

use super::ggf::Clock;
use super::moves::decimal;

/// Tags of a game beside its players, place, date and result, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

/// The remark on the whole game: the only tag whose value may have several lines.
pub const COMMENT: &str = "Comment";

/// Names of PGN and the properties of SGF that say the same in the same words.
pub const SGF_NAMES: [(&str, &str); 11] = [
    ("Event", "EV"),
    ("Round", "RO"),
    ("BlackElo", "BR"),
    ("WhiteElo", "WR"),
    ("BlackTeam", "BT"),
    ("WhiteTeam", "WT"),
    ("Annotator", "AN"),
    ("Opening", "ON"),
    ("Copyright", "CP"),
    ("Source", "SO"),
    (COMMENT, "GC"),
];

impl Tags {
    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag; a value without text is no value, and control characters are blanks.
    pub fn set(&mut self, name: &str, value: &str) {
        let value = if name == COMMENT { clean_lines(value) } else { clean(value) };
        self.remove(name);
        if !value.is_empty() && !name.is_empty() {
            self.0.push((name.to_owned(), value));
        }
    }

    /// Takes a tag out.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    /// Names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text of one line without blanks around it.
pub(super) fn clean(text: &str) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    text.replace("\r\n", " ").chars().map(blank).collect::<String>().trim().to_owned()
}

/// A text of lines without blanks around it.
fn clean_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let blank = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    text.chars().map(blank).collect::<String>().trim().to_owned()
}

/// A date as records have it: `2020.05.01 10:00`, `2020.05` or `2020`, whichever signs stand between the numbers in
/// the source; other words stay as they are, and a date of question marks is none.
pub(super) fn date_in(text: &str) -> String {
    let text = clean(text);
    let end = text.find([' ', '_', 'T']).unwrap_or(text.len());
    let (day, time) = (&text[..end], text[end..].trim_start_matches([' ', '_', 'T']));
    let parts: Vec<&str> = day.split(['.', '-', '/']).collect();
    let fits = |part: &&str, digits: usize| part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
    let is_open = |part: &&str| part.is_empty() || part.bytes().all(|b| b == b'?');
    if !day.is_empty() && parts.iter().all(is_open) {
        return time.to_owned();
    }
    let known = parts.iter().take_while(|part| !is_open(part)).count();
    let is_date = fits(&parts[0], 4)
        && known <= 3
        && parts[1..known].iter().all(|part| fits(part, 2))
        && parts[known..].iter().all(is_open);
    match (is_date, time) {
        (false, _) => text,
        (true, "") => parts[..known].join("."),
        (true, time) => format!("{} {time}", parts[..known].join(".")),
    }
}

/// Day and time of a date of a record; `None` if it is in words.
pub(super) fn day_and_time(date: &str) -> Option<(&str, &str)> {
    let (day, time) = date.split_once(' ').unwrap_or((date, ""));
    let is_day = matches!(day.len(), 4 | 7 | 10)
        && day
            .bytes()
            .enumerate()
            .all(|(at, b)| if matches!(at, 4 | 7) { b == b'.' } else { b.is_ascii_digit() });
    is_day.then_some((day, time))
}

/// PGN's `TimeControl` for a clock: `300`, `300+3`, `-` without a limit; `None` for one with overtime.
pub(super) fn control_of(clock: &Clock) -> Option<String> {
    match clock {
        Clock { overtime: Some(_), .. } => None,
        Clock { main: 0.0, increment: 0.0, .. } => Some("-".into()),
        Clock { increment: 0.0, main, .. } => Some(format!("{main}")),
        Clock { main, increment, .. } => Some(format!("{main}+{increment}")),
    }
}

/// The clock that PGN's `TimeControl` means; `None` if it is not of the kinds of [`control_of`].
pub(super) fn clock_of(control: &str) -> Option<Clock> {
    if control == "-" {
        return Some(Clock::default());
    }
    let (main, increment) = control.split_once('+').unwrap_or((control, "0"));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds = |text: &str| decimal(text).filter(|_| plain(text));
    let clock = Clock { main: seconds(main)?, increment: seconds(increment)?, overtime: None };
    (control_of(&clock).as_deref() == Some(control)).then_some(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_notations_are_one() {
        for (text, date) in [
            ("2020.05.01", "2020.05.01"),
            ("2020-05-01", "2020.05.01"),
            ("2020/05/01 10:00", "2020.05.01 10:00"),
            ("2026-11-20 08:27:48 GMT", "2026.11.20 08:27:48 GMT"),
            ("2004.06.01_00:00:13.GMT", "2004.06.01 00:00:13.GMT"),
            ("2020.??.??", "2020"),
            ("2020.05.??", "2020.05"),
            ("2020-05", "2020.05"),
            ("????.??.??", ""),
            ("?", ""),
            ("", ""),
            ("1996-05-06,07", "1996-05-06,07"),
            ("May 2020", "May 2020"),
            ("The 2nd", "The 2nd"),
        ] {
            assert_eq!(date_in(text), date, "{text}");
            assert_eq!(date_in(date), date, "{text}");
        }
        assert_eq!(day_and_time("2020.05.01 10:00"), Some(("2020.05.01", "10:00")));
        assert_eq!(day_and_time("2020"), Some(("2020", "")));
        assert_eq!(day_and_time("May 2020"), None);
    }

    #[test]
    fn time_controls_are_clocks() {
        for (control, clock) in
            [("300", "5:00"), ("300+3", "5:00/0:03"), ("-", "0"), ("0.1+0.25", "0.100/0.250")]
        {
            assert_eq!(clock_of(control).unwrap().to_string(), clock);
            assert_eq!(control_of(&Clock::parse(clock).unwrap()).as_deref(), Some(control));
        }
        for other in ["40/9000", "?", "", "*60", "300+", "1e3", "05", "5:00"] {
            assert_eq!(clock_of(other), None, "{other}");
        }
        assert_eq!(control_of(&Clock::parse("15:00//02:00").unwrap()), None);
    }

    #[test]
    fn a_value_is_a_line_and_a_comment_lines() {
        let mut tags = Tags::default();
        tags.set("Event", " a\r\nb\tc ");
        tags.set(COMMENT, "a\r\nb\n");
        tags.set("Round", " \n");
        assert_eq!(tags.iter().collect::<Vec<_>>(), [("Event", "a b c"), (COMMENT, "a\nb")]);
    }
}
