//! One game: our rules judge every move, our clock every move time.

use std::sync::Arc;
use std::time::Duration;

use crate::board::{Board, Color, Game};
use crate::eval::Evaluator;
use crate::notation::{FORFEIT_DISCS, GameResult, How};
use crate::search::{Limits, Options, Proof, Search, Silent, Stop, Task};
use crate::tournament::players::{Budget, Fault, MoveReply, MoveRequest, Note, Player, TimeControl};

/// What the referee enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What a side may spend, unless its player has options of its own.
    pub budget: Budget,
    /// How much too late a move may come, with a game clock all moves of a side together: the way
    /// through two pipes is not the engine's.
    pub margin: Duration,
    /// How much longer still to wait, to tell a slow engine from one that hangs.
    pub grace: Duration,
    /// How long to wait for the first answer of an engine.
    pub start: Duration,
    /// How long to wait for a move when there is no clock.
    pub patience: Duration,
    /// Solve the game when this few empties are left and end it with the proven result.
    pub adjudicate: Option<u32>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Neither side could move.
    Played,
    /// Our solver proved the result.
    Adjudicated,
    /// This side gave up.
    Resigned(Color),
    /// This side lost by a fault.
    Forfeit(Color, Fault),
}

impl Ending {
    /// One word for tables and game files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Played => PLAYED,
            Self::Adjudicated => ADJUDICATED,
            Self::Resigned(_) => RESIGNED,
            Self::Forfeit(_, fault) => fault.word(),
        }
    }

    /// Who resigned or lost by a fault.
    pub fn loser(&self) -> Option<Color> {
        match self {
            Self::Played | Self::Adjudicated => None,
            Self::Resigned(loser) | Self::Forfeit(loser, _) => Some(*loser),
        }
    }
}

/// The word of a game that was played to its end.
pub const PLAYED: &str = "played";
/// The word of a game that the solver ended.
pub const ADJUDICATED: &str = "adjudicated";
/// The word of a game that a side gave up.
pub const RESIGNED: &str = "resigned";

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameOutcome {
    /// The moves, the opening's included.
    pub game: Game,
    /// One per move; the opening's took no time.
    pub notes: Vec<Note>,
    /// Black's final disc difference, the empties to the winner.
    pub discs: i32,
    /// How it ended.
    pub ending: Ending,
}

impl GameOutcome {
    /// The result as files of games tell it.
    pub fn result(&self) -> GameResult {
        match &self.ending {
            Ending::Played => GameResult::discs(self.discs, How::Played),
            Ending::Adjudicated => GameResult::discs(self.discs, How::Adjudicated),
            Ending::Resigned(loser) => GameResult::won(loser.other(), How::Resigned),
            Ending::Forfeit(loser, Fault::Time { .. } | Fault::Hang(_)) => {
                GameResult::won(loser.other(), How::Time)
            }
            Ending::Forfeit(loser, _) => GameResult::won(loser.other(), How::Forfeit),
        }
    }
}

/// Proves results of endgames; costs nothing until it is asked.
#[derive(Default)]
pub struct Adjudicator(Option<Search>);

impl Adjudicator {
    /// The final disc difference for the side to move with best play, if it can be proven.
    fn prove(&mut self, board: Board) -> Option<i32> {
        let options = Options { threads: 1, hash_mib: 16 };
        // What is proven does not depend on it.
        let evaluator =
            || crate::tournament::players::evaluator().unwrap_or_else(|_| Arc::new(Evaluator::classic()));
        let search = self.0.get_or_insert_with(|| Search::new(&options, evaluator()));
        let result = search.run(&Task::new(board, Limits::exact()), &Stop::new(), &mut Silent);
        let line = result.info.lines.first()?;
        (line.proof == Proof::Exact).then(|| line.score.round_discs())
    }
}

/// One side of a game: who plays it, and how.
pub struct Side<'a> {
    /// Who.
    pub player: &'a mut dyn Player,
    /// What it may spend.
    pub budget: Budget,
    /// In place of that of the rules.
    pub margin: Duration,
}

/// A game under way.
struct LiveGame<'a> {
    game: Game,
    notes: Vec<Note>,
    /// Black's and White's.
    clocks: [Duration; 2],
    /// How much of the margin each has used up.
    late: [Duration; 2],
    rules: &'a Rules,
}

