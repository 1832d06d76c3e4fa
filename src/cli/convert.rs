//! `emilia convert`.

mod wthor;

use std::collections::BTreeMap;
use std::io::{IsTerminal, stdout};
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use super::files::{ForceArgs, is_stdout};
use super::input::{InputArgs, RepairArgs, names_of, parser_of, written_formats};
use super::output::{self, Output};
use crate::board::Color;
use crate::notation::formats::wthor::Collection;
use crate::notation::formats::{GGF, WTHOR};
use crate::notation::{BitOrder, Detected, Format};

/// Arguments of `emilia convert`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[arg(long, value_name = "FORMAT", value_parser = parser_of(written_formats()), hide_possible_values = true,
          help = format!("Format to write: {}; gogui is SGF as GoGui reads it", names_of(written_formats())))]
    to: Format,
    /// What to convert.
    #[command(flatten)]
    input: InputArgs,
    /// What is done about illegal moves.
    #[command(flatten)]
    repair: RepairArgs,
    /// Write to this file; it is there once everything is converted.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Report on stderr how many games were converted, and how many are complete.
    #[arg(long)]
    summary: bool,
}

/// What stands below the options in the help.
const HELP: &str = "\
A game converted to a position gives its last one; a position converted to a
game starts there. The .jou and .trn files beside a WTHOR file name its players
and tournaments. Names that the files beside --output lack are written to files
with the name of the output. Names, results and tags are kept: GGF has tags that
it does not know at the end of its comment, SGF in its property TAG. What a
notation cannot hold is reported once on stderr.

--repair looks for the smallest change that makes a game legal: another square
for one misread, two moves swapped, a move more, a move less. It prefers what
ends with the stated score, which may stand behind a list of moves (+4, 34-30).

Examples:
  emilia convert --to ggf game.sgf
  emilia convert --to moves WTH_2020.wtb
  emilia convert --to wthor --output games.wtb games.pgn
  emilia convert --to fen --from board problems.txt
  printf 'f5d6c3' | emilia convert --to hex
  emilia convert --to sgf --repair e6f4e3g5f6d6e7f5c5";

/// Converts entry by entry.
pub fn run(args: &Args) -> Result<ExitCode> {
    let is_wthor = args.to == WTHOR;
    ensure!(
        !is_wthor || args.output.as_deref().is_some_and(|path| !is_stdout(path)) || !stdout().is_terminal(),
        "a WTHOR file is binary: use --output FILE"
    );
    let file = args.output.as_deref().filter(|path| !is_stdout(path));
    if let Some(path) = file.filter(|_| is_wthor) {
        wthor::check_name(path)?;
    }
    let mut out = match file {
        Some(path) => Output::file(path, args.force.existing())?,
        None => args.input.output(),
    };
    let mut collection = Collection::default();
    let mut told = Told::default();
    let mut complete = 0;
    let input = InputArgs { repairing: Some(args.repair.repairing()), ..args.input.clone() };
    let tally = input.for_each(|entry| {
        told.look_at(&entry.found, args.to);
        if is_wthor {
            collection.add(&entry.found)?;
        } else {
            out.bytes(args.to.write(&entry.found, BitOrder::A1Lsb)?.as_bytes())?;
        }
        complete += u64::from(is_complete(&entry.found));
        Ok(Continue(()))
    })?;
    if is_wthor {
        out.bytes(&wthor::finish(collection, file)?)?;
    }
    out.finish()?;
    told.lines(args.to).iter().for_each(output::message);
    if args.summary {
        let games = tally.entries - tally.failed;
        let rest = games - complete;
        output::message(format_args!("{games} games, {complete} complete, {rest} incomplete"));
    }
    Ok(tally.code())
}

/// What the conversion could not carry or had to assume, with the number of games of each.
#[derive(Default)]
struct Told {
    lost: BTreeMap<String, u64>,
    assumed: BTreeMap<String, u64>,
}

impl Told {
    fn look_at(&mut self, entry: &Detected, to: Format) {
        let record = &entry.record;
        if !entry.format.is_of_games() || !to.is_of_games() {
            return;
        }
        // GGF goes to GGF, and WTHOR to WTHOR, as it stands.
        if entry.format == to && [GGF, WTHOR].contains(&to) {
            return;
        }
        for what in to.losses(record) {
            *self.lost.entry(what).or_default() += 1;
        }
        for what in &record.assumed {
            *self.assumed.entry((*what).to_owned()).or_default() += 1;
        }
        if record.is_contradicted() {
            let what = "the result of the moves, where the file states another".to_owned();
            *self.assumed.entry(what).or_default() += 1;
        }
    }

    /// What is told on stderr, a line each.
    fn lines(&self, to: Format) -> Vec<String> {
        let mut lines = Vec::new();
        for (lead, what) in [(format!("{to} cannot hold: "), &self.lost), ("taken: ".into(), &self.assumed)] {
            let games =
                |count: &u64| if *count == 1 { "1 game".to_owned() } else { format!("{count} games") };
            let mut list: Vec<String> = what
                .iter()
                .take(MOST_TOLD)
                .map(|(what, count)| format!("{what} ({})", games(count)))
                .collect();
            if what.len() > MOST_TOLD {
                list.push(format!("and {} more of the kind", what.len() - MOST_TOLD));
            }
            if !list.is_empty() {
                lines.push(format!("{lead}{}", list.join("; ")));
            }
        }
        lines
    }
}

/// How many things are told that a notation cannot hold.
const MOST_TOLD: usize = 20;

