//! The session against an engine in the test's hands.

use std::time::Duration;

use super::command::Who;
use super::session::Setup;
use super::table::Table;
use crate::board::{Board, Color, Move, Score, Square};
use crate::book::policy::Policy;
use crate::book::{Answer, Book, Canonical, Record, USUAL_LEVEL};
use crate::cli::draw::Style;
use crate::engine::{BookOptions, Event, JobId, Level, Opening, Outcome};
use crate::notation::ggf::Clock;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Input, Permit, Session};
use crate::protocols::harness::Harness;
use crate::protocols::library::{Learn, Library};
use crate::search::{Info, Line, Proof, SearchResult, Selectivity};
use crate::util::patience::origin;
use tempfile::TempDir;

type Play = Harness<super::session::Play>;

fn play(change: impl FnOnce(&mut Setup)) -> Play {
    play_with_book(Library::default(), change)
}

fn play_with_book(library: Library, change: impl FnOnce(&mut Setup)) -> Play {
    let mut setup = Setup {
        table: Table::default(),
        seats: [Who::Human, Who::Engine],
        level: Level::new(2).unwrap(),
        handicap: None,
        style: Style::Ascii,
        is_interactive: true,
        bar: false,
        output: None,
    };
    change(&mut setup);
    let mut play =
        Harness::new(|engine, screen| super::session::Play::new(setup, engine, screen, library, origin()));
    play.happens(Input::Tick);
    play
}

impl Play {
    /// Types a line and gives what came on the screen.
    fn types(&mut self, line: &str) -> String {
        self.clear();
        self.happens(Input::Line(InputLine::Text(line.into()), Permit::default()));
        self.seen()
    }

    /// Searches that were started and stops that were asked for.
    fn asked(&self) -> (usize, usize) {
        (self.jobs(), self.stops())
    }

    /// The last search ends with this move.
    fn answers(&mut self, square: &str) -> String {
        self.clear();
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
        let job = JobId(self.jobs() as u64);
        self.happens(Input::Event(Event::Finished { job, outcome: Outcome::Searched(result) }));
        self.seen()
    }
}

#[test]
fn a_move_is_answered_by_the_engine() {
    let mut play = self::play(|_| ());
    assert!(play.seen().contains("Move 1: Black to move"), "{}", play.seen());
    assert!(play.types("f5").contains("Move 2: White to move"));
    assert_eq!(play.asked(), (1, 0));
    let seen = play.answers("d6");
    assert!(seen.contains("O White plays d6") && seen.ends_with("> "), "{seen}");
    assert!(play.types("a1").contains("illegal move a1 by black after 2 moves"));
    assert!(play.types("list").starts_with("f5d6\n"));
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
    let opening = Opening::open(&BookOptions { path: Some(path), policy: Policy::Best, seed: 1 }).unwrap();
    let library = Library::new(Some(opening), Learn::Asked);
    let mut play = play_with_book(library, |setup| setup.bar = true);
    let seen = play.types("f5");
    assert!(seen.contains("O White plays d6 (book"), "{seen}");
    assert!(seen.contains("+1.0 for Black (book)"), "{seen}");
    assert_eq!(play.asked(), (0, 0));
    play.types("undo");
    play.types("white human");
    play.types("f5");
    let seen = play.types("hint 1");
    assert!(seen.contains("-1.00  d6  (book, depth"), "{seen}");
    assert_eq!(play.asked(), (0, 0), "the book knows enough");
    play.types("hint 2");
    assert_eq!(play.asked(), (1, 0), "the second move is searched");
    assert!(play.answers("f6").contains("f6"));
    assert!(play.types("white engine").contains("White plays d6 (book"));
    play.types("c3");
    assert_eq!(play.asked(), (2, 0), "the book ends");
}

#[test]
fn an_empty_line_takes_the_move_now() {
    let mut play = self::play(|_| ());
    play.types("f5");
    play.types("");
    assert_eq!(play.asked(), (1, 1));
    assert!(play.answers("d6").contains("White plays d6"));
}

#[test]
fn what_changes_the_game_hurries_the_engine_and_comes_after_its_move() {
    let mut play = self::play(|_| ());
    play.types("f5");
    play.types("undo");
    assert_eq!(play.asked(), (1, 1));
    let seen = play.answers("d6");
    assert!(seen.contains("plays d6") && seen.contains("Move 1: Black to move"), "{seen}");
    // The answer of a search that has ended changes nothing.
    assert!(!play.answers("d6").contains("d6"));
    assert!(play.types("redo").contains("Move 3: Black to move"));
    assert!(play.types("f5d6c3").contains("It is the engine's turn: go lets it move"));
    play.types("go");
    assert!(play.answers("d3").contains("White plays d3"));
}

