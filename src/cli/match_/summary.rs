//! The summary of a match, in each form where it is wanted: on stdout, or in a file that is there whole or not at all.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cli::output::{Output, OutputError};
use crate::tournament::matches::standings::Standings;
use crate::util::file::{self, Replacement};

/// Where a form goes to: `-` is stdout.
#[derive(Debug, Default, clap::Args)]
pub struct SummaryArgs {
    /// Print the summary as JSON in place of the tables, or write it to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Print a cross table in Markdown in place of the tables, or write it to FILE; both of these on stdout follow
    /// each other.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub markdown: Option<PathBuf>,
}

/// The file of a form, unless it goes to stdout.
pub fn file_of(target: &Option<PathBuf>) -> Option<&Path> {
    target.as_deref().filter(|path| *path != Path::new("-"))
}

impl SummaryArgs {
    /// Whether the files could be written, before anything was played.
    ///
    /// # Errors
    /// The file that could not.
    pub fn check(&self) -> Result<()> {
        for path in [&self.json, &self.markdown].into_iter().filter_map(file_of) {
            Replacement::begin(path).with_context(|| format!("writing {}", path.display()))?;
        }
        Ok(())
    }

    /// Writes the files, then stdout: the tables where no other form is wanted there.
    ///
    /// # Errors
    /// The first that could not be written; the others are written all the same.
    pub fn write(&self, standings: &Standings) -> Result<()> {
        let json = || serde_json::to_string_pretty(standings).expect("numbers and texts make JSON");
        let mut forms = Vec::new();
        let mut result = Ok(());
        for (target, text) in
            [(&self.json, &json as &dyn Fn() -> String), (&self.markdown, &|| standings.to_markdown())]
        {
            match file_of(target) {
                Some(path) => {
                    let written = file::replace(path, (text() + "\n").as_bytes());
                    result = result.and(written.map_err(|error| OutputError::of_file(path, error)));
                }
                None if target.is_some() => forms.push(text()),
                None => {}
            }
        }
        if forms.is_empty() {
            forms.push(standings.to_text());
        }
        let mut out = Output::in_blocks();
        out.line(forms.join("\n\n"))?;
        out.finish()?;
        Ok(result?)
    }
}
