//! The session against an engine in the test's hands.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::command::Who;
use super::session::{Play, Setup};
use super::table::Table;
use crate::board::{Board, Color, Move, Score, Square};
use crate::book::policy::Policy;
use crate::book::{Answer, Book, Canonical, Record, USUAL_LEVEL};
use crate::cli::draw::Style;
use crate::engine::{BookOptions, Event, Job, JobId, Level, Opening, Outcome};
use crate::notation::ggf::Clock;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Input, Permit, Searcher, Session};
use crate::search::{Info, Line, Proof, SearchResult, Selectivity};
use crate::util::patience::origin;
use tempfile::TempDir;

/// Notes what it is asked.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<(Vec<Job>, usize)>>);

impl Searcher for Fake {
    fn start(&mut self, job: Job) -> JobId {
        let mut asked = self.0.lock().unwrap();
        asked.0.push(job);
        JobId(asked.0.len() as u64)
    }

    fn stop(&mut self) {
        self.0.lock().unwrap().1 += 1;
    }

    fn nodes(&self) -> u64 {
        0
    }
}

#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Harness {
    play: Play<Fake, Screen>,
    engine: Fake,
    screen: Screen,
    now: Instant,
}

impl Harness {
    fn new(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup {
            table: Table::default(),
            seats: [Who::Human, Who::Engine],
            level: Level::new(2).unwrap(),
            handicap: None,
            style: Style::Ascii,
            is_interactive: true,
            bar: false,
            keep: None,
        };
        change(&mut setup);
        let (engine, screen, now) = (Fake::default(), Screen::default(), origin());
        let play = Play::new(setup, engine.clone(), screen.clone(), now);
        let mut harness = Self { play, engine, screen, now };
        harness.happens(Input::Tick);
        harness
    }

    fn happens(&mut self, input: Input) {
        self.play.handle(input, self.now).unwrap();
    }

    /// Types a line and gives what came on the screen.
    fn types(&mut self, line: &str) -> String {
        self.screen.0.lock().unwrap().clear();
        self.happens(Input::Line(InputLine::Text(line.into()), Permit::default()));
        self.seen()
    }

    fn seen(&self) -> String {
        String::from_utf8(self.screen.0.lock().unwrap().clone()).unwrap()
    }

    /// Searches that were started and stops that were asked for.
    fn asked(&self) -> (usize, usize) {
        let asked = self.engine.0.lock().unwrap();
        (asked.0.len(), asked.1)
    }

    /// The last search ends with this move.
    fn answers(&mut self, square: &str) -> String {
        self.screen.0.lock().unwrap().clear();
        let mv = Move::Place(square.parse().unwrap());
        let line = Line {
            pv: vec![mv],
            score: Score::from_discs(3),
            depth: 2,
            selectivity: Selectivity::Full,
            proof: Proof::None,
        };
        let info = Info { lines: vec![line], nodes: 1, time: Duration::ZERO };
        let result = SearchResult { best: Some(mv), info, stopped: false };
        let job = JobId(self.asked().0 as u64);
        self.happens(Input::Event(Event::Finished { job, outcome: Outcome::Searched(result) }));
        self.seen()
    }
}

#[test]
fn a_move_is_answered_by_the_engine() {
    let mut harness = Harness::new(|_| ());
    assert!(harness.seen().contains("Move 1: Black to move"), "{}", harness.seen());
    assert!(harness.types("f5").contains("Move 2: White to move"));
    assert_eq!(harness.asked(), (1, 0));
    let seen = harness.answers("d6");
    assert!(seen.contains("O White plays d6") && seen.ends_with("> "), "{seen}");
    assert!(harness.types("a1").contains("illegal move a1 by black after 2 moves"));
    assert!(harness.types("list").starts_with("f5d6\n"));
}

