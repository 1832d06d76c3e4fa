//! Our book as a book of Edax or Egaroucid.
//!
//! Scores become whole discs, values those of the best move that is written. A position of which no move is known is
//! none for Edax, where every position has a link or a leaf: it is what its move is worth to the position before.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use super::super::BookError;
use super::super::graph::Node;
use super::super::key::{Canonical, representative};
use super::super::level::{Program, SearchLevel};
use super::super::sweep::{Plies, Ply, sweep};
use super::edax::{self, EdaxRecord, EdaxWriter, Form};
use super::egaroucid::{self, EgaroucidRecord, EgaroucidWriter, MOST_LINES};
use super::record::{NONE, PASS};
use crate::board::{Board, Score, squares};

/// What a book is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Edax's book, or its text.
    Edax(Form),
    /// Egaroucid's book.
    Egaroucid,
}

/// Edax's score of no leaf.
const NO_SCORE: i8 = -127;

/// What is remembered of a position.
#[derive(Clone, Copy)]
struct Worth {
    value: i8,
    lines: u32,
    /// It is written: a move to it is a link.
    is_written: bool,
}

/// The moves of a position as they are written.
struct Moves {
    links: Vec<(u8, i8)>,
    leaf: Option<(u8, i8)>,
    lines: u32,
}

/// Writes what has a value; returns how many positions there are.
///
/// # Errors
/// The first damage; what the system has against writing.
pub fn export<W: Write + Seek>(books: &[&dyn Plies], target: Target, out: W) -> io::Result<u32> {
    match target {
        Target::Edax(form) => {
            let mut writer = Edax { writer: EdaxWriter::new(out, form)?, ends: BTreeMap::new(), discs: 0 };
            sweep(books, false, |_, node, below| writer.visit(&node, below)).map_err(Failure::into_io)?;
            writer.finish()
        }
        Target::Egaroucid => {
            let mut writer = EgaroucidWriter::new(out)?;
            sweep(books, false, |_, node, below| visit(&mut writer, &node, below))
                .map_err(Failure::into_io)?;
            writer.finish()
        }
    }
}

/// What ends an export.
struct Failure(io::Error);

impl Failure {
    fn into_io(self) -> io::Error {
        self.0
    }
}

