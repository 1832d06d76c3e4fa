//! Tunes numbers of the search by games; a killed run can continue.

mod games;
mod spsa;

pub use games::Games;
pub use spsa::{Gains, Spsa, Trial};

use std::fmt::{self, Write};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::search::Tunable;
use crate::util::append_file::AppendFile;
use crate::util::target::{Existing, beside, exists};
use crate::util::{file, input_file};

/// The facts that change the values of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Names of the numbers, in their order in `params.rs`.
    pub numbers: Vec<String>,
    /// Games in all: whole iterations.
    pub games: u64,
    /// Pairs of games in an iteration.
    pub pairs: u64,
    /// Nodes for a move.
    pub nodes: u64,
    /// The last perturbation, in steps.
    pub spread: f64,
    /// The speed of the estimates; 1 is as fast as luck allows.
    pub rate: f64,
    pub seed: u64,
    pub openings: u32,
    /// The identity of the program, which has the other numbers.
    #[serde(default)]
    pub program: String,
}

impl Job {
    pub fn games_at_once(&self) -> u64 {
        2 * self.pairs
    }

    pub fn iterations(&self) -> u64 {
        self.games / self.games_at_once()
    }
}

impl fmt::Display for Job {
    /// Its command line without the files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            numbers,
            games,
            pairs,
            nodes,
            spread,
            rate,
            seed,
            openings: _,
            program: _,
        } = self;
        let numbers = numbers.join(" ");
        write!(
            f,
            "{numbers} --games {games} --pairs {pairs} --nodes {nodes}"
        )?;
        write!(f, " --spread {spread} --rate {rate} --seed {seed}")
    }
}

/// The file of a run.
#[derive(Serialize, Deserialize)]
struct State {
    job: Job,
    iteration: u64,
    /// The estimates, in the order of the job's numbers.
    theta: Vec<f64>,
}

pub struct Tuner {
    pub job: Job,
    pub spsa: Spsa,
    path: Option<PathBuf>,
    /// Held during the run: each iteration replaces the file itself.
    _lock: Option<AppendFile>,
}

impl Tuner {
    /// Begins a run, or continues the one in the file; writes the first state at once.
    ///
    /// # Errors
    /// When a number is unknown, the file cannot be read or written, another process has the run, or the file holds
    /// another run; when it exists and is refused.
    pub fn open(job: Job, path: Option<&Path>, existing: Existing) -> Result<Self> {
        let numbers = job
            .numbers
            .iter()
            .map(|name| Ok(Tunable::named(name)?.1))
            .collect::<Result<_>>()?;
        let gains = Gains::of_run(job.iterations(), job.pairs, job.spread, job.rate);
        let mut spsa = Spsa::new(numbers, gains, job.seed);
        let lock = path.map(lock).transpose()?;
        if let Some(path) = path.filter(|_| existing != Existing::Replace)
            && let Some(state) = read(path)?
        {
            let file = path.display();
            ensure!(existing == Existing::Continue, "{file}: {}", exists(true));
            ensure!(
                state.job.openings == job.openings,
                "{file} is of a run with other openings"
            );
            ensure!(
                state.job.program == job.program,
                "{file} is of a run of another build of this program"
            );
            ensure!(
                state.job == job,
                "{file} is of another run: `emilia-lab tune {}`",
                state.job
            );
            let in_range = |(number, &theta): (&&Tunable, &f64)| {
                (f64::from(number.low)..=f64::from(number.high)).contains(&theta)
            };
            let sound = spsa.numbers.iter().zip(&state.theta).all(in_range)
                && state.theta.len() == spsa.numbers.len()
                && state.iteration <= job.iterations();
            ensure!(sound, "{file} has values out of range");
            (spsa.done, spsa.theta) = (state.iteration, state.theta);
        }
        let tuner = Self {
            job,
            spsa,
            path: path.map(Path::to_owned),
            _lock: lock,
        };
        tuner.save()?;
        Ok(tuner)
    }

    /// Makes the remaining iterations; `play` measures a trial, its `None` ends the run. `done` follows each iteration, when
    /// the state is in its file.
    ///
    /// # Errors
    /// Those of `play`, and when the file cannot be written.
    pub fn run(
        &mut self,
        mut play: impl FnMut(&Trial) -> Result<Option<f64>>,
        mut done: impl FnMut(&Self),
    ) -> Result<()> {
        while self.spsa.done < self.job.iterations() {
            let trial = self.spsa.trial();
            let Some(advantage) = play(&trial)? else {
                break;
            };
            self.spsa.learn(&trial, advantage);
            self.save()?;
            done(self);
        }
        Ok(())
    }

