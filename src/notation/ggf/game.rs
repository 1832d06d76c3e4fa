//! A game of GGF.

use std::fmt;

use crate::board::{Color, Game, IllegalMove, Position, Square};
use crate::notation::Fault;
use crate::notation::clock::Clock;
use crate::notation::grammar::moves::MoveToken;
use crate::notation::grammar::words::{play_as_written, play_for};

/// One `NAME[value]`, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Letters, as a rule two capitals.
    pub name: String,
    /// Anything but `]`.
    pub value: String,
}

/// The numbers of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ply {
    /// Value in discs for the mover, if given.
    pub eval: Option<f64>,
    /// Time taken in seconds, if given; never negative.
    pub seconds: Option<f64>,
    /// The turn is a forced pass that the text omits.
    pub is_implied: bool,
}

/// A game with all tags of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct GgfGame {
    pub(super) tags: Vec<Tag>,
    pub(super) game: Game,
    pub(super) plies: Vec<Ply>,
}

impl GgfGame {
    /// A game without moves, for writing: tags `GM`, `TY`, `BO`.
    pub fn new(start: Position) -> Self {
        let tag = |name: &str, value: String| Tag {
            name: name.into(),
            value,
        };
        Self {
            tags: vec![
                tag("GM", "Othello".into()),
                tag("TY", "8".into()),
                tag("BO", board_value(&start)),
            ],
            game: Game::new(start),
            plies: Vec::new(),
        }
    }

    /// The same game with a header tag set; a new one goes before `TY`, `BO` and the moves.
    ///
    /// `_` replaces characters that a value cannot hold. `name` must not be `B`, `W`, `BO` or `GM`.
    #[must_use]
    pub fn with_tag(mut self, name: &str, value: &str) -> Self {
        debug_assert!(!["B", "W", "BO", "GM"].contains(&name));
        let value = value
            .chars()
            .map(|c| if c == ']' || c.is_control() { '_' } else { c })
            .collect();
        match self.tags.iter_mut().find(|tag| tag.name == name) {
            Some(tag) => tag.value = value,
            None => {
                let is_fixed = |tag: &Tag| matches!(tag.name.as_str(), "TY" | "BO" | "B" | "W");
                let place = self
                    .tags
                    .iter()
                    .position(is_fixed)
                    .unwrap_or(self.tags.len());
                self.tags.insert(
                    place,
                    Tag {
                        name: name.into(),
                        value,
                    },
                );
            }
        }
        self
    }

    /// Plays a move at the end of the game, after a forced pass, and adds its tag. An error changes nothing.
    pub fn push(&mut self, token: MoveToken) -> Result<(), IllegalMove> {
        let before = self.game.moves().len();
        self.record(token, |game| play_as_written(game, token.mv))?;
        if self.game.moves().len() == before {
            return Ok(());
        }
        let mover = self.game.position().side.other();
        let name = if mover == Color::Black { "B" } else { "W" };
        let mut value = format!("{:#}", token.mv);
        if token.eval.is_some() || token.seconds.is_some() {
            value.push('/');
            value.extend(token.eval.map(|eval| format!("{eval:.2}")));
        }
        value.extend(token.seconds.map(|seconds| format!("/{seconds:.3}")));
        self.tags.push(Tag {
            name: name.into(),
            value,
        });
        Ok(())
    }

    /// Plays a move that the text gives to `color`.
    pub(super) fn play(&mut self, token: MoveToken, color: Color) -> Result<(), Fault> {
        self.record(token, |game| play_for(game, color, token.mv))
    }

    /// Plays a move and stores its value and time.
    fn record<E>(
        &mut self,
        token: MoveToken,
        play: impl FnOnce(&mut Game) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.game.moves().len();
        play(&mut self.game)?;
        let added = self.game.moves().len() - before;
        if added == 2 {
            self.plies.push(Ply {
                is_implied: true,
                ..Ply::default()
            });
        }
        if added > 0 {
            self.plies.push(Ply {
                eval: token.eval,
                seconds: token.seconds,
                is_implied: false,
            });
        }
        Ok(())
    }

