//! `emilia report`: analyzed games as HTML pages.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};

use super::analysis_args::AnalysisArgs;
use super::files::{ForceArgs, is_own_page};
use super::input::InputArgs;
use super::progress::{Progress, warn_of_solves};
use super::search_args::LanguageArgs;
use super::{output, store_args};
use crate::analysis::answer::Answer;
use crate::analysis::request::Request;
use crate::analysis::{Batch, Defaults, Settings};
use crate::engine::shipped;
use crate::report::{Basis, GameReport, Source, engine_of, game_page, is_page_of_site, pages};
use crate::util::input_file;
use crate::util::target::Existing;

/// Arguments of `emilia report`.
#[derive(clap::Args)]
#[command(after_help = "\
One game makes one page that needs no other file and no network: a board with
the value of every legal move on its square, the line of each to step through,
the loss of each move in discs and in chances to win, and its reasons in
sentences; move numbers in the discs, time used, stable discs. The page copies
moves, GGF and positions, and saves the board as a picture. It opens at the
first mistake. Several games make a folder: an index to search, sort and filter,
a page per game and a page per player. Moves are judged as analyze does with the
same budget and --moves; the same games and the same --depth give the same
bytes.

Examples:
  emilia report game.ggf -o report.html
  emilia report f5d6c3d3c4f4c5b3c2 -o report.html --depth 18
  emilia report game.ggf -o report.html --language fr
  emilia report WTH_2020.wtb --limit 50 -o archive/ -j 4
  emilia report WTH_2020.wtb -o archive/ --depth 6 --moves 1
  emilia report WTH_2020.wtb --limit 50 -o archive/ --store answers/
  emilia report game.ggf -o report.html --engine=emilia.html")]
pub struct Args {
    /// Which games.
    #[command(flatten)]
    input: InputArgs,
    /// Write to this file; - is stdout, and a folder takes the pages of several games.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Title above the players' names.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Number of best moves; the played move is valued, too [default: all].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    moves: Option<u8>,
    #[command(flatten)]
    language: LanguageArgs,
    /// Put the engine into the page of one game, 12 MB: the page then values side lines. FILE is emilia.html, the page
    /// for browsers [default: the one beside the program].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    engine: Option<Option<PathBuf>>,
    #[command(flatten)]
    analysis: AnalysisArgs,
}

/// The names of the page for browsers: built here, and among the files of a release.
const BROWSER_PAGES: [&str; 2] = [
    "emilia.html",
    concat!("emilia-", env!("CARGO_PKG_VERSION"), ".html"),
];

pub fn run(args: &Args) -> Result<ExitCode> {
    let engine = args
        .engine
        .as_ref()
        .map_or(Ok(String::new()), |path| engine(path.as_deref()))?;
    let (reports, basis, code) = searched(args)?;
    write(args, &reports, &basis, &engine)?;
    Ok(code)
}

/// The engine for a page, out of this file or of the one that comes with the program.
fn engine(path: Option<&Path>) -> Result<String> {
    let path = match path {
        None => BROWSER_PAGES.iter().find_map(|name| shipped(name)).with_context(|| {
            format!(
                "--engine: no {} is beside the program; it comes with every archive: put it there or \
                 give its path, --engine=PATH",
                BROWSER_PAGES.join(" or ")
            )
        })?,
        Some(path) => path.to_owned(),
    };
    let page = input_file::read(&path, 64 << 20)
        .with_context(|| format!("--engine: reading {}", path.display()))?;
    engine_of(&String::from_utf8_lossy(&page))
        .map_err(|fault| anyhow!("--engine: {}: {fault}", path.display()))
}

