//! The order of things, with an engine that answers when told.

use std::time::Duration;

use super::*;
use crate::board::Board;
use crate::protocols::library::Learn;
use crate::protocols::library::tests::Shelf;
use crate::protocols::rig::{Fake, Rig, info, manner};

fn rig(manner: Manner) -> Rig<NBoardSession<Fake>> {
    Rig::new(|engine, out| NBoardSession::new(engine, out, manner))
}

#[test]
fn the_answer_of_a_cut_go_comes_before_the_pong() {
    let mut rig = rig(manner());
    rig.send("ping 1\ngo\nping 2");
    assert_eq!((rig.jobs(), rig.stops()), (1, 1));
    assert_eq!(rig.lines(), ["pong 1", "status Thinking"]);
    rig.now += Duration::from_millis(450);
    rig.finish(5);
    assert_eq!(rig.lines()[1..], ["=== D3/1.00/0.450", "pong 2"]);
}

#[test]
fn every_go_gets_its_answer_in_turn() {
    let mut rig = rig(manner());
    rig.send("go\ngo\nfoo\nset depth 3");
    assert_eq!((rig.jobs(), rig.stops()), (1, 0));
    rig.finish(4);
    assert_eq!(rig.jobs(), 2);
    rig.finish(4);
    assert_eq!(rig.lines_of("===").len(), 2);
    assert_eq!(rig.session.state.analysis_limits().depth, 3);
}

#[test]
fn what_came_before_a_request_started_cuts_it_too() {
    let mut rig = rig(manner());
    rig.send("go\nhint 2\nping 1");
    rig.finish(3);
    assert_eq!((rig.jobs(), rig.stops()), (2, 2));
    rig.finish(1);
    assert_eq!(rig.lines().last().unwrap(), "pong 1");
}

#[test]
fn a_hint_yields_to_anything_but_noise() {
    for line in ["go", "hint 1", "set depth 2", "set contempt 1", "move f5", "learn", "analyze", "ping 1"] {
        let mut rig = rig(manner());
        rig.send("hint 4\n\nfoo\nnboard 2\nset x 1\nmove zz");
        assert_eq!(rig.stops(), 0);
        rig.send(line);
        assert_eq!(rig.stops(), 1, "{line}");
    }
}

#[test]
fn iterations_are_paced_and_the_last_one_always_shown() {
    let mut rig = rig(manner());
    rig.send("hint 1");
    for depth in 1..=6 {
        rig.iteration(depth);
    }
    assert_eq!(rig.lines_of("search"), ["search D3 +1.00 0 1@73%"]);
    rig.pass_time(100);
    assert_eq!(rig.lines_of("search"), ["search D3 +1.00 0 6@73%"]);
    rig.iteration(7);
    rig.finish(8);
    assert_eq!(rig.lines()[..2], ["search D3 +1.00 0 8@73%", "nodestats 7000 0.1000"]);
}

#[test]
fn a_hint_asked_again_tells_no_less() {
    let mut rig = rig(manner());
    let hint = |rig: &mut Rig<NBoardSession<Fake>>, before: &str, depth| {
        rig.send(&format!("{before}\nhint 1"));
        rig.iteration(1);
        rig.finish(depth);
        rig.lines_of("search")
    };
    let told = |depth| format!("search D3 +1.00 0 {depth}@73%");
    assert_eq!(hint(&mut rig, "set depth 12", 12), [told(1), told(12)]);
    assert_eq!(hint(&mut rig, "set depth 6", 6), [told(12)]);
    assert_eq!(hint(&mut rig, "set depth 14", 14), [told(14)]);
    let other = hint(&mut rig, "move f5", 2);
    assert_eq!(other.len(), 2, "of another position nothing is known");
    assert_eq!(hint(&mut rig, "set game (;GM[Othello]TY[8];)", 2), [told(14)], "taken back");
    assert_eq!(hint(&mut rig, "clear", 2), [told(1), told(2)]);
}

#[test]
fn what_was_learned_is_told_and_counts_once() {
    let shelf = Shelf::new("nboard-learn");
    let library = shelf.library(Learn::Asked);
    let mut rig = Rig::new(|engine, out| NBoardSession::new(engine, out, manner()).with_book(library));
    rig.send("learn");
    assert_eq!(rig.lines(), ["learned", "status Not learned: the game goes on"]);
    rig.send("move e6\nmove f4\nmove e3\nmove f6\nmove g5\nmove d6\nmove e7\nmove f5\nmove c5\nlearn");
    assert_eq!(rig.lines(), ["learned", "status Learned: Black won by 64; games in the book: 1"]);
    rig.send("learn");
    let told = "status The book has this game: it counts once; games in the book: 1";
    assert_eq!((rig.lines(), shelf.games()), (vec!["learned".to_owned(), told.to_owned()], 1));
}

#[test]
fn an_iteration_is_not_shown_twice_nor_an_older_one_after_it() {
    let mut rig = rig(manner());
    rig.send("hint 1");
    rig.iteration(5);
    rig.pass_time(200);
    rig.iteration(6);
    rig.finish(6);
    assert_eq!(rig.lines_of("search").len(), 2);
    rig.send("hint 1");
    rig.iteration(6);
    rig.finish(5);
    assert_eq!(rig.lines_of("search").len(), 1);
}

