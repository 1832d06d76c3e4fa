//! Every spelling of positions and lists of moves that is read, besides GGF, SGF, PGN and WTHOR.
//!
//! | what | spellings |
//! |---|---|
//! | squares: Black, White, empty | `X O -`, `* O -`, `X 0 -`, `* 0 -`, `B W .`, `● ○ ·`, `@ O .`, `# O .`, `■ □ .`, `D L .`, `0 1 .`, `1 2 .`, `1 2 0`, `1 -1 0`, `B W 0` |
//! | either case | `x o`, `b w`, `d l` |
//! | empty squares | `-`, `.`, `_`, `+`, `?`, `~`, `·`, `・`; `0` where it is the only one and no disc; between bars also a blank |
//! | other Unicode | full-width letters, `⚫ ⚪`, `⬛ ⬜`, `🟩`, `×`, Cyrillic and Greek letters that look the same, long dashes |
//! | squares in one line | 64 signs, with or without blanks, commas, slashes or bars between them or their rows |
//! | squares in eight lines | with numbers 1-8, 0-7 or letters before or behind them, up or down; letters or numbers of the columns; frames; brackets of lists; a panel at the right |
//! | the side | `X`, `*`, `●`, `b`, `black`, `Black to move`, `Black's turn`, `turn: X`, `to move: X`, `next: X`, `黒番`; a digit where discs are digits |
//! | its place | behind the squares, before them, in a line of its own above or below, in the panel; glued to the last square |
//! | behind the side | columns of anything: kept as a note |
//! | below a position | moves that go on from it: `moves: f5 d6`; without the word only if they are no game of their own |
//! | moves | `f5d6c3`, `F5 D6 C3`, numbered `1. f5 d6`, `1) f5`, `1: f5`, `1 f5 d6`, `①f5`; a numbered list goes on over lines |
//! | passes | `p`, `pa`, `pas`, `pass`, `ps`, `--`, `@@@@` in either case; forced ones may be left out |
//! | between moves | blanks, `, ; | . - + > / _ \ = ~ ! ? * :`, arrows, long dashes |
//! | around moves | brackets `[] () {}`, quotes of all kinds, `> ` of mails |
//! | the side before a move | `B f5`, `Bf5`, `Black: f5`, `● f5`; it must be right |
//! | before moves | a name and `:`, `=`, `,`, `;`, `|` or a tab; a title with one square and `:`, `=`, `\|` or a tab |
//! | `;` | between moves; otherwise a remark, or the next moves with values: `f5d6c3; d3:+2; c4:-1` |
//! | behind moves | names, values (`+2.5`, `X-2.5`, `56%`), results, remarks in `{ }`, behind `#`, `%`, `//`: kept as a note, plain numbers left out |
//! | FEN | rows with `/`: `p P` from row 8, `X O`, `b w` from row 1; side `b w X O *`, `black` |
//! | OBF | squares and side, `;`, scored moves `f5:+2`, columns without moves, `%` and a remark |
//! | ends of lines | LF, CRLF, CR, U+2028, U+2029, U+0085; a mark at the start (BOM) and U+001A at the end mean nothing |
//!
//! Refused with both readings: a side `0`, `1` or `2` beside discs that are letters; signs that two alphabets read differently;
//! two sides said to move; a side that may be the first sign or the last; moves behind a remark that could be the next ones;
//! moves under a position that may be a game of their own; numbered lines that may be one game or several; games side by side in one line.

use super::list::MOVES;
use super::position::parse_position;
use crate::board::{Color, Game, Move, Position};
use crate::util::rng::Rng;

const START: &str = "---------------------------OX------XO---------------------------";