fn searched(args: &Args) -> Result<(Vec<GameReport>, Basis, ExitCode)> {
    let mut games = Vec::new();
    let tally = args.input.for_each(|entry| {
        games.push(Source::from(&entry.found));
        Ok(ControlFlow::Continue(()))
    })?;
    ensure!(
        !games.is_empty(),
        "no positions or games in {}",
        args.input.names()
    );
    refuse_wrong_output(args, games.len())?;
    warn_of_doubts(&games);
    let settings = args.analysis.settings(false)?;
    let basis = Basis {
        effort: args.analysis.effort(),
        weights: settings.weights.clone(),
    };
    let evaluator = Arc::clone(&settings.evaluator);
    let is_calibrated = settings.defaults.calibrated;
    let defaults = Defaults {
        moves: args.moves.map_or(64, usize::from),
        ..settings.defaults.clone()
    };
    let store = settings.store.clone();
    let positions = games
        .iter()
        .flat_map(|source| source.record.game.positions())
        .map(|position| position.board);
    if store.is_none() && settings.budget.is_none() {
        warn_of_solves(
            args.input.names(),
            positions,
            defaults.moves,
            &defaults.limits,
            settings.jobs,
        );
    }
    let mut batch = Batch::start(Settings {
        in_order: true,
        ..settings
    })?;
    let mut positions = 0;
    for (number, source) in (1..).zip(&games) {
        let request = Request::of_game(number, &source.record.game, &defaults);
        positions += request.turns.len();
        batch.submit(request);
    }
    batch.begin()?;
    let progress = Progress::new(positions as u64, 0);
    progress.message("positions judged");
    let mut judged = batch
        .inspect(|_| progress.advance(1))
        .filter_map(Answer::into_judged);
    let report = |source: Source| {
        let count = source.record.game.positions().len();
        let mut report =
            GameReport::new(source, judged.by_ref().take(count), args.language.language);
        if is_calibrated {
            report.rate(&evaluator);
        }
        report
    };
    let reports = games.into_iter().map(report).collect();
    store_args::report(store.as_deref());
    Ok((reports, basis, tally.code()))
}

/// Warns of guessed results and of results that contradict the moves.
fn warn_of_doubts(games: &[Source]) {
    let assumed = games
        .iter()
        .filter_map(|source| source.record.assumed.first());
    let contradicted = games
        .iter()
        .filter(|source| source.record.is_contradicted())
        .count();
    if let Some(assumption) = assumed.clone().next() {
        output::message(format_args!(
            "assumed in {} of {} games: {assumption}",
            assumed.count(),
            games.len()
        ));
    }
    if contradicted > 0 {
        output::message(format_args!(
            "{contradicted} of {} games state another result than their moves give: the moves count",
            games.len()
        ));
    }
}

/// Refuses a wrong output before the work, not after it.
fn refuse_wrong_output(args: &Args, games: usize) -> Result<()> {
    let path = &args.output;
    let is_page = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    ensure!(
        games == 1 || args.engine.is_none(),
        "--engine adds 12 MB to a page, and these are {games} games: choose one with --limit, or leave --engine out"
    );
    ensure!(
        games == 1 || path.is_dir() || !is_page && path != Path::new("-"),
        "{games} games make a folder of pages: give --output a folder's name instead of {}",
        path.display()
    );
    Ok(())
}

/// Writes one page, or a folder of pages: each replaces only a page of this program.
fn write(args: &Args, reports: &[GameReport], basis: &Basis, engine: &str) -> Result<()> {
    let title = args.title.as_deref();
    let path = &args.output;
    let in_folder = |path: &Path| {
        if is_own_page(path) {
            Existing::Replace
        } else {
            args.force.existing()
        }
    };
    let wants_folder = path.is_dir()
        || path
            .as_os_str()
            .to_string_lossy()
            .ends_with(std::path::is_separator);
    match reports {
        [report] if !wants_folder => {
            let page = game_page(report, basis, title, None, engine);
            Ok(output::write(path, args.force.existing(), page.as_bytes())?)
        }
        reports => {
            refuse_wrong_output(args, reports.len())?;
            fs::create_dir_all(path)
                .with_context(|| format!("making the folder {}", path.display()))?;
            let mut written = HashSet::new();
            for page in pages(reports, basis, title) {
                let path = path.join(&page.file);
                output::write(&path, in_folder(&path), page.html.as_bytes())?;
                written.insert(page.file);
            }
            if args.force.existing() == Existing::Replace {
                remove_older(path, &written)?;
            }
            output::message(format_args!(
                "{} pages: open {}",
                written.len(),
                path.join("index.html").display()
            ));
            Ok(())
        }
    }
}

/// Removes the pages of an earlier report that the new one has not `written`.
fn remove_older(folder: &Path, written: &HashSet<String>) -> Result<()> {
    for file in fs::read_dir(folder)?.flatten() {
        let path = file.path();
        let name = file.file_name().to_string_lossy().into_owned();
        if !written.contains(&name) && is_page_of_site(&name) && is_own_page(&path) {
            fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
        }
    }
    Ok(())
}
