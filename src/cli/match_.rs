//! `emilia match`.

mod pupil;
mod summary;
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use self::pupil::Pupil;
use self::summary::{SummaryArgs, file_of};
use self::watch::Watch;
use super::games::read_openings;
use super::output::{self, Output};
use super::search_args::parse_seconds;
use super::signals;
use crate::engine::Options;
use crate::notation::ggf::GgfGame;
use crate::notation::moves::write_moves;
use crate::tournament::matches::identity::Identity;
use crate::tournament::matches::log::{GameFile, write_game};
use crate::tournament::matches::openings::{Openings, Recipe};
use crate::tournament::matches::pgn::PgnFile;
use crate::tournament::matches::referee::{Ending, Rules};
use crate::tournament::matches::runner::{Finished, Plan, Repetition, Retired, Schedule};
use crate::tournament::matches::scoreboard::Ledger;
use crate::tournament::matches::standings::Standings;
use crate::tournament::matches::stats::{Sprt, Verdict};
use crate::tournament::players::ladder::Program;
use crate::tournament::players::spec::{Kind, Spec};
use crate::tournament::players::terms::MOST_MARGIN;
use crate::tournament::players::{Budget, START_PATIENCE, TimeControl};
use crate::util::os::files;
use crate::util::rng::Rng;

/// What stands below the options in the help.
const EXAMPLES: &str = "\
Players:
  nboard:COMMAND  a program that speaks NBoard; words and quotes as in a shell
  gtp:COMMAND     a program that speaks GTP
  COMMAND         a program whose protocol is found out
  emilia[:level=N,elo=N,vision=N,judgement=N,nodes=N,exact=N,eval=KIND,
         weights=FILE,book=FILE,policy=POLICY,threads=N,hash=N]
                  this engine, in this process, as in `emilia gtp`: 1 thread,
                  64 MiB, level 16 unless a clock, nodes or --depth say more;
                  depth=N is level=N, elo=N a level with vision and judgement
  random, greedy, othelloai[:depth=N], sustech, applet,
  pentai[:depth=N,vision=N,judgement=N]
                  the early programs, written anew
  NAME=PLAYER     any of these under a name of your choice

Options of a player stand behind it, each after a `;` (quote the whole for the
shell). A `;` of the command itself stands in quotes or as `\\;`:
  depth=N, level=N  this depth or level: `set depth` to an NBoard program,
                    `set_level` to a GTP program, the level of `emilia`
  tc=TIME           its own clock for the game, as --tc: 5:00+3
  movetime=SECONDS  its own time for each move
  margin=MS         how late its moves may come
  own               a program at its own strength: told neither clock nor depth
  dir=PATH          start the program in this folder
  init=COMMAND      send this once the program has answered; may be repeated
  and for `emilia` all that stands above: nodes=N, threads=N, hash=N, and so on
A program is told a depth only where the match or its options give one, and a
match without clock and depth refuses it: say one, or `own`.

Examples:
  emilia match emilia:level=8 emilia:level=6 --games 100
      Two levels of this engine, 50 made openings with both colours.
  emilia match new=nboard:./new old=nboard:./old --tc 10+0.1 --sprt 0,5 \\
               --concurrency 2 --ggf new.ggf
      Play until it is proven that `new` is 5 Elo stronger, or that it is
      not. Killed? Add --resume.
  emilia match emilia gtp:gtp-rhino --movetime 0.5 --openings xot.txt \\
               --adjudicate 14
      Against a GTP engine from openings in a file; the solver ends games at
      14 empties.
  emilia match 'old=nboard:./old -q;dir=/opt/old;depth=12;init=set contempt 0' \\
               'emilia;level=12;threads=2' 'gtp:./rhino -l 3;own' --games 20
      Each on its own terms: a depth, a level, and what a program was started
      with.
  emilia match 'a=emilia;tc=1:00+1' 'b=nboard:./b;tc=5:00+5;margin=500'
      Time odds.
  emilia match --ladder emilia:level=1 --games 20 --depth 4 --ggf l.ggf \\
               --pgn l.pgn --json=l.json --markdown
      A round robin of the early programs and this engine: all games in two
      formats, the summary as JSON in a file and as a table on stdout.
  emilia match --make-openings 200 --opening-plies 10 --seed 7 > openings.txt
      Balanced openings for later matches.