#[test]
fn the_book_moves_without_a_search_as_far_as_it_goes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("small.book");
    let mut book = Book::edit(&path).unwrap();
    let after = Canonical::of(Board::START.play("f5".parse().unwrap()).unwrap()).unwrap();
    let moves = vec![(after.forth("d6".parse().unwrap()), Score::from_discs(-1))];
    let answer = Answer { key: after.key(), level: USUAL_LEVEL, avoid: 0, moves };
    book.learn(&[Record::Answer(answer)]).unwrap();
    drop(book);
    let opening = Opening::open(&BookOptions { path, policy: Policy::Best, seed: 1 }).unwrap();
    let mut harness = Harness::new(|setup| setup.bar = true);
    harness.play = harness.play.with_book(Some(opening));
    let seen = harness.types("f5");
    assert!(seen.contains("O White plays d6 (book"), "{seen}");
    assert!(seen.contains("+1.0 for Black (book)"), "{seen}");
    assert_eq!(harness.asked(), (0, 0));
    harness.types("undo");
    harness.types("white human");
    harness.types("f5");
    let seen = harness.types("hint 1");
    assert!(seen.contains("-1.00  d6  (book, depth"), "{seen}");
    assert_eq!(harness.asked(), (0, 0), "the book knows enough");
    harness.types("hint 2");
    assert_eq!(harness.asked(), (1, 0), "the second move is searched");
    assert!(harness.answers("f6").contains("f6"));
    assert!(harness.types("white engine").contains("White plays d6 (book"));
    harness.types("c3");
    assert_eq!(harness.asked(), (2, 0), "the book ends");
}

#[test]
fn an_empty_line_takes_the_move_now() {
    let mut harness = Harness::new(|_| ());
    harness.types("f5");
    harness.types("");
    assert_eq!(harness.asked(), (1, 1));
    assert!(harness.answers("d6").contains("White plays d6"));
}

#[test]
fn what_changes_the_game_hurries_the_engine_and_comes_after_its_move() {
    let mut harness = Harness::new(|_| ());
    harness.types("f5");
    harness.types("undo");
    assert_eq!(harness.asked(), (1, 1));
    let seen = harness.answers("d6");
    assert!(seen.contains("plays d6") && seen.contains("Move 1: Black to move"), "{seen}");
    // The answer of a search that has ended changes nothing.
    assert!(!harness.answers("d6").contains("d6"));
    assert!(harness.types("redo").contains("Move 3: Black to move"));
    assert!(harness.types("f5d6c3").contains("It is the engine's turn: go lets it move"));
    harness.types("go");
    assert!(harness.answers("d3").contains("White plays d3"));
}

#[test]
fn all_else_waits_until_the_engine_has_moved() {
    let mut harness = Harness::new(|_| ());
    harness.types("f5");
    let seen = harness.types("c3");
    assert!(seen.contains("when the engine has moved"), "{seen}");
    assert_eq!(harness.types("list"), "", "told once");
    assert_eq!(harness.asked(), (1, 0));
    let seen = harness.answers("d6");
    assert!(seen.contains("plays d6") && seen.contains("Move 4: White to move"), "{seen}");
    let seen = harness.answers("d3");
    assert!(seen.contains("plays d3") && seen.contains("\nf5d6c3d3\n"), "{seen}");
}

#[test]
fn stop_and_go_take_the_move_now() {
    for word in ["stop", " GO "] {
        let mut harness = Harness::new(|_| ());
        harness.types("f5");
        harness.types(word);
        assert_eq!(harness.asked(), (1, 1));
        let seen = harness.answers("d6");
        assert!(seen.contains("White plays d6") && harness.asked().0 == 1, "{seen}");
        assert!(harness.types("stop").contains("not thinking"));
    }
}

#[test]
fn arrows_do_not_spoil_the_line() {
    let mut harness = Harness::new(|_| ());
    assert!(harness.types("\u{1b}[A").contains("type it again"));
    assert!(harness.types("\u{1b}[Af5").contains("Move 2: White to move"));
    harness.types("\u{1b}[A");
    assert_eq!(harness.asked(), (1, 0), "a key alone does not hurry");
}

#[test]
fn a_hint_ends_with_what_is_typed_and_loses_nothing() {
    let mut harness = Harness::new(|_| ());
    assert!(harness.types("hint").contains("Thinking at level 12"));
    harness.types("f5");
    assert_eq!(harness.asked(), (1, 1));
    let seen = harness.answers("d3");
    assert!(seen.contains("+3.00  d3  (depth 2)") && seen.contains("Move 2: White to move"), "{seen}");
}

