#![doc = include_str!("README.md")]
//!
//! # Inside
//!
//! `facts` finds the facts about a move, `worth` holds their worth, `texts` their sentences in each language; this file
//! chooses the facts that are worth a sentence.

pub mod facts;
mod grade;
mod line;
#[cfg(feature = "cli")]
mod paragraph;
pub mod stages;
#[cfg(test)]
mod tests;
mod texts;
mod worth;

use crate::board::{Board, Color, Move, Position, Square, SquareSet};
use facts::{Fact, Moves, facts, region_of};
pub use grade::Grade;
pub use line::Found;
#[cfg(feature = "cli")]
pub use paragraph::paragraph;
use stages::{KNOTS, blend};
pub use texts::{Language, Value, name};
pub use worth::WORTH;

/// The least worth of a fact in a sentence, in discs.
const LEAST: f64 = 0.4;
/// The most facts about one move.
const MOST: usize = 3;
/// Discs for each move that a side has more than the mean of all its moves gives it, by number of empties: a least-squares fit
/// of the network's values over 279,303 positions of games, other counts (frontier, corners, stable discs …) being equal.
const MOBILITY: [f64; KNOTS.len()] = [1.732, 1.677, 1.236, 0.932, 0.810, 0.555, 0.324];
/// The least difference in numbers of moves that counts.
const CLEAR: u32 = 3;
/// A smaller loss is no difference, in discs.
const SAME: f64 = 0.5;

/// A fact and its worth to the mover, in discs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    pub fact: Fact,
    /// The average at this stage of a game, the other facts being equal.
    pub worth: f64,
}

/// The facts already in the text about a game, so that its sentences vary.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Small regions that a move has already entered.
    entered: u64,
    /// Corners that a sentence left to the other side, and that one did not take.
    corners: [u64; 2],
    /// The kinds of facts in the sentences of the last two moves.
    last: [Vec<&'static str>; 2],
}

impl Told {
    /// Whether both moves before had this kind of sentence, an earlier move entered the region, or the corners are known.
    fn is_stale(&self, fact: Fact) -> bool {
        let is_known = match fact {
            Fact::Leaves(set) => set & !self.corners[0] == 0,
            Fact::Forgoes(set) => set & !self.corners[1] == 0,
            _ => false,
        };
        is_known
            || self.is_entered(fact)
            || self.last.iter().all(|kinds| kinds.contains(&fact.kind()))
    }

    fn is_entered(&self, fact: Fact) -> bool {
        matches!(fact, Fact::Odd(region) | Fact::Even(region) if region & self.entered != 0)
    }

    /// Continues after the move on `square`, which had sentences about `facts`.
    fn note(&mut self, board: Board, square: Square, facts: &[Fact]) {
        self.entered |= region_of(board, square).unwrap_or(0);
        for fact in facts {
            match fact {
                Fact::Leaves(set) => self.corners[0] |= set,
                Fact::Forgoes(set) => self.corners[1] |= set,
                _ => {}
            }
        }
        self.last.swap(0, 1);
        self.last[1] = facts.iter().map(|fact| fact.kind()).collect();
    }
}

/// The facts about the legal move on `square`, the most important first.
pub fn reasons(board: Board, square: Square) -> Vec<Reason> {
    let mut found: Vec<Reason> = facts(board, square)
        .into_iter()
        .map(|fact| Reason {
            fact,
            worth: worth(fact, board),
        })
        .collect();
    found.sort_by(|a, b| b.worth.abs().total_cmp(&a.worth.abs()));
    found
}

/// The row of a fact in [`WORTH`], if it has one.
pub fn row(fact: Fact) -> Option<usize> {
    WORTH.iter().position(|(kind, _)| *kind == fact.kind())
}

/// The worth of a fact about a move in `board` to the mover, in discs.
fn worth(fact: Fact, board: Board) -> f64 {
    let empties = board.empty_count().saturating_sub(1);
    if let Fact::Moves(Moves { theirs, ours, .. }) = fact {
        let lead = |ours: u32, theirs: u32| f64::from(ours) - f64::from(theirs);
        let after = board
            .moves()
            .iter()
            .map(|square| board.after(square, board.flip(square)));
        let leads = after.map(|after| lead(after.opponent_moves().len(), after.moves().len()));
        let mean = leads.sum::<f64>() / f64::from(board.moves().len());
        return blend(empties, &MOBILITY) * (lead(ours, theirs) - mean);
    }
    row(fact).map_or(0.0, |row| blend(empties, &WORTH[row].1))
}

