//! The Go Text Protocol, version 2, for Othello; `../README.md` has its commands.

pub mod commands;
mod history;
mod params;
pub mod parse;
mod print;
mod session;
mod state;

pub use state::Gtp;

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::engine::Options;
    use crate::eval::EvalKind;
    use crate::protocols::console::{LineReader, LineWriter, Page};
    use crate::protocols::library::Library;
    use crate::protocols::session::{self, SessionOptions};

    /// All answers to a script, as text.
    fn talk(script: &str) -> String {
        let evaluation = Some(EvalKind::Classic);
        let engine_options = Options {
            hash_mib: 1,
            evaluation,
            ..Options::default()
        };
        let reader = LineReader::new(Cursor::new(script.to_owned()));
        let session = SessionOptions {
            level: "1".parse().ok(),
            batch: true,
            ..Default::default()
        };
        let page = Page::default();
        let out = LineWriter::new(page.clone());
        session::run::<Gtp>(reader, out, engine_options, Library::default(), session).unwrap();
        page.text()
    }

    #[test]
    fn every_listed_command_accepts_valid_arguments() {
        let mut script = String::new();
        let mut asked = vec![];
        for name in commands::COMMANDS.names() {
            let arguments = match name {
                "known_command" => " play",
                "boardsize" => " 8",
                "komi" => " 6.5",
                "play" | "gogui-play_sequence" => " b f5",
                "genmove" | "reg_genmove" => " b",
                "time_settings" => " 60 0 0",
                "time_left" => " b 60 0",
                "set_level" => " 1",
                "set_game" => " Othello",
                "set_position" => " b e4 w d4",
                "setboard" => " f5d6",
                // A file to load, a move to take back, the end: `loadsgf.txt`, `undo.txt`, below.
                "loadsgf" | "undo" | "gg-undo" | "quit" => continue,
                _ => "",
            };
            asked.push(name);
            script += &format!("clear_board\n{} {name}{arguments}\n", asked.len());
        }
        let answers = talk(&format!("{script}0 quit\n"));
        let answers: Vec<&str> = answers
            .split("\n\n")
            .filter(|answer| *answer != "= ")
            .collect();
        assert_eq!(answers.len(), asked.len() + 2, "{answers:#?}");
        for (number, (name, answer)) in (1..).zip(asked.iter().zip(&answers)) {
            assert!(
                answer.starts_with(&format!("={number}")),
                "{name}: {answer:?}"
            );
        }
        assert_eq!(answers[asked.len()..], ["=0 ", ""]);
    }
}
