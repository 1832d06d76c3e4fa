//! A session with an engine that the test controls.

use super::*;
use crate::book::policy::Policy;
use crate::engine::{Event, JobId, Level};
use crate::protocols::driver::{Input, Session};
use crate::protocols::harness_tests::Harness;
use crate::protocols::library::tests::TempBook;
use crate::protocols::library::{Learn, Library};
use crate::search::Clock;

/// Nine moves to a wipe-out.
const GAME: &str = "play b e6\nplay w f4\nplay b e3\nplay w f6\nplay b g5\nplay w d6\nplay b e7\n\
    play w f5\nplay b c5";

fn harness(options: SessionOptions) -> Harness<GtpSession> {
    Harness::session(Library::default(), options)
}

fn harness_with_book(library: Library) -> Harness<GtpSession> {
    Harness::session(library, Default::default())
}

#[test]
fn the_end_of_input_leaves_each_search_its_grace() {
    let mut harness = harness(Default::default());
    harness.send("genmove b\ngenmove w");
    harness.happens(Input::End);
    harness.pass_time(Gtp::GRACE.as_millis() as u64 - 1);
    assert_eq!(harness.stops(), 0);
    harness.pass_time(1);
    harness.pass_time(1000);
    assert_eq!(harness.stops(), 1, "once is enough");
    harness.finish(3);
    assert_eq!(harness.jobs(), 2);
    harness.pass_time(Gtp::GRACE.as_millis() as u64 - 1);
    assert_eq!(harness.stops(), 1);
    harness.finish(3);
    assert!(harness.session.is_done());
}

#[test]
fn weak_play_set_by_parameters_draws_from_no_lines() {
    let book = TempBook::new();
    let library = Library::new(Some(book.opening(Policy::Within(0.5))), Learn::Asked);
    let mut harness = harness_with_book(library);
    harness.send("genmove b");
    assert_eq!(
        (harness.task().multi_pv, harness.task().handicap),
        (3, None)
    );
    harness.finish(1);
    harness.send("emilia-param vision 50\ngenmove w");
    assert_eq!(harness.task().multi_pv, 1);
    assert!(harness.task().handicap.is_some());
}

#[test]
fn a_clock_frees_the_level_of_moves_until_the_client_sets_either() {
    let time = Clock::Move(Duration::from_secs(2));
    let mut harness = harness(SessionOptions {
        time,
        ..Default::default()
    });
    harness.send("emilia-score");
    assert_eq!(
        harness.task().limits,
        Level::default().limits(Clock::Unlimited)
    );
    harness.finish(1);
    harness.send("genmove b");
    assert_eq!(harness.task().limits.depth, Level::MAX.number());
    assert_eq!(
        harness.task().limits.clock,
        Clock::Move(Duration::from_millis(1970))
    );
    harness.finish(1);
    harness.send("set_level 4\ntime_settings 60 0 0\ngenmove w");
    assert_eq!(harness.task().limits.depth, 4);
    assert!(matches!(harness.task().limits.clock, Clock::Game { .. }));
}

#[test]
fn an_early_iteration_is_reported_when_due() {
    let mut harness = harness(Default::default());
    harness.send("emilia-analyze b 50");
    harness.iteration(1);
    harness.iteration(2);
    let reports = |harness: &Harness<GtpSession>| harness.seen().matches("info move").count();
    assert_eq!(reports(&harness), 1);
    harness.pass_time(499);
    assert_eq!(
        (reports(&harness), harness.session.deadline().is_some()),
        (1, true)
    );
    harness.pass_time(1);
    assert_eq!((reports(&harness), harness.session.deadline()), (2, None));
    assert!(harness.seen().contains(" nodes 200 "), "{}", harness.seen());
    harness.iteration(3);
    harness.finish(3);
    assert!(harness.seen().ends_with(" pv D3\n\n"), "{}", harness.seen());
}

#[test]
fn a_drawn_analysis_is_one_answer() {
    let mut harness = harness(Default::default());
    harness.send("4 emilia-live");
    harness.iteration(1);
    harness.iteration(2);
    assert!(
        harness.session.deadline().is_some(),
        "the second is drawn later"
    );
    harness.pass_time(250);
    assert_eq!(
        (
            harness.session.deadline(),
            harness.seen().as_str(),
            harness.stops()
        ),
        (None, "", 0)
    );
    harness.send("# interrupt");
    assert_eq!(harness.stops(), 1);
    harness.finish(2);
    assert!(
        harness.seen().starts_with("=4 LABEL D3 "),
        "{}",
        harness.seen()
    );
}

#[test]
fn games_are_learned_only_on_request() {
    let book = TempBook::new();
    for (learn, games) in [(Learn::Asked, 0), (Learn::Games, 1)] {
        let mut harness = harness_with_book(book.library(learn));
        harness.send(GAME);
        assert_eq!((book.games(), harness.jobs()), (games, 0), "{learn:?}");
        // The session did not play a game that was over when it was set up.
        harness.send("setboard e6f4e3f6g5d6e7f5c5\nplay b pass");
        assert_eq!(book.games(), games);
    }
}

#[test]
fn waiting_clear_jobs_become_one() {
    let mut harness = harness(Default::default());
    harness.send("clear_board\nclear_board\nboardsize 8");
    assert_eq!(harness.jobs(), 1);
    harness.happens(Input::Event(Event::Finished {
        job: JobId(1),
        outcome: Outcome::Cleared,
    }));
    harness.send("clear_board");
    assert_eq!(harness.jobs(), 2);
}
