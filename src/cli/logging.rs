//! The log: all messages in a file, or those that `RUST_LOG` selects on stderr, or only warnings where stderr is read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use env_logger::Builder;
use log::LevelFilter;

use crate::util::printable::escaped;
use crate::util::target::{Target, folder_of, open_stream};

/// The variable that selects messages, such as `info` or `emilia::search=debug`.
const ENVIRONMENT: &str = "RUST_LOG";

/// Starts logging: everything to `file`, or without a file the messages that `RUST_LOG` selects to stderr.
///
/// Every line but a file's first begins with the seconds since the start.
pub fn start(file: Option<&Path>) -> Result<()> {
    let mut builder = Builder::new();
    if let Some(path) = file {
        let mut file = open(path).with_context(|| format!("opening the log {}", path.display()))?;
        // The logger ignores write errors, so this first line finds them.
        writeln!(
            file,
            "emilia {}, times in seconds",
            env!("CARGO_PKG_VERSION")
        )
        .with_context(|| format!("writing the log {}", path.display()))?;
        builder
            .filter_level(LevelFilter::Trace)
            .target(env_logger::Target::Pipe(Box::new(file)));
    } else if std::env::var_os(ENVIRONMENT).is_none() {
        return Ok(());
    }
    let begin = Instant::now();
    builder.format(move |line, record| {
        let seconds = begin.elapsed().as_secs_f64();
        let text = record.args().to_string();
        writeln!(
            line,
            "{seconds:10.3} {:5} {}: {}",
            record.level(),
            record.target(),
            escaped(&text)
        )
    });
    // A second logger in one process changes nothing; only tests start one.
    let _ = builder.parse_env(ENVIRONMENT).try_init();
    Ok(())
}

/// Opens a log to append to it; several processes may do so.
fn open(path: &Path) -> io::Result<File> {
    match Target::of(path)? {
        Target::Stream(path) => open_stream(&path),
        Target::New(path) | Target::File(path) => {
            fs::create_dir_all(folder_of(&path))?;
            File::options().create(true).append(true).open(path)
        }
    }
}

/// Prints warnings to stderr unless a log was started: for protocols whose clients do not read answers from stderr.
pub fn complain() {
    let mut builder = Builder::new();
    builder.filter_level(LevelFilter::Warn);
    builder.format(|line, record| -> io::Result<()> {
        writeln!(line, "emilia: {}", escaped(&record.args().to_string()))
    });
    let _ = builder.try_init();
}
