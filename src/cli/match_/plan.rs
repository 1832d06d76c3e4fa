//! From options to a match that can be played.

use anyhow::{Context, Result, ensure};

use super::args::Args;
use super::openings;
use crate::search::Options;
use crate::tournament::matches::referee::Rules;
use crate::tournament::matches::runner::{MatchPlan, Schedule};
use crate::tournament::players::ladder;
use crate::tournament::players::spec::{PlayerKind, Spec};
use crate::tournament::players::{Budget, TimeControl};

/// The match that is asked for.
///
/// # Errors
/// When it cannot be played.
pub fn of(args: &Args) -> Result<MatchPlan> {
    let early = ladder::names().filter(|_| args.ladder);
    let texts = args.players.iter().cloned().chain(early.map(str::to_owned));
    let players = texts.map(|text| text.parse()).collect::<Result<Vec<Spec>>>()?;
    ensure!(players.len() >= 2, "name two players, or see `emilia match --help`");
    let games = args.games.unwrap_or(if args.sprt.is_some() { 100_000 } else { 100 });
    let time = args.clock.or(args.move_time).unwrap_or(TimeControl::Unlimited);
    let usual = Rules::new(Budget { time, level: args.level, nodes: args.nodes });
    let plan = MatchPlan {
        players,
        schedule: if args.gauntlet { Schedule::Gauntlet } else { Schedule::RoundRobin },
        rounds: games.div_ceil(2) as usize,
        openings: openings::of(args)?,
        rules: Rules {
            margin: args.margin,
            start: args.patience.unwrap_or(usual.start),
            patience: args.patience.unwrap_or(usual.patience),
            adjudicate: args.adjudicate,
            ..usual
        },
        jobs: args.jobs.into(),
        seed: args.made.seed,
    };
    plan.check()?;
    check_tables(&plan)?;
    Ok(plan)
}

/// The tables of all engines that play at once must fit into memory.
fn check_tables(plan: &MatchPlan) -> Result<()> {
    let hash = |player: &Spec| match &player.kind {
        PlayerKind::Engine(engine) => engine.hash_mib,
        _ => 0,
    };
    let mut sizes: Vec<usize> = plan.players.iter().map(hash).collect();
    sizes.sort_unstable();
    let of_a_game: usize = sizes.iter().rev().take(2).sum();
    Options::check_memory(of_a_game * plan.jobs).with_context(|| format!("with {} games at once", plan.jobs))
}

/// Plays each opening once where a second time would only repeat the first; the note for the user.
pub fn spare_repetitions(plan: &mut MatchPlan) -> Option<String> {
    let openings = plan.openings.count().filter(|&openings| openings < plan.rounds && plan.repeats())?;
    let (plural, rounds) = (if openings == 1 { "" } else { "s" }, plan.rounds);
    plan.rounds = openings;
    Some(format!(
        "{openings} opening{plural} for {rounds} rounds: without a clock or dice all further games would repeat these; \
         playing {} games",
        plan.games()
    ))
}