/// Plays a game from the end of `opening`. `None`: it was cancelled before its end; a fault does not count then.
///
/// The players are Black's and White's; a fault ends the game, and the player must be started afresh.
pub fn play(
    opening: &Game,
    mut sides: [Side; 2],
    rules: &Rules,
    adjudicator: &mut Adjudicator,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<GameOutcome> {
    let clocks = [0, 1].map(|side: usize| sides[side].budget.time.at_start(rules.patience));
    let notes = vec![Note::default(); opening.moves().len()];
    let mut live = LiveGame { game: opening.clone(), notes, clocks, late: [Duration::ZERO; 2], rules };
    for (color, side) in [Color::Black, Color::White].into_iter().zip(&mut sides) {
        if let Err(fault) = side.player.new_game(&side.budget) {
            return (!is_cancelled()).then(|| live.forfeit(color, fault));
        }
    }
    loop {
        if live.game.is_over() {
            let discs = live.game.final_score(Color::Black).unwrap_or_default();
            return Some(live.end(discs, Ending::Played));
        }
        if is_cancelled() {
            return None;
        }
        if live.game.pass_if_forced() {
            live.notes.push(Note::default());
            continue;
        }
        let position = live.game.position();
        if rules.adjudicate.is_some_and(|empties| position.board.empty_count() <= empties)
            && let Some(discs) = adjudicator.prove(position.board)
        {
            let discs = if position.side == Color::Black { discs } else { -discs };
            return Some(live.end(discs, Ending::Adjudicated));
        }
        match live.ask(&mut sides[position.side as usize]) {
            Ok(true) => {}
            Ok(false) => return Some(live.lost(position.side, Ending::Resigned(position.side))),
            Err(_) if is_cancelled() => return None,
            Err(fault) => return Some(live.forfeit(position.side, fault)),
        }
    }
}

impl LiveGame<'_> {
    /// Lets the side to move make its move; false: it resigned instead.
    fn ask(&mut self, mover: &mut Side) -> Result<bool, Fault> {
        let side = self.game.position().side;
        let (own, other) = (side as usize, side.other() as usize);
        let allowed = self.clocks[own];
        let patience = match mover.budget.time {
            TimeControl::Unlimited => allowed,
            _ => allowed.saturating_add(mover.margin).saturating_add(self.rules.grace),
        };
        let request = MoveRequest {
            game: &self.game,
            notes: &self.notes,
            budget: &mover.budget,
            left: [allowed, self.clocks[other]],
            patience,
        };
        let MoveReply { mv, note } = mover.player.choose(&request)?;
        let late = note.time.saturating_sub(allowed);
        if self.late[own] + late > mover.margin {
            return Err(Fault::Time { used: note.time, allowed });
        }
        let Some(mv) = mv else { return Ok(false) };
        self.game.play(mv).map_err(|error| Fault::Illegal(error.to_string()))?;
        self.notes.push(note);
        self.clocks[own] = mover.budget.time.after_move(allowed, note.time);
        if mover.budget.time.is_for_game() {
            // An empty clock must not be forgiven anew at every move.
            self.late[own] += late;
        }
        Ok(true)
    }

    fn end(self, discs: i32, ending: Ending) -> GameOutcome {
        GameOutcome { game: self.game, notes: self.notes, discs, ending }
    }

    fn forfeit(self, loser: Color, fault: Fault) -> GameOutcome {
        self.lost(loser, Ending::Forfeit(loser, fault))
    }

    fn lost(self, loser: Color, ending: Ending) -> GameOutcome {
        let discs = if loser == Color::Black { -FORFEIT_DISCS } else { FORFEIT_DISCS };
        self.end(discs, ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, Square, squares};
    use crate::tournament::players::spec::Spec;

    /// Plays the first legal square after this time, unless told otherwise from some ply on.
    struct Scripted {
        time: Duration,
        from: usize,
        then: Result<Option<Move>, Fault>,
        seen: Vec<Duration>,
    }

    fn scripted(ms: u64) -> Scripted {
        Scripted { time: Duration::from_millis(ms), from: usize::MAX, then: Ok(None), seen: Vec::new() }
    }

    impl Player for Scripted {
        fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
            Ok(())
        }

        fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
            self.seen.push(request.left[0]);
            let first = squares(request.game.position().board.moves()).next().unwrap();
            let mv = if request.game.moves().len() >= self.from {
                self.then.clone()?
            } else {
                Some(Move::Place(first))
            };
            Ok(MoveReply { mv, note: Note { eval: None, time: self.time } })
        }
    }

    fn rules(time: TimeControl) -> Rules {
        Rules {
            budget: Budget { time, depth: None, nodes: None },
            margin: Duration::from_millis(100),
            grace: Duration::from_secs(1),
            start: Duration::from_secs(60),
            patience: Duration::from_secs(60),
            adjudicate: None,
        }
    }

    /// Both sides by the rules.
    fn sides<'a>(players: [&'a mut dyn Player; 2], rules: &Rules) -> [Side<'a>; 2] {
        players.map(|player| Side { player, budget: rules.budget, margin: rules.margin })
    }

    fn played(sides: [Side; 2], rules: &Rules) -> GameOutcome {
        play(&Game::default(), sides, rules, &mut Adjudicator::default(), &|| false).unwrap()
    }

    fn game(time: TimeControl, black: &mut Scripted, white: &mut Scripted) -> GameOutcome {
        let rules = rules(time);
        played(sides([black, white], &rules), &rules)
    }

    #[test]
    fn a_whole_game_is_played() {
        let record = game(TimeControl::Unlimited, &mut scripted(1), &mut scripted(1));
        assert_eq!(record.ending, Ending::Played);
        assert_eq!(record.game.final_score(Color::Black), Some(record.discs));
        assert_eq!(record.notes.len(), record.game.moves().len());
    }

    #[test]
    fn clocks_run_and_increments_are_added() {
        let time = TimeControl::Game { main: Duration::from_secs(1), increment: Duration::from_millis(10) };
        let (mut black, mut white) = (scripted(30), scripted(10));
        let record = game(time, &mut black, &mut white);
        assert_eq!(black.seen[..3], [1000, 980, 960].map(Duration::from_millis));
        assert!(white.seen.iter().all(|&left| left == Duration::from_secs(1)));
        assert_eq!(record.ending, Ending::Played);
    }

    #[test]
    fn each_side_has_its_own_clock_and_margin() {
        let rules = rules(TimeControl::Move(Duration::from_millis(10)));
        let (mut black, mut white) = (scripted(50), scripted(50));
        let [first, second] = sides([&mut black, &mut white], &rules);
        let time = TimeControl::Game { main: Duration::from_millis(500), increment: Duration::ZERO };
        let first = Side { budget: Budget { time, ..first.budget }, margin: Duration::ZERO, ..first };
        let second = Side { margin: Duration::from_millis(39), ..second };
        let record = played([first, second], &rules);
        // White has 10 ms and 39 more; Black's clock would hold.
        assert!(matches!(record.ending, Ending::Forfeit(Color::White, Fault::Time { .. })));
        assert_eq!(black.seen, [Duration::from_millis(500)]);
        let [first, second] = sides([&mut black, &mut white], &rules);
        let first = Side { budget: Budget { time, ..first.budget }, margin: Duration::ZERO, ..first };
        let record = played([first, Side { budget: Budget::FREE, ..second }], &rules);
        assert!(matches!(record.ending, Ending::Forfeit(Color::Black, Fault::Time { .. })));
        // Eleven moves: the clock of 500 ms takes ten of 50.
        assert_eq!(black.seen.len(), 1 + 11);
    }

    #[test]
    fn a_fallen_flag_loses_and_the_margin_forgives() {
        let time = TimeControl::Game { main: Duration::from_millis(100), increment: Duration::ZERO };
        let record = game(time, &mut scripted(1), &mut scripted(60));
        // The second move is 20 ms late, the third 60 more, the fourth would make it 140.
        assert!(matches!(record.ending, Ending::Forfeit(Color::White, Fault::Time { .. })));
        assert_eq!((record.discs, record.game.moves().len()), (FORFEIT_DISCS, 7));
        let each = TimeControl::Move(Duration::from_millis(50));
        assert_eq!(game(each, &mut scripted(149), &mut scripted(1)).ending, Ending::Played);
        let late = game(each, &mut scripted(151), &mut scripted(1));
        assert!(matches!(late.ending, Ending::Forfeit(Color::Black, Fault::Time { .. })));
    }

    #[test]
    fn a_margin_of_so_many_milliseconds_forgives_just_so_many() {
        for late in [1, 10, 100] {
            for (margin, is_lost) in [(late - 1, true), (late, false), (late + 1, false)] {
                for time in [
                    TimeControl::Move(Duration::from_millis(50)),
                    TimeControl::Game {
                        main: Duration::from_millis(50),
                        increment: Duration::from_millis(50),
                    },
                ] {
                    let rules = Rules { margin: Duration::from_millis(margin), ..rules(time) };
                    // Late once: whoever is late at every move with a clock for the game uses up the margin.
                    let mut black = LateOnce(Duration::from_millis(50 + late));
                    let mut white = scripted(1);
                    let record = played(sides([&mut black, &mut white], &rules), &rules);
                    let lost = matches!(record.ending, Ending::Forfeit(Color::Black, Fault::Time { .. }));
                    assert_eq!(lost, is_lost, "{late} ms late, a margin of {margin}, {time:?}");
                }
            }
        }
    }

    /// Plays the first legal square, its first move after this time.
    struct LateOnce(Duration);

    impl Player for LateOnce {
        fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
            Ok(())
        }

        fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
            let time = std::mem::take(&mut self.0);
            let first = squares(request.game.position().board.moves()).next().unwrap();
            Ok(MoveReply { mv: Some(Move::Place(first)), note: Note { eval: None, time } })
        }
    }

    #[test]
    fn an_illegal_move_loses_with_its_reason() {
        let corner = Move::Place("a1".parse::<Square>().unwrap());
        for (then, word) in [
            (Ok(Some(corner)), "illegal"),
            (Ok(Some(Move::Pass)), "illegal"),
            (Err(Fault::Chatter), "chatter"),
        ] {
            let mut black = Scripted { from: 4, then, ..scripted(1) };
            let record = game(TimeControl::Unlimited, &mut black, &mut scripted(1));
            let Ending::Forfeit(Color::Black, fault) = &record.ending else { panic!("{record:?}") };
            assert_eq!(fault.word(), word);
            assert_eq!((record.discs, record.game.moves().len()), (-FORFEIT_DISCS, 4));
        }
    }

    #[test]
    fn resigning_loses_and_is_no_fault() {
        let mut white = Scripted { from: 5, ..scripted(1) };
        let record = game(TimeControl::Unlimited, &mut scripted(1), &mut white);
        assert_eq!(record.ending, Ending::Resigned(Color::White));
        assert_eq!((record.discs, record.game.moves().len()), (FORFEIT_DISCS, 5));
        assert_eq!(record.notes.len(), 5);
    }

    #[test]
    fn a_cancelled_game_is_no_game() {
        let (mut black, mut white) = (scripted(1), scripted(1));
        let rules = rules(TimeControl::Unlimited);
        let sides = sides([&mut black, &mut white], &rules);
        let record = play(&Game::default(), sides, &rules, &mut Adjudicator::default(), &|| true);
        assert_eq!(record, None);
    }

    #[test]
    fn a_fault_of_a_cancelled_game_is_no_result() {
        let is_cancelled = std::cell::Cell::new(false);
        // The first move of White cancels the game, and Black crashes.
        let mut black = Scripted { from: 2, then: Err(Fault::Crash("killed".into())), ..scripted(1) };
        let mut white = scripted(1);
        let rules = rules(TimeControl::Unlimited);
        let cancelled = || is_cancelled.replace(true);
        let record = play(
            &Game::default(),
            sides([&mut black, &mut white], &rules),
            &rules,
            &mut Adjudicator::default(),
            &cancelled,
        );
        assert_eq!(record, None);
    }

    #[test]
    fn adjudication_ends_games_with_what_best_play_gives() {
        let rules = Rules { adjudicate: Some(6), ..rules(TimeControl::Unlimited) };
        let exact: Spec = "emilia:depth=2,solve-from=6".parse().unwrap();
        for seed in 0..3 {
            let record = |rules: &Rules| {
                let [mut black, mut white] = [0, 1].map(|_| exact.start(seed, Duration::ZERO).unwrap());
                played(sides([&mut *black, &mut *white], rules), rules)
            };
            let (short, whole) = (record(&rules), record(&Rules { adjudicate: None, ..rules }));
            if short.ending == Ending::Adjudicated {
                assert!(short.game.position().board.empty_count() <= 6);
                assert_eq!(short.discs, whole.discs, "exact players end where the judge does");
            }
        }
    }
}
