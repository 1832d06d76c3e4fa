//! A book of Emilia as a book of Edax or Egaroucid.
//!
//! Scores become whole discs, values the score of the best written move. Each position of Edax has a link or a leaf: a
//! position without a known move becomes the leaf of the position before it.

use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

use super::record::{NONE, PASS, Row, UNSET};
use super::{edax, egaroucid};
use crate::board::{Board, Score};
use crate::book::Book;
use crate::book::graph::Node;
use crate::book::large::each_ply;
use crate::book::{BookKey, Canonical, representative};
use crate::book::{Program, SearchLevel};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Edax,
    Egaroucid,
}

const MOST_LINES: u32 = 4_000_000_000;
const NO_LEAF: (u8, i8) = (NONE, UNSET as i8);

impl Target {
    fn header(self, level: u8, fewest_empties: u32, positions: i32) -> Vec<u8> {
        match self {
            Self::Edax => edax::header(level, fewest_empties, positions),
            Self::Egaroucid => egaroucid::header(positions),
        }
    }
}

/// A position of the ply below.
#[derive(Clone, Copy)]
struct Worth {
    value: i8,
    lines: u32,
    /// Whether it is written: a move to it is then a link.
    is_written: bool,
}

#[derive(Default)]
struct Moves {
    links: Vec<(u8, i8)>,
    leaf: Option<(u8, i8)>,
    lines: u32,
    /// The ends of the game among the links.
    ends: Vec<Board>,
}

/// Writes every position with a value; returns their number.
pub fn export<W: Write + Seek>(book: &Book, target: Target, out: W) -> io::Result<u32> {
    let mut writer = Writer::new(out, target)?;
    each_ply(&[book], false, |_, node, below| writer.visit(&node, below))?;
    writer.finish()
}

fn discs(score: Score) -> i8 {
    score.round_discs().clamp(-64, 64) as i8
}

impl Moves {
    /// Sorts the moves into links and the best of the others; moves that end the game are links of Edax.
    fn of(node: &Node, below: &dyn Fn(BookKey) -> Option<Worth>, is_edax: bool) -> Self {
        let mut moves = Self::default();
        let mut others: Vec<(u8, i8)> = Vec::new();
        for square in node.board.moves() {
            let after = node.board.play(square).expect("the move is legal");
            let mv = square.index() as u8;
            let canonical = Canonical::of(after);
            if let Some((canonical, worth)) =
                canonical.and_then(|canonical| Some((canonical, below(canonical.key())?)))
            {
                let score = if canonical.passed {
                    worth.value
                } else {
                    -worth.value
                };
                if worth.is_written {
                    moves.links.push((mv, score));
                    moves.lines = moves.lines.saturating_add(worth.lines).min(MOST_LINES);
                } else {
                    others.push((mv, score));
                }
            } else if canonical.is_some() {
                let known = node.entry.move_at(representative(node.board, square));
                others.extend(known.and_then(|known| Some((mv, discs(known.known()?)))));
            } else if is_edax {
                moves.ends.push(after.canonical().0);
                moves.links.push((mv, -after.final_score() as i8));
                moves.lines += 1;
            } else {
                others.push((mv, -after.final_score() as i8));
            }
        }
        moves.leaf = others.into_iter().rev().max_by_key(|(_, score)| *score);
        if is_edax && moves.leaf.is_none() && moves.links.len() < node.board.moves().len() as usize
        {
            // The other moves have no scores: the worst known move becomes the leaf.
            let worst = (0..moves.links.len()).min_by_key(|&at| moves.links[at].1);
            moves.leaf = worst.map(|at| moves.links.remove(at));
        } else {
            moves.lines += u32::from(moves.leaf.is_some());
        }
        moves.lines = moves.lines.clamp(1, MOST_LINES);
        moves
    }

    fn best(&self) -> Option<i8> {
        self.links
            .iter()
            .chain(&self.leaf)
            .map(|(_, score)| *score)
            .max()
    }
}

struct Writer<W> {
    out: W,
    target: Target,
    positions: u32,
    levels: [u32; 61],
    fewest_empties: u32,
    /// Ends of games after moves of this ply, with the levels of their positions.
    ends: BTreeMap<Board, i8>,
    discs: u32,
}

impl<W: Write + Seek> Writer<W> {
    fn new(mut out: W, target: Target) -> io::Result<Self> {
        // `finish` overwrites the header, with the number of positions.
        out.write_all(&target.header(0, 0, 0))?;
        let levels = [0; 61];
        let ends = BTreeMap::new();
        Ok(Self {
            out,
            target,
            positions: 0,
            levels,
            fewest_empties: 60,
            ends,
            discs: 0,
        })
    }

