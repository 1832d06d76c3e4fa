//! `emilia match`.

pub mod args;
mod plan;
mod progress;
mod summary;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};

use self::args::{Action, Args};
use self::progress::MatchProgress;
use super::output;
use super::signals;
use crate::tournament::matches::files;
use crate::tournament::matches::identity::Identity;
use crate::tournament::matches::log::{Finished, Summary, write_game};
use crate::tournament::matches::pool::Pool;
use crate::tournament::matches::referee::Ending;
use crate::tournament::matches::runner::MatchPlan;
use crate::tournament::matches::scoreboard::Scoreboard;
use crate::tournament::matches::standings::Standings;
use crate::tournament::matches::stats::SprtOutcome;
use crate::util::append_file::NamedFile;
use crate::util::os::children;
use crate::util::printable::escaped;
use crate::util::target::Existing;

/// Plays the match and prints its tables.
pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(Action::Openings(args)) = &args.action {
        return plan::print_openings(args);
    }
    if !args.pool.is_empty() {
        return print_pool(args);
    }
    let mut session = MatchSession::open(args)?;
    let stop = Arc::new(AtomicBool::new(false));
    let requested = stop.clone();
    let interrupt = signals::catch(move || requested.store(true, Ordering::Relaxed));
    let played = session.play(&stop);
    if interrupt.came() {
        // Programs may store their learning.
        children::end_all(signals::GRACE);
    }
    // The games so far count after an error, too.
    let standings = Standings::new(&session.plan, &session.scoreboard, args.sprt);
    let printed = args.summary.write(&standings, args.existing());
    let code = session.conclude(&played?, interrupt.came());
    printed.map(|()| code)
}

/// Prints one table of the games of several files.
fn print_pool(args: &Args) -> Result<ExitCode> {
    let pool = Pool::read(args.pool.iter().map(PathBuf::as_path))?;
    check_sprt(args, &pool.plan)?;
    for name in &pool.differences {
        output::message(format_args!("the files differ in `{name}`"));
    }
    let scoreboard = Scoreboard::of_games(&pool.plan, &pool.games);
    let mut standings = Standings::new(&pool.plan, &scoreboard, args.sprt);
    standings.scheduled = standings.games;
    standings
        .meetings
        .retain(|meeting| meeting.tally.games() > 0);
    args.summary.write(&standings, args.existing())?;
    Ok(ExitCode::SUCCESS)
}

fn check_sprt(args: &Args, plan: &MatchPlan) -> Result<()> {
    ensure!(
        args.sprt.is_none() || plan.players.len() == 2,
        "--sprt compares two players: name exactly two"
    );
    Ok(())
}

/// A match with its files, ready to be played.
struct MatchSession<'a> {
    args: &'a Args,
    plan: MatchPlan,
    /// The identity of the match, if a file gets its games.
    identity: Option<Identity>,
    /// The games of earlier runs.
    done: BTreeMap<usize, Summary>,
    scoreboard: Scoreboard,
    games: Option<NamedFile>,
    faults: Option<NamedFile>,
}

impl<'a> MatchSession<'a> {
    /// Checks everything that can fail, the players last, and only then makes the files of games.
    fn open(args: &'a Args) -> Result<Self> {
        let mut plan = plan::of(args)?;
        let note = plan::spare_repetitions(&mut plan);
        check_sprt(args, &plan)?;
        let faults = args
            .log
            .as_deref()
            .map(|path| NamedFile::open(path, Existing::Continue))
            .transpose()?;
        let ggf = args.ggf.as_deref();
        let identity = ggf.map(|_| Identity::of(&plan)).transpose()?;
        let resumed = ggf.zip(identity.as_ref()).filter(|_| args.resume);
        let resumed =
            resumed.map(|(ggf, identity)| files::resume(ggf, |game| identity.check(&plan, game)));
        let (games, done) = resumed.transpose()?.unzip();
        let done = done.unwrap_or_default();
        let scoreboard = Scoreboard::of_games(&plan, done.values());
        if !is_over(args, &plan, &scoreboard) {
            plan.try_players()?.iter().for_each(output::message);
            note.iter().for_each(output::message);
            plan::crowd(&plan).iter().for_each(output::message);
        }
        let new = args.ggf.as_deref().filter(|_| games.is_none());
        let new = new
            .map(|path| NamedFile::open(path, args.force.existing()))
            .transpose()?;
        let games = games.or(new);
        if games.is_some() {
            signals::set_resumable();
        }
        Ok(Self {
            args,
            plan,
            identity,
            done,
            scoreboard,
            games,
            faults,
        })
    }

    /// Plays the remaining games; returns a line for each retired player.
    fn play(&mut self, stop: &Arc<AtomicBool>) -> Result<Vec<String>> {
        let Self {
            args,
            plan,
            identity,
            done,
            scoreboard,
            games,
            faults,
        } = self;
        if is_over(args, plan, scoreboard) {
            return Ok(Vec::new());
        }
        let mut progress = MatchProgress::new(plan, scoreboard, args.sprt);
        plan.run(done, stop, |finished| {
            if let Some((games, identity)) = games.as_ref().zip(identity.as_ref()) {
                files::append(games, &write_game(&finished, identity))?;
            }
            progress.suspend(|| report_fault(faults.as_ref(), &finished))?;
            scoreboard.add(plan, &finished.summary());
            progress.note(plan, scoreboard, plan.meeting_of(finished.game));
            Ok(if is_decided(args, scoreboard) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })
    }

    /// Reports why the match did not end or is no evidence; returns the exit code.
    fn conclude(&self, retired: &[String], is_interrupted: bool) -> ExitCode {
        retired.iter().for_each(output::message);
        if is_interrupted {
            return signals::interrupted();
        }
        let defects = if self.args.sprt.is_some() {
            self.scoreboard.scores[0].defect_pairs()
        } else {
            0
        };
        if defects > 0 {
            output::message(format_args!(
                "{defects} pairs with a crash or the like were no evidence: fix that first"
            ));
        }
        if retired.is_empty() && defects == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// Whether all games are played, or the sequential test is decided.
fn is_over(args: &Args, plan: &MatchPlan, scoreboard: &Scoreboard) -> bool {
    scoreboard.games >= plan.games() || is_decided(args, scoreboard)
}

fn is_decided(args: &Args, scoreboard: &Scoreboard) -> bool {
    args.sprt
        .is_some_and(|test| scoreboard.sprt(test).verdict != SprtOutcome::Open)
}

/// Reports a game that was lost by a fault, with the last lines of traffic; on stderr without a log.
fn report_fault(log: Option<&NamedFile>, finished: &Finished) -> Result<()> {
    let Ending::Forfeit(color, fault) = &finished.outcome.ending else {
        return Ok(());
    };
    let name = &finished.names[*color as usize];
    let mut text = format!("game {}: {name} ({color}) {fault}\n", finished.game);
    finished
        .tail
        .iter()
        .for_each(|line| text += &format!("    {line}\n"));
    match log {
        Some(log) => log.append(escaped(&text).as_bytes())?,
        None => output::message(text.trim_end()),
    }
    Ok(())
}
