//! A question, its answer, and both as bytes.
//!
//! ```text
//! payload   kind 1 · 0 u16 · proof u8 · length of the question u16 · question · answer
//!           kind 2: a note of version 0.2 that an answer was used, ignored
//! question  board 16 · squares allowed u64 · goal · depth · exact empties · selectivity · draw value · moves wanted ·
//!           move played · nodes, nanoseconds, confidence, handicap (varints, 0 if absent) · the searcher, a text
//! answer    nodes, a varint · count of lines · lines · 1 and the line of the move played, or 0
//! line      depth · selectivity · proof · score i16 · moves · a byte for each
//! ```
//!
//! A pass is 64, no move 255; 254 if the loss is wanted and no move was played. The proof of an answer is the least of its lines.

use crate::analysis::judge::{Judgement, Question};
use crate::board::{Board, Move, Score, Square, SquareSet, Symmetry};
use crate::search::{Clock, Goal, Handicap, Info, Limits, Line, Person, Proof, Selectivity, Task};
use crate::util::bytes::{Cursor, put_varint};

const ANSWER: u8 = 1;
const USED: u8 = 2;
const PASS: u8 = 64;
const NO_MOVE: u8 = 255;
const NONE_PLAYED: u8 = 254;
/// Bytes of a question that say which moves of which position are asked about.
const SUBJECT: usize = 24;

/// A question and its answer.
pub struct Record<'a> {
    pub proof: Proof,
    pub question: &'a [u8],
    pub answer: &'a [u8],
}

impl<'a> Record<'a> {
    /// Reads a payload; `None` if it is not valid.
    pub fn read(payload: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload);
        let kind = cursor.byte()?;
        let _ = cursor.u16()?;
        let proof = proof_of(cursor.byte()?).filter(|_| kind == ANSWER)?;
        let length = cursor.u16()?.into();
        let question = cursor
            .take(length)
            .filter(|question| question.len() > SUBJECT)?;
        Some(Self {
            proof,
            question,
            answer: cursor.rest(),
        })
    }
}

/// Whether the payload is a note of version 0.2 that an answer was used.
pub fn is_use(payload: &[u8]) -> bool {
    payload.first() == Some(&USED)
}

/// The payload that keeps an answer to a question with these bytes; `None` if it is not to be kept.
pub fn payload(question: &Question, bytes: &[u8], judgement: &Judgement) -> Option<Vec<u8>> {
    let Judgement { info, played } = judgement;
    let proof = info
        .lines
        .iter()
        .chain(played)
        .map(|line| line.proof)
        .min_by_key(|&proof| rank(proof))?;
    // A weaker player and another value of draws prove no score.
    let is_proof = question.task.handicap.is_none() && question.task.draw_value == 0;
    let proof = if is_proof { proof } else { Proof::None };
    let mut out = vec![ANSWER, 0, 0, number_of(proof)];
    out.extend(u16::try_from(bytes.len()).ok()?.to_le_bytes());
    out.extend(bytes);
    put_varint(info.nodes.into(), &mut out);
    out.push(u8::try_from(info.lines.len()).ok()?);
    info.lines
        .iter()
        .try_for_each(|line| put_line(line, &mut out))?;
    out.push(u8::from(played.is_some()));
    played
        .iter()
        .try_for_each(|line| put_line(line, &mut out))?;
    Some(out)
}

/// The bytes of a question for the position and the moves: proofs depend only on them.
pub fn subject(question: &[u8]) -> &[u8] {
    &question[..SUBJECT]
}

impl Question {
    /// The question about an image of the position.
    pub fn mapped(&self, symmetry: Symmetry) -> Self {
        let Self { task, played, .. } = *self;
        let board = symmetry.apply(task.board);
        let allowed = SquareSet(symmetry.apply_bits(task.allowed.0));
        Self {
            task: Task {
                board,
                allowed,
                ..task
            },
            played: played.map(|mv| mv.mapped(symmetry)),
            ..*self
        }
    }

    /// The question to a searcher, as bytes; `None` where the answer depends on more, such as a game's clock.
    pub fn bytes(&self, searcher: &str) -> Option<Vec<u8>> {
        let Self {
            task,
            losses,
            played,
            confidence,
        } = self;
        let Task {
            board,
            limits,
            multi_pv,
            allowed,
            draw_value,
            handicap,
        } = task;
        let Limits {
            goal,
            depth,
            exact_empties,
            selectivity,
            nodes,
            clock,
        } = limits;
        let nanoseconds = match clock {
            Clock::Unlimited => 0,
            Clock::Move(time) => time.as_nanos() + 1,
            Clock::Game { .. } => return None,
        };
        let mut out = Vec::with_capacity(96 + searcher.len());
        for bits in [board.player, board.opponent, choices(*board, *allowed).0] {
            out.extend(bits.to_le_bytes());
        }
        let goal = match goal {
            Goal::Play => 0,
            Goal::Exact => 1,
            Goal::WinLossDraw => 2,
        };
        let wanted = wanted(*board, *allowed, *multi_pv) as u8;
        out.extend([
            goal,
            *depth,
            *exact_empties,
            selectivity.percent() as u8,
            *draw_value as u8,
            wanted,
        ]);
        out.push(
            played
                .as_ref()
                .map_or(if *losses { NONE_PLAYED } else { NO_MOVE }, code),
        );
        put_varint(nodes.map_or(0, |nodes| u128::from(nodes) + 1), &mut out);
        put_varint(nanoseconds, &mut out);
        put_varint(confidence.map_or(0, f64::to_bits).into(), &mut out);
        put_varint(handicap.as_ref().map_or(0, kind_of_handicap), &mut out);
        if let Some(Handicap {
            depth,
            vision,
            judgement,
            seed,
            person,
        }) = handicap
        {
            out.extend([*depth, *vision, *judgement]);
            out.extend(seed.to_le_bytes());
            if let Some(Person { rating, last }) = person {
                out.extend(rating.to_le_bytes());
                out.push(last.map_or(64, |square| square.index() as u8));
            }
        }
        out.extend(searcher.as_bytes());
        Some(out)
    }