/// The facts worth a sentence: all of them, or with `sign` only the good (1) or the bad (-1) ones.
fn chosen(reasons: &[Reason], sign: f64, count: usize) -> Vec<Fact> {
    let has = |kind: fn(&Fact) -> bool| reasons.iter().any(|reason| kind(&reason.fact));
    let forced = has(|fact| matches!(fact, Fact::Only));
    let no_safe_move = has(|fact| matches!(fact, Fact::NoSafeMove(_)));
    let is_worth_it = |reason: &&Reason| match reason.fact {
        // A forced move is neither good nor bad.
        Fact::Only | Fact::Corner => sign >= 0.0,
        Fact::Passes | Fact::Ends => true,
        // Two moves of five turn a single disc.
        Fact::TurnsOne => false,
        // The average worth may contradict the judgment of players.
        fact if sign < 0.0 && fact.is_merit() || sign > 0.0 && fact.is_fault() => false,
        // `NoSafeMove` already counts them.
        Fact::Moves(_) if no_safe_move => false,
        Fact::Forgoes(_) if forced => false,
        _ if sign == 0.0 => reason.worth.abs() >= LEAST,
        _ => reason.worth * sign >= LEAST,
    };
    // The most obvious facts come first.
    let place = |fact: &Fact| match fact {
        Fact::Only => 0,
        Fact::Corner => 1,
        Fact::Passes | Fact::Ends => 2,
        _ => 3,
    };
    let mut facts: Vec<Fact> = reasons
        .iter()
        .filter(is_worth_it)
        .map(|reason| reason.fact)
        .collect();
    // Nothing about the board matters after the last move.
    if facts.contains(&Fact::Ends) {
        facts.retain(|fact| matches!(fact, Fact::Only | Fact::Corner | Fact::Ends));
    }
    facts.sort_by_key(place);
    facts.truncate(count);
    facts
}

/// Sentences about the legal move on `square` without a search: its facts, the most important first, and the moves that
/// it leaves.
pub fn of_move(language: Language, position: &Position, square: Square) -> Vec<String> {
    let reasons = reasons(position.board, square);
    let mut facts = chosen(&reasons, 0.0, MOST);
    let moves = reasons.iter().map(|reason| reason.fact).find(is_count);
    let is_counted = |fact: &Fact| matches!(fact, Fact::Moves(_) | Fact::NoSafeMove(_));
    facts.extend(moves.filter(|_| !facts.iter().any(is_counted)));
    sentences(language, position.side, square, &facts)
}

/// Sentences about the move played on `square`, from the result of a search: its quality and the reasons.
pub fn of_played(
    language: Language,
    position: &Position,
    square: Square,
    found: &Found<'_>,
) -> Vec<String> {
    let mut texts = Vec::from_iter(verdict(language, position, square, found));
    let praised = !texts.is_empty();
    texts.extend(because(
        language,
        position,
        square,
        found,
        praised,
        &mut Told::default(),
    ));
    texts
}

/// The reasons: the facts about a good move; or the faults of a mistake, its consequence and the better move. `praised`
/// marks sentences that follow a verdict.
pub fn because(
    language: Language,
    position: &Position,
    square: Square,
    found: &Found<'_>,
    praised: bool,
    told: &mut Told,
) -> Vec<String> {
    if found.loss.is_none_or(|loss| Grade::of(loss) == Grade::Good) {
        return of_good(language, position, square, praised, told);
    }
    let mut texts = of_mistake(language, position, square, found, told);
    told.note(position.board, square, &[]);
    let better = found.best().filter(|&best| best != square);
    texts.extend(better.and_then(|best| instead(language, position, square, best, found)));
    texts
}

/// The facts about a good move: its merits, then "but" and its faults.
fn of_good(
    language: Language,
    position: &Position,
    square: Square,
    praised: bool,
    told: &mut Told,
) -> Vec<String> {
    let all = reasons(position.board, square);
    let mut facts = chosen(&all, 0.0, usize::MAX);
    facts.retain(|&fact| !told.is_stale(fact));
    // A fact about mobility by itself: "fewest" and the like already compare.
    if facts
        .iter()
        .any(|fact| matches!(fact, Fact::Fewest(_) | Fact::Most(_) | Fact::Passes))
    {
        facts.retain(|fact| !is_count(fact));
    }
    // A forced move has room for its effect.
    facts.truncate(MOST - usize::from(!facts.contains(&Fact::Only)));
    // Counts are neither merits nor faults.
    facts.sort_by_key(|fact| {
        if is_count(fact) {
            2
        } else {
            u32::from(fact.is_fault())
        }
    });
    told.note(position.board, square, &facts);
    let mut texts = sentences(language, position.side, square, &facts);
    // A forced move has no merit to contrast with a fault.
    if let Some(first) = facts.iter().position(|fact| fact.is_fault())
        && (praised || facts[..first].iter().any(|fact| *fact != Fact::Only))
    {
        let fault = lowered(language, &texts[first]);
        texts[first] = format!("{}{}{fault}", language.fill("but", &[]), language.gap());
    }
    texts
}