    pub fn is_over(&self) -> bool {
        self.spsa.done >= self.job.iterations()
    }

    /// Games that count so far.
    pub fn games(&self) -> u64 {
        self.spsa.done * self.job.games_at_once()
    }

    pub fn to_line(&self) -> String {
        let estimates = self.spsa.numbers.iter().zip(&self.spsa.theta);
        estimates
            .map(|(number, theta)| format!("{} {theta:.2}", number.name))
            .collect::<Vec<_>>()
            .join("  ")
    }

    /// The values as lines of `params.rs` after a comment with their source.
    pub fn to_source(&self) -> String {
        let Job {
            games, nodes, seed, ..
        } = self.job;
        let mut text = format!(
            "// {} of {games} games, {nodes} nodes a move, seed {seed}\n",
            self.games()
        );
        for ((number, theta), value) in self
            .spsa
            .numbers
            .iter()
            .zip(&self.spsa.theta)
            .zip(self.spsa.values())
        {
            let Tunable {
                name,
                value: before,
                low,
                high,
                step,
                ..
            } = number;
            let line = format!("    {name}: {value}, {low}..={high}, {step};");
            writeln!(text, "{line} // {before} before, estimate {theta:.2}")
                .expect("a string takes all");
        }
        text
    }

    fn save(&self) -> Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let Spsa { done, theta, .. } = &self.spsa;
        let state = State {
            job: self.job.clone(),
            iteration: *done,
            theta: theta.clone(),
        };
        let text = serde_json::to_string_pretty(&state)? + "\n";
        file::replace(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
    }
}

/// Takes the run in this file for this process: `FILE.lock` stays and only carries the lock.
fn lock(path: &Path) -> Result<AppendFile> {
    AppendFile::open(&beside(path, ".lock"), Existing::Continue)
        .with_context(|| path.display().to_string())
}

const MAX_STATE_BYTES: u64 = 1 << 24;