#[test]
fn a_hint_tells_where_it_is() {
    let mut harness = Harness::new(|_| ());
    harness.types("hint");
    let line = Line {
        pv: vec![Move::Place("f5".parse().unwrap())],
        score: Score::from_discs(1),
        depth: 9,
        selectivity: Selectivity::P73,
        proof: Proof::None,
    };
    let iteration = || Event::Iteration {
        job: JobId(1),
        info: Info { lines: vec![line.clone()], nodes: 1, time: Duration::ZERO },
    };
    harness.screen.0.lock().unwrap().clear();
    harness.happens(Input::Event(iteration()));
    assert_eq!(harness.seen(), "", "not at once");
    harness.now += Duration::from_secs(1);
    harness.happens(Input::Event(iteration()));
    assert!(harness.seen().contains("+1.00  f5  (depth 9, 73 %)"), "{}", harness.seen());
}

#[test]
fn a_script_waits_for_the_engine() {
    let mut harness = Harness::new(|setup| setup.is_interactive = false);
    harness.types("f5");
    assert_eq!(harness.types("list"), "");
    harness.happens(Input::End);
    assert!(!harness.play.is_done());
    let seen = harness.answers("d6");
    assert!(seen.ends_with("f5d6\n"), "{seen}");
    assert!(harness.play.is_done());
    assert_eq!(harness.asked(), (1, 0));
}

#[test]
fn undo_goes_back_to_the_last_own_turn() {
    let mut harness = Harness::new(|_| ());
    harness.types("f5");
    harness.answers("d6");
    harness.types("c3");
    harness.answers("d3");
    assert!(harness.types("undo").contains("Move 3: Black to move"));
    assert!(harness.types("undo").contains("Move 1: Black to move"));
    assert!(harness.types("undo").contains("nothing to take back"));
    assert!(harness.types("redo").contains("Move 3: Black to move"));
    assert!(harness.types("redo").contains("Move 5: Black to move"));
    assert!(harness.types("redo").contains("nothing to play again"));
}

#[test]
fn clocks_run_and_a_fallen_flag_is_told_once() {
    let clock = Clock { main: 60.0, increment: 0.0, overtime: None };
    let mut harness = Harness::new(|setup| setup.table.clock = Some(clock));
    assert!(harness.seen().contains("1:00"));
    harness.now += Duration::from_secs(20);
    assert!(harness.types("f5").contains("0:40"));
    harness.answers("d6");
    assert_eq!(harness.play.deadline(), Some(harness.now + Duration::from_secs(40)));
    harness.now += Duration::from_secs(41);
    harness.screen.0.lock().unwrap().clear();
    harness.happens(Input::Tick);
    assert!(harness.seen().contains("Black's time is up; the game goes on"));
    assert!(
        harness.seen().contains("Human  0:00.0") && !harness.seen().contains("0:40"),
        "{}",
        harness.seen()
    );
    assert_eq!(harness.play.deadline(), None);
    assert!(harness.types("c3").contains("0:00.0"));
}

#[test]
fn a_forced_pass_is_played_and_told() {
    let bit = |name: &str| name.parse::<Square>().unwrap().bit();
    let position =
        crate::board::Position::from_discs(bit("a1") | bit("h8"), bit("b1") | bit("h7"), Color::Black);
    let text = crate::notation::diagram::write_board(&position);
    let mut harness = Harness::new(|setup| setup.seats = [Who::Human, Who::Human]);
    harness.types(&text);
    let seen = harness.types("c1");
    assert!(seen.contains("O White has no move and passes") && seen.contains("Black to move"), "{seen}");
}

#[test]
fn end_of_input_leaves_cleanly() {
    let mut harness = Harness::new(|_| ());
    harness.types("f5");
    harness.happens(Input::End);
    assert!(harness.play.is_done());
}

#[test]
fn nothing_typed_is_fatal() {
    let mut harness = Harness::new(|setup| setup.seats = [Who::Human, Who::Human]);
    let mut rng = crate::util::rng::Rng::new(5);
    let words = [
        "f5",
        "undo",
        "redo",
        "new",
        "list",
        "moves",
        "0 0 0 B W 0 0 0",
        "(;",
        "[Event",
        "",
        ")",
        "hint 99",
        "bar",
        "bar off",
        "level",
        "black human",
        "f5d6c3",
        "pa",
        "a b c d e f g h",
        "?",
        "board",
        "\u{0}",
        "save",
        "load /nowhere",
        "\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}",
    ];
    for _ in 0..3000 {
        harness.types(words[rng.below(words.len() as u32) as usize]);
        assert!(!harness.play.is_done());
    }
}