impl From<BookError> for Failure {
    fn from(error: BookError) -> Self {
        Self(io::Error::other(error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

fn discs(score: Score) -> i8 {
    score.round_discs().clamp(-64, 64) as i8
}

/// Sorts the moves into links and the best of the others; moves that end the game are links where `end` takes ends.
fn moves_of(node: &Node, below: &Ply<Worth>, mut end: Option<&mut dyn FnMut(Board)>) -> Moves {
    let mut moves = Moves { links: Vec::new(), leaf: None, lines: 0 };
    let mut others: Vec<(u8, i8)> = Vec::new();
    for square in squares(node.board.moves()) {
        let after = node.board.play(square).expect("the move is legal");
        let mv = square.index() as u8;
        let Some(canonical) = Canonical::of(after) else {
            let score = -after.final_score() as i8;
            match &mut end {
                Some(end) => {
                    end(after.canonical().0);
                    moves.links.push((mv, score));
                    moves.lines = moves.lines.saturating_add(1);
                }
                None => others.push((mv, score)),
            }
            continue;
        };
        if let Some(worth) = below.get(canonical.key()) {
            let score = if canonical.passed { worth.value } else { -worth.value };
            if worth.is_written {
                moves.links.push((mv, score));
                moves.lines = moves.lines.saturating_add(worth.lines).min(MOST_LINES);
            } else {
                others.push((mv, score));
            }
        } else {
            let known = node.entry.move_at(representative(node.board, square));
            let known = known.filter(|mv| !node.entry.is_look(mv)).and_then(|mv| mv.score);
            others.extend(known.map(|score| (mv, discs(score.score))));
        }
    }
    moves.leaf = others.into_iter().rev().max_by_key(|(_, score)| *score);
    moves.lines = moves.lines.saturating_add(u32::from(moves.leaf.is_some())).clamp(1, MOST_LINES);
    moves
}

impl Moves {
    fn best(&self) -> Option<i8> {
        self.links.iter().chain(&self.leaf).map(|(_, score)| *score).max()
    }
}

/// Writes for Edax.
struct Edax<W> {
    writer: EdaxWriter<W>,
    /// Ends of games that moves of this ply lead to, with the level of such a move.
    ends: BTreeMap<Board, u8>,
    discs: u32,
}

impl<W: Write + Seek> Edax<W> {
    fn visit(&mut self, node: &Node, below: &Ply<Worth>) -> Result<Option<Worth>, Failure> {
        let Node { board, entry, .. } = node;
        let discs_here = 64 - board.empty_count();
        if discs_here != self.discs {
            self.write_ends()?;
            self.discs = discs_here;
        }
        let Some(value) = entry.value else { return Ok(None) };
        let level = entry.searched.map_or(0, |searched| edax_level(searched.level, board.empty_count()));
        let mut ends = Vec::new();
        let mut moves = moves_of(node, below, Some(&mut |end| ends.push(end)));
        let is_complete = moves.links.len() == board.moves().count_ones() as usize;
        if !is_complete && moves.leaf.is_none() {
            // Of the moves that are left over nothing is known: the worst that is known stands for them.
            let worst = (0..moves.links.len()).min_by_key(|&at| moves.links[at].1);
            moves.leaf = worst.map(|at| moves.links.remove(at));
        }
        let Some(best) = moves.best() else {
            return Ok(Some(Worth { value: discs(value.value), lines: 1, is_written: false }));
        };
        self.ends.extend(ends.into_iter().map(|end| (end, level)));
        let floor = |score: Score| (score.units().div_euclid(Score::DISC)).clamp(-64, 64) as i8;
        let (lower, upper) = (floor(value.lower).min(best), (-floor(-value.upper)).max(best));
        let record = EdaxRecord {
            board: *board,
            value: best,
            lower,
            upper,
            lines: moves.lines,
            level,
            links: &moves.links,
            leaf: moves.leaf.unwrap_or((NONE, NO_SCORE)),
        };
        self.writer.push(&record)?;
        let before = board.pass();
        if before.moves() == 0 {
            self.writer.push(&EdaxRecord {
                board: before.canonical().0,
                value: -best,
                lower: -upper,
                upper: -lower,
                links: &[(PASS, -best)],
                leaf: (NONE, NO_SCORE),
                ..record
            })?;
        }
        Ok(Some(Worth { value: best, lines: moves.lines, is_written: true }))
    }

    fn write_ends(&mut self) -> io::Result<()> {
        for (board, level) in std::mem::take(&mut self.ends) {
            let result = board.final_score() as i8;
            self.writer.push(&EdaxRecord {
                board,
                value: result,
                lower: result,
                upper: result,
                lines: 1,
                level,
                links: &[],
                leaf: (NONE, result),
            })?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<u32> {
        self.write_ends()?;
        self.writer.finish()
    }
}

/// Writes a position for Egaroucid.
fn visit<W: Write + Seek>(
    writer: &mut EgaroucidWriter<W>,
    node: &Node,
    below: &Ply<Worth>,
) -> Result<Option<Worth>, Failure> {
    let Some(value) = node.entry.value else { return Ok(None) };
    let moves = moves_of(node, below, None);
    // Without a leaf the value may be that of a move that is left over.
    let value = match (moves.leaf, moves.best()) {
        (Some(_), Some(best)) => best,
        (_, best) => discs(value.value).max(best.unwrap_or(-64)),
    };
    let empties = node.board.empty_count();
    let level = node.entry.searched.map_or(-1, |searched| egaroucid_level(searched.level, empties));
    writer.push(&EgaroucidRecord {
        board: node.board,
        value,
        level,
        lines: moves.lines,
        leaf: moves.leaf,
    })?;
    Ok(Some(Worth { value, lines: moves.lines, is_written: true }))
}

/// The level of another program that says no more of a search than is true.
fn level_of(level: SearchLevel, levels: impl Iterator<Item = SearchLevel>) -> i8 {
    let worth = |level: SearchLevel| (level.exact, level.depth, level.percent);
    let honest = levels.filter(|theirs| worth(*theirs) <= worth(level));
    let best = honest.reduce(|best, theirs| if worth(theirs) > worth(best) { theirs } else { best });
    best.and_then(|theirs| theirs.origin).map_or(0, |origin| origin.level)
}

fn edax_level(level: SearchLevel, empties: u32) -> u8 {
    match level.origin {
        Some(origin) if origin.program == Program::Edax => origin.level.clamp(0, 60) as u8,
        _ => level_of(level, (0..=60).map(|theirs| edax::search_level(theirs, empties))).max(0) as u8,
    }
}

fn egaroucid_level(level: SearchLevel, empties: u32) -> i8 {
    match level.origin {
        Some(origin) if origin.program == Program::Egaroucid => origin.level,
        _ => level_of(level, (1..=60).map(|theirs| egaroucid::search_level(theirs, empties))),
    }
}
