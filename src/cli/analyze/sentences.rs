//! `analyze --why`: what each move does, in sentences.

use crate::analysis::answer::Judged;
use crate::analysis::words;
use crate::board::Move;
use crate::cli::language::{columns, paragraph};
use crate::notation::diagram::disc;
use crate::sentences::{self, Found, Language};

/// The moves of a game, each told once what follows it is known.
#[derive(Default)]
pub struct Remarks {
    /// The position before it, with the move.
    last: Option<Judged>,
    /// Empties at the start.
    start: Option<u32>,
    /// The opening that was told last.
    opening: Option<&'static str>,
}

impl Remarks {
    /// Takes the next position of the game; gives what is to be said of the move that led to it, and at the end how the
    /// game ended.
    pub fn take(&mut self, language: Language, next: Judged) -> String {
        let start = *self.start.get_or_insert(next.empties);
        let mut text = String::new();
        if let Some(last) = self.last.take() {
            let number = start - last.empties + 1;
            let mut told = remarks(language, &last, &next);
            let name = crate::book::names::name_of(next.position.board);
            if let Some(name) = name.filter(|name| self.opening != Some(name)) {
                self.opening = Some(name);
                told.push(language.fill("opening", &[("name", language.opening(name).to_owned().into())]));
            }
            let (side, played) = (disc(last.position.side), last.played.as_ref().map(|played| played.mv));
            let lead = match played {
                Some(Move::Place(square)) => format!("{number:>3}. {side} {square}  "),
                _ => format!("     {side} pass  "),
            };
            text = paragraph(&lead, &told, language, columns()) + "\n";
        }
        match next.played.is_some() {
            true => self.last = Some(next),
            false if next.moves.is_empty() => text += &result(language, &next),
            false => {}
        }
        text
    }
}

/// What is to be said of the move between two positions.
fn remarks(language: Language, last: &Judged, next: &Judged) -> Vec<String> {
    let side = last.position.side;
    let Some(square) = last.played.as_ref().and_then(|played| played.mv.square()) else {
        return vec![language.fill("passes-turn", &[("own", sentences::name(language, side).into())])];
    };
    let found = Found {
        best: last.line().first().and_then(|mv| mv.square()),
        loss: last.loss(),
        is_exact: last.exact,
        reply: next.line().first().copied(),
    };
    sentences::of_played(language, &last.position, square, &found)
}

fn result(language: Language, end: &Judged) -> String {
    let score = format!("{:+}", end.value.score().unwrap_or_default());
    let values = [("score", score.into()), ("own", sentences::name(language, end.position.side).into())];
    format!("     {}\n", language.fill("game-over", &values))
}

/// The best moves of a position, each with its value and what it does.
pub fn of_position(language: Language, judged: &Judged) -> String {
    let told = judged.moves.iter().map(|found| {
        let score = words::score(found.value, found.exact);
        let lead = format!("{:>5} {score:>7}  ", found.mv.in_words());
        let sentences = match found.mv {
            Move::Place(square) => sentences::of_move(language, &judged.position, square),
            Move::Pass => Vec::new(),
        };
        paragraph(&lead, &sentences, language, columns()) + "\n"
    });
    told.collect()
}
