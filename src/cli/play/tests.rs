//! The session against an engine in the test's hands.

use std::time::Duration;

use super::seat::Seat;
use super::session::Setup;
use super::table::Table;
use crate::board::{Board, Color, Move, Score, Square};
use crate::book::policy::Policy;
use crate::book::{Answer, BookEditor, Canonical, Record, USUAL_LEVEL};
use crate::cli::draw::Style;
use crate::engine::{BookOptions, Event, JobId, Level, Opening, Outcome};
use crate::notation::ggf::Clock;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Input, Permit, Session};
use crate::protocols::harness::Harness;
use crate::protocols::library::{Learn, Library};
use crate::search::{Info, Line, Proof, SearchResult, Selectivity};
use crate::sentences::Language;
use crate::util::patience::origin;
use tempfile::TempDir;

type Play = Harness<super::session::Play>;

fn play(change: impl FnOnce(&mut Setup)) -> Play {
    play_with_book(Library::default(), change)
}

fn play_with_book(library: Library, change: impl FnOnce(&mut Setup)) -> Play {
    let mut setup = Setup {
        table: Table::default(),
        seats: [Seat::Human, Seat::Engine],
        level: Level::new(2).unwrap(),
        handicap: None,
        style: Style::Ascii,
        is_interactive: true,
        prompts: true,
        columns: || Some(80),
        language: Language::En,
        lesson: None,
        seed: 1,
        bar: false,
        output: None,
        interrupted: std::sync::Arc::default(),
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
    let mut book = BookEditor::open(&path).unwrap();
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
    assert!(play.types("undo").contains("Let it move now, and undo after that?"));
    assert_eq!(play.asked(), (1, 0), "it is asked first");
    play.types("y");
    assert_eq!(play.asked(), (1, 1));
    let seen = play.answers("d6");
    assert!(seen.contains("plays d6") && seen.contains("Move 1: Black to move"), "{seen}");
    // The answer of a search that has ended changes nothing.
    assert!(!play.answers("d6").contains("d6"));
    assert!(play.types("redo").contains("Move 3: Black to move"));
    assert!(play.types("f5d6c3").contains("It is White's turn: go lets it move"));
    play.types("go");
    assert!(play.answers("d3").contains("White plays d3"));
}

#[test]
fn all_else_waits_until_the_engine_has_moved() {
    let mut play = self::play(|_| ());
    play.types("f5");
    let seen = play.types("c3");
    assert!(seen.contains("until the engine has moved"), "{seen}");
    assert_eq!(play.types("g5"), "", "told once");
    assert_eq!(play.asked(), (1, 0));
    let seen = play.answers("d6");
    assert!(seen.contains("plays d6") && seen.contains("Move 4: White to move"), "{seen}");
    let seen = play.answers("d3");
    assert!(seen.contains("plays d3") && seen.contains("illegal move g5"), "{seen}");
}

#[test]
fn looking_interrupts_nothing_and_no_is_no() {
    let mut play = self::play(|_| ());
    play.types("f5");
    assert_eq!(play.types("list"), "f5\n");
    assert!(play.types("moves").contains("d6 turns d5"));
    assert!(play.types("board").contains("Move 2: White to move"));
    assert!(play.types("?").contains("take moves back"));
    assert!(play.types("hint").contains("Nothing is found yet"));
    play.types("new");
    assert_eq!(play.types("n"), "");
    assert_eq!(play.asked(), (1, 0), "it thinks on");
    let seen = play.answers("d6");
    assert!(seen.contains("Move 3: Black to move"), "{seen}");
}

#[test]
fn a_hint_tells_what_the_engine_thinks_so_far() {
    let mut play = self::play(|_| ());
    play.types("f5");
    let line = Line {
        pv: vec![Move::Place("d6".parse().unwrap())],
        score: Score::from_discs(1),
        depth: 7,
        selectivity: Selectivity::Full,
        proof: Proof::None,
    };
    let info = Info { lines: vec![line], nodes: 1, time: Duration::ZERO };
    play.happens(Input::Event(Event::Iteration { job: JobId(1), info }));
    assert!(play.types("hint").contains("So far: +1.00  d6  (depth 7)"));
    assert_eq!(play.asked(), (1, 0));
}

/// The last search ends with this line, worth so many discs.
fn finds(play: &mut Play, moves: &[&str], discs: i32) -> String {
    ends(play, moves, discs, false)
}

/// The last search ends with this line, by itself or because it was stopped.
fn ends(play: &mut Play, moves: &[&str], discs: i32, stopped: bool) -> String {
    play.clear();
    let pv: Vec<Move> = moves.iter().map(|name| Move::Place(name.parse().unwrap())).collect();
    let line = Line {
        score: Score::from_discs(discs),
        depth: 12,
        selectivity: Selectivity::Full,
        proof: Proof::None,
        pv,
    };
    let best = line.pv.first().copied();
    let info = Info { lines: vec![line], nodes: 1, time: Duration::ZERO };
    let result = SearchResult { best, info, stopped };
    let job = JobId(play.jobs() as u64);
    play.happens(Input::Event(Event::Finished { job, outcome: Outcome::Searched(result) }));
    play.seen()
}

#[test]
fn a_lesson_takes_a_mistake_back_with_its_reason_and_lets_it_be_played_all_the_same() {
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
    play.types("-OX------------------------OX------XO--------------------------- X");
    play.types("lesson 4");
    play.types("f5");
    assert_eq!(play.asked(), (1, 0), "it is judged first");
    finds(&mut play, &["a1", "f6"], 20);
    let seen = finds(&mut play, &["f5", "f6"], 2);
    assert!(seen.contains("f5 loses about 18 discs and is taken back."), "{seen}");
    assert!(seen.contains("Does not take the corner a1") && seen.contains("Black to move"), "{seen}");
    assert!(play.types("f5").contains("White to move"), "meant");
    assert_eq!(play.asked().0, 2);
    play.types("undo");
    play.types("a1");
    assert!(finds(&mut play, &["a1", "f6"], 20).contains("White to move"), "no mistake");
    play.types("undo");
    play.types("d3");
    finds(&mut play, &["a1"], 20);
    assert!(finds(&mut play, &["d3"], 17).contains("White to move"), "three discs are none");
}

#[test]
fn a_judgement_that_is_stopped_takes_nothing_back() {
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
    play.types("-OX------------------------OX------XO--------------------------- X");
    play.types("lesson 4");
    play.types("f5");
    let seen = ends(&mut play, &["a1", "f6"], 20, true);
    assert!(seen.contains("White to move"), "{seen}");
    assert_eq!(play.asked().0, 1, "no second search for a judgement that nobody waits for");
}

#[test]
fn another_player_takes_a_side() {
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
    let own = std::env::current_exe().unwrap();
    let refused = play.types(&format!("white x=gtp:'{}'", own.display()));
    assert!(refused.contains("no time control for `x`"), "{refused}");
    if cfg!(unix) {
        let refused = play.types("white gtp:no-such-program-here");
        assert!(refused.contains("there is no program"), "{refused}");
    }
    assert!(play.types("white greedy").contains("White is played by greedy"));
    play.types("f5");
    let mut seen = String::new();
    crate::util::patience::until("the other player's move", || {
        play.now += Duration::from_millis(20);
        play.happens(Input::Tick);
        seen = play.seen();
        seen.contains("O White plays ")
    });
    assert!(seen.contains("Move 3: Black to move"), "{seen}");
    assert_eq!(play.asked(), (0, 0), "not the engine");
    assert_eq!(play.session.deadline(), None);
}

#[test]
fn clocks_stop_while_they_are_stopped_and_while_the_engine_waits() {
    let clock = Clock { main: 60.0, increment: 0.0, overtime: None };
    let mut play = self::play(|setup| setup.table.clock = Some(clock));
    play.now += Duration::from_secs(10);
    assert!(play.types("clock").contains("Black 0:50, White 1:00"));
    assert!(play.types("clock stop").contains("the clock stands"));
    play.now += Duration::from_secs(100);
    assert_eq!(play.session.deadline(), None);
    assert!(play.types("clock go").contains("Black 0:50, White 1:00"));
    play.now += Duration::from_secs(5);
    assert!(play.types("f5").contains("0:45"));
    play.answers("d6");
    play.types("f5d6c3");
    play.now += Duration::from_secs(100);
    assert!(play.types("clock").contains("the clock stands"), "the engine waits for go");
    assert_eq!(play.session.deadline(), None);
}

#[test]
fn everything_fits_from_40_to_200_columns() {
    for (columns, is_beside) in
        [((|| Some(40)) as fn() -> Option<usize>, false), (|| Some(60), true), (|| Some(200), true)]
    {
        let clock = Clock { main: 300.0, increment: 0.0, overtime: None };
        let mut play = self::play(|setup| {
            (setup.columns, setup.bar, setup.prompts) = (columns, true, false);
            (setup.level, setup.seats) = (Level::new(12).unwrap(), [Seat::Human, Seat::Human]);
            setup.table.clock = Some(clock);
        });
        let mut seen = play.seen();
        for line in
            ["?", "f5", "rubbish that is long enough to be wrapped somewhere", "moves", "clock", "lesson 4"]
        {
            seen += &play.types(line);
        }
        let width = columns().unwrap();
        let wide: Vec<_> = seen.lines().filter(|line| line.chars().count() > width).collect();
        assert!(wide.is_empty(), "{width}: {wide:?}");
        assert_eq!(seen.contains("1  -  -  -  -  -  -  -  -    X Black"), is_beside, "{seen}");
    }
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
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
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
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
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

#[test]
fn ctrl_c_prints_the_moves_and_leaves_at_the_prompt_and_while_the_engine_thinks() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("game.ggf");
    let interrupt = |play: &mut Play| {
        play.clear();
        play.session.interrupt_now();
        play.happens(Input::Tick);
        assert!(play.session.is_done());
        play.seen()
    };
    let mut play = self::play(|_| ());
    assert_eq!(interrupt(&mut play), "\nNo moves yet\n");
    let output = path.clone();
    let mut play = self::play(|setup| setup.output = Some(output));
    play.types("f5");
    play.answers("d6");
    play.types("c3");
    let seen = interrupt(&mut play);
    let kept = format!("The game so far is in {}", path.display());
    let joined = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(seen.starts_with("\nMoves so far: f5d6c3\n") && joined.contains(&kept), "{seen}");
    assert!(std::fs::read_to_string(&path).unwrap().contains("B[C3"), "it is there");
    // An open paste ends first; one that cannot be saved is told.
    let output = folder.path().join("game.ggf/none");
    let mut play = self::play(|setup| setup.output = Some(output));
    play.types("[Black \"a\"]");
    play.types("1. f5 d6");
    let seen = interrupt(&mut play);
    assert!(seen.contains("Moves so far: f5d6") && seen.contains("The game was not saved"), "{seen}");
    // From another start the moves alone would say nothing.
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
    play.types("-OX------------------------OX------XO--------------------------- X");
    play.types("a1");
    assert!(interrupt(&mut play).contains("The game so far: (;GM[Othello]"));
}

#[test]
fn what_follows_a_pasted_game_is_a_command_again() {
    let mut play = self::play(|setup| setup.seats = [Seat::Human, Seat::Human]);
    let seen = play.types("[Black \"ann\"]");
    assert!(seen.contains("This goes on to its result; an empty line or a command ends it"), "{seen}");
    assert!(play.types("").ends_with("> "), "tags only");
    assert!(play.types("1. f5 d6 2. c3 *").contains("Move 4: White to move"));
    assert!(play.types("d3").contains("Move 5: Black to move"));
    play.types("1. f5 f6");
    let seen = play.types("list");
    assert!(seen.contains("Move 3: Black to move") && seen.contains("\nf5f6\n"), "{seen}");
    play.types("[Black \"ann\"]");
    let seen = play.types("list");
    assert!(seen.contains("holds no move") && seen.contains("\nf5f6\n"), "{seen}");
}

#[test]
fn numbered_lines_wait_together_while_the_engine_thinks() {
    let mut play = self::play(|_| ());
    play.types("f5");
    assert!(play.types("1. f5 f6").contains("until the engine has moved"));
    assert_eq!(play.types("2. e6 f4"), "");
    assert!(play.answers("d6").contains("This goes on as long as lines begin with a number"));
    let seen = play.types("list");
    assert!(seen.contains("Move 5: Black to move") && seen.contains("\nf5f6e6f4\n"), "{seen}");
}

#[test]
fn a_new_game_leaves_the_one_before_in_the_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("day.ggf");
    let output = path.clone();
    let mut play = self::play(|setup| {
        setup.output = Some(output);
        setup.seats = [Seat::Human, Seat::Human];
    });
    let kept = || {
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines().map(|game| game.matches("]B[").count() + game.matches("]W[").count()).collect::<Vec<_>>()
    };
    play.types("f5");
    play.types("new");
    play.types("new");
    play.types("d3");
    play.types("c3");
    play.types("undo");
    assert_eq!(kept().len(), 2, "{:?}", kept());
    play.types("f5d6c3");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("(;GM[Othello]").count(), 3, "{text}");
    assert!(text.find("B[F5").unwrap() < text.find("B[D3").unwrap(), "{text}");
}
