//! The result of a game: winner, discs and reason, with the words of every notation.
//!
//! PGN of Othello names Black first: `40-24` and `1-0` are wins of Black.

use super::scanner::decimal;
use crate::board::Color;
use crate::notation::scanner::plain;

/// The result of a game by its text or by its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameResult {
    /// The winner and the difference of discs.
    pub outcome: Outcome,
    /// The reason.
    pub how: How,
}

/// The winner of a game and the difference of discs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Unknown: the game has not ended, or the text states no result.
    #[default]
    Open,
    /// Black's discs less White's, `-64..=64`; the empties count for the winner.
    Discs(i32),
    /// This side won by an unknown number of discs.
    Won(Color),
}

/// The reason of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum How {
    /// No result.
    #[default]
    Unknown,
    /// The text states the result without a reason.
    Stated,
    /// Neither side could move.
    Played,
    /// The loser resigned.
    Resigned,
    /// The loser's time was up.
    Time,
    /// The loser left, did not appear, or broke the rules.
    Forfeit,
    /// A judge or a solver ended the game.
    Adjudicated,
    /// Both sides agreed.
    Agreed,
    /// The game was aborted and does not count.
    Void,
}

/// Discs that count for a game that was resigned or lost on time.
pub const FORFEIT_DISCS: i32 = 64;

impl GameResult {
    /// A result in discs for Black. 64 discs of a forfeited game only name the winner; an impossible number is no result.
    pub fn discs(discs: i32, how: How) -> Self {
        match discs.unsigned_abs() {
            65.. => Self::default(),
            64 if how.is_forfeit() => Self::won(winner_of(discs), how),
            _ => Self {
                outcome: Outcome::Discs(discs),
                how,
            },
        }
    }

    /// A win by an unknown number of discs.
    pub fn won(winner: Color, how: How) -> Self {
        Self {
            outcome: Outcome::Won(winner),
            how,
        }
    }

    /// An aborted game.
    pub const VOID: Self = Self {
        outcome: Outcome::Open,
        how: How::Void,
    };

    /// The same result with the reason in a tag `Termination`, if its words are known.
    #[must_use]
    pub fn with_termination(self, words: &str) -> Self {
        match (self.outcome, How::of_termination(words)) {
            (Outcome::Open, Some(How::Void | How::Forfeit)) => Self::VOID,
            (Outcome::Open, _) | (_, None | Some(How::Void)) => self,
            (Outcome::Discs(discs), Some(how)) => Self::discs(discs, how),
            (Outcome::Won(_), Some(how)) => Self { how, ..self },
        }
    }

    /// The score for Black, discs: that of the result, or all discs for a forfeit; `None` if unknown.
    pub fn score(self) -> Option<i32> {
        match self.outcome {
            Outcome::Discs(discs) => Some(discs),
            Outcome::Won(color) if self.how.is_forfeit() => Some(signed(FORFEIT_DISCS, color)),
            _ => None,
        }
    }

    /// The winner; `None` for a draw or an open game.
    pub fn winner(self) -> Option<Color> {
        match self.outcome {
            Outcome::Discs(discs) => (discs != 0).then(|| winner_of(discs)),
            Outcome::Won(color) => Some(color),
            Outcome::Open => None,
        }
    }

    /// The result in a sentence: `White won by resignation`, `Black won by 12 discs, adjudicated`.
    pub fn words(self) -> String {
        let Some(winner) = self.winner() else {
            return match (self.outcome, self.how) {
                (Outcome::Open, How::Void) => "broken off".into(),
                (Outcome::Open, _) => "not finished".into(),
                (_, How::Agreed) => "drawn by agreement".into(),
                (_, How::Adjudicated) => "a draw, adjudicated".into(),
                _ => "a draw".into(),
            };
        };
        let winner = winner.title();
        let discs = match self.outcome {
            Outcome::Discs(discs) if discs.abs() == 1 => " by 1 disc".into(),
            Outcome::Discs(discs) => format!(" by {} discs", discs.abs()),
            _ => String::new(),
        };
        let how = match self.how {
            How::Resigned => "by resignation",
            How::Forfeit => "by forfeit",
            How::Time => "on time",
            How::Adjudicated => "adjudicated",
            How::Agreed => "as agreed",
            _ => return format!("{winner} won{discs}"),
        };
        let comma = if discs.is_empty() && self.how.is_forfeit() {
            ""
        } else {
            ","
        };
        format!("{winner} won{discs}{comma} {how}")
    }

