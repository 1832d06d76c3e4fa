//! Collecting games into a file of the WTHOR base, which is written whole.
//!
//! The format names players and tournaments by number. Games that come from the base keep their numbers as long as
//! the names beside the new file are the same; other names are looked up there. If any is missing, all names go into
//! files that carry the name of the new file; a shared one such as `WTH.JOU` is never touched.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};

use crate::cli::input::{Entry, Names, WthorOrigin};
use crate::cli::output::{self, OutputError};
use crate::notation::wthor::{GameFile, GameRecord, Header, NameFile, NameKind};
use crate::util::file;

/// The games of a file to be.
#[derive(Default)]
pub struct Collection {
    games: Vec<Game>,
    /// Headers of the files that games came from, no two alike.
    headers: Vec<Header>,
    /// The names that the games refer to by number.
    origin: Origin,
}

/// Where the games' numbers come from.
#[derive(Default)]
enum Origin {
    #[default]
    NoGame,
    /// All from files with the same names.
    Same(Rc<Names>),
    /// Some from elsewhere.
    Mixed,
}

struct Game {
    record: GameRecord,
    black: String,
    white: String,
    tournament: String,
}

impl Collection {
    /// Adds a game.
    ///
    /// # Errors
    /// A game that does not begin at the usual start.
    pub fn add(&mut self, entry: &Entry) -> Result<()> {
        let played = entry.record();
        let (record, header) = match &entry.wthor {
            // The games are counted anew.
            Some(origin) => (Some(origin.record), Header { game_count: 0, ..origin.header }),
            None => {
                let number = |name| played.tags.get(name).and_then(|value| value.parse().ok());
                let theoretical = number("TheoreticalDiscs").filter(|&discs| discs <= 64).unwrap_or(0);
                let depth = if theoretical > 0 { number("TheoreticalEmpties").unwrap_or(0) } else { 0 };
                let year = year_of(&played.date);
                let header = Header { board_size: 8, year, depth, ..Header::default() };
                let record = GameRecord::from_record(played);
                (record.map(|record| GameRecord { theoretical, ..record }), header)
            }
        };
        let record = record.context("WTHOR holds only games from the usual start")?;
        if !self.headers.contains(&header) {
            self.headers.push(header);
        }
        self.origin = match (take(&mut self.origin), &entry.wthor) {
            (Origin::NoGame, Some(origin)) => Origin::Same(origin.names.clone()),
            (Origin::Same(names), Some(origin)) if *names == *origin.names => Origin::Same(names),
            _ => Origin::Mixed,
        };
        let [black, white, tournament] = match &entry.wthor {
            Some(WthorOrigin { record, names, .. }) => {
                [names.player(record.black), names.player(record.white), names.tournament(record.tournament)]
            }
            None => {
                let event = played.tags.get("Event").unwrap_or(&played.place);
                [played.black.as_str(), &played.white, event]
            }
        };
        let [black, white, tournament] = [black, white, tournament].map(str::to_owned);
        self.games.push(Game { record, black, white, tournament });
        Ok(())
    }

    /// The bytes of the file; the names that the folder of `output` lacks are written there.
    ///
    /// # Errors
    /// Name files that cannot be read or written, or more names than can be numbered.
    pub fn finish(mut self, output: Option<&Path>) -> Result<Vec<u8>> {
        let keeps_numbers = matches!(self.origin, Origin::Same(_));
        match output {
            Some(path) if self.games.iter().any(Game::is_named) => self.number(path)?,
            None if !keeps_numbers && self.games.iter().any(Game::is_named) => {
                output::message(
                    "names of players and tournaments need --output: they go into files beside it",
                );
            }
            _ => {}
        }
        let header = self.header();
        let games = self.games.into_iter().map(|game| game.record).collect();
        Ok(GameFile { header, games }.to_bytes()?)
    }

    /// What all games agree on.
    fn header(&self) -> Header {
        let Some(&first) = self.headers.first() else { return Header { board_size: 8, ..Header::default() } };
        let agree = |same: fn(&Header, &Header) -> bool| self.headers.iter().all(|other| same(other, &first));
        let year = if agree(|a, b| a.year == b.year) { first.year } else { 0 };
        if year != first.year {
            output::message("the games are of several years: the file can name none");
        }
        if !agree(|a, b| a.solved_empties() == b.solved_empties()) {
            let empties = first.solved_empties();
            output::message(format_args!(
                "theoretical scores of several depths: the file says {empties} empties for all"
            ));
        }
        Header { year, ..first }
    }

