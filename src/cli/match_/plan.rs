//! The plan and the openings of a match from its options.

use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, ensure};

use super::args::{Args, MadeArgs, OpeningsArgs};
use crate::cli::input::read_openings;
use crate::cli::output::Output;
use crate::notation::moves::write_moves;
use crate::search::Options;
use crate::tournament::matches::openings::{Openings, Recipe};
use crate::tournament::matches::referee::Rules;
use crate::tournament::matches::runner::{MatchPlan, Schedule};
use crate::tournament::players::ladder;
use crate::tournament::players::spec::{PlayerKind, Spec};
use crate::tournament::players::{Budget, Clock};
use crate::util::rng::Rng;

pub fn of(args: &Args) -> Result<MatchPlan> {
    let early = ladder::names().filter(|_| args.ladder);
    let texts = args.players.iter().cloned().chain(early.map(str::to_owned));
    let players = texts
        .map(|text| text.parse())
        .collect::<Result<Vec<Spec>>>()?;
    ensure!(
        players.len() >= 2,
        "name two players, or see `emilia match --help`"
    );
    let games = args
        .games
        .unwrap_or(if args.sprt.is_some() { 100_000 } else { 100 });
    let time = args.clock.or(args.move_time).unwrap_or(Clock::UNLIMITED);
    let usual = Rules::new(Budget {
        time,
        level: args.level,
        nodes: args.nodes,
    });
    let plan = MatchPlan {
        players,
        schedule: if args.gauntlet {
            Schedule::Gauntlet
        } else {
            Schedule::RoundRobin
        },
        rounds: games.div_ceil(2) as usize,
        openings: openings(args)?,
        rules: Rules {
            margin: args.margin,
            start: args.patience.unwrap_or(usual.start),
            patience: args.patience.unwrap_or(usual.patience),
            adjudicate: args.adjudicate,
            resign: args.resign,
            draw: args.draw,
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
    Options::check_memory(of_a_game * plan.jobs)
        .with_context(|| format!("with {} games at once", plan.jobs))
}

/// The warning that games with a clock share the processors.
pub fn crowd(plan: &MatchPlan) -> Option<String> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let budget = plan.rules.budget;
    let has_clock = |player: &Spec| player.options.budget(budget).time != Clock::UNLIMITED;
    let is_crowded = plan.jobs > processors && plan.players.iter().any(has_clock);
    is_crowded.then(|| {
        format!(
            "{} games at once share {processors} processors, and clocks run meanwhile: expect weaker play and losses on \
             time; give --jobs {processors} or less",
            plan.jobs
        )
    })
}

/// Plays each opening once if more games would only repeat the first; returns a note for the user.
pub fn spare_repetitions(plan: &mut MatchPlan) -> Option<String> {
    let openings = plan
        .openings
        .count()
        .filter(|&openings| openings < plan.rounds && plan.repeats())?;
    let plural = if openings == 1 { "" } else { "s" };
    let rounds = plan.rounds;
    plan.rounds = openings;
    Some(format!(
        "{openings} opening{plural} for {rounds} rounds: without a clock or dice all further games would repeat these; \
         playing {} games",
        plan.games()
    ))
}

fn made(args: MadeArgs) -> Openings {
    let plies = args
        .opening_plies
        .map_or(Recipe::default().plies, usize::from);
    Openings::made(Recipe {
        plies,
        seed: args.seed,
        ..Recipe::default()
    })
}

pub fn print_openings(args: &OpeningsArgs) -> Result<ExitCode> {
    let openings = made(args.made);
    let mut out = Output::by_line();
    for round in 0..args.count as usize {
        out.line(write_moves(openings.get(round)?.moves()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The openings of a file, or made ones.
fn openings(args: &Args) -> Result<Openings> {
    let Some(path) = &args.openings else {
        return Ok(made(args.made));
    };
    let mut openings = read_openings(path, args.made.opening_plies.map(usize::from))?;
    if args.shuffle {
        Rng::new(args.made.seed).shuffle(&mut openings);
    }
    let count = openings.len();
    ensure!(
        args.first_opening <= count as u64,
        "--first-opening {}: the file has {count} openings",
        args.first_opening
    );
    openings.rotate_left(args.first_opening as usize - 1);
    Ok(Openings::given(openings))
}
