//! Edax's drawings of positions.

use std::fmt::Write as _;
use std::time::Duration;

use super::rows::clock;
use crate::board::diagram::row;
use crate::board::{Color, Game, Position, Square};

const FILES: &str = "  A B C D E F G H";

/// The sign of a square: a disc, or `.` for a legal move.
fn sign(position: &Position, square: Square) -> char {
    match position.disc_at(square) {
        Some(color) => letter(color),
        None if position.board.moves().contains(square) => '.',
        None => '-',
    }
}

fn letter(color: Color) -> char {
    if color == Color::Black { '*' } else { 'O' }
}

/// `1 - - - - - - - - 1`
fn squares_of_row(position: &Position, rank: u8) -> String {
    let number = rank + 1;
    format!(
        "{number} {} {number}",
        row(rank, |square| sign(position, square))
    )
}

/// The number of legal moves of `color`.
fn mobility(position: &Position, color: Color) -> u32 {
    let board = position.board;
    let moves = if position.side == color {
        board.moves()
    } else {
        board.opponent_moves()
    };
    moves.len()
}

/// The board of a game, its clocks and counts, and the ply of each square: ten lines.
pub fn draw_game(game: &Game, used: [Duration; 2]) -> String {
    let position = game.position();
    let counts = |color| {
        let discs = position.discs(color).count_ones();
        format!(
            "   {discs:2} discs  {:2} moves   ",
            mobility(&position, color)
        )
    };
    let is_over = position.is_over();
    let turn = match (is_over, position.side) {
        (true, _) => match position.final_score(Color::Black) {
            0 => "          draw          ".to_owned(),
            1.. => "       Black won        ".to_owned(),
            _ => "       White won        ".to_owned(),
        },
        (false, side) => format!("    {}'s turn ({})    ", side.title(), letter(side)),
    };
    let ply = format!(
        "  ply {:2} ({:2} empties)   ",
        game.moves().len() + 1,
        position.board.empty_count()
    );
    let time = |color: Color| format!("  {:>15}       ", clock(used[color as usize]));
    let panel = [
        time(Color::Black),
        counts(Color::Black),
        " ".repeat(24),
        if is_over {
            "       Game over        ".to_owned()
        } else {
            ply
        },
        turn,
        " ".repeat(24),
        counts(Color::White),
        time(Color::White),
    ];
    let played = |square: Square| {
        game.moves()
            .iter()
            .position(|mv| mv.square() == Some(square))
    };
    let cell = |square: Square| match (game.start().disc_at(square), played(square)) {
        (Some(Color::Black), _) => "##".to_owned(),
        (Some(Color::White), _) => "()".to_owned(),
        (None, Some(ply)) => format!("{:2}", ply + 1),
        (None, None) => "  ".to_owned(),
    };
    let frame =
        |name: &str| format!("{FILES}            {name}            A  B  C  D  E  F  G  H\n");
    let mut text = frame("BLACK");
    for (rank, panel) in (0..8).zip(&panel) {
        let cells: String = (0..8)
            .map(|file| format!("|{}", cell(Square::at(file, rank))))
            .collect();
        let _ = writeln!(
            text,
            "{}{panel}{} {cells}| {}",
            squares_of_row(&position, rank),
            rank + 1,
            rank + 1
        );
    }
    text + &frame("WHITE")
}

/// The board of a position and its counts: ten lines.
pub fn draw_position(position: &Position) -> String {
    let counts = |color| {
        let discs = position.discs(color).count_ones();
        format!(
            " {}: discs = {discs:2}    moves = {:2}",
            letter(color),
            mobility(position, color)
        )
    };
    let empties = position.board.empty_count();
    let mut text = format!("{FILES}\n");
    for rank in 0..8 {
        let beside = match rank {
            1 => format!(" {} to move", letter(position.side)),
            3 => counts(position.side),
            4 => counts(position.side.other()),
            5 => format!(
                "  empties = {empties:2}      ply = {:2}",
                61 - empties.min(60)
            ),
            _ => String::new(),
        };
        let _ = writeln!(text, "{}{beside}", squares_of_row(position, rank));
    }
    text + &format!("{FILES}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_drawn_like_edax() {
        let mut game = Game::default();
        game.play_square("f5".parse().unwrap()).unwrap();
        game.play_square("d6".parse().unwrap()).unwrap();
        let expected = "  A B C D E F G H            BLACK            A  B  C  D  E  F  G  H
1 - - - - - - - - 1         0:00.552       1 |  |  |  |  |  |  |  |  | 1
2 - - - - - - - - 2    3 discs   5 moves   2 |  |  |  |  |  |  |  |  | 2
3 - - . - - - - - 3                        3 |  |  |  |  |  |  |  |  | 3
4 - - . O * - - - 4  ply  3 (58 empties)   4 |  |  |  |()|##|  |  |  | 4
5 - - . O * * - - 5    Black's turn (*)    5 |  |  |  |##|()| 1|  |  | 5
6 - - . O - - - - 6                        6 |  |  |  | 2|  |  |  |  | 6
7 - - . - - - - - 7    3 discs   4 moves   7 |  |  |  |  |  |  |  |  | 7
8 - - - - - - - - 8         0:00.552       8 |  |  |  |  |  |  |  |  | 8
  A B C D E F G H            WHITE            A  B  C  D  E  F  G  H
";
        assert_eq!(draw_game(&game, [Duration::from_millis(552); 2]), expected);
    }

    #[test]
    fn the_board_shows_the_end_of_a_game() {
        let over = |black, white| {
            let text = draw_game(
                &Game::new(Position::from_discs(black, white, Color::Black)),
                [Duration::ZERO; 2],
            );
            let panel = |line: usize| text.lines().nth(line).unwrap()[19..43].to_owned();
            [panel(4), panel(5)]
        };
        assert_eq!(
            over(1, 0),
            ["       Game over        ", "       Black won        "]
        );
        assert_eq!(over(0, 1)[1], "       White won        ");
        assert_eq!(over(0, 0)[1].trim(), "draw");
    }

    #[test]
    fn a_position_is_drawn_with_its_counts() {
        let text = draw_position(&Position::START);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[2], "2 - - - - - - - - 2 * to move");
        assert_eq!(lines[4], "4 - - . O * - - - 4 *: discs =  2    moves =  4");
        assert_eq!(lines[6], "6 - - - - . - - - 6  empties = 60      ply =  1");
    }
}
