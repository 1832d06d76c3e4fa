//! `analyze`: the moves of a game from the last back, each beside the best other one.

use std::fmt::Write as _;

use super::rows::whole;
use crate::board::{Color, Game, Move, Position};
use crate::search::{Info, Line, Proof, Task};

/// Over the rows.
const HEADER: &str = "
              N     played        alternative
ply  level   alt. move  score     score   move
---+-------+-----+-----------+--+---------------
";

/// Moves that are judged one after another.
pub struct Review {
    /// Number, position and move of each that is still to come, the next one last.
    left: Vec<(usize, Position, Move)>,
    sides: [Count; 2],
}

/// What became of the moves of a side: those judged by the engine, and those where the truth is proven.
#[derive(Clone, Copy, Default)]
struct Count {
    judged: Tally,
    proven: Tally,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    moves: u32,
    worse: u32,
    discs: i32,
}

impl Tally {
    fn add(&mut self, loss: i32) {
        self.moves += 1;
        self.worse += u32::from(loss > 0);
        self.discs += loss.max(0);
    }
}

impl Review {
    /// Of the last `plies` of a game, passes left out.
    pub fn new(game: &Game, plies: usize) -> Self {
        let from = game.moves().len().saturating_sub(plies);
        let steps = game.steps().enumerate().skip(from).filter(|(_, (_, mv))| *mv != Move::Pass);
        let left = steps.map(|(at, (position, mv))| (at + 1, position, mv)).collect();
        Self { left, sides: [Count::default(); 2] }
    }

    /// What stands over the rows.
    pub fn head(&self) -> String {
        HEADER.to_owned()
    }

    /// The next position to search, all its moves.
    pub fn next(&self) -> Option<Position> {
        self.left.last().map(|(_, position, _)| *position)
    }

    /// The row of the position that was searched.
    pub fn row(&mut self, info: &Info) -> String {
        let Some((ply, position, played)) = self.left.pop() else { return String::new() };
        let own = info.lines.iter().find(|line| line.pv.first() == Some(&played));
        let other = info.lines.iter().find(|line| line.pv.first() != Some(&played));
        let Some(own) = own else { return String::new() };
        let level = match own.selectivity.percent() {
            100 => format!("{:3}    ", own.depth),
            percent => format!("{:3}@{percent:2}%", own.depth),
        };
        let others = position.board.moves().count_ones() - 1;
        let value = |line: &Line| whole(line.score.discs());
        let mut text = format!("{ply:3}  {level}{others:3}    {played:#}    {:+3}", value(own));
        if let Some((other, mv)) = other.and_then(|other| Some((other, *other.pv.first()?))) {
            let loss = value(other) - value(own);
            let sign = ['>', '=', '<'][(loss.signum() + 1) as usize];
            let _ = write!(
                text,
                "   {sign}   {:+3}     {mv:#} {}",
                value(other),
                self.count(position.side, own, other)
            );
        }
        text + "\n"
    }

    /// Counts a move and gives the remark on it.
    fn count(&mut self, side: Color, own: &Line, other: &Line) -> &'static str {
        let loss = whole(other.score.discs()) - whole(own.score.discs());
        let is_proven = own.proof == Proof::Exact && other.proof == Proof::Exact;
        let Count { judged, proven } = &mut self.sides[side as usize];
        if is_proven {
            proven.add(loss)
        } else {
            judged.add(loss)
        }
        match loss {
            ..=0 => "",
            _ if is_proven => "<- Mistake",
            _ if own.proof.is_proven() || other.proof.is_proven() => "<- Possible mistake",
            1..=4 => "<- Edax disagrees",
            _ => "<- Edax disagrees strongly",
        }
    }

    /// The counts, when all is judged.
    pub fn end(&self) -> String {
        let mut text = String::from("\n      | rejections : discs | errors    : discs | error rate |\n");
        for color in [Color::Black, Color::White] {
            let Count { judged, proven } = self.sides[color as usize];
            let rate = match proven.moves {
                0 => "-nan".to_owned(),
                moves => format!("{:.3}", f64::from(proven.discs) / f64::from(moves)),
            };
            let part =
                |tally: Tally| format!(" {:3} / {:3}  : {:+5} |", tally.worse, tally.moves, tally.discs);
            let proven = format!(" {:3} / {:3} : {:+5} |", proven.worse, proven.moves, proven.discs);
            let _ = writeln!(text, "{} |{}{proven} {rate:>10} |", color.title(), part(judged));
        }
        text
    }

    /// The search that a row needs.
    pub fn task(position: &Position, limits: crate::search::Limits) -> Task {
        Task { multi_pv: 64, ..Task::new(position.board, limits) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Score;
    use crate::search::Selectivity;

    fn info(moves: [(&str, i32); 2]) -> Info {
        let line = |(name, discs): (&str, i32)| Line {
            pv: vec![Move::Place(name.parse().unwrap())],
            score: Score::from_discs(discs),
            depth: 6,
            selectivity: Selectivity::Full,
            proof: Proof::None,
        };
        Info { lines: moves.map(line).to_vec(), nodes: 1, time: Duration::ZERO }
    }

    #[test]
    fn rows_are_those_of_edax() {
        let game = crate::notation::moves::parse_game(Position::START, "f5d6c3d3c4").unwrap();
        let mut review = Review::new(&game, 3);
        assert_eq!(
            review.row(&info([("c4", 0), ("c6", -1)])),
            "  5    6      5    C4     +0   >    -1     C6 \n"
        );
        assert!(review.row(&info([("c5", 1), ("d3", 0)])).ends_with("C5 <- Edax disagrees\n"));
        assert_eq!(
            review.row(&info([("c5", 1), ("c3", 0)])),
            "  3    6      4    C3     +0   <    +1     C5 <- Edax disagrees\n"
        );
        assert!(review.next().is_none());
        let end = "\n      | rejections : discs | errors    : discs | error rate |\n\
                   Black |   1 /   2  :    +1 |   0 /   0 :    +0 |       -nan |\n\
                   White |   1 /   1  :    +1 |   0 /   0 :    +0 |       -nan |\n";
        assert_eq!(review.end(), end);
    }
}
