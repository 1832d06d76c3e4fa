//! The game file: every game of a match as one GGF line, written as it ends. It is the match's memory.
//!
//! What GGF has no tag for stands in the comment, `CO[match seed=1 …; game 17; plies 8; end time; …]`.
//! A killed match leaves at most half a line at the end; resuming cuts it off and plays that game again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};

use super::referee::{Ending, GameReport};
use crate::board::{Color, Game};
use crate::notation::ggf::GgfGame;
use crate::notation::moves::{MoveToken, write_moves};
use crate::tournament::players::TimeControl;
use crate::util::os::files;

/// Where a game stands in its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The match, see [`super::identity::Identity`].
    pub identity: &'a str,
    /// Number in the schedule, from 0.
    pub game: usize,
    /// Moves of the opening.
    pub opening_plies: usize,
    /// Names of Black and White.
    pub names: [&'a str; 2],
    /// Clocks of Black and White.
    pub times: [TimeControl; 2],
}

/// The word for a game that ended by it.
pub const RESIGNED: &str = "resigned";

/// What counts of a game: enough for every table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Number in the schedule, from 0.
    pub game: usize,
    /// Names of Black and White.
    pub names: [String; 2],
    /// Black's final disc difference.
    pub discs: i32,
    /// `played`, `adjudicated`, `resigned`, or the word of the fault that lost the game.
    pub end: String,
    /// The side that resigned or lost by a fault.
    pub loser: Option<Color>,
    /// [`game_key`] of its moves.
    pub moves: u32,
}

/// A game that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The match that it says it is of.
    pub identity: String,
    /// What counts of it.
    pub summary: Summary,
    /// The opening that it was played from.
    pub opening: Game,
}

impl Summary {
    /// Whether it was lost by a defect, see [`Fault::is_defect`].
    pub fn is_defect(&self) -> bool {
        self.fault().is_some() && self.end != "time"
    }

    /// Who lost it by a fault; who resigns has none.
    pub fn fault(&self) -> Option<Color> {
        self.loser.filter(|_| self.end != RESIGNED)
    }
}

/// A number for the start and moves of a game: games that differ in them all but never share it.
pub fn game_key(game: &Game) -> u32 {
    crc32fast::hash(format!("{:?} {}", game.start(), write_moves(game.moves())).as_bytes())
}

/// Makes the line of a game.
pub fn write_game(report: &GameReport, slot: &Slot) -> GgfGame {
    let (end, loser, reason) = match &report.ending {
        Ending::Played => ("played", None, String::new()),
        Ending::Adjudicated => ("adjudicated", None, String::new()),
        Ending::Resigned(loser) => (RESIGNED, Some(*loser), String::new()),
        Ending::Forfeit(loser, fault) => (fault.word(), Some(*loser), format!("; {fault}")),
    };
    let loser = loser.map(|color| format!(" {color}")).unwrap_or_default();
    let comment = format!(
        "match {}; game {}; plies {}; end {end}{loser}{reason}",
        slot.identity, slot.game, slot.opening_plies
    );
    let mut game = GgfGame::new(report.game.start())
        .with_tag("PC", "emilia match")
        .with_tag("DT", &utc(SystemTime::now()))
        .with_tag("PB", slot.names[0])
        .with_tag("PW", slot.names[1]);
    let clocks = slot.times.map(|time| time.to_ggf().to_string());
    let tags: &[_] = if clocks[0] == clocks[1] { &[("TI", 0)] } else { &[("TB", 0), ("TW", 1)] };
    for &(tag, side) in tags {
        game = game.with_tag(tag, &clocks[side]);
    }
    game = game
        .with_tag("RE", &report.result().to_ggf())
        .with_tag("CO", &comment.replace(|c: char| !c.is_ascii() || c == ']', "?"));
    for (i, (&mv, note)) in report.game.moves().iter().zip(&report.notes).enumerate() {
        // The opening's moves were not thought about.
        let seconds = (i >= slot.opening_plies).then_some(note.time.as_secs_f64());
        game.push(MoveToken { mv, eval: note.eval, seconds }).expect("the referee judged every move");
    }
    game
}

/// The time as GGS writes it, `2026.11.20_10:45:00.UTC`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days to a date by Howard Hinnant's civil_from_days: years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year}.{month:02}.{day:02}_{hour:02}:{minute:02}:{second:02}.UTC")
}