/// The faults of the move on `square`, and the consequence or the best reply.
pub fn of_mistake(
    language: Language,
    position: &Position,
    square: Square,
    found: &Found<'_>,
    told: &Told,
) -> Vec<String> {
    let mut facts = chosen(&reasons(position.board, square), -1.0, usize::MAX);
    // A fact about the best move, too, is no fault of this one.
    let of_best = found
        .best()
        .map_or_else(Vec::new, |best| reasons(position.board, best));
    // The number of moves matters only in comparison with another move.
    let is_shared = |fact: &Fact| of_best.iter().any(|reason| reason.fact == *fact);
    facts.retain(|fact| !is_count(fact) && !is_shared(fact) && !told.is_entered(*fact));
    facts.truncate(MOST - 1);
    let mut texts = sentences(language, position.side, square, &facts);
    let open = facts
        .iter()
        .map(|fact| if let Fact::Gives(set) = fact { *set } else { 0 });
    let consequence = line::consequence(
        language,
        position,
        found,
        open.fold(0, |all, set| all | set),
    );
    texts.extend(consequence.or_else(|| of_reply(language, position, square, found)));
    texts
}

fn is_count(fact: &Fact) -> bool {
    matches!(fact, Fact::Moves(_))
}

/// A merit of the best move that the one on `square` lacks, or where its line leads.
fn instead(
    language: Language,
    position: &Position,
    square: Square,
    best: Square,
    found: &Found<'_>,
) -> Option<String> {
    let [played, better] = [square, best].map(|square| reasons(position.board, square));
    // One corner is not another.
    let is_shared = |fact: &Fact| {
        *fact != Fact::Corner
            && played
                .iter()
                .any(|reason| reason.fact.kind() == fact.kind())
    };
    let mut facts = chosen(&better, 1.0, usize::MAX);
    facts.retain(|fact| !is_count(fact) && !is_shared(fact));
    facts.truncate(1);
    let text = sentences(language, position.side, best, &facts).pop();
    let text = text
        .or_else(|| line::gain(language, position, found))
        .or_else(|| {
            let counts = [&better, &played].map(|reasons| {
                reasons.iter().find_map(|reason| {
                    if let Fact::Moves(moves) = reason.fact {
                        Some(moves)
                    } else {
                        None
                    }
                })
            });
            let [Some(better), Some(played)] = counts else {
                return None;
            };
            let (key, n, m) = match () {
                () if better.theirs + CLEAR <= played.theirs => {
                    ("leaves-fewer", better.theirs, played.theirs)
                }
                () if better.their_safe + CLEAR <= played.their_safe => {
                    ("leaves-fewer-safe", better.their_safe, played.their_safe)
                }
                () if better.our_safe >= played.our_safe + CLEAR => {
                    ("keeps-more-safe", better.our_safe, played.our_safe)
                }
                () => return None,
            };
            let sides = [
                ("own", name(language, position.side).into()),
                ("other", name(language, position.side.other()).into()),
            ];
            Some(language.fill(
                key,
                &[&sides[..], &[("n", n.into()), ("m", m.into())]].concat(),
            ))
        })?;
    let lead = language.fill("instead", &[("best", best.into())]);
    Some(format!(
        "{lead}{}{}",
        language.gap(),
        lowered(language, &text)
    ))
}

/// The quality of the move, if it is known and there was another move.
fn verdict(
    language: Language,
    position: &Position,
    square: Square,
    found: &Found<'_>,
) -> Option<String> {
    let best = found
        .best()
        .filter(|_| position.board.moves() != SquareSet(square.bit()))?;
    if best == square {
        return Some(language.fill("best", &[]));
    }
    let loss = found.loss?;
    let grade = Grade::of(loss);
    let name = match grade {
        Grade::Good if loss < SAME => "as-good",
        Grade::Good => "nearly",
        grade => grade.name(),
    };
    let exact = if found.is_exact && grade > Grade::Good {
        "-exact"
    } else {
        ""
    };
    let values = [("best", best.into()), ("n", grade.rounded(loss).into())];
    Some(language.fill(&format!("{name}{exact}"), &values))
}

