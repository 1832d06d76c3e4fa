//! A generator of texts with their meaning, from random legal games.

use super::generate_positions::{bitboards, board, diagram, fen, ggf_board};
use super::generate_records::{ggf, json, pgn, sgf, table};
use super::{Kind, Outcome, Stated};
use crate::board::{Color, Game, Move, Position, Square};

/// Random numbers of a seed (xorshift).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Moves,
    Position,
    Diagram,
    Pgn,
    Table,
    Brackets,
}

/// The text of an entry and the games that it means.
pub struct Entry {
    pub text: String,
    pub games: Vec<Outcome>,
    pub sort: Sort,
    /// No list can go on behind the text.
    pub ended: bool,
}

/// A text, its reading and the forms in it.
pub struct Case {
    pub text: String,
    pub kind: Kind,
    pub games: Vec<Outcome>,
    pub forms: Vec<&'static str>,
}

pub type Form = (&'static str, fn(&mut Dice) -> Entry);

pub const FORMS: [Form; 11] = [
    ("moves", moves),
    ("board", |dice| placed(dice, board)),
    ("GGF board", ggf_board),
    ("FEN", |dice| placed(dice, fen)),
    ("bitboards", bitboards),
    ("diagram", diagram),
    ("table", table),
    ("JSON", json),
    ("PGN", pgn),
    ("GGF", ggf),
    ("SGF", sgf),
];

pub fn case(seed: u64) -> Case {
    let mut dice = Dice::new(seed);
    let kind = dice.pick(&[Kind::File, Kind::Paste]);
    if kind == Kind::Paste && dice.one_in(20) {
        return broken(&mut dice);
    }
    let mut case = Case {
        text: String::new(),
        kind,
        games: Vec::new(),
        forms: Vec::new(),
    };
    let mut last: Option<Entry> = None;
    for _ in 0..dice.pick(&[1, 1, 1, 2, 3]) {
        let form = dice.pick(&FORMS);
        let entry = form.1(&mut dice);
        if let Some(last) = last {
            let gap = gap(&mut dice, kind, &last, &entry);
            case.text += gap;
        }
        case.text += &entry.text;
        case.games.extend(entry.games.iter().cloned());
        case.forms.push(form.0);
        last = Some(entry);
    }
    decorate(&mut dice, &mut case);
    case
}

/// Lines between two entries.
fn gap(dice: &mut Dice, kind: Kind, last: &Entry, next: &Entry) -> &'static str {
    let lines = [&last.text, &next.text]
        .iter()
        .any(|text| text.contains('\n'));
    let moves = last.sort == Sort::Moves && next.sort == Sort::Moves;
    let close = match (last.sort, next.sort) {
        (Sort::Table | Sort::Diagram, _) => false,
        (Sort::Pgn, Sort::Pgn) => return dice.pick(&["\n", "\n\n", "\n \n\n", "\n\n---\n"]),
        (Sort::Pgn, _) => return dice.pick(&["\n----\n", "\n\n===\n\n", "\nGame 12\n"]),
        (Sort::Position, Sort::Moves) => false,
        (Sort::Moves, Sort::Moves) if kind == Kind::Paste => last.ended && !lines,
        _ => true,
    };
    match close && (moves || dice.one_in(2)) {
        true => "\n",
        false => dice.pick(&[
            "\n\n",
            "\n \n\n",
            "\n\n# c4 d3\n",
            "\n\n%\n\n",
            "\n\n---\n",
            "\n\nGame 007\n",
        ]),
    }
}

/// A game whose squares stand in two lines, where the second is no game of its own.
fn broken(dice: &mut Dice) -> Case {
    loop {
        let game = play(dice, Position::START, 60);
        let cut = 1 + dice.below(game.moves().len() - 1);
        let rest = game.moves()[cut..].iter().copied();
        if Game::from_moves(Position::START, rest).is_err() {
            let words: Vec<String> = game.moves().iter().map(Move::to_string).collect();
            let text = [words[..cut].join(" "), words[cut..].concat()].join("\n");
            let games = vec![Outcome::new(&game, Vec::new(), None)];
            return Case {
                text,
                kind: Kind::Paste,
                games,
                forms: vec!["broken"],
            };
        }
    }
}

/// Other ends of lines, full-width signs, a byte order mark.
fn decorate(dice: &mut Dice, case: &mut Case) {
    let plain = ["moves", "board", "GGF board", "FEN", "diagram", "bitboards"];
    let wide = dice.one_in(20) && case.forms.iter().all(|form| plain.contains(form));
    if wide {
        let wider = |c: char| match c {
            ' ' => '\u{3000}',
            '!'..='~' => char::from_u32(c as u32 + 0xfee0).unwrap(),
            _ => c,
        };
        case.text = case.text.chars().map(wider).collect();
    }
    match dice.below(24) {
        0 => case.text = case.text.replace('\n', "\r\n"),
        1 => case.text = case.text.replace('\n', "\r"),
        2 => case.text.insert(0, '\u{feff}'),
        3 if !wide && case.forms.iter().all(|form| plain.contains(form)) => {
            case.text = case.text.replace('-', dice.pick(&["–", "−", "‐"]))
        }
        4 => case.text = format!("\n# a comment\n{}\n\n", case.text),
        6 => case.text = case.text.replace("\n", "\u{1a}\n") + "\u{1a}",
        5 => case.text += "\n",
        _ => {}
    }
}

