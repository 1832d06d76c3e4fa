//! `emilia convert`.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::ValueEnum;

use super::output::{self, Output};
use crate::board::{Color, Game, Position};
use crate::notation::diagram::{self, BitOrder, ExampleBoard};
use crate::notation::ggf::{self, GgfGame};
use crate::notation::obf::{self, ObfEntry, ScoredMove};
use crate::notation::position::{Detected, Format, game_from, ggf_record, record_ggf};
use crate::notation::wthor::{GameFile, GameRecord, Header, NameFile, NameKind};
use crate::notation::{NamedGame, fen, moves, pgn, sgf};

/// Arguments of `emilia convert`.
#[derive(clap::Args)]
#[command(after_help = "\
Files with one entry per line (moves, board, obf, fen, hex, ggf) are converted line by line; PGN and
WTHOR files hold many games. A position is the end of a game; a game made of a position starts there.
Players and tournaments of a WTHOR file are looked up in the .jou and .trn files beside it.

Examples:
  emilia convert --to ggf game.sgf
  emilia convert --to moves WTH_2020.wtb
  emilia convert --to wthor --output games.wtb games.pgn
  emilia convert --to fen --from board problems.txt
  printf 'f5d6c3' | emilia convert --to hex --bits a1msb")]
pub struct Args {
    /// Notation to write.
    #[arg(long, value_name = "FORMAT")]
    to: Notation,
    /// Read this notation instead of recognising it.
    #[arg(long, value_name = "FORMAT")]
    from: Option<Notation>,
    /// Order of the squares in hexadecimal boards, read and written.
    #[arg(long, value_name = "ORDER", default_value = "a1lsb")]
    bits: BitsArg,
    /// Write to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Tell on stderr how many games there were and how many of them were complete.
    #[arg(long)]
    summary: bool,
    /// Files to read; - or none is stdin.
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

/// A notation as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// f5d6c3, from the usual start.
    Moves,
    /// 64 characters and a side.
    Board,
    /// A drawn board.
    Diagram,
    /// Two bitboards and a side.
    Hex,
    /// The board file of othelloAI.
    Example,
    /// 8/8/8/3pP3/3Pp3/8/8/8 b.
    Fen,
    /// A board with scored moves.
    Obf,
    /// NBoard and GGS.
    Ggf,
    /// Smart Game Format.
    Sgf,
    /// Portable Game Notation.
    Pgn,
    /// Games of the WTHOR base, .wtb.
    Wthor,
}

/// Order of the squares in a 64-bit number, as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BitsArg {
    /// a1 is bit 0.
    A1lsb,
    /// a1 is bit 63.
    A1msb,
}

impl From<BitsArg> for BitOrder {
    fn from(bits: BitsArg) -> Self {
        match bits {
            BitsArg::A1lsb => Self::A1Lsb,
            BitsArg::A1msb => Self::A1Msb,
        }
    }
}

impl From<Format> for Notation {
    fn from(format: Format) -> Self {
        match format {
            Format::Moves => Self::Moves,
            Format::Board => Self::Board,
            Format::Diagram => Self::Diagram,
            Format::Hex => Self::Hex,
            Format::ExampleBoard => Self::Example,
            Format::Fen => Self::Fen,
            Format::Obf => Self::Obf,
            Format::Ggf => Self::Ggf,
            Format::Sgf => Self::Sgf,
            Format::Pgn => Self::Pgn,
        }
    }
}

impl Notation {
    /// The text notation, or `None` for the binary one.
    pub fn text_format(self) -> Option<Format> {
        Format::ALL.into_iter().find(|&format| Self::from(format) == self)
    }

    /// The name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

/// What is carried from one notation to the other.
struct Entry {
    record: NamedGame,
    /// Kept whole, so that GGF to GGF loses nothing.
    ggf: Option<GgfGame>,
    scores: Vec<ScoredMove>,
    comment: String,
    wthor: Option<GameRecord>,
}

impl Entry {
    fn new(record: NamedGame) -> Self {
        Self { record, ggf: None, scores: Vec::new(), comment: String::new(), wthor: None }
    }