/// The run in a file, if there is one.
fn read(path: &Path) -> Result<Option<State>> {
    match input_file::read(path, MAX_STATE_BYTES) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .with_context(|| format!("{} is not the state of a run", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => bail!("reading {}: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::board::Board;
    use crate::eval::Evaluator;
    use crate::search::{Limits, Options, Search, Task, Tuning};
    use crate::util::rng::Rng;
    use tempfile::TempDir;

    fn job() -> Job {
        Job {
            numbers: ["REDUCTION_MOVES", "ORDER_MOBILITY", "ORDER_EVAL"]
                .map(str::to_owned)
                .into(),
            games: 320,
            pairs: 4,
            nodes: 1000,
            spread: 1.0,
            rate: 1.5,
            seed: 9,
            openings: 77,
            program: "one".to_owned(),
        }
    }

    /// A match whose result depends only on the trial; stopped before the given iteration.
    fn fake(last: u64) -> impl FnMut(&Trial) -> Result<Option<f64>> {
        move |trial| {
            let luck = Rng::new(trial.iteration).below(5) as f64 / 4.0 - 0.5;
            let edge = f64::from((trial.sides[0][1] - trial.sides[1][1]).signum()) / 4.0;
            Ok((trial.iteration < last).then_some(luck + edge))
        }
    }

    #[test]
    fn a_killed_run_comes_to_the_same_values() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("state.json");
        let mut whole = Tuner::open(job(), None, Existing::Refuse).unwrap();
        whole.run(fake(u64::MAX), |_| ()).unwrap();
        assert!(whole.is_over() && whole.games() == 320);
        assert!(whole.spsa.theta[1] > 256.0, "{}", whole.to_line());
        for (last, games) in [(0, 0), (1, 8), (13, 104), (u64::MAX, 320), (u64::MAX, 320)] {
            let mut part = Tuner::open(job(), Some(&path), Existing::Continue).unwrap();
            part.run(fake(last), |_| ()).unwrap();
            assert_eq!((part.games(), part.is_over()), (games, games == 320));
        }
        let again = Tuner::open(job(), Some(&path), Existing::Continue).unwrap();
        assert_eq!(
            (again.to_source(), &again.spsa.theta),
            (whole.to_source(), &whole.spsa.theta)
        );
    }

    #[test]
    fn other_runs_and_other_files_are_refused() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("state.json");
        let error = |job: Job| {
            format!(
                "{:#}",
                Tuner::open(job, Some(&path), Existing::Continue)
                    .err()
                    .expect("it is refused")
            )
        };
        let first = Tuner::open(job(), Some(&path), Existing::Continue).unwrap();
        assert!(error(job()).ends_with("state.json: another process is writing this file"));
        drop(first);
        let again = Tuner::open(job(), Some(&path), Existing::Refuse)
            .err()
            .expect("it exists")
            .to_string();
        assert!(
            again.ends_with(
                "state.json: the file exists; --resume continues it, --force replaces it"
            ),
            "{again}"
        );
        let text = error(Job { seed: 10, ..job() });
        assert!(text.ends_with("`emilia-lab tune REDUCTION_MOVES ORDER_MOBILITY ORDER_EVAL --games 320 --pairs 4 --nodes 1000 --spread 1 --rate 1.5 --seed 9`"), "{text}");
        assert!(
            error(Job {
                openings: 1,
                ..job()
            })
            .ends_with("is of a run with other openings")
        );
        let other = Job {
            program: "two".to_owned(),
            ..job()
        };
        assert!(error(other).ends_with("of another build of this program"));
        assert!(
            error(Job {
                numbers: vec!["MAGIC".to_owned()],
                ..job()
            })
            .contains("`MAGIC`")
        );
        let text = fs::read_to_string(&path).unwrap();
        for (from, to) in [
            ("256.0", "-256.0"),
            ("\"iteration\": 0", "\"iteration\": 41"),
            ("    48.0\n", "    48.0,\n    1.0\n"),
        ] {
            assert!(text.contains(from), "{text}");
            fs::write(&path, text.replace(from, to)).unwrap();
            assert!(error(job()).ends_with("has values out of range"), "{to}");
        }
        fs::write(&path, "f5d6c3").unwrap();
        assert!(error(job()).contains("is not the state of a run"));
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "f5d6c3",
            "a foreign file stays"
        );
    }

    #[test]
    fn lines_can_be_pasted() {
        let mut tuner = Tuner::open(job(), None, Existing::Refuse).unwrap();
        tuner.spsa.theta = vec![3.4, 271.2, 17.75];
        tuner.spsa.done = 20;
        let expected = "// 160 of 320 games, 1000 nodes a move, seed 9\n    \
                        REDUCTION_MOVES: 3, 1..=10, 1; // 3 before, estimate 3.40\n    \
                        ORDER_MOBILITY: 272, 0..=4096, 16; // 256 before, estimate 271.20\n    \
                        ORDER_EVAL: 18, 0..=256, 1; // 48 before, estimate 17.75\n";
        assert_eq!(tuner.to_source(), expected);
        assert_eq!(
            tuner.to_line(),
            "REDUCTION_MOVES 3.40  ORDER_MOBILITY 271.20  ORDER_EVAL 17.75"
        );
    }

    #[test]
    fn searchers_side_by_side_have_their_own_values() {
        if Tuning::is_possible().is_err() {
            return;
        }
        let mut tuning = Tuning::default();
        tuning.set("ORDER_MOBILITY", 0).unwrap();
        let nodes = |search: &mut Search| {
            search.clear();
            search
                .run(&Task::new(Board::START, Limits::depth(7)))
                .info
                .nodes
        };
        let options = Options {
            threads: 1,
            hash_mib: 1,
        };
        let [mut built, mut tuned] =
            [0, 1].map(|_| Search::new(&options, Evaluator::Classic.into()));
        tuned.set_tuning(tuning);
        let first = [nodes(&mut built), nodes(&mut tuned)];
        assert_ne!(first[0], first[1]);
        assert_eq!(
            first,
            [nodes(&mut built), nodes(&mut tuned)],
            "the same thread, one after the other"
        );
        std::thread::scope(|scope| {
            let other = scope.spawn(|| nodes(&mut tuned));
            assert_eq!(
                first,
                [nodes(&mut built), other.join().unwrap()],
                "at the same time"
            );
        });
    }
}