#[test]
fn node_stats_come_every_second_and_fewer_than_ten_thousand() {
    let mut rig = rig(manner());
    rig.send("hint 1");
    rig.pass_time(999);
    assert_eq!(rig.lines_of("nodestats").len(), 0);
    rig.pass_time(1);
    assert_eq!(rig.lines_of("nodestats"), ["nodestats 7000 1.0000"]);
    let mut lines = 0;
    // Three days, looked at whenever the session asks to be.
    while let Some(deadline) = rig.session.deadline().filter(|_| lines < 20_000) {
        if deadline.saturating_duration_since(rig.now) > Duration::from_secs(3 * 86_400) {
            break;
        }
        rig.now = deadline;
        rig.happens(Happening::Tick);
        lines += rig.lines().len();
    }
    assert!((5_000..10_000).contains(&lines), "{lines} lines");
}

#[test]
fn the_end_of_input_leaves_a_moment_then_cuts() {
    let mut rig = rig(manner());
    rig.send("go\nping 1\ngo");
    rig.finish(1);
    rig.happens(Happening::End);
    assert_eq!(rig.stops(), 1);
    rig.pass_time(GRACE.as_millis() as u64);
    assert_eq!((rig.jobs(), rig.stops()), (2, 2));
    assert!(!rig.session.is_done());
    rig.finish(1);
    assert!(rig.session.is_done());
    assert_eq!(rig.lines_of("===").len(), 2);
}

#[test]
fn batch_lets_every_search_end() {
    let mut rig = rig(Manner { batch: true, ..manner() });
    rig.send("hint 2\nping 1\ngo\nquit");
    rig.happens(Happening::End);
    rig.pass_time(3_600_000);
    assert_eq!(rig.stops(), 0);
    rig.finish(9);
    rig.pass_time(3_600_000);
    rig.finish(9);
    assert_eq!(rig.stops(), 0);
    assert!(rig.session.is_done());
    assert_eq!(rig.lines_of("pong").len(), 1);
}

#[test]
fn idle_sessions_end_with_quit_or_input() {
    for end in [Happening::End, Happening::Line(InputLine::Text("quit".into()), Permit::default())] {
        let mut rig = rig(manner());
        rig.send("nboard 2\nset depth 9\nset depth 9\nset depth 1");
        assert_eq!(rig.session.deadline(), None);
        rig.happens(end);
        assert!(rig.session.is_done());
        assert_eq!(rig.lines(), ["set myname Emilia", "set myname Emilia9", "set myname Emilia1"]);
    }
}

#[test]
fn a_go_leaves_the_position_alone() {
    let mut rig = rig(manner());
    rig.send("move F5//1.5\ngo");
    rig.finish(2);
    rig.send("move zz\nmove a1\nmove PA\nset game (;\ngo");
    let expected = Board::START.play("f5".parse().unwrap()).unwrap();
    assert_eq!(rig.task().board, expected);
    assert_eq!(rig.lines_of("===").len(), 1);
}

#[test]
fn passes_and_ends_need_no_search() {
    let mut rig = rig(manner());
    // Black has a1 only and cannot move; White can take it by c1.
    let board = |squares: &str| format!("set game (;GM[Othello]TY[8]BO[8 {squares} *];)");
    rig.send(&board(&format!("O*{}", "-".repeat(62)).replace("O*", "*O")));
    rig.send("go");
    assert!(rig.lines().last().unwrap().starts_with("status Thinking"));
    rig.finish(1);
    rig.lines();
    rig.send(&board(&format!("O*{}", "-".repeat(62))));
    rig.send("go");
    assert_eq!(rig.lines(), ["=== PA"]);
    rig.send("hint 3");
    rig.finish(1);
    assert_eq!(rig.lines_of("search"), ["search PA +1.00 0 1@73%"]);
    rig.send(&board(&format!("**{}", "-".repeat(62))));
    rig.send("go\nhint 3\nping 4");
    assert_eq!(rig.lines(), ["=== PA", "status The game is over", "pong 4"]);
}

#[test]
fn pondering_is_of_the_position_after_the_answer() {
    let mut rig = rig(Manner { ponder: true, ..manner() });
    rig.send("go");
    rig.finish(3);
    assert_eq!((rig.jobs(), rig.stops()), (2, 0));
    assert_eq!(rig.task().board.empty_count(), 59);
    rig.lines();
    rig.send("\nnoise");
    rig.iteration(9);
    assert_eq!((rig.lines().len(), rig.stops(), rig.session.deadline()), (0, 0, None));
    rig.send("ping 1");
    assert_eq!((rig.lines(), rig.stops()), (vec!["pong 1".to_owned()], 1));
}

#[test]
fn analyses_are_blacks_view() {
    let mut rig = rig(manner());
    rig.send("move f5\nanalyze");
    let job = JobId(1);
    for ply in [1, 0] {
        let info = info(Board::START, 4);
        let result = SearchResult { best: None, info, stopped: false };
        rig.happens(Happening::Event(Event::Analyzed { job, ply, result }));
    }
    rig.happens(Happening::Event(Event::Finished { job, outcome: Outcome::Analyzed { stopped: false } }));
    assert_eq!(
        rig.lines(),
        [
            "status Analyzing the game",
            "analysis 1 -1.00",
            "analysis 0 1.00",
            "nodestats 7000 0.0000",
            "status"
        ]
    );
}