    /// Gives every game the numbers of its names beside `path`, and writes the names if any is missing there.
    fn number(&mut self, path: &Path) -> Result<()> {
        let beside = Names::beside(path).map_err(anyhow::Error::msg)?;
        let keeps_numbers = matches!(self.origin, Origin::Same(_));
        if keeps_numbers && self.games.iter().all(|game| game.has_names_of(&beside)) {
            return Ok(());
        }
        let mut players = Table::new(beside.players, NameKind::Players);
        let mut tournaments = Table::new(beside.tournaments, NameKind::Tournaments);
        let known = |game: &Game| {
            let [black, white] = [&game.black, &game.white].map(|name| players.find(name));
            Some([black?, white?, tournaments.find(&game.tournament)?])
        };
        if let Some(numbers) = self.games.iter().map(known).collect::<Option<Vec<_>>>() {
            self.games.iter_mut().zip(numbers).for_each(|(game, numbers)| game.set(numbers));
            return Ok(());
        }
        let own = [own_file(path, "JOU"), own_file(path, "TRN")];
        (players, tournaments) = self.base(&own)?;
        for game in &mut self.games {
            let [black, white] = [&game.black, &game.white].map(|name| players.add(name));
            game.set([black?, white?, tournaments.add(&game.tournament)?]);
        }
        for (path, table) in own.iter().zip([players, tournaments]) {
            let bytes = table.file.to_bytes(table.kind)?;
            file::replace(path, &bytes).map_err(|error| OutputError::of_file(path, error))?;
        }
        Ok(())
    }

    /// The names to which the missing ones are added: those of the new file's own name files if there are any,
    /// else those that the games had, so that they keep their numbers.
    fn base(&self, own: &[PathBuf; 2]) -> Result<(Table, Table)> {
        let [players, tournaments] = match &self.origin {
            Origin::Same(names) if !own.iter().any(|path| path.exists()) => {
                [names.players.clone(), names.tournaments.clone()]
            }
            _ => [read_names(&own[0], NameKind::Players)?, read_names(&own[1], NameKind::Tournaments)?],
        };
        Ok((Table::new(players, NameKind::Players), Table::new(tournaments, NameKind::Tournaments)))
    }
}

impl Game {
    fn is_named(&self) -> bool {
        [&self.black, &self.white, &self.tournament].iter().any(|name| !name.is_empty())
    }

    /// Whether the numbers that it has stand for its names.
    fn has_names_of(&self, names: &Names) -> bool {
        names.player(self.record.black) == self.black
            && names.player(self.record.white) == self.white
            && names.tournament(self.record.tournament) == self.tournament
    }

    fn set(&mut self, [black, white, tournament]: [u16; 3]) {
        self.record = GameRecord { black, white, tournament, ..self.record };
    }
}

/// Names with their numbers.
struct Table {
    file: NameFile,
    kind: NameKind,
    known: HashMap<String, u16>,
}

impl Table {
    fn new(mut file: NameFile, kind: NameKind) -> Self {
        if file.names.is_empty() {
            // Number 0 is for games that do not tell.
            file.names.push("???".to_owned());
        }
        let mut known = HashMap::new();
        for (number, name) in (0..).zip(&file.names) {
            known.entry(name.clone()).or_insert(number);
        }
        Self { file, kind, known }
    }

    /// The number of a name; 0 for no name.
    fn find(&self, name: &str) -> Option<u16> {
        if name.is_empty() { Some(0) } else { self.known.get(&self.kind.fit(name)).copied() }
    }

    /// The number of a name, which is new if need be.
    fn add(&mut self, name: &str) -> Result<u16> {
        if let Some(number) = self.find(name) {
            return Ok(number);
        }
        let number = u16::try_from(self.file.names.len()).ok().filter(|&number| number < u16::MAX);
        let number = number.context("more names than WTHOR can number")?;
        let name = self.kind.fit(name);
        self.file.names.push(name.clone());
        self.known.insert(name, number);
        Ok(number)
    }
}

/// The name file that belongs to `path` alone: one that exists, whatever its case, or one to be made.
fn own_file(path: &Path, ending: &str) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_own = |found: &PathBuf| {
        found.file_stem() == path.file_stem()
            && found.extension().is_some_and(|found: &OsStr| found.eq_ignore_ascii_case(ending))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).find(is_own).unwrap_or_else(|| path.with_extension(ending))
}

/// The names in a file, none if there is no such file.
fn read_names(path: &Path, kind: NameKind) -> Result<NameFile> {
    if !path.exists() {
        return Ok(NameFile::default());
    }
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    NameFile::parse(&bytes, kind).with_context(|| path.display().to_string())
}