/// Reads a game's line back; of which match it is, is for others to judge.
///
/// # Errors
/// When it is no game of a match, or its result is not that of its moves.
pub fn read_game(line: &str) -> Result<Record> {
    let game = GgfGame::parse(line)?;
    let comment = game.tag("CO").context("a game without the comment of a match")?;
    let field = |name: &str| {
        comment.split("; ").find_map(|part| part.strip_prefix(name)?.strip_prefix(' ')).map(str::trim)
    };
    let identity = field("match").context("a game without the comment of a match")?.to_owned();
    let number = field("game").and_then(|text| text.parse().ok()).context("no game number")?;
    let end = field("end").context("no ending")?;
    let (end, loser) = match end.split_once(' ') {
        Some((fault, "black")) => (fault, Some(Color::Black)),
        Some((fault, "white")) => (fault, Some(Color::White)),
        None if matches!(end, "played" | "adjudicated") => (end, None),
        _ => bail!("ending `{end}`"),
    };
    let result = game.result().discs.context("no result")?;
    ensure!((-64.0..=64.0).contains(&result) && result.fract() == 0.0, "a result of {result} discs");
    let discs = result as i32;
    if end == "played" {
        let truth = game.game().final_score(Color::Black);
        ensure!(truth == Some(discs), "result {discs} but the moves give {truth:?}");
    }
    let plies: usize =
        field("plies").and_then(|text| text.parse().ok()).context("no length of its opening")?;
    ensure!(plies <= game.game().moves().len(), "an opening of {plies} moves in a shorter game");
    let mut opening = game.game().clone();
    while opening.moves().len() > plies {
        opening.undo();
    }
    let name = |color| game.player(color).unwrap_or_default().to_owned();
    let summary = Summary {
        game: number,
        names: [name(Color::Black), name(Color::White)],
        discs,
        end: end.to_owned(),
        loser,
        moves: game_key(game.game()),
    };
    Ok(Record { identity, summary, opening })
}

/// A game file that is being written.
#[derive(Debug)]
pub struct GameFile {
    file: File,
    path: PathBuf,
}