/// Black's sign, White's and the empty one.
const SIGNS: [(&str, &str, &str); 27] = [
    ("X", "O", "-"),
    ("*", "O", "-"),
    ("X", "0", "-"),
    ("*", "0", "-"),
    ("B", "W", "."),
    ("●", "○", "·"),
    ("@", "O", "."),
    ("#", "O", "."),
    ("■", "□", "."),
    ("D", "L", "."),
    ("0", "1", "."),
    ("1", "2", "."),
    ("1", "2", "0"),
    ("B", "W", "0"),
    ("x", "o", "_"),
    ("b", "w", "-"),
    ("d", "l", "-"),
    ("X", "O", "+"),
    ("X", "O", "?"),
    ("X", "O", "~"),
    ("X", "O", "・"),
    ("Ｘ", "Ｏ", "．"),
    ("⚫", "⚪", "🟩"),
    ("⬛", "⬜", "."),
    ("×", "○", "."),
    ("Х", "О", "—"),
    ("●", "○", "□"),
];

fn position(text: &str) -> Result<Position, String> {
    parse_position(text).map(|found| found.position()).map_err(|error| error.to_string())
}

fn squares(position: &Position, signs: (&str, &str, &str)) -> Vec<String> {
    let (black, white, empty) = signs;
    let sign = |square| match position.disc_at(square) {
        Some(Color::Black) => black,
        Some(Color::White) => white,
        None => empty,
    };
    crate::board::Square::all().map(|square| sign(square).to_owned()).collect()
}

/// A position of a game, not at its end.
fn random_position(rng: &mut Rng) -> Position {
    let mut game = Game::new(Position::START);
    for _ in 0..rng.below(50) {
        let choices: Vec<_> = crate::board::squares(game.position().board.moves()).collect();
        let mv = match choices.len() {
            0 => Move::Pass,
            count => Move::Place(choices[rng.below(count as u32) as usize]),
        };
        if game.play(mv).is_err() {
            break;
        }
    }
    game.position()
}

/// Ways to say that a side is to move; `@` stands for its sign.
const SIDES: [&str; 9] = [
    "@",
    "black",
    "Black to move",
    "Black's turn",
    "turn: @",
    "to move: @",
    "next: black",
    "(black)",
    "BLACK TO PLAY",
];

fn side(words: &str, sign: &str, color: Color) -> String {
    let words = words.replace('@', sign);
    match color {
        Color::Black => words,
        Color::White => words.replace("lack", "hite").replace("LACK", "HITE").replace(['b', 'B'], "w"),
    }
}

/// A board drawn in one of many frames, with the side said at one of many places.
fn drawn(cells: &[String], frame: u32, place: u32, said: &str) -> String {
    let rows: Vec<String> = cells
        .chunks(8)
        .enumerate()
        .map(|(rank, row)| {
            let number = rank + 1;
            let (panel, letter) =
                (if place == 2 && rank == 3 { said } else { "" }, char::from(b'A' + rank as u8));
            match frame {
                0 => row.concat(),
                1 => row.join(" "),
                2 => format!("{number} {} {number}  {panel}", row.join(" ")),
                3 => format!("{number} | {} | {panel}", row.join(" | ")),
                4 => format!("|{}|", row.concat()),
                5 => format!("│ {} │", row.join(" │ ")),
                6 => format!("{letter} {}   {panel}", row.join(" ")),
                7 => format!("{number}{}", row.concat()),
                8 => format!("\"{}\",", row.concat()),
                _ => format!("{} {}   {panel}", rank, row.join("  ")),
            }
        })
        .collect();
    let (above, below) = match frame {
        2 => ("  a b c d e f g h", "  A B C D E F G H"),
        3 => ("    a   b   c   d   e   f   g   h", "  +---+---+---+---+---+---+---+---+"),
        4 => ("+--------+", "+--------+"),
        5 => ("┌───┬───┬───┬───┬───┬───┬───┬───┐", "└───┴───┴───┴───┴───┴───┴───┴───┘"),
        6 => ("  1 2 3 4 5 6 7 8", ""),
        9 => ("   0  1  2  3  4  5  6  7", ""),
        _ => ("", ""),
    };
    let mut lines = Vec::new();
    lines.extend((place == 0).then(|| said.to_owned()));
    lines.extend((!above.is_empty()).then(|| above.to_owned()));
    lines.extend(rows);
    lines.extend((!below.is_empty()).then(|| below.to_owned()));
    lines.extend((place == 1).then(|| said.to_owned()));
    lines.join("\n")
}

