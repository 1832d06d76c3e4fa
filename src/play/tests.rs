//! Sessions against an engine in the test's hands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::TempDir;

use super::seat::Seat;
use super::state::{Setup, Traps};
use super::table::Table;
use crate::board::{Board, Color, Move, Position, Score, Square};
use crate::book::policy::Policy;
use crate::book::{Answer, BookEditor, Canonical, Record, USUAL_LEVEL};
use crate::engine::{BookOptions, Event, JobId, Level, Opening, Outcome};
use crate::eval::testing::evaluator;
use crate::notation::diagram::write_board;
use crate::notation::ggf::Clock;
use crate::picture::terminal::Style;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Input, Permit, Session};
use crate::protocols::harness_tests::Harness;
use crate::protocols::library::{Learn, Library};
use crate::search::{Handicap, Info, Line, Proof, SearchResult, Selectivity};
use crate::sentences::Language;
use crate::util::patience::origin;

type Play = Harness<super::state::Play>;

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
        traps: None,
        output: None,
        interrupted: Arc::default(),
        read_game: |path| anyhow::bail!("{} is no text", path.display()),
        refuse_named: |_| Ok(()),
    };
    change(&mut setup);
    Harness::new(|engine, screen| super::state::Play::new(setup, engine, screen, library, origin()))
}

fn play(change: impl FnOnce(&mut Setup)) -> Play {
    play_with_book(Library::default(), change)
}

fn two_people(setup: &mut Setup) {
    setup.seats = [Seat::Human, Seat::Human];
}

fn line(moves: &str, discs: i32, depth: u8) -> Line {
    Line {
        pv: moves
            .split('-')
            .map(|name| Move::Place(name.parse().unwrap()))
            .collect(),
        bound: Score::from_discs(discs),
        depth,
        selectivity: Selectivity::P73,
        proof: Proof::None,
    }
}

impl Play {
    /// The last search ends with this line, by itself or because it was stopped.
    fn ends(&mut self, moves: &str, discs: i32, stopped: bool) {
        self.ends_with(vec![line(moves, discs, 2)], stopped);
    }

    fn ends_with(&mut self, lines: Vec<Line>, stopped: bool) {
        let best = lines[0].pv.first().copied();
        let info = Info {
            lines,
            nodes: 1,
            time: Duration::ZERO,
        };
        let outcome = Outcome::Searched(SearchResult {
            best,
            info,
            stopped,
        });
        self.happens(Input::Event(Event::Finished {
            job: JobId(self.jobs() as u64),
            outcome,
        }));
    }

    /// Follows a script. Each line holds an action, which begins with a cleared screen, and looks after it:
    ///
    /// - `> TEXT` types a line.
    /// - `! LINE DISCS` ends the search, `!! LINE DISCS` as a stopped one.
    /// - `~ SECONDS` lets time pass.
    /// - `... LINE DISCS DEPTH` reports progress of the search.
    ///
    /// A look is `? JOBS STOPS` at the calls of the engine, `= TEXT` at the whole screen, `- TEXT` at a text that must
    /// not be there, or a text that must be there.
    fn follows(&mut self, script: &str) {
        let steps = script
            .lines()
            .flat_map(|line| line.split('|'))
            .map(str::trim);
        for step in steps.filter(|step| !step.is_empty()) {
            let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
            let words: Vec<&str> = rest.split(' ').collect();
            let number = |at: usize| words[at].parse::<i32>().unwrap();
            if [">", "!", "!!", "~", "..."].contains(&word) {
                self.clear();
            }
            match word {
                ">" => self.happens(Input::Line(InputLine::Text(rest.into()), Permit::default())),
                "!" | "!!" => self.ends(words[0], number(1), word == "!!"),
                "~" => self.pass_time(1000 * number(0) as u64),
                "..." => {
                    let lines = vec![line(words[0], number(1), number(2) as u8)];
                    let info = Info {
                        lines,
                        nodes: 1,
                        time: Duration::ZERO,
                    };
                    self.happens(Input::Event(Event::Iteration {
                        job: JobId(self.jobs() as u64),
                        info,
                    }));
                }
                "?" => assert_eq!(format!("{} {}", self.jobs(), self.stops()), rest, "{step}"),
                "=" => assert_eq!(self.seen().trim_end_matches("> ").trim(), rest, "{step}"),
                "-" => assert!(!self.seen().contains(rest), "{step}: {}", self.seen()),
                _ => assert!(self.seen().contains(step), "{step}: {}", self.seen()),
            }
        }
    }
}

