//! Sentences about the moves of a position.

use std::fmt::Write as _;

use crate::board::{Move, Position, Square};
use crate::eval::Evaluator;
use crate::notation::diagram::{disc, write_diagram};
use crate::picture::terminal::columns;
use crate::sentences::paragraph;
use crate::sentences::{Language, name, of_move};

/// The board and its legal moves, the best first, by the evaluation without a search.
pub fn page(position: &Position, evaluator: &Evaluator, language: Language, count: Option<usize>) -> String {
    let board = position.board;
    let after = |square: Square| -evaluator.discs(board.after(square, board.flip(square)));
    let mut moves: Vec<(Square, f64)> = board.moves().iter().map(|square| (square, after(square))).collect();
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut text = write_diagram(position);
    let _ = writeln!(
        text,
        "\nDiscs for {} after each move, by the evaluation without a search:\n",
        disc(position.side)
    );
    if moves.is_empty() {
        let lead = format!("{:<5}{:>+6.1}  ", Move::Pass.in_words(), -evaluator.discs(board.pass()));
        let sentence = language.fill("passes-turn", &[("own", name(language, position.side).into())]);
        text += &(paragraph(&lead, &[sentence], language, columns()) + "\n");
    }
    for (square, value) in moves.into_iter().take(count.unwrap_or(usize::MAX)) {
        let lead = format!("{:<5}{value:>+6.1}  ", square.to_string());
        text += &(paragraph(&lead, &of_move(language, position, square), language, columns()) + "\n");
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_moves_come_first_in_lines_that_fit() {
        let position = crate::cli::input::testing::entry("f5d6c3d3c4f4c5b3c2").position();
        let text = page(&position, &Evaluator::Classic, Language::En, Some(2));
        let moves = text.lines().skip_while(|line| !line.starts_with("Discs for O")).skip(2);
        let moves = moves.filter(|line| !line.starts_with(' '));
        let values: Vec<f64> =
            moves.map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
        assert!(values.len() == 2 && values[0] >= values[1], "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
