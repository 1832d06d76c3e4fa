//! Tags of a game, under the names of PGN.
//!
//! The readers of GGF and SGF translate their names. A tag that only one notation has keeps its name.

/// Tags of a game except players, place, date and result, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

/// The remark on the whole game: the only tag whose value may have several lines.
pub const COMMENT: &str = "Comment";

impl Tags {
    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Sets a tag, control characters replaced by blanks; a blank value removes it.
    pub fn set(&mut self, name: &str, value: &str) {
        let value = clean_lines(value, if name == COMMENT { '\n' } else { ' ' });
        self.remove(name);
        if !value.is_empty() && !name.is_empty() {
            self.0.push((name.to_owned(), value));
        }
    }

    /// Removes a tag.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    /// Names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether the game has no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text of one line without blanks around it.
pub(super) fn clean(text: &str) -> String {
    clean_lines(text, ' ')
}

/// A text without blanks around it; `line_end` replaces each end of a line.
fn clean_lines(text: &str, line_end: char) -> String {
    let plain = |c: char| match c {
        '\r' | '\n' => line_end,
        c if c.is_control() => ' ',
        c => c,
    };
    text.replace("\r\n", "\n")
        .chars()
        .map(plain)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// The tag for a date in words or of several days, which some notations cannot hold.
pub(super) const DATE_TEXT: &str = "DateText";

/// A date in the form of records: `2020.05.01 10:00`, `2020.05` or `2020`, with any signs between the numbers of the
/// source. Other words stay; question marks become an empty date.
pub(super) fn date_in(text: &str) -> String {
    let text = clean(text);
    let end = text.find([' ', '_', 'T']).unwrap_or(text.len());
    let (day, time) = (
        &text[..end],
        text[end..].trim_start_matches([' ', '_', 'T']),
    );
    let is_open = |part: &str| part.bytes().all(|b| b == b'?');
    if !day.is_empty() && day.split(['.', '-', '/']).all(is_open) {
        return time.to_owned();
    }
    match (day_in(day), time) {
        (Some(day), "") => day,
        (Some(day), time) if is_time(time) => format!("{day} {time}"),
        _ => text,
    }
}

/// The day of `2020-5-1`, `2020.05.??`, `1.5.2020` or `20200501` with points and leading zeros; `None` for other texts.
fn day_in(text: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts: Vec<&str> = text.split(['.', '-', '/']).collect();
    if let [all] = parts[..]
        && all.len() == 8
        && is_number(all)
    {
        parts = vec![&all[..4], &all[4..6], &all[6..]];
    }
    // `1.5.2020`: countries that write points put the day first.
    if let [_, _, year] = parts[..]
        && year.len() == 4
        && text.matches('.').count() == 2
    {
        parts.reverse();
    }
    let is_open = |part: &&str| part.bytes().all(|b| b == b'?');
    let known = parts.iter().take_while(|part| !is_open(part)).count();
    if known > 3 || !parts[known..].iter().all(is_open) {
        return None;
    }
    let year = parts[..known]
        .first()
        .filter(|year| year.len() == 4 && is_number(year))?;
    let mut day = (*year).to_owned();
    for (part, most) in parts[1..known].iter().zip([12, 31]) {
        let number = part
            .parse::<u8>()
            .ok()
            .filter(|number| (1..=most).contains(number) && is_number(part))?;
        day += &format!(".{number:02}");
    }
    Some(day)
}

/// Whether a text behind a day is its time rather than another day.
pub(super) fn is_time(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && (digits < 4 || !text[digits..].starts_with(['-', '.', '/']))
}

/// Day and time of the date of a record; `None` for words.
pub(super) fn day_and_time(date: &str) -> Option<(&str, &str)> {
    let (day, time) = date.split_once(' ').unwrap_or((date, ""));
    let is_part = |(at, b): (usize, u8)| {
        if matches!(at, 4 | 7) {
            b == b'.'
        } else {
            b.is_ascii_digit()
        }
    };
    let is_day = matches!(day.len(), 4 | 7 | 10) && day.bytes().enumerate().all(is_part);
    (is_day && (time.is_empty() || is_time(time))).then_some((day, time))
}

/// The first of several days such as `2020-05-01,02`, in the form of records; `None` for words.
pub(super) fn first_day(date: &str) -> Option<String> {
    day_in(date.split([',', ';', ' ']).next()?)
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
            ("2000-4-16 11:13 EST", "2000.04.16 11:13 EST"),
            ("2000/4/6", "2000.04.06"),
            ("16.4.2000", "2000.04.16"),
            ("20000416", "2000.04.16"),
            ("2000-13-01", "2000-13-01"),
            ("2000-04-32", "2000-04-32"),
            ("4/5/2000", "4/5/2000"),
            ("961089436", "961089436"),
            ("2020-05-01 - 2020-05-03", "2020-05-01 - 2020-05-03"),
            ("2020-05-01 2020-05-03", "2020-05-01 2020-05-03"),
            ("2020-05-01 evening", "2020-05-01 evening"),
            ("May 2020", "May 2020"),
            ("The 2nd", "The 2nd"),
        ] {
            assert_eq!(date_in(text), date, "{text}");
            assert_eq!(date_in(date), date, "{text}");
        }
        assert_eq!(
            day_and_time("2020.05.01 10:00"),
            Some(("2020.05.01", "10:00"))
        );
        assert_eq!(day_and_time("2020"), Some(("2020", "")));
        assert_eq!(day_and_time("May 2020"), None);
        for (date, first) in [
            ("2020-05-01,02", Some("2020.05.01")),
            ("2020-05-01 - 2020-05-03", Some("2020.05.01")),
            ("2020-05,06", Some("2020.05")),
            ("May 2020", None),
            ("4/5/2000", None),
        ] {
            assert_eq!(first_day(date).as_deref(), first, "{date}");
        }
    }

    #[test]
    fn a_value_is_a_line_and_a_comment_lines() {
        let mut tags = Tags::default();
        tags.set("Event", " a\r\nb\tc ");
        tags.set(COMMENT, "a\r\nb\n");
        tags.set("Round", " \n");
        assert_eq!(
            tags.iter().collect::<Vec<_>>(),
            [("Event", "a b c"), (COMMENT, "a\nb")]
        );
    }
}