    /// The counts of Black and White: 40 and 24, or 1 and 0 for a win without discs; `None` if unknown.
    pub fn counts(self) -> Option<(String, String)> {
        let (black, white) = match self.outcome {
            Outcome::Open => return None,
            Outcome::Discs(discs) => {
                let black = (64 + discs).div_euclid(2);
                (black, black - discs)
            }
            Outcome::Won(Color::Black) => (1, 0),
            Outcome::Won(Color::White) => (0, 1),
        };
        Some((black.to_string(), white.to_string()))
    }

    /// Whether the winner or a draw is known.
    pub fn is_known(self) -> bool {
        self.outcome != Outcome::Open
    }

    /// 1 for a win of `color`, 0 for a draw, -1 for a loss; `None` if unknown.
    pub fn sign_for(self, color: Color) -> Option<i32> {
        self.is_known().then(|| {
            self.winner()
                .map_or(0, |winner| if winner == color { 1 } else { -1 })
        })
    }
}

/// The side before `+` or `wins`.
fn winner_in(side: &str) -> Option<Color> {
    match side.trim() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

fn winner_of(discs: i32) -> Color {
    if discs > 0 {
        Color::Black
    } else {
        Color::White
    }
}

/// The difference for Black of a win by `discs`.
fn signed(discs: i32, winner: Color) -> i32 {
    if winner == Color::Black {
        discs
    } else {
        -discs
    }
}

impl How {
    /// Whether the loser resigned, ran out of time or broke the rules: the discs on the board do not count.
    pub fn is_forfeit(self) -> bool {
        matches!(self, Self::Resigned | Self::Time | Self::Forfeit)
    }

    /// The word in PGN's tag `Termination`; `None` if the result says it.
    pub fn termination(self) -> Option<&'static str> {
        match self {
            Self::Unknown | Self::Stated | Self::Played => None,
            Self::Resigned => Some("resignation"),
            Self::Time => Some("time forfeit"),
            Self::Forfeit => Some("forfeit"),
            Self::Adjudicated => Some("adjudication"),
            Self::Agreed => Some("agreement"),
            Self::Void => Some("aborted"),
        }
    }

    /// The reason by the words of a tag `Termination`; `None` for other words.
    pub fn of_termination(words: &str) -> Option<Self> {
        let words = words.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        Some(match () {
            () if has(&["unterminated"]) => return None,
            () if has(&["resign", "gave up", "gives up"]) => Self::Resigned,
            () if has(&["adjudicat", "proven", "solved"]) => Self::Adjudicated,
            () if has(&["abort", "void", "no result", "cancel"]) => Self::Void,
            () if has(&["time", "clock", "flag"]) => Self::Time,
            () if has(&["abandon", "forfeit", "infraction", "disconnect", "illegal"]) => {
                Self::Forfeit
            }
            // The standard of PGN has these.
            () if has(&["death", "emergency"]) => Self::Forfeit,
            () if has(&["agree"]) => Self::Agreed,
            () => return None,
        })
    }
}

/// GGF, tag `RE`: discs for Black, `:r` resigned, `:t` time, `:l` left.
impl GameResult {
    /// The result by the value of `RE`; `None` for other words.
    pub fn of_ggf(value: &str) -> Option<Self> {
        let (number, ending) = value.split_once(':').unwrap_or((value, ""));
        let how = match ending.trim().to_ascii_lowercase().as_bytes().first() {
            None => How::Stated,
            Some(b'r') => How::Resigned,
            Some(b't') => How::Time,
            Some(b'l') => How::Forfeit,
            Some(_) => return Self::of_words(value),
        };
        match decimal(number) {
            // Edax writes these where there is no result.
            Some(-127.0 | 127.0 | -128.0 | 128.0) => Some(Self::default()),
            Some(discs) if discs.abs() > 64.0 => None,
            // Adjourned: neither side lost.
            Some(0.0) if how == How::Forfeit => Some(Self::VOID),
            // Whole games end with an even difference: one disc is a win by an unknown number.
            Some(discs) if discs.abs() == 1.0 && how == How::Stated || discs.fract() != 0.0 => {
                Some(Self::won(winner_of(discs.signum() as i32), how))
            }
            Some(discs) => Some(Self::discs(discs as i32, how)),
            None => Self::of_words(value),
        }
    }

    /// The value of `RE`; one disc for a win by an unknown number.
    pub fn to_ggf(self) -> String {
        let discs = match self.outcome {
            Outcome::Open if self.how == How::Void => return "aborted".into(),
            Outcome::Open => return "?".into(),
            Outcome::Discs(discs) => discs,
            Outcome::Won(winner) => self.score().unwrap_or(signed(1, winner)),
        };
        let suffix = match self.how {
            How::Resigned => ":r",
            How::Time => ":t",
            How::Forfeit => ":l",
            _ => "",
        };
        format!("{discs:+}.00{suffix}")
    }
}

