//! Whether an answer can be the result of a search: other programs keep, join and change answers before a book reads
//! them.

use super::answer::{Judged, Line, SCHEMA_VERSION};
use super::fields::Fault;
use super::wire::Wire;
use crate::board::Move;
use crate::eval::Weights;
use crate::search::Selectivity;

impl Judged {
    /// Checks that it is the last answer about a position by a player of full strength, and that its values agree.
    ///
    /// # Errors
    /// The first fault, beginning with the field.
    pub fn check(&self) -> Result<(), Fault> {
        self.check_origin()?;
        let empties = self.position.board.empty_count();
        if ![0, empties].contains(&self.empties) {
            return Err(Fault::field("empties", empties, self.empties));
        }
        check_line(&self.line, empties)?;
        for (index, judged) in self.moves.iter().enumerate() {
            if judged.line.depth > 0 {
                check_line(&judged.line, empties)?;
            }
            let is_twice = self.moves[..index].iter().any(|one| one.mv == judged.mv);
            check_move(judged.mv, is_twice, &self.avoid)?;
            if judged.pv.first().is_some_and(|first| *first != judged.mv) {
                let found: Vec<_> = judged.pv.iter().map(Wire::written).collect();
                return Err(Fault::field("pv", judged.mv, found));
            }
        }
        match self.moves.first() {
            Some(best) if best.line.value != self.line.value => {
                let expected = "the score of the first move";
                Err(Fault::field("score", expected, self.line.value.written()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses the state of a search, another form, and the opinion of a weaker player.
    fn check_origin(&self) -> Result<(), Fault> {
        if self.state.partial {
            return Err(Fault::new(
                "partial",
                "the search continued; expected its last answer",
            ));
        }
        if self.state.cancelled {
            return Err(Fault::new(
                "cancelled",
                "the search was stopped; search again",
            ));
        }
        if self.maker.schema_version > SCHEMA_VERSION {
            let expected = format!("at most {SCHEMA_VERSION}");
            return Err(Fault::field(
                "schema_version",
                expected,
                self.maker.schema_version,
            ));
        }
        // Earlier builds did not state the rating: such an answer has no chances.
        let embedded = format!("network {:08x}", Weights::embedded_checksum());
        let has_chances = self.line.exact || self.line.odds.win_chance.is_some();
        let is_new = self.maker.schema_version == SCHEMA_VERSION;
        if self.ratings.elo.is_some()
            || self.ratings.person.is_some()
            || is_new && self.maker.weights == embedded && !has_chances
        {
            return Err(Fault::new(
                "elo",
                "the opinion of a weaker player; search at full strength",
            ));
        }
        Ok(())
    }
}

fn check_move(mv: Move, is_twice: bool, avoid: &[Move]) -> Result<(), Fault> {
    if is_twice {
        return Err(Fault::new(
            "moves",
            format!("{mv} is given twice; give it once"),
        ));
    }
    if avoid.contains(&mv) {
        return Err(Fault::new(
            "moves",
            format!("{mv} is one of the excluded moves"),
        ));
    }
    Ok(())
}

/// Checks the depth, the certainty and the proof of a value at a position with this number of empties.
fn check_line(line: &Line, empties: u32) -> Result<(), Fault> {
    let depth = u32::from(line.depth);
    if !(1..=empties).contains(&depth) {
        let expected = format!("a depth from 1 to the {empties} empties");
        return Err(Fault::field("depth", expected, depth));
    }
    if Selectivity::from_percent(line.selectivity).is_none() {
        let expected = "one of 52, 73, 87, 95, 98, 99, 100";
        return Err(Fault::field("selectivity", expected, line.selectivity));
    }
    let is_whole = depth == empties && line.selectivity == 100;
    if line.exact && !is_whole {
        let text = format!("a proof needs depth {empties} and selectivity 100");
        return Err(Fault::new("exact", text));
    }
    let Some(score) = line.value.score() else {
        return Ok(());
    };
    if line.exact && score % 2.0 != 0.0 {
        return Err(Fault::field(
            "score",
            "an even whole number of an exact score",
            score,
        ));
    }
    if !(line.lower..=line.upper).contains(&score) {
        let expected = format!("a score from {} to {}", line.lower, line.upper);
        return Err(Fault::field("score", expected, score));
    }
    Ok(())
}