impl GameFile {
    /// A new file.
    ///
    /// # Errors
    /// When it exists already: nobody's games are overwritten.
    pub fn create(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().append(true).create_new(true).open(path).map_err(|error| {
            let hint = if error.kind() == ErrorKind::AlreadyExists { " (go on with --resume?)" } else { "" };
            anyhow::Error::from(error).context(format!("creating {}{hint}", path.display()))
        })?;
        files::lock(&file).with_context(|| path.display().to_string())?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Goes on with a file, which need not exist yet; also gives the games that it holds.
    ///
    /// Half a line at the end is cut off.
    ///
    /// # Errors
    /// When the file cannot be read or another process writes it, and when a complete line in it is no game, one that
    /// was there before, or one that `check` refuses; the file is as it was then.
    pub fn resume(
        path: &Path,
        check: impl Fn(&Record) -> Result<()>,
    ) -> Result<(Self, BTreeMap<usize, Summary>)> {
        let context = || format!("resuming {}", path.display());
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        files::lock(&file).with_context(context)?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).with_context(context)?;
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let text = std::str::from_utf8(&bytes[..complete]).with_context(context)?;
        let mut games = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let read = || -> Result<Summary> {
                let record = read_game(line)?;
                check(&record)?;
                let game = record.summary.game;
                ensure!(!games.contains_key(&game), "game {game} stands twice");
                Ok(record.summary)
            };
            let summary = read().with_context(|| format!("line {} of {}", number + 1, path.display()))?;
            games.insert(summary.game, summary);
        }
        file.set_len(complete as u64).with_context(context)?;
        Ok((Self { file, path: path.to_owned() }, games))
    }

    /// All lines so far.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn text(&self) -> Result<String> {
        std::fs::read_to_string(&self.path).with_context(|| format!("reading {}", self.path.display()))
    }

    /// Appends a game and makes sure that it is on the disk.
    ///
    /// # Errors
    /// When the disk is full or the like.
    pub fn append(&mut self, game: &GgfGame) -> Result<()> {
        let line = format!("{game}\n");
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data())
            .with_context(|| format!("writing {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tournament::players::Fault;
    use crate::tournament::players::Note;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    const SLOT: Slot = Slot {
        identity: "seed=1 depth=2",
        game: 3,
        opening_plies: 2,
        names: ["a", "b-2"],
        times: [TimeControl::Game { main: Duration::from_secs(90), increment: Duration::from_millis(500) };
            2],
    };

    fn report(line: &str, ending: Ending) -> GameReport {
        let game = crate::notation::moves::parse_game(crate::board::Position::START, line).unwrap();
        let note = Note { eval: Some(1.5), time: Duration::from_millis(250) };
        let discs = game.final_score(Color::Black).unwrap_or(-64);
        GameReport { notes: vec![note; game.moves().len()], game, discs, ending }
    }

    fn lines() -> Vec<GgfGame> {
        let faults = [
            Ending::Played,
            Ending::Forfeit(Color::Black, Fault::Crash("exit status: 3 [core]".to_owned())),
            Ending::Forfeit(Color::Black, Fault::Time { used: Duration::MAX, allowed: Duration::ZERO }),
        ];
        let moves = ["e6f4e3f6g5d6e7f5c5", "f5d6c3", "f5d6"];
        faults
            .into_iter()
            .zip(moves)
            .enumerate()
            .map(|(game, (ending, line))| write_game(&report(line, ending), &Slot { game, ..SLOT }))
            .collect()
    }

    #[test]
    fn games_are_read_back() {
        let [played, crash, time] = &lines()[..] else { panic!() };
        let text = played.to_string();
        assert!(text.contains("RE[+64.00]") && text.contains("TI[1:30/0.500]"), "{text}");
        assert!(text.contains("B[E6/1.50]W[F4/1.50]B[E3/1.50/0.250]"), "{text}");
        let record = read_game(&text).unwrap();
        assert_eq!((record.identity.as_str(), record.opening.moves().len()), ("seed=1 depth=2", 2));
        let summary = record.summary;
        let names = ["a".to_owned(), "b-2".to_owned()];
        let moves = game_key(played.game());
        let wanted = Summary { game: 0, names, discs: 64, end: "played".to_owned(), loser: None, moves };
        assert_eq!(summary, wanted);
        let summary = read_game(&crash.to_string()).unwrap().summary;
        assert_eq!((summary.end.as_str(), summary.loser), ("crash", Some(Color::Black)));
        assert!(crash.to_string().contains("RE[-64.00:l]"));
        assert_eq!(read_game(&time.to_string()).unwrap().summary.end, "time");
    }

    #[test]
    fn foreign_and_false_games_are_refused() {
        let text = lines()[0].to_string();
        let forged = text.replace("RE[+64.00]", "RE[+2.00]");
        assert!(read_game(&forged).unwrap_err().to_string().contains("but the moves give"));
        for false_word in ["RE[+65.00:l]", "RE[-0.50:l]", "RE[inf:l]", "RE[:l]"] {
            let forged = lines()[1].to_string().replace("RE[-64.00:l]", false_word);
            assert!(read_game(&forged).unwrap_err().to_string().contains("result"), "{false_word}");
        }
        for false_word in ["end crash", "end crash red", "end"] {
            let forged = lines()[1].to_string().replace("end crash black", false_word);
            assert!(read_game(&forged).is_err(), "{false_word}");
        }
        assert!(read_game("(;GM[Othello];)").is_err());
    }

    #[test]
    fn a_file_cut_at_any_byte_loses_at_most_one_game() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.ggf");
        let games = lines();
        let mut file = GameFile::create(&path).unwrap();
        games.iter().for_each(|game| file.append(game).unwrap());
        assert!(GameFile::create(&path).is_err());
        drop(file);
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (mut file, known) = GameFile::resume(&path, |_| Ok(())).unwrap();
            let complete = bytes[..length].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(known.keys().copied().collect::<Vec<_>>(), (0..complete).collect::<Vec<_>>());
            assert_eq!(
                file.file.metadata().unwrap().len(),
                bytes[..length].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end as u64 + 1)
            );
            // Every append waits for the disk: at the ends of lines and some places between is enough.
            if length % 100 == 0 || bytes[..length].last() == Some(&b'\n') {
                games[complete..].iter().for_each(|game| file.append(game).unwrap());
                assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {length}");
            }
        }
    }

    #[test]
    fn a_file_has_one_writer_and_each_game_once() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.ggf");
        let resume = || GameFile::resume(&path, |_| Ok(()));
        let mut file = GameFile::create(&path).unwrap();
        file.append(&lines()[0]).unwrap();
        let error = format!("{:#}", resume().unwrap_err());
        assert!(error.contains("games.ggf: another process is writing this file"), "{error}");
        drop(file);
        let (mut file, games) = resume().unwrap();
        assert_eq!(games.len(), 1);
        file.append(&lines()[0]).unwrap();
        drop(file);
        let error = format!("{:#}", resume().unwrap_err());
        assert!(error.contains("line 2 of") && error.contains("game 0 stands twice"), "{error}");
        let refused = GameFile::resume(&path, |record| bail!("not {}", record.identity));
        assert!(format!("{:#}", refused.unwrap_err()).contains("not seed=1 depth=2"));
    }

    #[test]
    fn damage_within_the_file_is_an_error() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "games.ggf", "rubbish\n");
        let error = format!("{:#}", GameFile::resume(&path, |_| Ok(())).unwrap_err());
        assert!(error.contains("line 1"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"rubbish\n");
    }

    #[test]
    fn dates_are_right() {
        for (seconds, text) in [
            (0, "1970.01.01_00:00:00.UTC"),
            (951_782_400, "2000.02.29_00:00:00.UTC"),
            (1_795_170_301, "2026.11.20_10:25:01.UTC"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