/// SGF, property `RE`: `B+12`, `W+Resign`, `0`, `Void`, `?`.
impl GameResult {
    /// The result by the value of `RE`; `None` for other words.
    pub fn of_sgf(value: &str) -> Option<Self> {
        if value.trim() == "0" {
            Some(Self::discs(0, How::Stated))
        } else {
            Self::of_words(value)
        }
    }

    /// The value of `RE`, without the reasons that only [`How::termination`] has.
    pub fn to_sgf(self) -> String {
        let winner = match self.winner() {
            Some(winner) => winner,
            None if self.is_known() => return "0".into(),
            None if self.how == How::Void => return "Void".into(),
            None => return "?".into(),
        };
        let by = match (self.outcome, self.how) {
            (Outcome::Discs(discs), _) => discs.abs().to_string(),
            (_, How::Resigned) => "Resign".into(),
            (_, How::Time) => "Time".into(),
            (_, How::Forfeit) => "Forfeit".into(),
            _ => String::new(),
        };
        format!("{}+{by}", if winner == Color::Black { 'B' } else { 'W' })
    }

    /// Whether [`GameResult::to_sgf`] includes the reason.
    pub fn sgf_tells_how(self) -> bool {
        self.how.termination().is_none() || Self::of_sgf(&self.to_sgf()) == Some(self)
    }
}

/// Spellings of all notations, which files mix.
impl GameResult {
    /// The result in any unambiguous spelling: `B+4`, `White+Resign`, `34-30`, `+4`, `draw`; `None` for other words.
    pub fn of_words(value: &str) -> Option<Self> {
        let plain = plain(value).to_lowercase().replace('½', "1/2");
        let word = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let is = |words: &[&str]| words.contains(&word.as_str());
        match () {
            () if is(&["", "?", "*", "unknown"]) => Some(Self::default()),
            () if is(&["void", "aborted", "no result", "0-0"]) => Some(Self::VOID),
            () if is(&[
                "draw", "drawn", "jigo", "d", "tie", "1/2", "0.5", "1/2-1/2", "0.5-0.5",
            ]) =>
            {
                Some(Self::discs(0, How::Stated))
            }
            () if word.starts_with(['+', '-']) => Self::by(Color::Black, &word),
            () => {
                if let Some((side, by)) = word.split_once('+') {
                    return Self::by(winner_in(side)?, by)
                        .filter(|_| !by.trim_start().starts_with(['+', '-']));
                }
                match word
                    .strip_suffix(" wins")
                    .or_else(|| word.strip_suffix(" won"))
                {
                    Some(side) => Some(Self::won(winner_in(side)?, How::Stated)),
                    None => Self::of_counts(&word),
                }
            }
        }
    }

    /// A win of `winner` by the number or word behind `B+`.
    fn by(winner: Color, by: &str) -> Option<Self> {
        let how = match by.trim() {
            "" | "?" => How::Stated,
            "r" | "res" | "resign" | "resigned" | "resignation" => How::Resigned,
            "t" | "time" | "timeout" => How::Time,
            "f" | "forfeit" => How::Forfeit,
            number => {
                let discs = decimal(number).filter(|discs| discs.abs() <= 64.0)?;
                let is_count =
                    discs.fract() == 0.0 && (discs != 0.0 || number.starts_with(['+', '-']));
                if is_count {
                    return Some(Self::discs(signed(discs as i32, winner), How::Stated));
                }
                return Some(Self::won(
                    if discs < 0.0 { winner.other() } else { winner },
                    How::Stated,
                ));
            }
        };
        Some(Self::won(winner, how))
    }

    /// Two counts with a dash between them; fewer than the four discs of the start are points.
    fn of_counts(counts: &str) -> Option<Self> {
        let (black, white) = counts.split_once(['-', ':'])?;
        let number = |text: &str| {
            text.trim()
                .parse::<u8>()
                .ok()
                .filter(|&count| count <= 64)
                .map(i32::from)
        };
        let (black, white) = (number(black)?, number(white)?);
        Some(match black + white {
            65.. => return None,
            4.. => Self::discs(black - white, How::Stated),
            _ if black == white => Self::discs(0, How::Stated),
            _ => Self::won(winner_of(black - white), How::Stated),
        })
    }