/// Random legal moves, `most` at most, the last of them a square.
pub fn play(dice: &mut Dice, start: Position, most: usize) -> Game {
    let mut game = Game::new(start);
    while game.moves().len() < most && !game.is_over() {
        let squares: Vec<Square> = game.position().board.moves().into_iter().collect();
        let mv = match squares.is_empty() {
            true => Move::Pass,
            false => Move::Place(dice.pick(&squares)),
        };
        game.play(mv).unwrap();
    }
    while game.moves().last() == Some(&Move::Pass) {
        game.undo();
    }
    game
}

/// A position of a random game, its end included.
pub fn position(dice: &mut Dice) -> Position {
    let plies = dice.below(61);
    play(dice, Position::START, plies).position()
}

/// A game of one move or more.
pub fn game(dice: &mut Dice, start: Position) -> Game {
    let most = dice.pick(&[1, 5, 12, 30, 60, 99]);
    let most = 1 + dice.below(most);
    play(dice, start, most.max(2))
}

pub fn result(dice: &mut Dice) -> Option<Stated> {
    match dice.below(4) {
        0 => Some(Stated::Won(dice.pick(&[Color::Black, Color::White]))),
        1 => Some(Stated::Margin(2 * dice.below(65) as i32 - 64)),
        _ => None,
    }
}

/// A word of section 6 for a result.
pub fn result_word(dice: &mut Dice, result: Option<Stated>) -> String {
    let margin = match result {
        None => return "*".to_owned(),
        Some(Stated::Won(Color::Black)) => return "1-0".to_owned(),
        Some(Stated::Won(Color::White)) => return "0-1".to_owned(),
        Some(Stated::Margin(margin)) => margin,
    };
    let winner = if margin < 0 { "W" } else { "B" };
    match dice.below(4) {
        0 => format!("{}-{}", 32 + margin / 2, 32 - margin / 2),
        1 if margin != 0 => format!("{winner}+{}", margin.abs()),
        2 if margin == 0 => "1/2-1/2".to_owned(),
        2 if margin > 0 => margin.to_string(),
        _ => format!("{margin:+}"),
    }
}

pub fn remark(dice: &mut Dice) -> &'static str {
    dice.pick(&[
        "good",
        "8",
        "so-so; time 0:12",
        "X ahead",
        "8 discs",
        "a b c",
        "白の勝ち",
        "https://x.org/a",
    ])
}

/// A list of the moves of `game`, for one line or, with `lines`, more.
pub fn list(dice: &mut Dice, game: &Game, lines: bool) -> String {
    let signed = dice.one_in(8);
    let numbers = if dice.one_in(2) { dice.below(4) } else { 0 };
    let mark = dice.pick(&[".", ". ", ")", ") ", ": "]);
    let gap = dice.pick(&["", " ", "  ", ",", ", ", "\t "]);
    let upper = dice.one_in(3);
    let drop = !signed && dice.one_in(8);
    let pass = dice.pick(&["", "pass", "pa", "PS", "PP", "--", "@@@@", "パス", "Pass"]);
    let remarks = dice.one_in(5);
    let mut text = String::new();
    let mut alone = true;
    let mut placed = 0;
    for (at, (position, mv)) in game.steps().enumerate() {
        let white = position.side == Color::White;
        let omitted =
            mv == Move::Pass && (pass.is_empty() || numbers == 3 || signed && pass == "--");
        placed += usize::from(mv != Move::Pass);
        if omitted {
            alone = true;
            continue;
        }
        let pair = (at + usize::from(game.start().side == Color::White)) / 2 + 1;
        let number = match numbers {
            1 if white && (alone || dice.one_in(8)) => format!("{pair}... "),
            1 if !white => format!("{pair}{mark}"),
            2 => format!("{}{mark}", at + 1),
            3 => format!("{placed}{mark}"),
            _ => String::new(),
        };
        if !text.is_empty() {
            let first =
                number.starts_with("1.") || number.starts_with("1)") || number.starts_with("1:");
            text += match number.is_empty() {
                false if lines && !first && dice.one_in(8) => {
                    dice.pick(&["\n", " # so\n", " ; good\n"])
                }
                false if gap.is_empty() => " ",
                _ => gap,
            };
        }
        text += &number;
        text += match (signed, white) {
            (false, _) => "",
            (true, false) => "+",
            (true, true) => "-",
        };
        text += if drop && mv != Move::Pass { "P@" } else { "" };
        text += &match mv {
            Move::Pass => pass.to_owned(),
            Move::Place(square) if upper => format!("{square:#}"),
            Move::Place(square) => square.to_string(),
        };
        if remarks && dice.one_in(4) {
            let other = remark(dice);
            let inside = dice.pick(&["d3 is better", "f5 d6", other]);
            text += &dice.pick(&["{%}", " (%) ", " { % }"]).replace('%', inside);
        }
        alone = false;
    }
    text
}

