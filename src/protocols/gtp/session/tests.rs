//! A session at its seams: an engine that answers when it is told to.

use super::*;
use crate::board::Board;
use crate::book::Canonical;
use crate::book::policy::Policy;
use crate::protocols::library::tests::Shelf;
use crate::protocols::library::{Learn, Library};
use crate::protocols::rig::{Fake, Rig, manner, outcome};

/// Nine moves to a wipe-out.
const GAME: &str = "play b e6\nplay w f4\nplay b e3\nplay w f6\nplay b g5\nplay w d6\nplay b e7\n\
    play w f5\nplay b c5";

fn rig(manner: Manner) -> Rig<GtpSession<Fake>> {
    Rig::new(|engine, out| GtpSession::new(engine, out, manner))
}

fn rig_with_book(library: Library) -> Rig<GtpSession<Fake>> {
    Rig::new(|engine, out| GtpSession::new(engine, out, manner()).with_book(library))
}

#[test]
fn the_end_of_input_leaves_each_search_its_grace() {
    let mut rig = rig(manner());
    rig.send("genmove b\ngenmove w");
    rig.happens(Happening::End);
    rig.pass_time(GRACE.as_millis() as u64 - 1);
    assert_eq!(rig.stops(), 0);
    rig.pass_time(1);
    rig.pass_time(1000);
    assert_eq!(rig.stops(), 1, "once is enough");
    rig.finish(3);
    assert_eq!(rig.jobs(), 2);
    rig.pass_time(GRACE.as_millis() as u64 - 1);
    assert_eq!(rig.stops(), 1);
    rig.finish(3);
    assert!(rig.session.is_done());
}

#[test]
fn batch_lets_every_search_end_but_not_an_analysis() {
    let mut rig = rig(Manner { batch: true, ..manner() });
    rig.send("genmove b\nemilia-analyze");
    rig.happens(Happening::End);
    rig.pass_time(3_600_000);
    assert_eq!((rig.jobs(), rig.stops()), (1, 0));
    rig.finish(9);
    assert_eq!((rig.jobs(), rig.stops()), (2, 1));
    rig.finish(1);
    assert!(rig.session.is_done());
}

#[test]
fn weak_play_set_by_parameters_draws_from_no_lines() {
    let shelf = Shelf::new("gtp-weak");
    let library = Library::new(Some(shelf.opening(Policy::Within(0.5))), Learn::Asked);
    let mut rig = rig_with_book(library);
    rig.send("genmove b");
    assert_eq!((rig.task().multi_pv, rig.task().handicap), (3, None));
    rig.finish(1);
    rig.send("emilia-param vision 50\ngenmove w");
    assert_eq!(rig.task().multi_pv, 1);
    assert!(rig.task().handicap.is_some());
}

#[test]
fn time_allowed_holds_until_the_client_sets_a_clock() {
    let time = Some(TimeAllowed::Move(Duration::from_secs(2)));
    let mut rig = rig(Manner { time, ..manner() });
    rig.send("genmove b");
    assert_eq!(rig.task().limits.clock, Clock::Move(Duration::from_millis(1970)));
    rig.finish(1);
    rig.send("time_settings 60 0 0\ngenmove w");
    assert!(matches!(rig.task().limits.clock, Clock::Game { .. }));
}

#[test]
fn a_clock_frees_the_level_of_moves_but_not_that_of_questions_without_one() {
    let time = Some(TimeAllowed::Move(Duration::from_secs(2)));
    let mut rig = rig(Manner { time, ..manner() });
    rig.send("emilia-score");
    assert_eq!(rig.task().limits, Level::default().limits(Clock::Unlimited));
    rig.finish(1);
    rig.send("genmove b");
    assert_eq!(rig.task().limits.depth, Level::MAX.number());
    rig.finish(1);
    rig.send("set_level 4\ngenmove w");
    assert_eq!(rig.task().limits.depth, 4);
}

#[test]
fn pondering_goes_on_until_a_command_comes() {
    let mut rig = rig(Manner { ponder: true, ..manner() });
    rig.send("genmove b");
    rig.finish(3);
    assert_eq!((rig.jobs(), rig.stops()), (2, 0));
    assert_eq!(rig.task().board.empty_count(), 59);
    assert_eq!(rig.session.deadline(), None);
    rig.send("# comment\n\nplay w c3\nname");
    assert_eq!((rig.jobs(), rig.stops()), (2, 1));
    rig.finish(9);
    rig.send("genmove b\nname");
    rig.finish(3);
    assert_eq!(rig.jobs(), 3, "a client that has said more is not waited for");
}

#[test]
fn idle_sessions_study_what_games_taught_until_a_command_comes() {
    let shelf = Shelf::new("gtp");
    let mut rig = rig_with_book(shelf.library(Learn::Idle));
    rig.send("name");
    assert_eq!(rig.jobs(), 0, "nothing was learned");
    rig.send(GAME);
    assert_eq!((shelf.games(), rig.jobs(), rig.stops()), (1, 1, 0));
    assert_eq!(rig.task().board, Canonical::of(Board::START).unwrap().board);
    assert_eq!(rig.task().limits.depth, 22);
    // A command stops it, and what it found until then is worth nothing.
    rig.send("undo");
    assert_eq!(rig.stops(), 1);
    assert_eq!(rig.jobs(), 2, "and the session is idle again");
    rig.happens(Happening::Event(Event::Finished { job: JobId(1), outcome: outcome(Board::START, 9) }));
    assert_eq!(shelf.found(Board::START).unwrap().entry.searched, None);
    rig.finish(22);
    assert_eq!(shelf.found(Board::START).unwrap().entry.searched.unwrap().level.depth, 22);
    assert_eq!((rig.jobs(), rig.task().board.empty_count()), (3, 59));
    // The move taken back is made again, and all of them: the same game counts once.
    rig.send("play b c5");
    assert_eq!(shelf.games(), 1);
    rig.send(&format!("clear_board\n{GAME}"));
    assert_eq!(shelf.games(), 1);
    rig.happens(Happening::End);
    assert!(rig.session.is_done());
}

#[test]
fn games_are_learned_only_if_asked() {
    let shelf = Shelf::new("gtp-asked");
    for (learn, games) in [(Learn::Asked, 0), (Learn::Games, 1)] {
        let mut rig = rig_with_book(shelf.library(learn));
        rig.send(GAME);
        assert_eq!((shelf.games(), rig.jobs()), (games, 0), "{learn}");
        // A game that was over when it was set up is none of the session's.
        rig.send("setboard e6f4e3f6g5d6e7f5c5\nplay b pass");
        assert_eq!(shelf.games(), games);
    }
}

#[test]
fn tables_are_cleared_once_however_often_it_is_asked() {
    let mut rig = rig(manner());
    rig.send("clear_board\nclear_board\nboardsize 8");
    assert_eq!(rig.jobs(), 1);
    rig.happens(Happening::Event(Event::Finished { job: JobId(1), outcome: Outcome::Cleared }));
    rig.send("clear_board");
    assert_eq!(rig.jobs(), 2);
}
