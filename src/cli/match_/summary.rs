//! The summary of a match in each requested form, on stdout or in a file.

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::files::is_stdout;
use crate::cli::output::{self, Output};
use crate::tournament::matches::standings::Standings;
use crate::util::target::Existing;

/// Files of the forms; `-` is stdout.
#[derive(Debug, Default, clap::Args)]
pub struct SummaryArgs {
    /// Print JSON: the summary, in place of the tables; or write it to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Print a cross table in Markdown in place of the tables, or write it to FILE; both of these on stdout follow
    /// each other.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub markdown: Option<PathBuf>,
}

impl SummaryArgs {
    /// Writes the files, then stdout: the tables if no other form goes there.
    ///
    /// # Errors
    /// The first one; the other forms are written all the same.
    pub fn write(&self, standings: &Standings, existing: Existing) -> Result<()> {
        let json = serde_json::to_string_pretty(standings).expect("numbers and texts make JSON");
        let mut forms = Vec::new();
        let mut result = Ok(());
        for (target, text) in [
            (&self.json, json),
            (&self.markdown, standings.to_markdown()),
        ] {
            match target.as_deref() {
                Some(path) if is_stdout(path) => forms.push(text),
                Some(path) => {
                    let written = output::write(path, existing, (text + "\n").as_bytes());
                    result = result.and(written);
                }
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