/// The best reply and its main merit; nothing for a pass, which is a fact about the move itself.
fn of_reply(
    language: Language,
    position: &Position,
    square: Square,
    found: &Found<'_>,
) -> Option<String> {
    let after = position.play(Move::Place(square)).ok()?;
    let reply = found.reply()?;
    after.board.play(reply)?;
    let values = [
        ("reply", reply.into()),
        ("other", name(language, after.side).into()),
    ];
    if found.best() == Some(reply) {
        return Some(language.fill("reply-takes", &values));
    }
    let mut facts = chosen(&reasons(after.board, reply), 1.0, usize::MAX);
    facts.retain(|fact| !is_count(fact));
    facts.truncate(1);
    let fact = sentences(language, after.side, reply, &facts).pop()?;
    Some(format!(
        "{}{}{}",
        language.fill("reply", &values),
        language.gap(),
        lowered(language, &fact)
    ))
}

/// A sentence in the middle of another one: names of sides keep their capitals.
fn lowered(language: Language, sentence: &str) -> String {
    let is_name = [Color::Black, Color::White]
        .iter()
        .any(|&side| sentence.starts_with(&name(language, side)));
    let mut letters = sentence.chars();
    match letters.next().filter(|_| !is_name) {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => sentence.to_owned(),
    }
}

/// A sentence for each fact of the move of `side` on `square`.
fn sentences(language: Language, side: Color, square: Square, facts: &[Fact]) -> Vec<String> {
    facts
        .iter()
        .map(|&fact| sentence(language, side, square, fact))
        .collect()
}

/// A fact of the move of `side` on `square` in words.
fn sentence(language: Language, side: Color, square: Square, fact: Fact) -> String {
    let mut values = vec![
        ("own", name(language, side).into()),
        ("other", name(language, side.other()).into()),
        ("sq", square.into()),
    ];
    match fact {
        Fact::Moves(moves) => return counted(language, moves, &values),
        Fact::Gives(set)
        | Fact::Leaves(set)
        | Fact::Guards(set)
        | Fact::Threatens(set)
        | Fact::Forgoes(set)
        | Fact::Wedge(set)
        | Fact::Stable(set)
        | Fact::OwnRegion(set)
        | Fact::Quiet(set)
        | Fact::Odd(set)
        | Fact::Even(set)
        | Fact::Wall(set) => {
            let [from, to] = ends(set);
            let set = [("set", Value::Squares(set)), ("n", set.count_ones().into())];
            values.extend(
                set.into_iter()
                    .chain([("from", from.into()), ("to", to.into())]),
            );
        }
        Fact::Opens(edge) | Fact::Six(edge) | Fact::Fills(edge) | Fact::Five(edge, _) => {
            values.push(("edge", ends(edge).join("-").into()));
            values.extend(if let Fact::Five(_, set) = fact {
                Some(("set", Value::Squares(set)))
            } else {
                None
            });
        }
        Fact::XSquare(corner) | Fact::CSquare(corner) => values.push(("corner", corner.into())),
        Fact::NoSafeMove(n) | Fact::Fewest(n) | Fact::Most(n) | Fact::TurnsMost(n) => {
            values.push(("n", n.into()))
        }
        Fact::Only
        | Fact::Corner
        | Fact::Passes
        | Fact::Ends
        | Fact::LastSquare
        | Fact::TurnsOne => {}
    }
    language.fill(fact.kind(), &values)
}

/// The first and the last square of a set.
fn ends(set: u64) -> [String; 2] {
    [SquareSet(set).first(), SquareSet(set).iter().last()]
        .map(|square| square.map_or_else(String::new, |square| square.to_string()))
}

/// The moves of both sides in words.
fn counted(language: Language, moves: Moves, names: &[(&'static str, Value)]) -> String {
    let how_safe = |count: u32, safe: u32| match (count, safe) {
        (1, 1) => language.fill("safe-one", &[]),
        (1, _) => language.fill("risky-one", &[]),
        (_, 0) => language.fill("none-safe", &[]),
        _ if safe == count => language.fill("all-safe", &[]),
        _ => language.fill("some-safe", &[("n", safe.into())]),
    };
    let safe = how_safe(moves.theirs, moves.their_safe);
    let counts = [
        ("n", moves.theirs.into()),
        ("m", moves.ours.into()),
        ("safe", safe.into()),
    ];
    language.fill(
        if moves.ours == 0 {
            "moves-alone"
        } else {
            "moves"
        },
        &[names, &counts].concat(),
    )
}
