//! `emilia convert`.

mod wthor;

use std::fs::{self, File};
use std::io::{IsTerminal, Write, stdout};
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use super::INTERRUPTED;
use super::input::{Entry, InputArgs, format_parser};
use super::output::{self, Output, OutputError};
use crate::board::{Color, Position};
use crate::notation::diagram::{self, BitOrder, ExampleBoard};
use crate::notation::obf::ObfEntry;
use crate::notation::position::{Format, record_ggf};
use crate::notation::{fen, moves, pgn, sgf};
use crate::util::file::Replacement;
use wthor::Collection;

/// Arguments of `emilia convert`.
#[derive(clap::Args)]
#[command(after_help = "\
Every entry is converted as it comes. A position is the end of a game; a game made of a position
starts there. Players and tournaments of a WTHOR file are looked up in the .jou and .trn files beside
it; for those that the files beside --output lack, files with the name of the output are written.

Formats: moves, board, diagram, hex, example, fen, obf, ggf, sgf, pgn, wthor.

Examples:
  emilia convert --to ggf game.sgf
  emilia convert --to moves WTH_2020.wtb
  emilia convert --to wthor --output games.wtb games.pgn
  emilia convert --to fen --from board problems.txt
  printf 'f5d6c3' | emilia convert --to hex --bits a1msb")]
pub struct Args {
    /// Notation to write.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), hide_possible_values = true)]
    to: Format,
    /// What to convert.
    #[command(flatten)]
    input: InputArgs,
    /// Write to this file instead of stdout, once everything is converted.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Tell on stderr how many games there were and how many of them were complete.
    #[arg(long)]
    summary: bool,
}

/// Where the converted entries go, one by one.
enum Sink {
    Stdout(Output),
    /// A file, put in its place once it is whole.
    File(PathBuf, Replacement),
    /// A device or a pipe, which cannot be replaced.
    Device(PathBuf, File),
}

/// Converts entry by entry.
pub fn run(args: &Args) -> Result<ExitCode> {
    let bits = args.input.bits.into();
    let is_wthor = args.to == Format::Wthor;
    ensure!(
        !is_wthor || args.output.is_some() || !stdout().is_terminal(),
        "a WTHOR file is binary: use --output FILE"
    );
    let mut sink = match &args.output {
        Some(path) => Sink::open(path)?,
        None => {
            super::end_on_signal()?;
            Sink::Stdout(args.input.output())
        }
    };
    let mut collection = Collection::default();
    let mut complete = 0;
    let tally = args.input.for_each(|entry| {
        if is_wthor {
            collection.add(&entry)?;
        } else {
            sink.write(write_entry(&entry, args.to, bits)?.as_bytes())?;
        }
        complete += u64::from(is_complete(&entry));
        Ok(Continue(()))
    })?;
    if is_wthor {
        sink.write(&collection.finish(args.output.as_deref())?)?;
    }
    sink.finish()?;
    if args.summary {
        let games = tally.entries - tally.failed;
        let rest = games - complete;
        output::message(format_args!("{games} games, {complete} complete, {rest} incomplete"));
    }
    Ok(tally.code())
}

impl Sink {
    /// Opens the file or device; a file that is given up by Ctrl-C goes away.
    fn open(path: &Path) -> Result<Self> {
        let told = |error| OutputError::of_file(path, error);
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let device = File::options().write(true).open(path).map_err(told)?;
            return Ok(Self::Device(path.to_owned(), device));
        }
        let file = Replacement::begin(path).map_err(told)?;
        let temporary = file.temporary().to_owned();
        ctrlc::set_handler(move || {
            // If it is in its place by now, there is nothing to remove.
            let _ = fs::remove_file(&temporary);
            std::process::exit(INTERRUPTED.into());
        })
        .context("taking over Ctrl-C")?;
        Ok(Self::File(path.to_owned(), file))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let (path, written) = match self {
            Self::Stdout(out) => return Ok(out.bytes(bytes)?),
            Self::File(path, file) => (path, file.write_all(bytes)),
            Self::Device(path, file) => (path, file.write_all(bytes)),
        };
        Ok(written.map_err(|error| OutputError::of_file(path, error))?)
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.finish()?),
            Self::File(path, file) => {
                Ok(file.commit().map_err(|error| OutputError::of_file(&path, error))?)
            }
            Self::Device(..) => Ok(()),
        }
    }
}

/// The game is played to its end; a WTHOR record also tells the score of that end.
fn is_complete(entry: &Entry) -> bool {
    let score = entry.record().game.final_score(Color::Black);
    match &entry.wthor {
        Some(origin) => score.is_some_and(|score| (64 + score) / 2 == i32::from(origin.record.score)),
        None => score.is_some(),
    }
}

