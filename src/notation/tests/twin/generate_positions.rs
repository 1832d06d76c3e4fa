//! The generator's boards: in a line, as FEN and bitboards, drawn.

use super::Outcome;
use super::generate::{Dice, Entry, Sort, full_list, game, position};
use crate::board::{Color, Game, Position, Square};

/// The signs of a position.
pub fn signs(position: Position, set: [char; 3]) -> Vec<char> {
    let sign = |square| match position.disc_at(square) {
        Some(Color::Black) => set[0],
        Some(Color::White) => set[1],
        None => set[2],
    };
    Square::all().map(sign).collect()
}

/// A word for the side, without digits.
fn side(dice: &mut Dice, color: Color) -> String {
    let words = match color {
        Color::Black => ["X", "x", "*", "B", "b", "●", "black", "Black", "黒", "noir"],
        Color::White => [
            "O", "o", "W", "w", "○", "white", "WHITE", "白", "Blanc", "O",
        ],
    };
    dice.pick(&words).to_owned() + dice.pick(&["", "", " to move"])
}

fn letters(dice: &mut Dice) -> [char; 3] {
    let black = dice.pick(&['X', 'x', '*', 'B', 'b', '●']);
    let white = dice.pick(&['O', 'o', 'W', 'w', '○']);
    [black, white, dice.pick(&['-', '.', '·'])]
}

/// A board in one line and its side.
pub fn board(dice: &mut Dice, position: Position) -> String {
    let digit = match position.side {
        Color::Black => ["1", "0"],
        Color::White => ["2", "1"],
    };
    let form = dice.below(5);
    let mut set = letters(dice);
    let mut mover = side(dice, position.side);
    let digits = form == 0 && position.discs(Color::White) != 0;
    if digits {
        set = ['1', '2', '0'];
    } else if form == 1 && position.board.empties() != 0 {
        set = ['0', '1', '.'];
    }
    if set[0].is_ascii_digit() && dice.one_in(2) {
        mover = digit[usize::from(!digits)].to_owned();
    }
    let text: String = signs(position, set).into_iter().collect();
    format!("{text}{}{mover}", dice.pick(&[" ", "  ", "\t"]))
}

/// GGF's board without brackets.
pub fn ggf_rows(position: Position) -> String {
    let signs = signs(position, ['*', 'O', '-']);
    let rows: Vec<String> = signs.chunks(8).map(|row| row.iter().collect()).collect();
    let side = if position.side == Color::Black {
        "*"
    } else {
        "O"
    };
    format!("8 {} {side}", rows.join(" "))
}

pub fn ggf_board(dice: &mut Dice) -> Entry {
    let position = position(dice);
    let rows = ggf_rows(position);
    let text = dice.pick(&["%", "[%]"]).replace('%', &rows);
    below(dice, text, position)
}

/// A position, with `moves:` in the next line or not.
fn below(dice: &mut Dice, mut text: String, position: Position) -> Entry {
    let mut outcome = Outcome::new(&Game::new(position), Vec::new(), None);
    if dice.one_in(4) && !position.is_over() {
        let game = game(dice, position);
        let list = full_list(dice, &game, false);
        text = format!("{text}\nmoves: {}", list.0);
        outcome = list.1;
    }
    Entry {
        text,
        games: vec![outcome],
        sort: Sort::Position,
        ended: true,
    }
}

pub fn fen(dice: &mut Dice, position: Position) -> String {
    let chess = dice.one_in(2);
    let counts = chess || dice.one_in(2);
    let mut set = if chess {
        ['p', 'P', '-']
    } else {
        letters(dice)
    };
    set[2] = if counts { '1' } else { set[2] };
    let signs = signs(position, set);
    let mut rows: Vec<String> = signs.chunks(8).map(|row| row.iter().collect()).collect();
    for row in rows.iter_mut().filter(|_| counts) {
        for count in (2..=8).rev() {
            *row = row.replace(&"1".repeat(count), &count.to_string());
        }
    }
    if chess {
        rows.reverse();
    }
    let hand = if chess {
        dice.pick(&["", "[PPpp]", "[]"])
    } else {
        ""
    };
    format!(
        "{}{hand} {}{}",
        rows.join("/"),
        side(dice, position.side),
        dice.pick(&["", " - - 0 1"])
    )
}