    /// All tags in the order of the text.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The value of the first tag `name`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self
            .tags
            .iter()
            .find(|tag| tag.name.eq_ignore_ascii_case(name));
        found.map(|tag| tag.value.as_str())
    }

    /// The name of a player; may be empty.
    pub fn player(&self, color: Color) -> Option<&str> {
        self.tag(if color == Color::Black { "PB" } else { "PW" })
    }

    /// The moves, with every pass, and the positions.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The numbers of each turn of the game.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The clock of a side at the start: `TB` or `TW`, else `TI`.
    ///
    /// `None` means no limit: no readable clock, or no time on it.
    pub fn clock(&self, color: Color) -> Option<Clock> {
        let own = self.tag(if color == Color::Black { "TB" } else { "TW" });
        let clock = own
            .and_then(Clock::parse)
            .or_else(|| self.tag("TI").and_then(Clock::parse))?;
        (clock.main > 0.0 || clock.increment > 0.0).then_some(clock)
    }

    /// Seconds left to a side that had this clock: start minus elapsed plus the increments earned, never below 0.
    /// Overtime does not count.
    pub fn remaining(&self, clock: Clock, color: Color) -> f64 {
        let sides = self.game.positions().iter().map(|position| position.side);
        let own = sides
            .zip(&self.plies)
            .filter(|(side, ply)| *side == color && !ply.is_implied);
        let left = clock.main + own.clone().count() as f64 * clock.increment;
        (left - own.filter_map(|(_, ply)| ply.seconds).sum::<f64>()).max(0.0)
    }
}

impl fmt::Display for GgfGame {
    /// The text in one line, without blanks between the tags.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(;")?;
        for Tag { name, value } in &self.tags {
            write!(f, "{name}[{value}]")?;
        }
        f.write_str(";)")
    }
}