    fn visit(
        &mut self,
        node: &Node,
        below: &dyn Fn(BookKey) -> Option<Worth>,
    ) -> io::Result<Option<Worth>> {
        let Node { board, entry, .. } = node;
        let discs_here = 64 - board.empty_count();
        if discs_here != self.discs {
            self.write_ends()?;
            self.discs = discs_here;
        }
        let Some(known) = entry.value else {
            return Ok(None);
        };
        let is_edax = self.target != Target::Egaroucid;
        let moves = Moves::of(node, below, is_edax);
        let value = match moves.best() {
            None if is_edax => {
                return Ok(Some(Worth {
                    value: discs(known.value),
                    lines: 1,
                    is_written: false,
                }));
            }
            Some(best) if is_edax || moves.leaf.is_some() => best,
            // Without a leaf the value may come from an unwritten move.
            best => discs(known.value).max(best.unwrap_or(-64)),
        };
        let floor = |score: Score| (score.units().div_euclid(Score::DISC)).clamp(-64, 64) as i8;
        let row = Row {
            board: *board,
            value,
            lower: floor(known.lower).min(value),
            upper: (-floor(-known.upper)).max(value),
            lines: moves.lines,
            level: self.level(
                entry.searched.map(|searched| searched.level),
                board.empty_count(),
            ),
            links: &moves.links,
            leaf: moves.leaf.unwrap_or(NO_LEAF),
        };
        self.ends
            .extend(moves.ends.iter().map(|&end| (end, row.level)));
        self.push(&row)?;
        let before = board.pass();
        if is_edax && before.moves().is_empty() {
            self.push(&Row {
                board: before.canonical().0,
                value: -value,
                lower: -row.upper,
                upper: -row.lower,
                links: &[(PASS, -value)],
                leaf: NO_LEAF,
                ..row
            })?;
        }
        Ok(Some(Worth {
            value,
            lines: moves.lines,
            is_written: true,
        }))
    }

    fn push(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.positions += 1;
        self.levels[row.level.clamp(0, 60) as usize] += 1;
        self.fewest_empties = self.fewest_empties.min(row.board.empty_count());
        match self.target {
            Target::Edax => self.out.write_all(&edax::bytes(row)),
            Target::Egaroucid => self.out.write_all(&egaroucid::bytes(row)),
        }
    }

    fn write_ends(&mut self) -> io::Result<()> {
        for (board, level) in std::mem::take(&mut self.ends) {
            let value = board.final_score() as i8;
            let lower = value;
            let upper = value;
            let leaf = (NONE, value);
            self.push(&Row {
                board,
                value,
                lower,
                upper,
                lines: 1,
                level,
                links: &[],
                leaf,
            })?;
        }
        Ok(())
    }

    /// Writes the header; returns the number of positions.
    fn finish(mut self) -> io::Result<u32> {
        self.write_ends()?;
        let positions = i32::try_from(self.positions);
        let positions =
            positions.map_err(|_| io::Error::other("more positions than the header can count"))?;
        let level = (0..61)
            .rev()
            .max_by_key(|&level| self.levels[usize::from(level)])
            .unwrap_or(0);
        self.out.seek(SeekFrom::Start(0))?;
        self.out
            .write_all(&self.target.header(level, self.fewest_empties, positions))?;
        self.out.flush()?;
        Ok(self.positions)
    }

    /// The highest level of the other program that is no better than the search.
    fn level(&self, level: Option<SearchLevel>, empties: u32) -> i8 {
        let is_edax = self.target != Target::Egaroucid;
        let program = if is_edax {
            Program::Edax
        } else {
            Program::Egaroucid
        };
        let Some(level) = level else {
            return if is_edax { 0 } else { -1 };
        };
        if let Some(origin) = level.origin.filter(|origin| origin.program == program) {
            return if is_edax {
                origin.level.clamp(0, 60)
            } else {
                origin.level
            };
        }
        let worth = |level: SearchLevel| (level.exact, level.depth, level.percent);
        let levels = u8::from(!is_edax)..=60;
        let theirs = levels.map(|theirs| match is_edax {
            true => edax::search_level(theirs, empties),
            false => egaroucid::search_level(theirs as i8, empties),
        });
        let honest = theirs.filter(|theirs| worth(*theirs) <= worth(level));
        let best = honest.reduce(|best, theirs| {
            if worth(theirs) > worth(best) {
                theirs
            } else {
                best
            }
        });
        best.and_then(|theirs| theirs.origin)
            .map_or(0, |origin| origin.level.max(0))
    }
}