    /// The value of `Result`: discs if known, else points.
    pub fn to_pgn(self) -> String {
        match self.outcome {
            Outcome::Discs(0) if self.how != How::Played => "1/2-1/2".into(),
            _ => self
                .counts()
                .map_or("*".into(), |(black, white)| format!("{black}-{white}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READERS: [fn(&str) -> Option<GameResult>; 3] =
        [GameResult::of_ggf, GameResult::of_sgf, GameResult::of_words];

    /// Results of all kinds.
    fn all() -> Vec<GameResult> {
        let mut all = vec![GameResult::default(), GameResult::VOID];
        for how in [
            How::Stated,
            How::Resigned,
            How::Time,
            How::Forfeit,
            How::Adjudicated,
            How::Agreed,
        ] {
            all.extend([Color::Black, Color::White].map(|winner| GameResult::won(winner, how)));
            all.extend([-64, -63, -12, 2, 64].map(|discs| GameResult::discs(discs, how)));
        }
        all.extend(
            [How::Stated, How::Adjudicated, How::Agreed].map(|how| GameResult::discs(0, how)),
        );
        all
    }

    #[test]
    fn every_result_goes_through_every_notation() {
        for result in all() {
            let ggf = result.to_ggf();
            let words = result.how.termination().unwrap_or_default();
            assert_eq!(
                GameResult::of_ggf(&ggf).unwrap().with_termination(words),
                result,
                "{ggf}"
            );
            let sgf = result.to_sgf();
            let words_of_sgf = if result.sgf_tells_how() { "" } else { words };
            assert_eq!(
                GameResult::of_sgf(&sgf)
                    .unwrap()
                    .with_termination(words_of_sgf),
                result,
                "{sgf}"
            );
            let pgn = result.to_pgn();
            assert_eq!(
                GameResult::of_words(&pgn).unwrap().with_termination(words),
                result,
                "{pgn}"
            );
        }
    }

    #[test]
    fn every_notation_reads_the_spellings_of_the_others() {
        for (texts, words) in [
            ("B+4|+4|34-30|Black+4.0", "Black won by 4 discs"),
            (
                "w + 12|-12.00|26:38|26 \u{2013} 38",
                "White won by 12 discs",
            ),
            ("32-32|1/2-1/2|\u{bd}-\u{bd}|Draw", "a draw"),
            ("1-0|B+|B+?|black wins", "Black won"),
            ("0-1|White wins", "White won"),
            ("B+R|b+resign", "Black won by resignation"),
            ("W+T|White+Time", "White won on time"),
            ("W+Forfeit", "White won by forfeit"),
            ("0-0|Void|aborted", "broken off"),
            ("*|?||unknown", "not finished"),
        ] {
            for (text, read) in texts
                .split('|')
                .flat_map(|text| READERS.map(|read| (text, read)))
            {
                assert_eq!(
                    read(text).map(GameResult::words).as_deref(),
                    Some(words),
                    "{text}"
                );
            }
        }
        assert_eq!(
            GameResult::of_sgf("0").map(GameResult::words).as_deref(),
            Some("a draw")
        );
        for (text, words) in [
            ("+0.5", "Black won"),
            ("-64.000:r", "White won by resignation"),
            ("+10.00:t", "Black won by 10 discs, on time"),
            ("0:l", "broken off"),
            ("-127", "not finished"),
            ("+128.00", "not finished"),
        ] {
            assert_eq!(
                GameResult::of_ggf(text).map(GameResult::words).as_deref(),
                Some(words),
                "{text}"
            );
        }
    }

    #[test]
    fn a_score_that_no_board_gives_is_no_win() {
        for text in "+65|-99.00|+65:r|B+65|W+127|70-3|65-0|won|B+x|x+3|a-b|1-".split('|') {
            READERS
                .iter()
                .for_each(|read| assert_eq!(read(text), None, "{text}"));
        }
        assert_eq!(GameResult::discs(-127, How::Stated), GameResult::default());
        assert_eq!(GameResult::discs(70, How::Resigned), GameResult::default());
        assert_eq!(GameResult::won(Color::White, How::Stated).score(), None);
    }

    #[test]
    fn results_are_told_in_a_sentence() {
        for (result, words) in [
            (
                GameResult::discs(12, How::Adjudicated),
                "Black won by 12 discs, adjudicated",
            ),
            (GameResult::discs(-1, How::Stated), "White won by 1 disc"),
            (GameResult::discs(0, How::Agreed), "drawn by agreement"),
        ] {
            assert_eq!(result.words(), words);
        }
    }

    #[test]
    fn reasons_are_read_in_the_words_of_sites() {
        for (words, how) in [
            ("time forfeit", Some(How::Time)),
            ("ann won on time", Some(How::Time)),
            ("Time forfeit", Some(How::Time)),
            ("bob won by resignation", Some(How::Resigned)),
            ("adjudication", Some(How::Adjudicated)),
            ("abandoned", Some(How::Forfeit)),
            ("rules infraction", Some(How::Forfeit)),
            ("Game drawn by agreement", Some(How::Agreed)),
            ("aborted", Some(How::Void)),
            ("normal", None),
            ("unterminated", None),
        ] {
            assert_eq!(How::of_termination(words), how, "{words}");
        }
    }
}