/// The year with which a date begins; 0 if it does not.
fn year_of(date: &str) -> u16 {
    let digits = date.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 4 { date[..digits].parse().unwrap_or(0) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::convert::write_entry;
    use crate::cli::input::testing::{args, entries};
    use crate::notation::diagram::BitOrder;
    use crate::notation::position::Format;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn names(names: &[&str], kind: NameKind) -> Vec<u8> {
        let names = names.iter().map(ToString::to_string).collect();
        NameFile { names, ..NameFile::default() }.to_bytes(kind).unwrap()
    }

    /// A file of two games with its names, as the base has them.
    fn base(folder: &TempDir) -> PathBuf {
        let header =
            Header { created: [20, 26, 2, 18], year: 2020, board_size: 8, depth: 24, ..Header::default() };
        let game = |text, black, white, tournament, theoretical| {
            let record = GameRecord::from_game(&entries(text)[0].record().game).unwrap();
            GameRecord { black, white, tournament, theoretical, ..record }
        };
        let games = vec![game("f5d6c3", 2, 1, 1, 30), game("f5f6", 1, 2, 0, 32)];
        file_in(folder, "WTH.JOU", names(&["???", "Tastet Marc", "Penloup Dominique"], NameKind::Players));
        file_in(folder, "WTH.TRN", names(&["Diverses parties", "World Championship"], NameKind::Tournaments));
        file_in(folder, "WTH_2020.wtb", GameFile { header, games }.to_bytes().unwrap())
    }

    fn read(path: &Path) -> Vec<Entry> {
        args(&[path.to_str().unwrap()]).entries().map(Result::unwrap).collect()
    }

    /// Collects entries into `output`.
    fn write(entries: &[Entry], output: &Path) -> Vec<u8> {
        let mut collection = Collection::default();
        entries.iter().for_each(|entry| collection.add(entry).unwrap());
        let bytes = collection.finish(Some(output)).unwrap();
        fs::write(output, &bytes).unwrap();
        bytes
    }

    fn told(entry: &Entry) -> (String, String, String, String) {
        let record = entry.record().clone();
        let event = record.tags.get("Event").unwrap_or_default().to_owned();
        (record.black, record.white, event, record.date)
    }

    #[test]
    fn from_the_base_to_the_base_nothing_is_lost() {
        let folder = TempDir::new().unwrap();
        let path = base(&folder);
        assert_eq!(write(&read(&path), &folder.path().join("copy.wtb")), fs::read(&path).unwrap());
        assert!(!folder.path().join("copy.JOU").exists());
        // In another folder the names come along.
        let other = TempDir::new().unwrap();
        let copy = other.path().join("copy.wtb");
        assert_eq!(write(&read(&path), &copy), fs::read(&path).unwrap());
        assert_eq!(
            read(&copy).iter().map(told).collect::<Vec<_>>(),
            read(&path).iter().map(told).collect::<Vec<_>>()
        );
    }

    #[test]
    fn names_and_year_come_back_from_pgn() {
        let folder = TempDir::new().unwrap();
        let games = read(&base(&folder));
        let text: String =
            games.iter().map(|entry| crate::notation::pgn::write_pgn(entry.record()) + "\n").collect();
        let known = folder.path().join("again.wtb");
        write(&entries(&text), &known);
        assert_eq!(read(&known)[0].wthor.as_ref().map(|origin| origin.record.black), Some(2));
        assert!(!folder.path().join("again.JOU").exists());
        let other = TempDir::new().unwrap();
        let alone = other.path().join("alone.wtb");
        write(&entries(&text), &alone);
        let want: Vec<_> = games.iter().map(told).collect();
        for path in [&known, &alone] {
            assert_eq!(read(path).iter().map(told).collect::<Vec<_>>(), want);
        }
    }

    #[test]
    fn what_wthor_tells_comes_back_from_every_notation() {
        let folder = TempDir::new().unwrap();
        let games = read(&base(&folder));
        for to in [Format::Ggf, Format::Sgf, Format::Pgn] {
            let text: String =
                games.iter().map(|entry| write_entry(entry, to, BitOrder::A1Lsb).unwrap()).collect();
            let again = folder.path().join(format!("{to}.wtb"));
            write(&entries(&text), &again);
            let record =
                |entry: &Entry| entry.wthor.as_ref().map(|origin| (origin.record, origin.header.depth));
            let want: Vec<_> = games.iter().map(record).collect();
            assert_eq!(read(&again).iter().map(record).collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn a_new_name_is_added_without_renumbering_the_old() {
        let folder = TempDir::new().unwrap();
        let output = folder.path().join("mine.wtb");
        let pgn =
            |black: &str| format!("[Black \"{black}\"]\n[White \"b\"]\n[Date \"2024.01.02\"]\n\n1. f5 *\n");
        write(&entries(&pgn("a")), &output);
        let players = || {
            NameFile::parse(&fs::read(folder.path().join("mine.JOU")).unwrap(), NameKind::Players).unwrap()
        };
        assert_eq!(players().names, ["???", "a", "b"]);
        write(&entries(&pgn("A name of more than twenty letters")), &output);
        assert_eq!(players().names, ["???", "a", "b", "A name of more than"]);
        assert_eq!(told(&read(&output)[0]).3, "2024");
    }
}