/// Scripts of a game against the engine.
const SCRIPTS: [&str; 9] = [
    // A move is answered.
    "Move 1: Black to move
     > f5 | Move 2: White to move | ? 1 0
     ! d6 3 | O White plays d6 | Move 3: Black to move
     > a1 | illegal move a1 by black after 2 moves
     > list | = f5d6",
    // An empty line makes the engine move now, as do `stop` and `go`.
    "> f5
     > | ? 1 1
     ! d6 3 | White plays d6
     > c3
     > stop | ? 2 2
     ! d3 3
     > c4
     > GO | ? 3 3
     ! f4 3
     > stop | not thinking",
    // A command that changes the game waits.
    "> f5
     > undo | until the engine has moved; an empty line lets it move now | ? 1 0
     > | ? 1 1
     ! d6 3 | plays d6 | Move 1: Black to move
     > redo | Move 3: Black to move
     > f5d6c3 | It is White's turn: go lets it move
     > go
     ! d3 3 | White plays d3",
    // All else waits.
    "> f5
     > c3 | until the engine has moved
     > g5 | = | ? 1 0
     ! d6 3 | plays d6 | Move 4: White to move
     ! d3 3 | plays d3 | illegal move g5",
    // A command that only shows something interrupts nothing.
    "> f5
     > list | = f5
     > moves | d6 turns d5
     > board | Move 2: White to move
     > ? | take moves back
     > hint | No result yet
     ... d6 1 7
     > hint | So far: +1.00  d6  (depth 7, 73 %)
     ! d6 3 | Move 3: Black to move",
    // Any line ends a hint.
    "> hint | Thinking at level 12
     ... f5 1 9 | =
     ~ 1
     ... f5 1 10 | +1.00  f5  (depth 10, 73 %)
     > f5 | ? 1 1
     ! d3 3 | +3.00  d3  (depth 2, 73 %) | Move 2: White to move",
    // To the turns of the person.
    "> f5
     ! d6 3
     > c3
     ! d3 3
     > undo | Move 3: Black to move
     > undo | Move 1: Black to move
     > undo | nothing to take back
     > redo | Move 3: Black to move
     > redo | Move 5: Black to move
     > redo | nothing to redo",
    // Lines of a pasted game wait together.
    "> f5
     > 1. f5 f6 | until the engine has moved
     > 2. e6 f4 | =
     ! d6 3 | The text continues as long as lines begin with a number
     > list | Move 5: Black to move | f5f6e6f4",
    "> hint x | hint takes the number of moves to show, such as hint 3
     > hint 0 | hint takes the number of moves to show, such as hint 3
     > level 61 | level takes a whole number from 0 to 60, not 61; an example is level 12
     > black | human or engine plays a side; `emilia match` lets programs play
     > clock | There is no clock: start emilia play --clock 5:00+3
     > lesson 0 | a lesson takes back mistakes of 1 to 64 discs, such as lesson 4
     > undo 3 | undo takes no argument
     > save | save takes the name of a file",
];

#[test]
fn lines_interrupt_the_engine_or_wait_for_it() {
    for script in SCRIPTS {
        play(|_| ()).follows(script);
    }
}