#[test]
fn all_else_waits_until_the_engine_has_moved() {
    let mut play = self::play(|_| ());
    play.types("f5");
    let seen = play.types("c3");
    assert!(seen.contains("until the engine has moved"), "{seen}");
    assert_eq!(play.types("list"), "", "told once");
    assert_eq!(play.asked(), (1, 0));
    let seen = play.answers("d6");
    assert!(seen.contains("plays d6") && seen.contains("Move 4: White to move"), "{seen}");
    let seen = play.answers("d3");
    assert!(seen.contains("plays d3") && seen.contains("\nf5d6c3d3\n"), "{seen}");
}

#[test]
fn stop_and_go_take_the_move_now() {
    for word in ["stop", " GO "] {
        let mut play = self::play(|_| ());
        play.types("f5");
        play.types(word);
        assert_eq!(play.asked(), (1, 1));
        let seen = play.answers("d6");
        assert!(seen.contains("White plays d6") && play.asked().0 == 1, "{seen}");
        assert!(play.types("stop").contains("not thinking"));
    }
}

#[test]
fn arrows_do_not_spoil_the_line() {
    let mut play = self::play(|_| ());
    assert!(play.types("\u{1b}[A").contains("type it again"));
    assert!(play.types("\u{1b}[Af5").contains("Move 2: White to move"));
    play.types("\u{1b}[A");
    assert_eq!(play.asked(), (1, 0), "a key alone does not hurry");
}

#[test]
fn a_hint_ends_with_what_is_typed_and_loses_nothing() {
    let mut play = self::play(|_| ());
    assert!(play.types("hint").contains("Thinking at level 12"));
    play.types("f5");
    assert_eq!(play.asked(), (1, 1));
    let seen = play.answers("d3");
    assert!(seen.contains("+3.00  d3  (depth 2)") && seen.contains("Move 2: White to move"), "{seen}");
}

#[test]
fn a_hint_tells_where_it_is() {
    let mut play = self::play(|_| ());
    play.types("hint");
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
    play.clear();
    play.happens(Input::Event(iteration()));
    assert_eq!(play.seen(), "", "not at once");
    play.now += Duration::from_secs(1);
    play.happens(Input::Event(iteration()));
    assert!(play.seen().contains("+1.00  f5  (depth 9, 73 %)"), "{}", play.seen());
}

#[test]
fn a_script_waits_for_the_engine() {
    let mut play = self::play(|setup| setup.is_interactive = false);
    play.types("f5");
    assert_eq!(play.types("list"), "");
    play.happens(Input::End);
    assert!(!play.session.is_done());
    let seen = play.answers("d6");
    assert!(seen.ends_with("f5d6\n"), "{seen}");
    assert!(play.session.is_done());
    assert_eq!(play.asked(), (1, 0));
}

#[test]
fn undo_goes_back_to_the_last_own_turn() {
    let mut play = self::play(|_| ());
    play.types("f5");
    play.answers("d6");
    play.types("c3");
    play.answers("d3");
    assert!(play.types("undo").contains("Move 3: Black to move"));
    assert!(play.types("undo").contains("Move 1: Black to move"));
    assert!(play.types("undo").contains("nothing to take back"));
    assert!(play.types("redo").contains("Move 3: Black to move"));
    assert!(play.types("redo").contains("Move 5: Black to move"));
    assert!(play.types("redo").contains("nothing to redo"));
}

#[test]
fn clocks_run_and_a_fallen_flag_is_told_once() {
    let clock = Clock { main: 60.0, increment: 0.0, overtime: None };
    let mut play = self::play(|setup| setup.table.clock = Some(clock));
    assert!(play.seen().contains("1:00"));
    play.now += Duration::from_secs(20);
    assert!(play.types("f5").contains("0:40"));
    play.answers("d6");
    assert_eq!(play.session.deadline(), Some(play.now + Duration::from_secs(40)));
    play.now += Duration::from_secs(41);
    play.clear();
    play.happens(Input::Tick);
    assert!(play.seen().contains("Black's time is up; the game goes on"));
    assert!(play.seen().contains("Human  0:00.0") && !play.seen().contains("0:40"), "{}", play.seen());
    assert_eq!(play.session.deadline(), None);
    assert!(play.types("c3").contains("0:00.0"));
}

#[test]
fn a_forced_pass_is_played_and_told() {
    let bit = |name: &str| name.parse::<Square>().unwrap().bit();
    let position =
        crate::board::Position::from_discs(bit("a1") | bit("h8"), bit("b1") | bit("h7"), Color::Black);
    let text = crate::notation::diagram::write_board(&position);
    let mut play = self::play(|setup| setup.seats = [Who::Human, Who::Human]);
    play.types(&text);
    let seen = play.types("c1");
    assert!(seen.contains("O White has no move and passes") && seen.contains("Black to move"), "{seen}");
}

#[test]
fn end_of_input_leaves_cleanly() {
    let mut play = self::play(|_| ());
    play.types("f5");
    play.happens(Input::End);
    assert!(play.session.is_done());
}

#[test]
fn nothing_typed_is_fatal() {
    let mut play = self::play(|setup| setup.seats = [Who::Human, Who::Human]);
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
        play.types(words[rng.below(words.len() as u32) as usize]);
        assert!(!play.session.is_done());
    }
}