/// The game is played to its end; a WTHOR record also tells the score of that end.
fn is_complete(entry: &Detected) -> bool {
    let score = entry.record.game.final_score(Color::Black);
    match &entry.wthor {
        Some(origin) => score.is_some_and(|score| (64 + score) / 2 == i32::from(origin.record.score)),
        None => score.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::cli::input::Entry;
    use crate::cli::input::testing::{entries, entry};
    use crate::notation::formats::{BOARD, DIAGRAM, EXAMPLE, FEN, HEX, MOVES, OBF, PGN, SGF};
    use crate::notation::{WriteError, moves};

    fn convert(text: &str, to: Format) -> String {
        to.write(&entry(text).found, BitOrder::A1Lsb).unwrap()
    }

    const GAMES: [Format; 4] = [MOVES, GGF, SGF, PGN];
    const POSITIONS: [Format; 6] = [BOARD, DIAGRAM, HEX, EXAMPLE, FEN, OBF];

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
            let (ggf, sgf, pgn) = (convert(text, GGF), convert(text, SGF), convert(text, PGN));
            assert!(ggf.contains("RE[-64.00") && ggf.contains(":r]"), "{ggf}");
            assert!(sgf.contains("RE[W+Resign]"), "{sgf}");
            assert!(pgn.contains("[Result \"0-1\"]") && pgn.trim_end().ends_with(" 0-1"), "{pgn}");
            let mut collection = Collection::default();
            collection.add(&entry(text).found).unwrap();
            let bytes = collection.finish(None).unwrap().bytes;
            assert_eq!(bytes[16 + 6], 0, "Black has no disc");
        }
        let adjudicated = "(;GM[Othello]RE[+12.00]CO[match 1; game 0; plies 0; end adjudicated]B[f5]W[d6];)";
        assert!(convert(adjudicated, PGN).contains("[Result \"38-26\"]\n[Termination \"adjudication\"]"));
        assert!(convert(adjudicated, SGF).contains("RE[B+12]"));
    }

    #[test]
    fn tags_go_along_under_the_names_of_the_notation() {
        let pgn = "[Event \"Open 2020\"]\n[Site \"Lyon\"]\n[Date \"2020.05.01\"]\n[Round \"3\"]\n[White \"bob\"]\n\
                   [Black \"ann\"]\n[Result \"0-1\"]\n[BlackElo \"1800\"]\n[WhiteElo \"1700\"]\n\n1. f5 d6 2. c3 0-1\n";
        let (ggf, sgf) = (convert(pgn, GGF), convert(pgn, SGF));
        assert!(ggf.contains("PB[ann]PW[bob]") && ggf.contains("RB[1800]RW[1700]"), "{ggf}");
        assert!(
            sgf.contains("EV[Open 2020]RO[3]BR[1800]WR[1700]") && sgf.contains("DT[2020-05-01]"),
            "{sgf}"
        );
        for text in [pgn, &ggf, &sgf] {
            let back = convert(text, PGN);
            for line in pgn.lines() {
                assert!(back.contains(line), "{line}: {back}");
            }
        }
    }

    #[test]
    fn both_games_of_a_synchro_match_are_read() {
        let board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
        let game = |end: &str| format!("(;GM[Othello]PB[a]PW[b]TY[s8]RE[?]{board}B[f5]W[{end}];)");
        let (one, two) = (game("d6"), game("f6"));
        for text in [
            format!("2 {one}{two}"),
            format!("f5\n2 {one} {two}\nf5d6"),
            format!("{one}2 {two}{one}"),
            format!("2\t{one}\n{two}\n"),
        ] {
            let moves: Vec<usize> = entries(&text)
                .iter()
                .map(|entry| entry.record().game.moves().len())
                .filter(|&n| n == 2)
                .collect();
            assert!(moves.len() >= 2, "{text}");
            assert!(
                entries(&text).iter().any(|e| moves::write_moves(e.record().game.moves()) == "f5f6"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_cannot_be_kept_is_told_once_with_the_number_of_games() {
        let mut told = Told::default();
        let pgn = "[Black \"a\"]\n[Round \"3\"]\n[Result \"1-0\"]\n\n1. f5 {good} d6 1-0\n";
        entries(&pgn.repeat(3)).iter().for_each(|entry| told.look_at(&entry.found, WTHOR));
        assert_eq!(
            told.lines(WTHOR),
            [
                "wthor cannot hold: comments on moves (3 games); tag Round (3 games); that nobody knows by how many \
                 discs: two stand for it (3 games)",
                "taken: 1-0 in PGN as a win of Black, who begins (0-1 of White) (3 games)"
            ]
        );
        let mut told = Told::default();
        let ggf = "(;GM[Othello]PB[a]RB[1800]XX[y]RE[-64:t]B[f5/1.0/2]W[d6];)";
        told.look_at(&entry(ggf).found, GGF);
        assert_eq!(told.lines(GGF), [""; 0]);
        told.look_at(&entry(ggf).found, PGN);
        assert_eq!(told.lines(PGN), ["pgn cannot hold: values and times of moves (1 game)"]);
    }

    #[test]
    fn a_position_is_no_move_list() {
        let entry = entry("8/8/8/3pP3/3Pp3/8/8/8 w");
        for refused in
            [MOVES.write(&entry.found, BitOrder::A1Lsb).err(), Collection::default().add(&entry.found).err()]
        {
            assert!(matches!(refused, Some(WriteError::Start(_))));
        }
    }
}
