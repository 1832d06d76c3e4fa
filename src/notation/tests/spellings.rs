//! Spellings of positions and moves, each form with each other; `README.md` has the table of all that is read.

use crate::board::testing::play_on;
use crate::board::{Color, Game, Position, Square};
use crate::notation::parse_position;
use crate::util::rng::Rng;

/// Black's sign, White's and the empty one.
const SIGNS: &str = "XO- *O- X0- *0- BW. ●○· @O. #O. ■□. DL. 01. 12. 120 BW0 xo_ bw- dl- XO+ XO? XO~ XO・ ＸＯ． ⚫⚪🟩 ⬛⬜. ×○. ●○□";

fn position(text: &str) -> Result<Position, String> {
    parse_position(text)
        .map(|found| found.position())
        .map_err(|error| error.to_string())
}

fn squares(position: &Position, [black, white, empty]: [char; 3]) -> Vec<String> {
    let sign = |square| match position.disc_at(square) {
        Some(Color::Black) => black,
        Some(Color::White) => white,
        None => empty,
    };
    Square::all()
        .map(|square| sign(square).to_string())
        .collect()
}

/// A position of a game, not at its end.
fn random_position(rng: &mut Rng) -> Position {
    let plies = rng.below(50);
    play_on(Game::default(), plies, rng).position()
}

/// Ways to name the side to move; `@` is its sign.
const SIDES: &str =
    "@|black|Black to move|Black's turn|turn: @|to move: @|next: black|(black)|BLACK TO PLAY";

fn side(words: &str, sign: char, color: Color) -> String {
    let words = words.replace('@', &sign.to_string());
    match color {
        Color::Black => words,
        Color::White => words
            .replace("lack", "hite")
            .replace("LACK", "HITE")
            .replace(['b', 'B'], "w"),
    }
}

/// A board drawn in one of many frames, with the side said at one of many places.
fn drawn(cells: &[String], frame: u32, place: u32, said: &str) -> String {
    let rows: Vec<String> = cells
        .chunks(8)
        .enumerate()
        .map(|(rank, row)| {
            let number = rank + 1;
            let (panel, letter) = (
                if place == 2 && rank == 3 { said } else { "" },
                char::from(b'A' + rank as u8),
            );
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
        3 => (
            "    a   b   c   d   e   f   g   h",
            "  +---+---+---+---+---+---+---+---+",
        ),
        4 => ("+--------+", "+--------+"),
        5 => (
            "┌───┬───┬───┬───┬───┬───┬───┬───┐",
            "└───┴───┴───┴───┴───┴───┴───┴───┘",
        ),
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
    for signs in SIGNS.split(' ') {
        let signs: [char; 3] = signs
            .chars()
            .collect::<Vec<_>>()
            .try_into()
            .expect("three signs");
        for frame in 0..10 {
            for words in SIDES.split('|') {
                for place in 0..3 {
                    // Only some frames have room for a panel.
                    let place = if place == 2 && !matches!(frame, 2 | 3 | 6 | 9) {
                        1
                    } else {
                        place
                    };
                    let want = random_position(&mut rng);
                    if (want.board.player | want.board.opponent).count_ones() > 50
                        || want.discs(Color::Black) == 0
                        || want.discs(Color::White) == 0
                    {
                        continue;
                    }
                    let sign = signs[want.side as usize];
                    let text = drawn(
                        &squares(&want, signs),
                        frame,
                        place,
                        &side(words, sign, want.side),
                    );
                    for end in ["\n", "\r\n"] {
                        let text = text.replace('\n', end);
                        let read = position(&text);
                        // Four discs of one color in the middle leave open which digit is empty.
                        let is_open = signs == ['1', '2', '0']
                            && read
                                .as_ref()
                                .is_err_and(|error| error.contains("may be read as"));
                        assert!(is_open || read == Ok(want), "{text}\n{read:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_style_of_moves_together() {
    let mut rng = Rng::new(8);
    let between = [
        " ", ", ", "; ", " -> ", " → ", "-", " – ", "/", "_", "\t", " . ", "! ", "~", "|", "",
    ];
    let around = [
        ("", ""),
        ("[", "]"),
        ("(", ")"),
        ("{", "}"),
        ("\"", "\""),
        ("“", "”"),
        ("> ", ""),
        ("`", "`"),
    ];
    let behind = [
        "",
        "  Perpendicular",
        " +2.5",
        " O -1.5",
        "; Cow",
        " # remark",
        " 33-31",
        " (Tiger)",
        " {note}",
    ];
    for separator in between {
        for (open, close) in around {
            for note in behind {
                for style in 0..4 {
                    let game =
                        crate::notation::moves::parse_game(Position::START, "f5d6c3d3c4f4c5")
                            .unwrap();
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
                    let found =
                        parse_position(&text).map(|found| found.record.game.moves().to_vec());
                    assert_eq!(found.as_deref(), Ok(&game.moves()[..count]), "{text}");
                }
            }
        }
    }
}