/// The entry in another notation, with its line ends.
fn write_entry(entry: &Entry, to: Format, bits: BitOrder) -> Result<String> {
    let position = entry.position();
    Ok(match to {
        Format::Moves => {
            ensure!(
                entry.record().game.start() == Position::START,
                "a move list needs a game from the usual start; this is a position or a game from another"
            );
            moves::write_moves(entry.record().game.moves()) + "\n"
        }
        Format::Board => diagram::write_board(&position) + "\n",
        Format::Diagram => diagram::write_diagram(&position) + "\n",
        Format::Hex => diagram::write_hex(&position, bits) + "\n",
        Format::ExampleBoard => diagram::write_example_board(&ExampleBoard { position, seconds: 5 }),
        Format::Fen => fen::write_fen(&position) + "\n",
        Format::Obf => {
            let (scores, comment) = (entry.found.scores.clone(), entry.found.comment.clone());
            ObfEntry { position, scores, comment }.to_string() + "\n"
        }
        Format::Ggf => match entry.ggf() {
            Some(ggf) => format!("{ggf}\n"),
            None => format!("{}\n", record_ggf(entry.record())),
        },
        Format::Sgf => sgf::write_sgf(entry.record()) + "\n",
        Format::Pgn => pgn::write_pgn(entry.record()) + "\n",
        Format::Wthor => bail!("WTHOR is written as a whole file"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::input::testing::{entries, entry};

    fn convert(text: &str, to: Format) -> String {
        write_entry(&entry(text), to, BitOrder::A1Lsb).unwrap()
    }

    const GAMES: [Format; 4] = [Format::Moves, Format::Ggf, Format::Sgf, Format::Pgn];
    const POSITIONS: [Format; 6] =
        [Format::Board, Format::Diagram, Format::Hex, Format::ExampleBoard, Format::Fen, Format::Obf];

    #[test]
    fn every_pair_of_notations_converts() {
        for from in GAMES {
            let text = convert("f5d6c3", from);
            for to in GAMES {
                assert_eq!(convert(&convert(&text, to), from), text, "{from:?} {to:?}");
            }
            for to in POSITIONS {
                assert_eq!(convert(&text, to), convert("f5d6c3", to), "{from:?} {to:?}");
            }
        }
        for from in POSITIONS {
            let text = convert("f5d6c3", from);
            for to in POSITIONS {
                assert_eq!(convert(&convert(&text, to), from), text, "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn many_entries_in_a_row_are_read_back() {
        let games = ["f5d6c3", "f5f6", "e6f4e3f6g5d6e7f5c5"];
        for to in GAMES.into_iter().chain(POSITIONS) {
            let text: String = games.iter().map(|game| convert(game, to)).collect();
            let back: Vec<Position> = entries(&text).iter().map(Entry::position).collect();
            assert_eq!(back, games.map(|game| entry(game).position()), "{to}\n{text}");
        }
    }

    #[test]
    fn a_resigned_game_stays_lost_in_every_notation() {
        for text in [
            "(;GM[Othello]PB[ann]PW[bob]RE[-64.000:r]B[f5]W[d6]B[c3];)",
            "(;GM[2]FF[4]SZ[8]PB[ann]PW[bob]RE[W+Resign];B[f5];W[d6];B[c3])",
            "[Black \"ann\"]\n[White \"bob\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\n1. f5 d6 2. c3 0-1",
        ] {
            let (ggf, sgf, pgn) =
                (convert(text, Format::Ggf), convert(text, Format::Sgf), convert(text, Format::Pgn));
            assert!(ggf.contains("RE[-64.00") && ggf.contains(":r]"), "{ggf}");
            assert!(sgf.contains("RE[W+Resign]"), "{sgf}");
            assert!(pgn.contains("[Result \"0-1\"]") && pgn.trim_end().ends_with(" 0-1"), "{pgn}");
            let mut collection = Collection::default();
            collection.add(&entry(text)).unwrap();
            let bytes = collection.finish(None).unwrap();
            assert_eq!(bytes[16 + 6], 0, "Black has no disc");
        }
        let adjudicated = "(;GM[Othello]RE[+12.00]CO[match 1; game 0; plies 0; end adjudicated]B[f5]W[d6];)";
        assert!(
            convert(adjudicated, Format::Pgn).contains("[Result \"38-26\"]\n[Termination \"adjudication\"]")
        );
        assert!(convert(adjudicated, Format::Sgf).contains("RE[B+12]"));
    }

    #[test]
    fn a_position_is_no_move_list() {
        let entry = entry("8/8/8/3pP3/3Pp3/8/8/8 w");
        assert!(write_entry(&entry, Format::Moves, BitOrder::A1Lsb).is_err());
        assert!(Collection::default().add(&entry).is_err());
    }
}