/// The value of `BO`: `8 ---…--- *`.
fn board_value(position: &Position) -> String {
    let sign = |color| if color == Color::Black { '*' } else { 'O' };
    let cells = Square::all().map(|square| position.disc_at(square).map_or('-', sign));
    format!("8 {} {}", cells.collect::<String>(), sign(position.side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::board::testing::play_on;
    use crate::notation::Code;
    use crate::notation::grammar::moves::parse_move_token;
    use crate::util::rng::Rng;

    const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

    fn parse(text: &str) -> GgfGame {
        GgfGame::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Seconds left on a side's clock at the end.
    fn remaining(game: &GgfGame, color: Color) -> Option<f64> {
        game.clock(color).map(|clock| game.remaining(clock, color))
    }

    #[test]
    fn the_text_of_nboard_is_read_and_written_back() {
        let text = format!(
            "(;GM[Othello]PC[NBoard]DT[2026-11-20 08:27:48 GMT]PB[human]PW[]RE[?]TI[5:00]TY[8]{START}\
             B[F5//3.351]W[F6/0,48/1.0E-1];)"
        );
        let game = parse(&text);
        assert_eq!(game.to_string(), text);
        assert_eq!(game.player(Color::Black), Some("human"));
        assert_eq!(game.player(Color::White), Some(""));
        assert_eq!(game.tag("pc"), Some("NBoard"));
        assert_eq!(game.game().start(), Position::START);
        assert_eq!(game.game().moves().len(), 2);
        assert_eq!(
            game.plies()[1],
            Ply {
                eval: Some(0.48),
                seconds: Some(0.1),
                is_implied: false
            }
        );
        assert_eq!(remaining(&game, Color::Black), Some(300.0 - 3.351));
        assert_eq!(remaining(&game, Color::White), Some(299.9));
    }

    #[test]
    fn blanks_counts_aliases_and_missing_tags_are_no_fault() {
        let want = parse(&format!("(;{START}B[F5];)"));
        for text in [
            "(;GM[othello] B[f5] ;)\n",
            "2 (;B[F5];)",
            "1 (; BO [8 ---------------------------ox------xo--------------------------- x]\r\nB[f5/];)",
            "(;BO[8 ........ ........ ........ ...OX... ...XO... ........ ........ ........\n X]B[F5//1];)",
            "(;B[f5]XX[an unknown tag]CO[]BO[8 ...........................O*......*O........................... *];)",
            "\u{feff}(;TY[8]B[F5/1e1];)",
        ] {
            assert_eq!(parse(text).game(), want.game(), "{text}");
        }
    }

    #[test]
    fn clocks_follow_the_moves() {
        let header = "(;TI[10:00/2]TW[1:00/0/2:00]";
        let game = parse(&format!("{header}{START}B[F5//3]W[D6//4.5]B[C3];)"));
        assert_eq!(
            remaining(&game, Color::Black),
            Some(600.0 - 3.0 + 2.0 * 2.0)
        );
        assert_eq!(remaining(&game, Color::White), Some(55.5));
        for unlimited in ["", "TI[0]", "TI[]", "TI[soon]", "TI[0//5:00]"] {
            assert_eq!(
                parse(&format!("(;{unlimited}{START};)")).clock(Color::Black),
                None
            );
        }
        assert_eq!(
            remaining(&parse("(;TI[2]B[F5//5];)"), Color::Black),
            Some(0.0)
        );
    }

    #[test]
    fn any_start_is_a_start() {
        let empty = "-".repeat(64);
        assert!(parse(&format!("(;BO[8 {empty} O];)")).game().is_over());
        let white = parse(&format!("(;{};)", START.replace(" *]", " O]")));
        assert_eq!(white.game().start().side, Color::White);
        let no_side = format!("(;{};)", START.replace(" *]", "]"));
        assert_eq!(GgfGame::parse(&no_side).unwrap_err().code, Code::NoSide);
    }

    #[test]
    fn left_out_passes_are_put_in() {
        let mut rng = Rng::new(1);
        let mut passes = 0;
        for _ in 0..300 {
            let played = play_on(Game::default(), u32::MAX, &mut rng);
            let mut full = GgfGame::new(Position::START);
            let mut sparse = full.clone();
            for &mv in played.moves() {
                let token = MoveToken {
                    mv,
                    eval: Some(-0.25),
                    seconds: Some(f64::from(rng.below(4000)) / 1000.0),
                };
                full.push(token).unwrap();
                if mv != Move::Pass {
                    sparse.push(token).unwrap();
                }
            }
            assert_eq!((full.game(), sparse.game()), (&played, &played));
            assert_eq!(parse(&full.to_string()).game(), &played);
            assert_eq!(full.plies().len(), played.moves().len());
            let again = parse(&sparse.to_string());
            assert_eq!((&again, again.to_string()), (&sparse, sparse.to_string()));
            let implied = again.plies().iter().filter(|ply| ply.is_implied).count();
            assert_eq!(
                implied,
                played
                    .moves()
                    .iter()
                    .filter(|mv| **mv == Move::Pass)
                    .count()
            );
            passes += implied;
        }
        assert!(passes > 10);
    }

    #[test]
    fn a_bad_push_changes_nothing() {
        let mut game = parse("(;B[F5];)");
        let before = game.clone();
        for bad in ["F5", "A1", "PA"] {
            assert!(game.push(parse_move_token(bad).unwrap()).is_err());
            assert_eq!(game, before);
        }
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let boards = format!("(;{START}B[F5]{};)", START.replace(" *]", " O]"));
        let many = format!("(;{};)", "X[]".repeat(1025));
        for (text, error) in [
            (
                "",
                "GGF game, column 1: expected (; at the start of the game, found the end",
            ),
            (
                "(((((((((",
                "GGF game, column 1: expected (; at the start of the game, found \"(((((((((\"",
            ),
            (
                "(;GM[Othello",
                "GGF game, column 13: expected ] after GM[, found the end",
            ),
            (
                "(;GM[Othello]",
                "column 14: expected a tag such as PB[name], or ;) at the end, found the end",
            ),
            (
                "(;CO[a ] b];)",
                "column 11: expected [ after the name of a tag",
            ),
            ("(;BO[10 -----];)", "column 6: expected a board of size 8"),
            ("(;BO[8 ---];)", "column 11: expected row 1 of 8"),
            ("(;BO[8\n--q];)", "line 2, column 4: expected row 1 of 8"),
            (
                "(;B[F5]\nW[A1];)",
                "line 2, column 3: a1 is illegal: it turns no disc",
            ),
            (
                "(;B[F5]\nB[D6];)",
                "line 2, column 3: d6 is written as a move of Black, but White",
            ),
            ("(;B[F5 D6];)", "column 5: expected one move, found"),
            (&boards, "column 83: expected one BO for the game"),
            ("(;B[zz];)", "column 5: expected a move a1-h8 or a pass"),
            ("(;;)", "expected a tag"),
            (
                "(;B[F5];) x",
                "column 11: expected the end of the game text",
            ),
            (
                "2 (;B[F5];)(;B[F5];)",
                "column 12: expected the end of the game",
            ),
            (&many, "more than 1024 tags"),
        ] {
            let found = GgfGame::parse(text).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }

    #[test]
    fn header_tags_are_set_before_the_board() {
        let game = GgfGame::new(Position::START)
            .with_tag("PB", "a]b")
            .with_tag("RE", "?")
            .with_tag("RE", "+2.00");
        assert_eq!(
            game.to_string(),
            format!("(;GM[Othello]PB[a_b]RE[+2.00]TY[8]{START};)")
        );
    }
}