pub fn bitboards(dice: &mut Dice) -> Entry {
    let position = position(dice);
    let black = position.discs(Color::Black);
    let white = position.discs(Color::White);
    let text = match dice.below(3) {
        0 => format!("{black:016x} {white:016x}"),
        1 => format!("{black:016X}  {white:016X}"),
        _ => format!("0x{black:016x} 0x{white:016x}"),
    };
    let text = format!("{text} {}", side(dice, position.side));
    below(dice, text, position)
}

/// Frames of drawn boards: `@` a row, `$` the letters, `^` the side, `&` a drawn row of moves.
const FRAMES: [&str; 7] = [
    "@\n@\n@\n@\n@\n@\n@\n@\n^\n7",
    "@\n@\n@\n@\n@\n@\n@\n@\n^",
    "^\n$\n1 @\n2 @\n3 @\n4 @\n5 @\n6 @\n7 @\n8 @",
    "  $\n1 @ 1\n2 @ 2\n3 @ 3\n4 @ 4\n5 @ 5\n6 @ 6\n7 @ 7\n8 @ 8\n  $\n^",
    "  $\n1 @ 1\n2 @ 2 ^\n3 @ 3\n4 @ 4 *: discs =  2    moves =  4\n5 @ 5 O: discs = 12    moves =  4\n\
     6 @ 6  empties = 60      ply =  1\n7 @ 7\n8 @ 8\n  $",
    "  $      BLACK       $\n1 @ 1     0:00.000       1 &| 1\n2 @ 2  4 discs   3 moves   2 &| 2\n\
     3 @ 3    3 &| 3\n4 @ 4 ply  2 (59 empties) 4 &| 4\n5 @ 5  ^ 5 &| 5\n6 @ 6   6 &| 6\n\
     7 @ 7 1 discs  3 moves 7 &| 7\n8 @ 8  1:02.500  8 &| 8\n  $      WHITE       $",
    "|   $\n| 1 @ 1 \n| 2 @ 2 \n| 3 @ 3 \n| 4 @ 4 \n| 5 @ 5 \n| 6 @ 6 \n| 7 @ 7 \n| 8 @ 8 \n|   $\n|^",
];

pub fn diagram(dice: &mut Dice) -> Entry {
    let position = position(dice);
    let frame = dice.below(FRAMES.len() + 1);
    if frame == FRAMES.len() {
        return Entry {
            sort: Sort::Diagram,
            ..below(dice, position.to_string(), position)
        };
    }
    let mut set = match frame {
        0 => ['B', 'W', '0'],
        1..=3 => letters(dice),
        _ => ['*', 'O', '-'],
    };
    let mut signs = signs(position, set);
    if frame > 0 && dice.one_in(2) {
        set[2] = if set[2] == '-' { '.' } else { '-' };
        position
            .board
            .moves()
            .into_iter()
            .for_each(|square| signs[square.index()] = set[2]);
    }
    let mut text = FRAMES[frame].to_owned();
    if frame == 6 {
        let clocks = "|ann  (1720.0 *) 04:56,1:0//02:00\n|bob  (1811.5 O) 04:58,1:0//02:00\n";
        let head = dice.pick(&["", "/os: update .7.1 s8r14 K?\n", "/os: look .84058\n"]);
        let mv = dice.pick(&["", "|  2: F6//1.50\n", "| 12: PASS\n"]);
        let rest = dice.pick(&["%", "|\n%", "%\nREADY"]).replace('%', &text);
        text = [head, mv, dice.pick(&["", clocks]), &rest].concat();
    }
    let side = match (frame, position.side) {
        (0, Color::Black) => "B".to_owned(),
        (0, Color::White) => "W".to_owned(),
        (1..=3, color) => side(dice, color),
        (5, Color::Black) => "Black's turn (*)".to_owned(),
        (5, Color::White) => "White's turn (O)".to_owned(),
        (_, Color::Black) => "* to move".to_owned(),
        (_, Color::White) => "O to move".to_owned(),
    };
    let letters = ["A B C D E F G H", "a b c d e f g h"];
    let cells: String = (0..8)
        .map(|_| dice.pick(&["|  ", "|##", "|()", "| 7", "|12"]))
        .collect();
    text = text.replace('$', letters[if frame < 4 { dice.below(2) } else { 0 }]);
    text = text.replace('^', &side).replace('&', &cells);
    let gap = if frame < 4 {
        dice.pick(&["", " "])
    } else {
        " "
    };
    for row in signs.chunks(8) {
        let row: Vec<String> = row.iter().map(char::to_string).collect();
        text = text.replacen('@', &row.join(gap), 1);
    }
    Entry {
        sort: Sort::Diagram,
        ..below(dice, text, position)
    }
}