Where stderr is no terminal a line tells every minute, and at each finished
pairing of a table, how the match goes. Fewer than ten games that count make no
Elo; where all were won or lost, one bound of it is known.

With --book-learn the games are in the book's journal as they end; `emilia book
deepen` searches what they reached.

Pairs of games that repeat an earlier pair move by move count once. A game
lost by a crash, a hang or an illegal move is a forfeit in the tables and no
evidence for --sprt; one lost on time is both, one that was resigned is a loss
like any other. A program that twice in a row does not start, or loses ten
games in a row by such faults, is given up. Exit status 0 when all was played
or decided, 130 when interrupted, and 1 when a player did not start, was given
up, or --sprt left out pairs.";

/// Most games in a meeting.
const MOST_GAMES: u64 = 100_000_000;

/// Let engines play each other: wins, Elo with its interval, SPRT, tables.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The players; see below.
    #[arg(value_name = "PLAYER")]
    players: Vec<String>,
    /// Add the early programs: random, greedy, othelloai, sustech, applet, pentai.
    #[arg(long)]
    ladder: bool,
    /// Let the first player meet all others; else everyone meets everyone.
    #[arg(long)]
    gauntlet: bool,
    /// Games per pairing, rounded up to pairs [default: 100, with --sprt 100000].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: Option<u64>,
    /// Clock for the game, seconds + increment: 60+0.5.
    #[arg(long, value_name = "TIME", conflicts_with = "movetime")]
    tc: Option<TimeControl>,
    /// Seconds for each move.
    #[arg(long, alias = "move-time", value_name = "SECONDS", value_parser = parse_seconds)]
    movetime: Option<Duration>,
    /// Depth in plies: the level of players in this process, `set depth` and `set_level` for programs. Without it
    /// programs keep their own.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Nodes per move, for players in this process.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// File of openings, games or positions in any notation; `-` is stdin. Without it as many as needed
    /// are made.
    #[arg(long, value_name = "FILE")]
    openings: Option<OsString>,
    /// Cut openings of a file to this many moves, or make them that long [default for made ones: 8].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=40))]
    opening_plies: Option<u8>,
    /// Shuffle the openings of the file by the seed.
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Seed of made openings, shuffling and chance moves.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games played at the same time.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// Milliseconds that a move may be late.
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(..=MOST_MARGIN))]
    margin: u64,
    /// Seconds to wait for a program to start and, when there is no clock, for a move [default: 30 and 120].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    patience: Option<Duration>,
    /// End a game with the proven result when this few empties are left.
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u32).range(1..=30))]
    adjudicate: Option<u32>,
    /// Stop when a gain is proven or rejected: elo0,elo1[,alpha,beta].
    #[arg(long, value_name = "TEST", value_parser = parse_sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Append every game to this GGF file as it ends.
    #[arg(long, value_name = "FILE")]
    ggf: Option<PathBuf>,
    /// Teach this opening book every game that is played to its end or to a proven result; made if there is
    /// none.
    #[arg(long, value_name = "FILE")]
    book_learn: Option<PathBuf>,
    /// Go on with the match in the GGF file.
    #[arg(long, requires = "ggf")]
    resume: bool,
    /// Append faults with the last 50 lines of traffic to this file [default: to stderr].
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Append every game to this PGN file too; with --resume it gets the games that it lacks.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    #[command(flatten)]
    summary: SummaryArgs,
    /// Only print this many made openings.
    #[arg(long, value_name = "N", conflicts_with_all = ["players", "openings"], value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    make_openings: Option<u64>,
}

/// The tables of all engines that play at once must fit into memory.
fn check_tables(plan: &Plan) -> Result<()> {
    let hash = |player: &Spec| match &player.kind {
        Kind::Engine(engine) => engine.hash_mib,
        _ => 0,
    };
    let mut sizes: Vec<usize> = plan.players.iter().map(hash).collect();
    sizes.sort_unstable();
    let of_a_game: usize = sizes.iter().rev().take(2).sum();
    Options::check_memory(of_a_game * plan.concurrency)
        .with_context(|| format!("with {} games at once", plan.concurrency))
}

/// Plays the match and prints its tables.
pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(count) = args.make_openings {
        return print_openings(count as usize, args);
    }
    let mut plan = plan(args)?;
    plan.check()?;
    check_tables(&plan)?;
    let note = spare_repetitions(&mut plan);
    ensure!(args.sprt.is_none() || plan.players.len() == 2, "--sprt tests one player against one other");
    // All that can fail is tried before game 0, and before there is a file of games.
    check_files(args)?;
    let mut faults = FaultLog::open(args.log.as_deref())?;
    let identity = Identity::of(&plan);
    let resumed = match &args.ggf {
        Some(path) if args.resume => Some(GameFile::resume(path, |record| identity.check(&plan, record))?),
        _ => None,
    };
    let done = resumed.as_ref().map_or_else(BTreeMap::new, |(_, games)| games.clone());
    let mut ledger = Ledger::of_games(&plan, done.values());
    let is_decided =
        |ledger: &Ledger| args.sprt.is_some_and(|test| ledger.sprt(test).verdict != Verdict::Open);
    let is_over = done.len() >= plan.games() || is_decided(&ledger);
    if !is_over {
        plan.try_players()?.iter().for_each(output::message);
        note.iter().for_each(output::message);
    }
    let before = resumed.as_ref().map_or_else(|| Ok(String::new()), |(file, _)| file.text())?;
    let mut pupil = args.book_learn.as_deref().map(|path| Pupil::begin(path, &before)).transpose()?;
    let mut files = Files::open(args, resumed.map(|(file, _)| file))?;
    let identity = identity.to_string();
    let stop = Arc::new(AtomicBool::new(false));
    let requested = stop.clone();
    let interrupt = signals::catch(move || requested.store(true, Ordering::Relaxed));
    let watch = Watch::begin(&plan, &ledger, args.sprt);
    let played = if is_over {
        Ok(Vec::new())
    } else {
        plan.run(&done, &stop, |finished| {
            files.append(&write_game(&finished.report, &plan.slot(&finished, &identity)))?;
            pupil.as_mut().map_or(Ok(()), |pupil| pupil.note(&finished))?;
            watch.suspend(|| faults.report(&plan, &finished))?;
            ledger.add(&plan, &plan.summary(&finished));
            watch.note(&plan, &ledger, args.sprt, &finished);
            if is_decided(&ledger) {
                stop.store(true, Ordering::Relaxed);
            }
            Ok(())
        })
    };
    drop(watch);
    // What was played counts, whatever ended the match, and whoever reads it.
    let printed = args.summary.write(&Standings::new(&plan, &ledger, args.sprt));
    let code = conclude(args, &played?, &ledger, interrupt.came());
    pupil.map_or(Ok(()), Pupil::finish)?;
    printed.map(|()| code)
}

/// Refuses two outputs in one file, and one in a file that is read.
fn check_files(args: &Args) -> Result<()> {
    let openings = args.openings.as_deref().filter(|path| *path != "-").map(Path::new);
    let named = [
        ("--openings", openings),
        ("--ggf", args.ggf.as_deref()),
        ("--pgn", args.pgn.as_deref()),
        ("--log", args.log.as_deref()),
        ("--book-learn", args.book_learn.as_deref()),
        ("--json", file_of(&args.summary.json)),
        ("--markdown", file_of(&args.summary.markdown)),
    ];
    let named: Vec<(&str, PathBuf)> = named
        .into_iter()
        .filter_map(|(option, path)| Some((option, std::path::absolute(path?).ok()?)))
        .collect();
    for (index, (option, path)) in named.iter().enumerate() {
        if let Some((other, _)) = named[..index].iter().find(|(_, other)| other == path) {
            bail!("{other} and {option} name the same file, {}", path.display());
        }
    }
    args.summary.check()
}

/// The files that get every game.
struct Files {
    ggf: Option<GameFile>,
    pgn: Option<PgnFile>,
}

impl Files {
    /// New ones, but the one that is resumed.
    fn open(args: &Args, resumed: Option<GameFile>) -> Result<Self> {
        let pgn = args.pgn.as_deref();
        if let Some(ggf) = resumed {
            let pgn = pgn.map(|path| PgnFile::resume(path, &ggf.text()?)).transpose()?;
            return Ok(Self { ggf: Some(ggf), pgn });
        }
        let ggf = args.ggf.as_deref().map(GameFile::create).transpose()?;
        let pgn = pgn.map(PgnFile::create).transpose().inspect_err(|_| {
            // Nothing was played: what was just made must not stop the next try.
            args.ggf.iter().for_each(|path| drop(std::fs::remove_file(path)));
        })?;
        Ok(Self { ggf, pgn })
    }

    fn append(&mut self, game: &GgfGame) -> Result<()> {
        self.ggf.as_mut().map_or(Ok(()), |file| file.append(game))?;
        self.pgn.as_mut().map_or(Ok(()), |file| file.append(game))
    }
}

/// Tells what kept the match from its end or from being evidence; the exit code says it too.
fn conclude(args: &Args, retired: &[Retired], ledger: &Ledger, is_interrupted: bool) -> ExitCode {
    for Retired { name, why } in retired {
        output::message(format_args!("`{name}` was given up: {why}"));
    }
    if is_interrupted {
        let how = if args.ggf.is_some() { "; go on with --resume" } else { "" };
        output::message(format_args!("interrupted{how}"));
        return signals::exit_code();
    }
    let defects = if args.sprt.is_some() { ledger.account(0).defect_pairs() } else { 0 };
    if defects > 0 {
        output::message(format_args!(
            "{defects} pairs with a crash or the like were no evidence: mend that first"
        ));
    }
    if retired.is_empty() && defects == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print_openings(count: usize, args: &Args) -> Result<ExitCode> {
    let openings = Openings::made(recipe(args));
    let mut out = Output::by_line();
    for round in 0..count {
        out.line(write_moves(openings.get(round)?.moves()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where faults are told: a file, or stderr.
struct FaultLog<'a>(Option<(&'a Path, File)>);

impl<'a> FaultLog<'a> {
    fn open(path: Option<&'a Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        let context = || format!("opening the log {}", path.display());
        let file = OpenOptions::new().append(true).create(true).open(path).with_context(context)?;
        files::lock(&file).with_context(context)?;
        Ok(Self(Some((path, file))))
    }

    /// Tells of a game that was lost by a fault: which, by whom, why, and what was said last.
    fn report(&mut self, plan: &Plan, finished: &Finished) -> Result<()> {
        let Ending::Forfeit(color, fault) = &finished.report.ending else { return Ok(()) };
        let name = &plan.players[finished.pairing.sides[*color as usize]].name;
        let mut text = format!("game {}: {name} ({color}) {fault}\n", finished.pairing.game);
        finished.tail.iter().for_each(|line| text += &format!("    {line}\n"));
        match &mut self.0 {
            None => output::message(text.trim_end()),
            Some((path, file)) => file
                .write_all(text.as_bytes())
                .with_context(|| format!("writing the log {}", path.display()))?,
        }
        Ok(())
    }
}

fn plan(args: &Args) -> Result<Plan> {
    let mut players = Vec::new();
    for text in &args.players {
        players.push(Spec::from_str(text)?);
    }
    if args.ladder {
        for program in Program::ALL {
            players.push(Spec::from_str(program.name())?);
        }
    }
    ensure!(players.len() >= 2, "name two players, or see `emilia match --help`");
    let games = args.games.unwrap_or(if args.sprt.is_some() { 100_000 } else { 100 });
    let time = match (args.tc, args.movetime) {
        (Some(control), _) => control,
        (None, Some(time)) => TimeControl::Move(time),
        (None, None) => TimeControl::Unlimited,
    };
    let plan = Plan {
        players,
        schedule: if args.gauntlet { Schedule::Gauntlet } else { Schedule::RoundRobin },
        rounds: games.div_ceil(2) as usize,
        openings: openings(args)?,
        rules: Rules {
            budget: Budget { time, depth: args.depth, nodes: args.nodes },
            margin: Duration::from_millis(args.margin),
            grace: Duration::from_secs(1),
            start: args.patience.unwrap_or(START_PATIENCE),
            patience: args.patience.unwrap_or(MOVE_PATIENCE),
            adjudicate: args.adjudicate,
        },
        concurrency: args.concurrency.into(),
        seed: args.seed,
    };
    Ok(plan)
}

/// How long to wait for a move when there is no clock, unless the user says otherwise.
const MOVE_PATIENCE: Duration = Duration::from_secs(120);

/// Plays each opening once where a second time would only repeat the first; what to tell the user.
fn spare_repetitions(plan: &mut Plan) -> Option<String> {
    let openings = plan.openings.count().filter(|&openings| openings < plan.rounds)?;
    let meetings = || (0..plan.meetings()).map(|index| plan.repetition(plan.meeting(index)));
    let (least, most) = (meetings().min()?, meetings().max()?);
    let plural = if openings == 1 { "" } else { "s" };
    let short = format!("{openings} opening{plural} for {} rounds: without a clock or dice", plan.rounds);
    if least == Repetition::Sure {
        plan.rounds = openings;
        return Some(format!("{short} all further games would repeat these; playing {} games", plan.games()));
    }
    (most != Repetition::No).then(|| format!("{short} games may repeat; repeated pairs are counted once"))
}

fn recipe(args: &Args) -> Recipe {
    let plies = args.opening_plies.map_or(Recipe::default().plies, usize::from);
    Recipe { plies, seed: args.seed, ..Recipe::default() }
}

fn openings(args: &Args) -> Result<Openings> {
    let Some(path) = &args.openings else {
        return Ok(Openings::made(recipe(args)));
    };
    let mut openings = read_openings(path, args.opening_plies.map(usize::from))?;
    if args.shuffle {
        Rng::new(args.seed).shuffle(&mut openings);
    }
    Ok(Openings::given(openings))
}

fn parse_sprt(text: &str) -> Result<Sprt> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
    match numbers.with_context(|| format!("`{text}`: elo0,elo1[,alpha,beta]"))?[..] {
        [elo0, elo1] => Ok(Sprt::new(elo0, elo1, 0.05, 0.05)?),
        [elo0, elo1, alpha, beta] => Ok(Sprt::new(elo0, elo1, alpha, beta)?),
        _ => bail!("`{text}`: elo0,elo1[,alpha,beta]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read() {
        assert_eq!(parse_sprt("0,5").unwrap(), Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap());
        assert_eq!(parse_sprt("-3,1,0.1,0.2").unwrap(), Sprt::new(-3.0, 1.0, 0.1, 0.2).unwrap());
        for text in ["", "5", "5,0", "0,5,0.1", "0,5,0,0"] {
            assert!(parse_sprt(text).is_err(), "{text}");
        }
    }
}
