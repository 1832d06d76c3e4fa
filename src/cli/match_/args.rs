//! Arguments of `emilia match`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::summary::SummaryArgs;
use crate::cli::files::ForceArgs;
use crate::cli::search_args::parse_seconds;
use crate::tournament::matches::agreement::Agreement;
use crate::tournament::matches::stats::Sprt;
use crate::tournament::players::{Clock, parse_margin};
use crate::util::target::Existing;

/// The help below the options.
const EXAMPLES: &str = "\
Players:
  nboard:COMMAND  a program that speaks NBoard; words and quotes as in a shell
  gtp:COMMAND     a program that speaks GTP
  COMMAND         a program whose protocol is detected
  emilia          this engine, in this process: 1 thread, 64 MiB, no book
  random, greedy, othelloai, sustech, applet, pentai
                  the early programs
  NAME=PLAYER     any of these under a name of your choice

Options of a player follow it, each after a `;`. Quote the whole for the shell.
Write a `;` of the command itself in quotes or as `\\;`.
  every player    clock=TIME, move-time=TIME, margin=SECONDS: its own time
  a program       level=N      `set depth N` over NBoard, `set_level N` over GTP
                  own          its own strength: it gets no clock and no level
                  dir=PATH     the folder to start it in
                  init=COMMAND to send after its first answer; repeatable
  emilia          depth=N, nodes=N: plies and nodes of each search; level=N,
                  elo=N, person=RATING, vision=N, judgement=N, solve-from=N,
                  eval=NAME|FILE, book=FILE, policy=POLICY, threads=N, hash=N,
                  as of `emilia gtp`
  early programs  depth=N; pentai also vision=N, judgement=N
A program needs a clock or a level, by the options of the match or its own, or
`own`.

Examples:
  emilia match 'emilia;level=8' 'emilia;level=6' --games 100
      Two levels of this engine, 50 made openings with both colors.
  emilia match new=nboard:./new old=nboard:./old --clock 10+0.1 --sprt 0,5 \\
               --jobs 2 --ggf new.ggf
      Play until a gain of 5 Elo is proven or rejected.
  emilia match emilia gtp:gtp-rhino --move-time 0.5 --openings xot.txt \\
               --adjudicate 14
      Openings from a file; the solver ends games at 14 empties.
  emilia match 'old=nboard:./old -q;dir=engines;level=12;init=set contempt 0' \\
               'emilia;clock=1:00+1' 'gtp:./rhino -l 3;own' --games 20
      Players with different options.
  emilia match --ladder 'emilia;level=1' --games 20 --ggf l.ggf \\
               --json=l.json --markdown
      A round robin of the early programs and this engine: all games in a
      file, the summary as JSON in another and as a table on stdout.
  emilia match --pool monday.ggf tuesday.ggf --sprt 0,5
      One table of the games of several runs, also of several machines.
  emilia match openings 200 --opening-plies 10 --seed 7 > openings.txt
      Balanced openings for later matches.

Elo needs ten games that count. If one player won all of them, Elo has only one
bound. A pair of games that repeats an earlier one move by move counts once. A
game lost by a crash, a hang or an illegal move is a forfeit in the tables and
no evidence for --sprt. A game lost on time is a forfeit and evidence; a
resigned game is an ordinary loss.

A match retires a program that does not start twice in a row, or loses ten
games in a row by faults. Ctrl-C, SIGTERM and SIGHUP end the match within a
second, and all programs; the games so far count. Exit code: 0 after all games
or a decision; 130 after an interrupt; 1 if a player did not start or was
retired, or if --sprt left out pairs.";

const MOST_GAMES: u64 = 100_000_000;

