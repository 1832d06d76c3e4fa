//! The language of what is said in sentences; flattened into the arguments of commands that say something.

use std::io::{IsTerminal, stdout};

use crate::sentences::Language;

/// In which language sentences stand.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct LanguageArgs {
    /// Language of sentences and of names of openings: en, fr or ja.
    #[arg(long, value_name = "LANGUAGE", default_value = "en", hide_possible_values = true)]
    pub language: Language,
}

/// Columns of a page that no terminal limits.
const COLUMNS: usize = 80;

/// Columns of the terminal behind stdout, if there is one.
pub fn columns() -> Option<usize> {
    stdout().is_terminal().then(textwrap::termwidth)
}

/// Sentences as a paragraph behind a lead, whose width the lines below are indented by.
pub fn paragraph(lead: &str, sentences: &[String], language: Language, columns: Option<usize>) -> String {
    let indent = " ".repeat(textwrap::core::display_width(lead));
    let columns = columns.unwrap_or(COLUMNS).max(indent.len() + 20);
    let options = textwrap::Options::new(columns).initial_indent(lead).subsequent_indent(&indent);
    let text = sentences.join(language.gap());
    let filled = textwrap::fill(&text, options);
    if text.is_empty() { lead.trim_end().to_owned() } else { filled }
}
