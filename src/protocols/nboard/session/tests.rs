//! The order of the lines, with an engine that the test controls.

use std::time::Duration;

use super::*;
use crate::engine::{Event, JobId};
use crate::protocols::driver::{Input, Session};
use crate::protocols::harness_tests::Harness;
use crate::protocols::library::Library;

fn harness(options: SessionOptions) -> Harness<NBoardSession> {
    Harness::session(Library::default(), options)
}

#[test]
fn a_request_shows_the_loading_of_the_evaluation() {
    for (request, doing) in [("go", "status Thinking"), ("hint 1", "status Analyzing")] {
        let mut harness = harness(Default::default());
        harness.send(request);
        harness.happens(Input::Event(Event::Loading { job: JobId(7) }));
        assert_eq!(harness.lines(), [doing], "of another job");
        harness.happens(Input::Event(Event::Loading { job: JobId(1) }));
        assert_eq!(harness.lines(), ["status Loading the evaluation"]);
        harness.iteration(3);
        assert_eq!(harness.lines_of("status"), [doing]);
        harness.iteration(4);
        assert!(harness.lines_of("status").is_empty(), "{request}: once");
    }
}

#[test]
fn waiting_commands_interrupt_a_new_request() {
    let mut harness = harness(Default::default());
    harness.send("go\nhint 2\nping 1");
    harness.finish(3);
    assert_eq!((harness.jobs(), harness.stops()), (2, 2));
    harness.finish(1);
    assert_eq!(harness.lines().last().unwrap(), "pong 1");
}

#[test]
fn iterations_are_paced_and_the_last_one_is_shown() {
    let mut harness = harness(Default::default());
    harness.send("hint 1");
    for depth in 1..=6 {
        harness.iteration(depth);
    }
    assert_eq!(harness.lines_of("search"), ["search D3 +1.00 0 1@73%"]);
    harness.pass_time(100);
    assert_eq!(harness.lines_of("search"), ["search D3 +1.00 0 6@73%"]);
    harness.iteration(7);
    harness.finish(8);
    assert_eq!(
        harness.lines()[..2],
        ["search D3 +1.00 0 8@73%", "nodestats 7000 0.1000"]
    );
}

#[test]
fn a_repeated_hint_shows_no_less() {
    let mut harness = harness(Default::default());
    let hint = |harness: &mut Harness<NBoardSession>, before: &str, depth| {
        harness.send(&format!("{before}\nhint 1"));
        harness.iteration(1);
        harness.finish(depth);
        harness.lines_of("search")
    };
    let line = |depth| format!("search D3 +1.00 0 {depth}@73%");
    assert_eq!(hint(&mut harness, "set depth 12", 12), [line(1), line(12)]);
    assert_eq!(hint(&mut harness, "set depth 6", 6), [line(12)]);
    assert_eq!(hint(&mut harness, "set depth 14", 14), [line(14)]);
    let other = hint(&mut harness, "move f5", 2);
    assert_eq!(other.len(), 2, "of another position nothing is known");
    assert_eq!(
        hint(&mut harness, "set game (;GM[Othello]TY[8];)", 2),
        [line(14)],
        "taken back"
    );
    assert_eq!(hint(&mut harness, "clear", 2), [line(1), line(2)]);
}

#[test]
fn repeated_and_older_iterations_are_not_shown() {
    let mut harness = harness(Default::default());
    harness.send("hint 1");
    harness.iteration(5);
    harness.pass_time(200);
    harness.iteration(6);
    harness.finish(6);
    assert_eq!(harness.lines_of("search").len(), 2);
    harness.send("hint 1");
    harness.iteration(6);
    harness.finish(5);
    assert_eq!(harness.lines_of("search").len(), 1);
}

#[test]
fn node_stats_come_every_second_and_fewer_than_ten_thousand() {
    let mut harness = harness(Default::default());
    harness.send("hint 1");
    harness.pass_time(999);
    assert_eq!(harness.lines_of("nodestats").len(), 0);
    harness.pass_time(1);
    assert_eq!(harness.lines_of("nodestats"), ["nodestats 7000 1.0000"]);
    let mut lines = 0;
    // Three days, looked at whenever the session asks to be.
    while let Some(deadline) = harness.session.deadline().filter(|_| lines < 20_000) {
        if deadline.saturating_duration_since(harness.now) > Duration::from_secs(3 * 86_400) {
            break;
        }
        harness.now = deadline;
        harness.happens(Input::Tick);
        lines += harness.lines().len();
    }
    assert!((5_000..10_000).contains(&lines), "{lines} lines");
}

#[test]
fn the_end_of_input_leaves_a_moment_then_cuts() {
    let mut harness = harness(Default::default());
    harness.send("go\nping 1\ngo");
    harness.finish(1);
    harness.happens(Input::End);
    assert_eq!(harness.stops(), 1);
    harness.pass_time(NBoard::GRACE.as_millis() as u64);
    assert_eq!((harness.jobs(), harness.stops()), (2, 2));
    assert!(!harness.session.is_done());
    harness.finish(1);
    assert!(harness.session.is_done());
    assert_eq!(harness.lines_of("===").len(), 2);
}