    /// Reads an answer to this question; `None` if the bytes do not fit it.
    pub fn answer(&self, bytes: &[u8]) -> Option<Judgement> {
        let board = self.task.board;
        let mut cursor = Cursor::new(bytes);
        let nodes = u64::try_from(cursor.varint()?).ok()?;
        let count = cursor.byte()?;
        let lines = (0..count)
            .map(|_| line(board, &mut cursor))
            .collect::<Option<Vec<_>>>()?;
        let played = if cursor.byte()? == 0 {
            None
        } else {
            Some(line(board, &mut cursor)?)
        };
        let info = Info {
            lines,
            nodes,
            time: std::time::Duration::ZERO,
        };
        (cursor.is_at_end() && count > 0).then_some(Judgement { info, played })
    }

    /// The answer to this question from a proof about the same moves of the same position.
    pub fn answer_of(&self, proven: Judgement) -> Option<Judgement> {
        let Task {
            board,
            limits,
            multi_pv,
            allowed,
            handicap,
            draw_value,
        } = self.task;
        if handicap.is_some() || draw_value != 0 {
            return None;
        }
        let mut known = proven.info.lines;
        let played = match self.played {
            None => None,
            Some(mv) => Some(
                known
                    .iter()
                    .chain(&proven.played)
                    .find(|line| line.pv.first() == Some(&mv))?
                    .clone(),
            ),
        };
        // To pass is one move, however many the other side has then.
        let wanted = if board.moves().is_empty() {
            1
        } else {
            wanted(board, allowed, multi_pv)
        };
        if known.len() < wanted {
            return None;
        }
        known.truncate(wanted);
        let mut judgement = Judgement {
            info: Info {
                lines: known,
                ..proven.info
            },
            played,
        };
        if limits.goal == Goal::WinLossDraw {
            let lines = judgement.info.lines.iter_mut().chain(&mut judgement.played);
            lines.for_each(|line| line.proof = Proof::WinLossDraw);
        }
        Some(judgement)
    }
}

/// 1 for weak play, 2 for a person.
fn kind_of_handicap(handicap: &Handicap) -> u128 {
    1 + u128::from(handicap.person.is_some())
}

/// The moves that a search scores: all if all are excluded, the opponent's after a pass.
fn choices(board: Board, allowed: SquareSet) -> SquareSet {
    match board.moves() {
        SquareSet(0) => board.opponent_moves(),
        moves if (moves & allowed).is_empty() => moves,
        moves => moves & allowed,
    }
}

/// The number of them that it scores.
fn wanted(board: Board, allowed: SquareSet, moves: usize) -> usize {
    moves.clamp(1, choices(board, allowed).len().max(1) as usize)
}

pub fn mapped(mut judgement: Judgement, symmetry: Symmetry) -> Judgement {
    let lines = judgement.info.lines.iter_mut().chain(&mut judgement.played);
    lines
        .flat_map(|line| &mut line.pv)
        .for_each(|mv| *mv = mv.mapped(symmetry));
    judgement
}

fn code(mv: &Move) -> u8 {
    match mv {
        Move::Place(square) => square.index() as u8,
        Move::Pass => PASS,
    }
}

/// Proofs by their numbers in a record.
const PROOFS: [Proof; 5] = [
    Proof::None,
    Proof::AtLeast,
    Proof::AtMost,
    Proof::WinLossDraw,
    Proof::Exact,
];

/// A proven score is worth more than a proven winner; a bound is no proof.
fn rank(proof: Proof) -> u8 {
    if proof.is_proven() {
        number_of(proof)
    } else {
        0
    }
}

fn number_of(proof: Proof) -> u8 {
    PROOFS
        .iter()
        .position(|&other| other == proof)
        .expect("the table has all") as u8
}

fn proof_of(number: u8) -> Option<Proof> {
    PROOFS.get(usize::from(number)).copied()
}

fn put_line(line: &Line, out: &mut Vec<u8>) -> Option<()> {
    let Line {
        pv,
        bound,
        depth,
        selectivity,
        proof,
    } = line;
    out.extend([*depth, selectivity.percent() as u8, number_of(*proof)]);
    out.extend(i16::try_from(bound.units()).ok()?.to_le_bytes());
    out.push(u8::try_from(pv.len()).ok()?);
    out.extend(pv.iter().map(code));
    Some(())
}

/// The next line; `None` if it is not one of this position.
fn line(mut board: Board, cursor: &mut Cursor<'_>) -> Option<Line> {
    let depth = cursor.byte()?;
    let percent = cursor.byte()?;
    let proof = proof_of(cursor.byte()?)?;
    let selectivity = Selectivity::from_percent(percent.into())?;
    let units = i32::from(cursor.i16()?);
    let bound = (Score::MIN.units()..=Score::MAX.units())
        .contains(&units)
        .then(|| Score::from_units(units))?;
    let length = cursor.byte()?.into();
    let mut pv = Vec::with_capacity(length);
    for &code in cursor.take(length)? {
        let mv = if code == PASS {
            Move::Pass
        } else {
            Move::Place(Square::new(code)?)
        };
        board = match mv {
            Move::Place(square) => board.play(square)?,
            Move::Pass if board.moves().is_empty() => board.pass(),
            Move::Pass => return None,
        };
        pv.push(mv);
    }
    Some(Line {
        pv,
        bound,
        depth,
        selectivity,
        proof,
    })
}