#[test]
fn the_book_moves_without_a_search_as_far_as_it_goes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("small.book");
    let mut book = BookEditor::open(&path).unwrap();
    let after = Canonical::of(Board::START.play("f5".parse().unwrap()).unwrap()).unwrap();
    let moves = vec![(after.forth("d6".parse().unwrap()), Score::from_discs(-1))];
    book.learn(&[Record::Answer(Answer {
        key: after.key(),
        level: USUAL_LEVEL,
        avoid: crate::board::SquareSet(0),
        moves,
    })])
    .unwrap();
    drop(book);
    let opening = Opening::open(&BookOptions {
        path: Some(path),
        policy: Policy::Best,
        seed: 1,
    })
    .unwrap();
    let library = Library::new(Some(opening), Learn::Asked);
    play_with_book(library, |_| ()).follows(
        "> f5 | O White plays d6 (book | ? 0 0
         > undo
         > white human
         > f5
         > hint 1 | -1.00  d6  (book, depth | ? 0 0
         > hint 2 | ? 1 0
         ! f6 3 | f6
         > white engine | White plays d6 (book
         > c3 | ? 2 0",
    );
}

#[test]
fn a_lesson_takes_a_mistake_back_once_with_its_reason() {
    const BOARD: &str =
        "> -OX------------------------OX------XO--------------------------- X\n> lesson 4\n";
    let script = "
        > f5 | ? 1 0
        ! a1-f6 20
        ! f5-f6 2 | f5 loses about 18 discs and is taken back. | Does not take the corner a1 | Black to move
        > f5 | White to move | ? 2 0
        > undo
        > a1
        ! a1-f6 20 | White to move
        > undo
        > d3
        ! a1 20
        ! d3 17 | White to move";
    play(two_people).follows(&format!("{BOARD}{script}"));
    // A stopped search is no judgement.
    play(two_people).follows(&format!("{BOARD}> f5\n!! a1-f6 20 | White to move | ? 1 0"));
}

fn with_clock(seconds: f64) -> impl Fn(&mut Setup) {
    move |setup| {
        setup.table.clock = Some(Clock {
            main: seconds,
            increment: 0.0,
            overtime: None,
        })
    }
}

#[test]
fn clocks_run_and_stop() {
    let mut play = play(with_clock(60.0));
    play.follows(
        "1:00
         ~ 10
         > clock | Black 0:50, White 1:00
         > clock stop | the clock is stopped
         ~ 100",
    );
    assert_eq!(play.session.deadline(), None);
    play.follows("> clock go | Black 0:50, White 1:00\n~ 5\n> f5 | 0:45\n! d6 3");
    assert_eq!(
        play.session.deadline(),
        Some(play.now + Duration::from_secs(45))
    );
    play.follows("~ 46 | Black's time is up; the game goes on | Human  0:00.0 | - 0:45");
    assert_eq!(play.session.deadline(), None);
    // The engine waits for `go`.
    play.follows("> c3 | 0:00.0\n! d3 3\n> f5d6c3\n~ 100\n> clock | the clock is stopped");
    assert_eq!(play.session.deadline(), None);
}

#[test]
fn everything_fits_from_40_to_200_columns() {
    for (columns, is_beside) in [
        ((|| Some(40)) as fn() -> Option<usize>, false),
        (|| Some(60), true),
        (|| Some(200), true),
    ] {
        let mut play = play(|setup| {
            (setup.columns, setup.prompts) = (columns, false);
            two_people(setup);
            with_clock(300.0)(setup);
        });
        let lines =
            "?\nf5\nrubbish that is long enough to be wrapped somewhere\nmoves\nclock\nlesson 4";
        play.send(lines);
        let seen = play.seen();
        let width = columns().unwrap();
        let wide: Vec<_> = seen
            .lines()
            .filter(|line| line.chars().count() > width)
            .collect();
        assert!(wide.is_empty(), "{width}: {wide:?}");
        assert_eq!(
            seen.contains("1  -  -  -  -  -  -  -  -    X Black"),
            is_beside,
            "{seen}"
        );
    }
}

#[test]
fn the_end_of_input_leaves_after_the_engine_in_a_script_and_at_once_at_a_keyboard() {
    let mut script = play(|setup| setup.is_interactive = false);
    script.follows("> f5\n> list | =");
    script.happens(Input::End);
    assert!(!script.session.is_done());
    script.follows("! d6 3 | f5d6 | ? 1 0");
    assert!(script.session.is_done());
    let mut person = play(|_| ());
    person.follows("> f5");
    person.happens(Input::End);
    assert!(person.session.is_done());
}

#[test]
fn a_forced_pass_is_played_and_printed() {
    let bit = |name: &str| name.parse::<Square>().unwrap().bit();
    let position = Position::from_discs(bit("a1") | bit("h8"), bit("b1") | bit("h7"), Color::Black);
    play(two_people).follows(&format!(
        "> {}\n> c1 | O White has no move and passes | Black to move",
        write_board(&position)
    ));
}

#[test]
fn nothing_typed_is_fatal() {
    let words = "f5|undo|redo|new|list|moves|0 0 0 B W 0 0 0|(;|[Event||)|hint 99|level|black human|f5d6c3|pa|\
                 a b c d e f g h|?|board|\0|save|load /nowhere|\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}";
    let words: Vec<&str> = words.split('|').collect();
    let mut play = play(two_people);
    let mut rng = crate::util::rng::Rng::new(5);
    for _ in 0..3000 {
        play.send(words[rng.below(words.len() as u32) as usize]);
        assert!(!play.session.is_done());
        play.clear();
    }
}

#[test]
fn ctrl_c_prints_the_moves_keeps_all_games_and_leaves() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("day.ggf");
    let raised = Arc::<AtomicBool>::default();
    let mut play = play(|setup| {
        two_people(setup);
        (setup.output, setup.interrupted) = (Some(path.clone()), Arc::clone(&raised));
    });
    let kept = || std::fs::read_to_string(&path).unwrap();
    play.follows("> f5\n> new\n> new\n> d3\n> c3\n> undo");
    assert_eq!(kept().lines().count(), 2);
    play.follows("> f5d6c3");
    assert_eq!(kept().matches("(;GM[Othello]").count(), 3);
    assert!(kept().find("B[F5") < kept().find("B[D3"));
    // The moves do not show another start; a file that cannot be written is named.
    play.follows("> -OX------------------------OX------XO--------------------------- X\n> a1");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    play.clear();
    raised.store(true, Ordering::SeqCst);
    play.happens(Input::Tick);
    assert!(play.session.is_done());
    let seen = play.seen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(seen.starts_with("The game so far: (;GM[Othello]"), "{seen}");
    assert!(seen.contains("The game was not saved: writing "), "{seen}");
}

#[test]
fn hints_name_traps_for_a_person() {
    let hint = |change: fn(&mut Setup)| {
        let mut play = play(|setup| {
            setup.table.set("f5f6e6f4g5d6d7e7f3g3e3g4c6c5h4h3").unwrap();
            setup.handicap = Some(Handicap::of_person(1200, 1));
            setup.traps = Some(Traps {
                most: 3.0,
                evaluator: evaluator(),
            });
            change(setup);
        });
        play.follows("> hint 2");
        play.ends_with(vec![line("h5-f2", 2, 8), line("c7-h5", 0, 8)], false);
        play
    };
    hint(|_| ()).follows("Trap: c7 costs 2.0 discs");
    for change in [
        |setup: &mut Setup| setup.handicap = None,
        |setup: &mut Setup| setup.traps = None,
        |setup: &mut Setup| setup.seats[1] = Seat::Human,
        |setup: &mut Setup| setup.traps.as_mut().unwrap().most = 1.5,
    ] {
        hint(change).follows("- Trap");
    }
}
