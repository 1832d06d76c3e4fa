//! The language option of commands that print sentences.

use crate::sentences::Language;

/// The language of sentences.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct LanguageArgs {
    /// Language of sentences and of names of openings: en, fr or ja.
    #[arg(long, value_name = "LANGUAGE", default_value = "en", hide_possible_values = true)]
    pub language: Language,
}