    fn position(&self) -> Position {
        self.record.game.position()
    }
}

impl From<Detected> for Entry {
    fn from(detected: Detected) -> Self {
        Self::new(game_from(&detected))
    }
}

impl From<ObfEntry> for Entry {
    fn from(entry: ObfEntry) -> Self {
        let record = Game::new(entry.position).into();
        Self { scores: entry.scores, comment: entry.comment, ..Self::new(record) }
    }
}

/// Reads all files, converts entry by entry, writes the result.
pub fn run(args: &Args) -> Result<ExitCode> {
    let stdin = ["-".to_string()];
    let files = if args.files.is_empty() { &stdin[..] } else { &args.files };
    let mut bytes = Vec::new();
    let mut wthor = GameFile { header: Header { board_size: 8, ..Header::default() }, games: Vec::new() };
    let (mut count, mut complete) = (0, 0);
    for file in files {
        for entry in read_entries(file, args.from, args.bits.into())? {
            count += 1;
            complete += usize::from(is_complete(&entry));
            if args.to == Notation::Wthor {
                wthor.games.push(to_wthor(&entry).with_context(|| format!("{file}, entry {count}"))?);
            } else {
                let text = write_entry(&entry, args.to, args.bits.into());
                bytes.extend_from_slice(text.with_context(|| format!("{file}, entry {count}"))?.as_bytes());
            }
        }
    }
    if args.to == Notation::Wthor {
        ensure!(
            args.output.is_some() || !io::stdout().is_terminal(),
            "a WTHOR file is binary: use --output FILE"
        );
        bytes = wthor.to_bytes()?;
    }
    match &args.output {
        Some(path) => fs::write(path, &bytes).with_context(|| format!("writing {}", path.display()))?,
        None => Output::by_line().bytes(&bytes)?,
    }
    if args.summary {
        let rest = count - complete;
        output::message(format_args!("{count} games, {complete} complete, {rest} incomplete"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The game is played to its end; a WTHOR record also tells the score of that end.
fn is_complete(entry: &Entry) -> bool {
    let score = entry.record.game.final_score(Color::Black);
    match entry.wthor {
        Some(record) => score.is_some_and(|score| (64 + score) / 2 == i32::from(record.score)),
        None => score.is_some(),
    }
}

fn to_wthor(entry: &Entry) -> Result<GameRecord> {
    entry
        .wthor
        .or_else(|| GameRecord::from_game(&entry.record.game))
        .ok_or_else(|| anyhow!("WTHOR holds only games from the usual start"))
}

/// The entry in another notation, with its line ends.
fn write_entry(entry: &Entry, to: Notation, bits: BitOrder) -> Result<String> {
    let position = entry.position();
    Ok(match to {
        Notation::Moves => {
            ensure!(
                entry.record.game.start() == Position::START,
                "a move list needs a game from the usual start; this is a position or a game from another"
            );
            moves::write_moves(entry.record.game.moves()) + "\n"
        }
        Notation::Board => diagram::write_board(&position) + "\n",
        Notation::Diagram => diagram::write_diagram(&position) + "\n",
        Notation::Hex => diagram::write_hex(&position, bits) + "\n",
        Notation::Example => diagram::write_example_board(&ExampleBoard { position, seconds: 5 }),
        Notation::Fen => fen::write_fen(&position) + "\n",
        Notation::Obf => {
            let (scores, comment) = (entry.scores.clone(), entry.comment.clone());
            ObfEntry { position, scores, comment }.to_string() + "\n"
        }
        Notation::Ggf => match &entry.ggf {
            Some(ggf) => format!("{ggf}\n"),
            None => format!("{}\n", record_ggf(&entry.record)),
        },
        Notation::Sgf => sgf::write_sgf(&entry.record) + "\n",
        Notation::Pgn => pgn::write_pgn(&entry.record) + "\n",
        Notation::Wthor => bail!("WTHOR is written as a whole file"),
    })
}

/// All entries of a file, or of stdin for `-`.
fn read_entries(file: &str, from: Option<Notation>, bits: BitOrder) -> Result<Vec<Entry>> {
    let bytes = read_bytes(file)?;
    let is_wtb = Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wtb"));
    let notation = match from {
        None if is_wtb => Notation::Wthor,
        None => Format::detect(&sample(&decode(&bytes))).into(),
        Some(notation) => notation,
    };
    let Some(format) = notation.text_format() else {
        return read_wthor(file, &bytes);
    };
    let text = decode(&bytes);
    let context = || file.to_string();
    Ok(match format {
        Format::Ggf => {
            let mut entries = Vec::new();
            for item in ggf::matches(&text) {
                entries.extend(
                    item.with_context(context)?
                        .games
                        .into_iter()
                        .map(|game| Entry { ggf: Some(game.clone()), ..Entry::new(ggf_record(&game)) }),
                );
            }
            entries
        }
        Format::Pgn => pgn::parse_games(&text).with_context(context)?.into_iter().map(Entry::new).collect(),
        Format::Obf => obf::parse_file(&text).with_context(context)?.into_iter().map(Entry::from).collect(),
        Format::Sgf | Format::Diagram | Format::ExampleBoard => {
            vec![format.parse(&text, bits).with_context(context)?.into()]
        }
        // One game over several lines.
        Format::Moves if is_numbered(&text) => vec![format.parse(&text, bits).with_context(context)?.into()],
        Format::Board if text.lines().all(|line| line.trim().len() < 64) => {
            vec![format.parse(&text, bits).with_context(context)?.into()]
        }
        Format::Moves | Format::Board | Format::Hex | Format::Fen => {
            let mut entries = Vec::new();
            for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let entry =
                    format.parse(line, bits).with_context(|| format!("{file}, line {}", index + 1))?;
                entries.push(entry.into());
            }
            entries
        }
    })
}

/// What the notation is recognised by: the first line, if that is an entry of its own, else all.
fn sample(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let alone = matches!(
        Format::detect(first),
        Format::Moves | Format::Board | Format::Hex | Format::Fen | Format::Obf
    );
    let is_entry = alone && Format::detect(first).parse(first, BitOrder::A1Lsb).is_ok();
    if is_entry { first.to_string() } else { text.to_string() }
}

/// The second line goes on with a move number.
fn is_numbered(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).skip(1);
    lines.next().is_some_and(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

fn read_wthor(file: &str, bytes: &[u8]) -> Result<Vec<Entry>> {
    let games = GameFile::parse(bytes).with_context(|| file.to_string())?;
    let players = names_beside(file, "jou", NameKind::Players)?;
    let tournaments = names_beside(file, "trn", NameKind::Tournaments)?;
    let name = |names: &[String], index: u16| names.get(usize::from(index)).cloned().unwrap_or_default();
    let mut entries = Vec::with_capacity(games.games.len());
    for (index, record) in games.games.iter().enumerate() {
        let game = record.replay().with_context(|| format!("{file}, game {}", index + 1))?.game;
        let record_of_game = NamedGame {
            game,
            black: name(&players, record.black),
            white: name(&players, record.white),
            place: name(&tournaments, record.tournament),
            date: if games.header.year > 0 { games.header.year.to_string() } else { String::new() },
        };
        entries.push(Entry { wthor: Some(*record), ..Entry::new(record_of_game) });
    }
    Ok(entries)
}

/// The names in the file with this ending in the folder of `file`; none if there is no such file.
fn names_beside(file: &str, ending: &str, kind: NameKind) -> Result<Vec<String>> {
    let folder = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Ok(Vec::new()) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let has_ending = |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    match paths.into_iter().find(has_ending) {
        Some(path) if file != "-" => {
            let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            Ok(NameFile::parse(&bytes, kind).with_context(|| path.display().to_string())?.names)
        }
        _ => Ok(Vec::new()),
    }
}

fn read_bytes(file: &str) -> Result<Vec<u8>> {
    if file == "-" {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).context("reading stdin")?;
        return Ok(bytes);
    }
    fs::read(file).with_context(|| format!("reading {file}"))
}

/// UTF-8, or else Latin-1, which older game files use.
fn decode(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The text that an argument stands for: stdin for `-`, the content of a file, else the argument itself.
pub fn read_input(argument: &str) -> Result<String> {
    if argument == "-" || Path::new(argument).is_file() {
        return Ok(decode(&read_bytes(argument)?));
    }
    Ok(argument.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(text: &str, to: Notation) -> String {
        let format = Format::detect(&sample(text));
        let entry = Entry::from(format.parse(text, BitOrder::A1Lsb).unwrap());
        write_entry(&entry, to, BitOrder::A1Lsb).unwrap()
    }

    #[test]
    fn every_pair_of_notations_converts() {
        let games = [Notation::Moves, Notation::Ggf, Notation::Sgf, Notation::Pgn];
        let positions = [
            Notation::Board,
            Notation::Diagram,
            Notation::Hex,
            Notation::Example,
            Notation::Fen,
            Notation::Obf,
        ];
        for from in games {
            let text = convert("f5d6c3", from);
            for to in games {
                assert_eq!(convert(&convert(&text, to), from), text, "{from:?} {to:?}");
            }
            for to in positions {
                assert_eq!(convert(&text, to), convert("f5d6c3", to), "{from:?} {to:?}");
            }
        }
        for from in positions {
            let text = convert("f5d6c3", from);
            for to in positions {
                assert_eq!(convert(&convert(&text, to), from), text, "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn a_position_is_no_move_list() {
        let entry = Entry::new(Game::new(Position::START.pass()).into());
        assert!(write_entry(&entry, Notation::Moves, BitOrder::A1Lsb).is_err());
        assert!(to_wthor(&entry).is_err());
    }

    #[test]
    fn names_on_the_command_line_are_one_word_each() {
        for format in Format::ALL {
            assert_eq!(Notation::from(format).text_format(), Some(format));
        }
        assert_eq!(Notation::Wthor.text_format(), None);
        assert_eq!(Notation::Example.name(), "example");
    }
}
