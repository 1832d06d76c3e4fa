//! `analyze --why`: each move in sentences.

use crate::analysis::answer::Judged;
use crate::analysis::words;
use crate::board::Move;
use crate::notation::diagram::disc;
use crate::picture::terminal::columns;
use crate::sentences::paragraph;
use crate::sentences::{Language, name};

/// The moves of a game, one after the other.
#[derive(Default)]
pub struct Remarks {
    /// Empties at the start.
    start: Option<u32>,
    /// The last opening named.
    opening: Option<&'static str>,
}

impl Remarks {
    /// The sentences about the move played in the next position of the game, and the result at its end.
    pub fn take(&mut self, language: Language, judged: &Judged) -> String {
        let start = *self.start.get_or_insert(judged.empties);
        let side = judged.position.side;
        let Some(played) = &judged.played else {
            return if judged.moves.is_empty() { result(language, judged) } else { String::new() };
        };
        let mut texts = played.why.clone();
        let after = judged.position.play(played.mv).ok();
        let name = after.and_then(|after| crate::book::names::name_of(after.board));
        if let Some(name) = name.filter(|name| self.opening != Some(name)) {
            self.opening = Some(name);
            texts.push(language.fill("opening", &[("name", language.opening(name).to_owned().into())]));
        }
        let lead = match played.mv {
            Move::Place(square) => format!("{:>3}. {} {square}  ", start - judged.empties + 1, disc(side)),
            Move::Pass => format!("     {} pass  ", disc(side)),
        };
        paragraph(&lead, &texts, language, columns()) + "\n"
    }
}

fn result(language: Language, end: &Judged) -> String {
    let score = format!("{:+}", end.line.value.score().unwrap_or_default());
    let values = [("score", score.into()), ("own", name(language, end.position.side).into())];
    format!("     {}\n", language.fill("game-over", &values))
}

/// The best moves of a position, each with its value and sentences.
pub fn of_position(language: Language, judged: &Judged) -> String {
    let rows = judged.moves.iter().map(|found| {
        let score = words::score(found.line.value, found.line.exact);
        let lead = format!("{:>5} {score:>7}  ", found.mv.in_words());
        paragraph(&lead, &found.why, language, columns()) + "\n"
    });
    rows.collect()
}