/// The moves of `game` as PGN has them.
pub fn pgn_list(dice: &mut Dice, game: &Game) -> String {
    let numbers = dice.below(3);
    let gap = dice.pick(&[" ", "  ", "\n"]);
    let pass = dice.pick(&["", "pass", "--", "PA"]);
    let drop = dice.one_in(6);
    let remarks = dice.one_in(4);
    let mut words: Vec<String> = Vec::new();
    let mut alone = true;
    for (at, (position, mv)) in game.steps().enumerate() {
        let white = position.side == Color::White;
        if mv == Move::Pass && pass.is_empty() {
            alone = true;
            continue;
        }
        let pair = (at + usize::from(game.start().side == Color::White)) / 2 + 1;
        let number = match numbers {
            1 if white && alone => format!("{pair}... "),
            1 if !white => format!("{pair}.{}", dice.pick(&["", " "])),
            2 => format!("{}. ", at + 1),
            _ => String::new(),
        };
        let name = match mv {
            Move::Pass => pass.to_owned(),
            Move::Place(square) if drop => format!("P@{square}"),
            Move::Place(square) => format!("{square}{}", dice.pick(&["", "", "", "!", "?!"])),
        };
        words.push(number + &name);
        if remarks && dice.one_in(6) {
            words.push(
                dice.pick(&[
                    "{c3 d3}",
                    "{X ahead}",
                    "(2. c3 d3)",
                    "$1",
                    "; c3 was better\n",
                ])
                .to_owned(),
            );
        }
        alone = false;
    }
    words.join(gap)
}

/// Scores of some moves of a position.
fn scores(dice: &mut Dice, position: Position) -> Vec<(Move, i32)> {
    let squares: Vec<Square> = position.board.moves().into_iter().collect();
    let mut moves: Vec<Move> = squares.into_iter().map(Move::Place).collect();
    if position.play(Move::Pass).is_ok() {
        moves.push(Move::Pass);
    }
    let most = dice.below(4);
    moves
        .into_iter()
        .take(most)
        .map(|mv| (mv, dice.below(255) as i32 - 127))
        .collect()
}

fn scores_text(dice: &mut Dice, scores: &[(Move, i32)]) -> String {
    let one = |&(mv, points): &(Move, i32)| match mv {
        Move::Pass => format!("--:{points:+}"),
        Move::Place(square) => format!("{square}:{points:+}"),
    };
    let end = if scores.is_empty() {
        ""
    } else {
        dice.pick(&["", ";"])
    };
    scores.iter().map(one).collect::<Vec<_>>().join("; ") + end
}

/// A list with what may stand behind it; whether it has an end.
pub fn full_list(dice: &mut Dice, game: &Game, lines: bool) -> (String, Outcome, bool) {
    let mut text = list(dice, game, lines);
    let mut outcome = Outcome::new(game, Vec::new(), None);
    let ended = dice.one_in(3);
    if ended {
        outcome.result = result(dice);
        text = format!("{text} {}", result_word(dice, outcome.result));
    }
    match dice.below(12) {
        0 => text += &format!(" ; {}", remark(dice)),
        1 => text += &format!(" # {} f5 d6", remark(dice)),
        2 => text += &format!(" %{}", remark(dice)),
        3 if !ended => {
            outcome.scores = scores(dice, game.position());
            if !outcome.scores.is_empty() {
                text += &format!(" ; {}", scores_text(dice, &outcome.scores));
            }
        }
        _ => {}
    }
    (text, outcome, ended)
}

fn moves(dice: &mut Dice) -> Entry {
    let game = game(dice, Position::START);
    let (text, outcome, ended) = full_list(dice, &game, true);
    Entry {
        text,
        games: vec![outcome],
        sort: Sort::Moves,
        ended,
    }
}

/// A line of `form` with scores, moves or a remark behind it.
fn placed(dice: &mut Dice, form: fn(&mut Dice, Position) -> String) -> Entry {
    let position = position(dice);
    let mut text = form(dice, position);
    let mut outcome = Outcome::new(&Game::new(position), Vec::new(), None);
    let choice = dice.below(5);
    if choice < 2 && !position.is_over() {
        let game = game(dice, position);
        let list = full_list(dice, &game, false);
        text += dice.pick(&[" moves: ", " moves:", "\nmoves: ", "\nMOVES:"]);
        text += &list.0;
        outcome = list.1;
    } else {
        if choice == 2 {
            outcome.scores = scores(dice, position);
            text += dice.pick(&["; ", " ; ", ";"]);
            text += &scores_text(dice, &outcome.scores);
        }
        if dice.one_in(4) {
            let other = remark(dice);
            text += &format!(
                " {} {}",
                dice.pick(&["%", "#"]),
                dice.pick(&[other, "12, c4"])
            );
        }
    }
    Entry {
        text,
        games: vec![outcome],
        sort: Sort::Position,
        ended: true,
    }
}