/// Play matches between engines, with Elo and SPRT.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    pub action: Option<Action>,
    /// The players; see below.
    #[arg(value_name = "PLAYER")]
    pub players: Vec<String>,
    /// Add the early programs.
    #[arg(long)]
    pub ladder: bool,
    /// Let the first player meet all others [default: a round robin].
    #[arg(long)]
    pub gauntlet: bool,
    /// Number of games; per pairing, rounded up to pairs [default: 100, with --sprt 100000].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    pub games: Option<u64>,
    /// Time of each side for the game, and the increment per move: 60+0.5 or 5:00+3. Or N/TIME for each N moves: 10/20.
    #[arg(long, value_name = "TIME[+INC]", value_parser = Clock::parse, conflicts_with = "move_time")]
    pub clock: Option<Clock>,
    /// Time per move or position: seconds or M:SS.
    #[arg(long, value_name = "TIME", value_parser = Clock::parse_move_time)]
    pub move_time: Option<Clock>,
    /// Strength from 0 to 60: about the midgame depth in plies.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60))]
    pub level: Option<u8>,
    /// Nodes to search at most; per move, for `emilia` in this process.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// File of openings or games in any notation; `-` is stdin [default: openings made on demand].
    #[arg(long, value_name = "FILE")]
    pub openings: Option<OsString>,
    #[command(flatten)]
    pub made: MadeArgs,
    /// Shuffle the openings of the file by the seed.
    #[arg(long, requires = "openings")]
    pub shuffle: bool,
    /// Begin with opening N of the file, counted from 1.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "openings")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub first_opening: u64,
    /// Number of searches or games side by side; each has one thread.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Allowed delay of a move, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = parse_margin)]
    pub margin: Duration,
    /// Time to wait for a program to start and, when there is no clock, for a move: seconds or M:SS [default: 30 and
    /// 120].
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub patience: Option<Duration>,
    /// Solve a game when this many empties are left, and end it with that result.
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u32).range(1..=30))]
    pub adjudicate: Option<u32>,
    /// End a game as won when the scores of both players name the same leader, by DISCS or more, in their last MOVES moves
    /// [default: off].
    #[arg(long, value_name = "DISCS,MOVES")]
    pub resign: Option<Agreement>,
    /// End a game as drawn when the scores of both players are within DISCS of 0 in their last MOVES moves
    /// [default: off].
    #[arg(long, value_name = "DISCS,MOVES")]
    pub draw: Option<Agreement>,
    /// Stop when a gain is proven or rejected: elo0,elo1[,alpha,beta].
    #[arg(long, value_name = "TEST", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// Play nothing: print one table of the games in these files of earlier matches (--ggf). Players are known by their
    /// names.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    #[arg(conflicts_with_all = ["players", "ladder", "gauntlet", "games", "clock", "move_time", "level", "nodes"])]
    #[arg(conflicts_with_all = ["openings", "ggf", "resume", "log", "adjudicate", "resign", "draw"])]
    pub pool: Vec<PathBuf>,
    /// Append every game to this GGF file as it ends; not stdout. `emilia convert --to pgn` reads it.
    #[arg(long, value_name = "FILE")]
    pub ggf: Option<PathBuf>,
    /// Continue a killed run; it is in the GGF file.
    #[arg(long, requires = "ggf")]
    pub resume: bool,
    /// Append messages to this file; faults with the last 50 lines of traffic [default: to stderr].
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    #[command(flatten)]
    pub summary: SummaryArgs,
    #[command(flatten)]
    pub force: ForceArgs,
}

impl Args {
    /// The choice for existing summaries: a continued match replaces its own.
    pub fn existing(&self) -> Existing {
        if self.resume {
            Existing::Replace
        } else {
            self.force.existing()
        }
    }
}

#[derive(clap::Subcommand)]
pub enum Action {
    /// Make balanced openings for matches, and print them
    Openings(OpeningsArgs),
}

/// Arguments of `emilia match openings`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia match openings 50 > openings.txt")]
pub struct OpeningsArgs {
    /// Number of openings.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    pub count: u64,
    #[command(flatten)]
    pub made: MadeArgs,
}

/// The recipe of made openings.
#[derive(clap::Args, Clone, Copy)]
pub struct MadeArgs {
    /// Make openings of N moves, or cut those of a file to N [default: 8 for made ones, else uncut].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=40))]
    pub opening_plies: Option<u8>,
    /// Random seed: the same seed makes the same choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}
