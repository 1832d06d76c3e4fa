//! The log: what `RUST_LOG` asks for on stderr, or everything in a file; else, where stderr is read, what went wrong.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use env_logger::Builder;
use log::LevelFilter;

use crate::util::printable::escaped;
use crate::util::target::{Target, folder_of, open_stream};

/// The variable that says what is logged, such as `info` or `emilia::search=debug`.
const ENVIRONMENT: &str = "RUST_LOG";

/// Starts logging: everything to `file` if there is one, else to stderr if `RUST_LOG` asks for it, else not at all.
///
/// Every line but a file's first begins with the seconds since the start.
///
/// # Errors
/// When the file cannot be made or takes no line.
pub fn start(file: Option<&Path>) -> Result<()> {
    let mut builder = Builder::new();
    if let Some(path) = file {
        let mut file = open(path).with_context(|| format!("opening the log {}", path.display()))?;
        // The logger says nothing when a line cannot be written: so the first one is written here.
        writeln!(file, "emilia {}, times in seconds", env!("CARGO_PKG_VERSION"))
            .with_context(|| format!("writing the log {}", path.display()))?;
        builder.filter_level(LevelFilter::Trace).target(env_logger::Target::Pipe(Box::new(file)));
    } else if std::env::var_os(ENVIRONMENT).is_none() {
        return Ok(());
    }
    let begin = Instant::now();
    builder.format(move |line, record| {
        let seconds = begin.elapsed().as_secs_f64();
        let text = record.args().to_string();
        writeln!(line, "{seconds:10.3} {:5} {}: {}", record.level(), record.target(), escaped(&text))
    });
    // A second logger in one process changes nothing; only tests start one.
    let _ = builder.parse_env(ENVIRONMENT).try_init();
    Ok(())
}

/// A log that grows at its end; several processes may write to it.
fn open(path: &Path) -> io::Result<File> {
    match Target::of(path)? {
        Target::Stream(path) => open_stream(&path),
        Target::New(path) | Target::File(path) => {
            fs::create_dir_all(folder_of(&path))?;
            File::options().create(true).append(true).open(path)
        }
    }
}

/// Unless something is logged already, tells what goes wrong on stderr, as other commands do: for protocols whose clients
/// do not take stderr for answers.
pub fn complain() {
    let mut builder = Builder::new();
    builder.filter_level(LevelFilter::Warn);
    builder.format(|line, record| -> io::Result<()> {
        writeln!(line, "emilia: {}", escaped(&record.args().to_string()))
    });
    let _ = builder.try_init();
}