#[test]
fn every_alphabet_frame_side_and_end_of_line_together() {
    let mut rng = Rng::new(36);
    for signs in SIGNS {
        for frame in 0..10 {
            for words in SIDES {
                for place in 0..3 {
                    // Only some frames have room for a panel.
                    let place = if place == 2 && !matches!(frame, 2 | 3 | 6 | 9) { 1 } else { place };
                    let want = random_position(&mut rng);
                    if (want.board.player | want.board.opponent).count_ones() > 50
                        || want.discs(Color::Black) == 0
                        || want.discs(Color::White) == 0
                    {
                        continue;
                    }
                    let sign = if want.side == Color::Black { signs.0 } else { signs.1 };
                    let text = drawn(&squares(&want, signs), frame, place, &side(words, sign, want.side));
                    for end in ["\n", "\r\n"] {
                        let text = text.replace('\n', end);
                        let read = position(&text);
                        // Four discs of one colour in the middle leave open which digit is empty.
                        let is_open = signs == ("1", "2", "0")
                            && read.as_ref().is_err_and(|error| error.contains("may be read as"));
                        assert!(is_open || read == Ok(want), "{text}\n{read:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn squares_have_their_signs() {
    for signs in SIGNS {
        for color in [Color::Black, Color::White] {
            let want = Position { side: color, ..Position::START };
            let want = Position::from_discs(
                Position::START.discs(Color::Black),
                Position::START.discs(Color::White),
                want.side,
            );
            let sign = if color == Color::Black { signs.0 } else { signs.1 };
            let cells = squares(&Position::START, signs);
            for text in [
                format!("{} {sign}", cells.concat()),
                format!("{}{sign}", cells.concat()),
                format!("{} {sign}", cells.join(" ")),
            ] {
                assert_eq!(position(&text), Ok(want), "{text}");
            }
        }
    }
    let numbers: Vec<String> = squares(&Position::START, ("1", "-1", "0"));
    assert_eq!(position(&format!("{} 1", numbers.join(" "))), Ok(Position::START));
    assert_eq!(position(&format!("[{}] 1", numbers.join(", "))), Ok(Position::START));
}

#[test]
fn doubt_is_never_settled_in_silence() {
    for (text, told) in [
        (format!("{START} 0"), "Black in some files and White in others"),
        (format!("{START} 1"), "Black in some files and White in others"),
        (format!("{START} 2"), "Black in some files and White in others"),
        (START.replace(['X', 'O'], "1").replace('-', "0") + " X", "may be read as"),
        (format!("{} X", "X".repeat(40) + &"0".repeat(24)), "may be read as"),
        (format!("{}X", "XO".repeat(32)), "may be the first sign or the last"),
        (format!("{START} X O"), "the side to move"),
        ("f5d6 fine c3".to_owned(), "may be the next move or part of a remark"),
        ("f5d6;f5f6".to_owned(), "is a game each"),
        ("W f5 B d6".to_owned(), "is written as a move of White"),
    ] {
        let error = position(&text).expect_err(&text);
        assert!(error.contains(told), "{text}: {error}");
    }
    let lines = MOVES.parse_all("1. f5d6c3\n2. c4\n3. f5d6c3d3", Default::default());
    assert!(lines.is_err() || lines.is_ok_and(|games| games.len() == 3));
}

#[test]
fn positions_of_one_line_are_read() {
    let black = Ok(Position::START);
    let rows: Vec<&str> = (0..8).map(|row| &START[8 * row..8 * row + 8]).collect();
    for text in [
        format!("{START} X"),
        format!("{}  *", rows.join(" ")),
        format!("{} b", rows.join("/")),
        format!("{} black", rows.join("|")),
        format!("{}, x", rows.join(",")),
        format!("X {START}"),
        format!("Black to move: {START}"),
        format!("X\n{START}"),
        format!("{START}\n\nX"),
        format!("{START} 黒番"),
        format!("“{START} X”"),
        format!("{START} X;"),
        format!("{START} X; f5:+0; 12; % remark"),
        format!("{START} X 32 -34 d3"),
        "8/8/8/3pP3/3Pp3/8/8/8 b".to_owned(),
        "8/8/8/3OX3/3XO3/8/8/8 *".to_owned(),
        "\"8/8/8/3wb3/3bw3/8/8/8 black\"".to_owned(),
        "0000000810000000 0000001008000000 black".to_owned(),
        format!("\u{feff}{START} X\u{1a}").replace('\u{1a}', ""),
    ] {
        assert_eq!(position(&text), black, "{text}");
    }
}

#[test]
fn drawings_from_below_and_from_the_right_are_turned() {
    let mut rng = Rng::new(7);
    for _ in 0..50 {
        let want = random_position(&mut rng);
        let cells = squares(&want, ("X", "O", "-"));
        let side = if want.side == Color::Black { "X" } else { "O" };
        let rows: Vec<String> = cells
            .chunks(8)
            .enumerate()
            .map(|(rank, row)| format!("{} {}", rank + 1, row.join(" ")))
            .collect();
        let from_below: Vec<String> = rows.iter().rev().cloned().collect();
        assert_eq!(position(&format!("{}\n  a b c d e f g h\n{side}", from_below.join("\n"))), Ok(want));
        let back: Vec<String> = cells
            .chunks(8)
            .enumerate()
            .map(|(rank, row)| {
                format!("{} {}", rank + 1, row.iter().rev().cloned().collect::<Vec<_>>().join(" "))
            })
            .collect();
        assert_eq!(position(&format!("  h g f e d c b a\n{}\n{side}", back.join("\n"))), Ok(want));
    }
}

#[test]
fn every_style_of_moves_together() {
    let mut rng = Rng::new(8);
    let between = [" ", ", ", "; ", " -> ", " → ", "-", " – ", "/", "_", "\t", " . ", "! ", "~", "|", ""];
    let around =
        [("", ""), ("[", "]"), ("(", ")"), ("{", "}"), ("\"", "\""), ("“", "”"), ("> ", ""), ("`", "`")];
    let behind =
        ["", "  Perpendicular", " +2.5", " O -1.5", "; Cow", " # remark", " 33-31", " (Tiger)", " {note}"];
    for separator in between {
        for (open, close) in around {
            for note in behind {
                for style in 0..4 {
                    let game = crate::notation::moves::parse_game(Position::START, "f5d6c3d3c4f4c5").unwrap();
                    let count = 2 + rng.below(6) as usize;
                    let written: Vec<String> = game.moves()[..count]
                        .iter()
                        .enumerate()
                        .map(|(index, mv)| match style {
                            0 => mv.to_string(),
                            1 => mv.to_string().to_uppercase(),
                            2 if separator.is_empty() => mv.to_string(),
                            2 => format!("{}. {mv}", index + 1),
                            _ => mv
                                .to_string()
                                .chars()
                                .map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap())
                                .collect(),
                        })
                        .collect();
                    let text = format!("{open}{}{close}{note}", written.join(separator));
                    // The name may be a remark on the second move.
                    if separator == "; " && count == 2 && note.contains("Perp") {
                        assert!(parse_position(&text).is_err(), "{text}");
                        continue;
                    }
                    let found = parse_position(&text).map(|found| found.record.game.moves().to_vec());
                    assert_eq!(found.as_deref(), Ok(&game.moves()[..count]), "{text}");
                }
            }
        }
    }
}
