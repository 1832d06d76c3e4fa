//! Games of the WTHOR base as records that all notations share, and the games of all notations as a file of the base.
//!
//! The format names players and tournaments by number. A game from the base keeps its numbers if the folder of the new
//! file has the same names; the writer looks up other names there. If a name is missing, the writer puts all names
//! into files with the name of the new file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::format::{Detected, Format, Notation, Origin, WriteError};

use crate::notation::tags::day_and_time;
use crate::notation::wthor::{
    GameFile, GameRecord, Header, NameFile, NameKind, Names, WthorOrigin, too_many,
};
use crate::notation::{How, NamedGame, ParseError};

/// A file of games of the WTHOR base: the only notation that is no text.
pub const WTHOR: Format = Format(&Notation {
    name: "wthor",
    about: "games of the WTHOR base, .wtb",
    is_of_games: true,
    read: |text| Err(ParseError::at("WTHOR games", text, 0, "a binary file")),
    losses,
    ..Notation::BASE
});

const OTHER_START: WriteError = WriteError(
    "files of the WTHOR base need a game from the usual start; this is a position or a game from another",
);
/// Tags that WTHOR files hold: the tournament and the result of perfect play.
const OF_WTHOR: [&str; 3] = ["Event", "TheoreticalDiscs", "TheoreticalEmpties"];

/// A game of the base with its names.
///
/// # Errors
/// Moves that break the rules.
pub fn read_record(origin: WthorOrigin) -> Result<Detected, ParseError> {
    let WthorOrigin {
        record: numbers,
        header,
        names,
    } = &origin;
    let game = numbers.replay()?;
    let stated = numbers.stated(&game);
    // Number 0, a name of question marks, is an unknown name.
    let known = |name: &str| {
        if name.bytes().all(|b| b == b'?') {
            String::new()
        } else {
            name.to_owned()
        }
    };
    let mut record = NamedGame {
        game,
        black: known(names.player(numbers.black)),
        white: known(names.player(numbers.white)),
        date: if header.year > 0 {
            header.year.to_string()
        } else {
            String::new()
        },
        ..NamedGame::default()
    };
    record
        .tags
        .set("Event", &known(names.tournament(numbers.tournament)));
    if numbers.theoretical > 0 {
        record
            .tags
            .set("TheoreticalDiscs", &numbers.theoretical.to_string());
        record
            .tags
            .set("TheoreticalEmpties", &header.solved_empties().to_string());
    }
    Ok(Detected {
        origin: Some(Origin::Wthor(origin)),
        ..Detected::new(WTHOR, record.with_stated(stated))
    })
}

/// The parts of a game that the file loses or replaces.
fn losses(record: &NamedGame) -> Vec<String> {
    let NamedGame {
        game,
        black,
        white,
        place,
        date,
        tags,
        ..
    } = record;
    let result = record.result();
    let is_mistaken =
        || GameRecord::from_record(record).is_some_and(|wthor| !wthor.stated(game).is_known());
    let is_cut = |kind: NameKind, name: &str| kind.fit(name) != name;
    let event = record.event();
    let tournament = if event.is_empty() { place } else { event };
    let date = day_and_time(date).ok_or(date.as_str());
    let table = [
        (
            game.is_over() && result.how != How::Played,
            "a result that differs from the moves",
        ),
        (
            result.is_known() && !game.is_over() && is_mistaken(),
            "a result equal to the count on the board of an unfinished game",
        ),
        (
            !result.is_known(),
            "a missing result, written as the discs on the board",
        ),
        (
            result.is_known() && result.score().is_none(),
            "a win by an unknown number of discs, written as 2",
        ),
        (
            result.score().is_some_and(|discs| discs % 2 != 0),
            "odd differences, written with one disc more",
        ),
        (
            result.how.termination().is_some() || tags.get("Termination").is_some(),
            "the reason of a result",
        ),
        (
            [black, white]
                .iter()
                .any(|name| is_cut(NameKind::Players, name)),
            "letters of a player's name beyond 19 or outside Latin-1",
        ),
        (
            is_cut(NameKind::Tournaments, tournament),
            "letters of a tournament beyond 25 or outside Latin-1",
        ),
        (
            event.is_empty() && !place.is_empty(),
            "a place, written as the tournament",
        ),
        (!event.is_empty() && !place.is_empty(), "places"),
        (
            date.is_ok_and(|(day, time)| day.len() > 4 || !time.is_empty()),
            "all of a date but the year",
        ),
        (date.is_err_and(|words| !words.is_empty()), "dates in words"),
    ];
    let lost = table
        .into_iter()
        .filter(|(is_lost, _)| *is_lost)
        .map(|(_, what)| what.to_owned());
    let others = tags
        .iter()
        .filter(|(name, _)| !OF_WTHOR.contains(name) && *name != "Termination");
    lost.chain(others.map(|(name, _)| format!("tag {name}")))
        .collect()
}

/// The games of a new file.
#[derive(Default)]
pub struct Collection {
    games: Vec<Game>,
    /// The names of the first game from the base.
    names: Option<Rc<Names>>,
    /// Some games have numbers from other name files, or no numbers.
    is_mixed: bool,
}

struct Game {
    record: GameRecord,
    /// The header of its file, or the header that such a file would have.
    header: Header,
    black: String,
    white: String,
    tournament: String,
}

/// The names in the folder of a new file.
#[derive(Default)]
pub struct Beside {
    /// The names that a reader of the file finds.
    pub found: Names,
    /// The names in files with its name, if there are such files.
    pub own: Option<Names>,
}

/// A file of games.
#[derive(Debug)]
pub struct Whole {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The names to write into files with its name.
    pub names: Option<Names>,
    /// The facts that its header cannot hold, in words.
    pub notes: Vec<String>,
}

impl Collection {
    /// Adds a game.
    ///
    /// # Errors
    /// A game that does not begin at the usual start.
    pub fn add(&mut self, entry: &Detected) -> Result<(), WriteError> {
        let game = Game::of(entry).ok_or(OTHER_START)?;
        match (entry.wthor(), &self.names) {
            (Some(origin), None) => self.names = Some(origin.names.clone()),
            (Some(origin), Some(names)) if *names == origin.names => {}
            _ => self.is_mixed = true,
        }
        self.games.push(game);
        Ok(())
    }

    /// Whether the games need files of names; games from one base keep their numbers.
    pub fn needs_names(&self) -> bool {
        self.is_mixed && self.games.iter().any(Game::is_named)
    }

    /// The file, with numbers by the names `beside` it; without these the games keep their numbers.
    ///
    /// # Errors
    /// More names or games than can be numbered.
    pub fn finish(mut self, beside: Option<Beside>) -> Result<Whole, ParseError> {
        let (header, mut notes) = self.header();
        let names = match beside.filter(|_| self.games.iter().any(Game::is_named)) {
            Some(beside) => {
                let players = self
                    .games
                    .iter()
                    .flat_map(|game| [&game.black, &game.white]);
                notes.extend(merged(players, NameKind::Players, "players"));
                let tournaments = self.games.iter().map(|game| &game.tournament);
                notes.extend(merged(tournaments, NameKind::Tournaments, "tournaments"));
                self.number(beside)?
            }
            None => None,
        };
        let games = self.games.into_iter().map(|game| game.record).collect();
        Ok(Whole {
            bytes: GameFile { header, games }.to_bytes()?,
            names,
            notes,
        })
    }

    /// The header for all games, and the facts that it cannot hold.
    fn header(&self) -> (Header, Vec<String>) {
        let mut notes = Vec::new();
        let blank = Header {
            board_size: 8,
            ..Header::default()
        };
        let first = self.games.first().map_or(blank, |game| game.header);
        let is_of_a_year = self.games.iter().all(|game| game.header.year == first.year);
        if !is_of_a_year {
            let games = self
                .games
                .iter()
                .filter(|game| game.header.year > 0)
                .count();
            notes.push(format!(
                "the games are of several years, but the file holds one year: {games} lose theirs"
            ));
        }
        // The depth is that of the games that have a theoretical score.
        let mut scored = self
            .games
            .iter()
            .filter(|game| game.record.theoretical > 0)
            .map(|game| game.header);
        let depth = scored.next().unwrap_or(first);
        let empties = depth.solved_empties();
        if scored.any(|other| other.solved_empties() != empties) {
            notes.push(format!(
                "theoretical scores of several depths: the file states {empties} empties for all"
            ));
        }
        (
            Header {
                year: if is_of_a_year { first.year } else { 0 },
                depth: depth.depth,
                ..first
            },
            notes,
        )
    }

    /// Numbers the names of every game; returns all names if the folder lacks one.
    fn number(&mut self, beside: Beside) -> Result<Option<Names>, ParseError> {
        let tables = Table::both(beside.found);
        let numbers: Option<Vec<_>> = self
            .games
            .iter()
            .map(|game| game.numbers(&tables))
            .collect();
        if let Some(numbers) = numbers {
            self.games
                .iter_mut()
                .zip(numbers)
                .for_each(|(game, numbers)| game.set(numbers));
            return Ok(None);
        }
        // The missing names are added to the file's own, else to those that the games had, so that they keep theirs.
        let had = || self.names.as_deref().cloned();
        let mut tables = Table::both(beside.own.or_else(had).unwrap_or_default());
        for game in &mut self.games {
            let numbers = game.numbers(&tables);
            let numbers = numbers.map_or_else(|| game.add(&mut tables), Ok)?;
            game.set(numbers);
        }
        let [players, tournaments] = tables.map(|table| table.file);
        Ok(Some(Names {
            players,
            tournaments,
        }))
    }
}

impl Game {
    /// The game of an entry; `None` if it does not begin at the usual start.
    fn of(entry: &Detected) -> Option<Self> {
        let played = &entry.record;
        if let Some(WthorOrigin {
            record,
            header,
            names,
        }) = entry.wthor()
        {
            return Some(Self {
                record: *record,
                // The games are counted again.
                header: Header {
                    game_count: 0,
                    ..*header
                },
                black: names.player(record.black).to_owned(),
                white: names.player(record.white).to_owned(),
                tournament: names.tournament(record.tournament).to_owned(),
            });
        }
        let number = |name| played.tags.get(name).and_then(|value| value.parse().ok());
        let theoretical = number("TheoreticalDiscs")
            .filter(|&discs| discs <= 64)
            .unwrap_or(0);
        let depth = if theoretical > 0 {
            number("TheoreticalEmpties").unwrap_or(0)
        } else {
            0
        };
        Some(Self {
            record: GameRecord {
                theoretical,
                ..GameRecord::from_record(played)?
            },
            header: Header {
                board_size: 8,
                year: year_of(&played.date),
                depth,
                ..Header::default()
            },
            black: played.black.clone(),
            white: played.white.clone(),
            tournament: played.tags.get("Event").unwrap_or(&played.place).to_owned(),
        })
    }

    fn is_named(&self) -> bool {
        [&self.black, &self.white, &self.tournament]
            .iter()
            .any(|name| !name.is_empty())
    }

    /// The numbers of its names; the present ones if they are right.
    fn numbers(&self, [players, tournaments]: &[Table; 2]) -> Option<[u16; 3]> {
        let GameRecord {
            black,
            white,
            tournament,
            ..
        } = self.record;
        Some([
            players.find(&self.black, black)?,
            players.find(&self.white, white)?,
            tournaments.find(&self.tournament, tournament)?,
        ])
    }

    /// The numbers of its names; missing names are added.
    fn add(&self, [players, tournaments]: &mut [Table; 2]) -> Result<[u16; 3], ParseError> {
        Ok([
            players.add(&self.black)?,
            players.add(&self.white)?,
            tournaments.add(&self.tournament)?,
        ])
    }

    fn set(&mut self, [black, white, tournament]: [u16; 3]) {
        self.record = GameRecord {
            black,
            white,
            tournament,
            ..self.record
        };
    }
}

/// The warning for different names that become one when cut; `None` if there are no such names.
fn merged<'a>(
    names: impl Iterator<Item = &'a String>,
    kind: NameKind,
    what: &str,
) -> Option<String> {
    let mut whole: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in names {
        whole.entry(kind.fit(name)).or_default().insert(name);
    }
    let same = whole.into_values().filter(|names| names.len() > 1);
    let list: Vec<String> = same
        .map(|names| Vec::from_iter(names).join(" = "))
        .collect();
    let message = "become one, since their names differ only beyond the length in the file";
    (!list.is_empty()).then(|| format!("{what} {message}: {}", list.join("; ")))
}

struct Table {
    file: NameFile,
    kind: NameKind,
    known: HashMap<String, u16>,
}

impl Table {
    fn new(mut file: NameFile, kind: NameKind) -> Self {
        if file.names.is_empty() {
            // Number 0 is an unknown name.
            file.names.push("???".to_owned());
        }
        let mut known = HashMap::new();
        for (number, name) in (0..).zip(&file.names) {
            known.entry(name.clone()).or_insert(number);
        }
        Self { file, kind, known }
    }

    fn both(names: Names) -> [Self; 2] {
        [
            Self::new(names.players, NameKind::Players),
            Self::new(names.tournaments, NameKind::Tournaments),
        ]
    }

    /// The number of a name, `had` if that is right; 0 for an empty name.
    fn find(&self, name: &str, had: u16) -> Option<u16> {
        match self.file.names.get(usize::from(had)) {
            Some(known) if known == name => Some(had),
            _ if name.is_empty() => Some(0),
            _ => self.known.get(&self.kind.fit(name)).copied(),
        }
    }

    /// The number of a name, which is added if it is missing.
    fn add(&mut self, name: &str) -> Result<u16, ParseError> {
        if let Some(number) = self.find(name, 0) {
            return Ok(number);
        }
        let number = u16::try_from(self.file.names.len())
            .ok()
            .filter(|&number| number < u16::MAX);
        let number = number.ok_or_else(|| too_many("names", usize::from(u16::MAX)))?;
        let name = self.kind.fit(name);
        self.file.names.push(name.clone());
        self.known.insert(name, number);
        Ok(number)
    }
}

/// The year at the start of a date, or 0.
fn year_of(date: &str) -> u16 {
    let digits = date.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 4 {
        date[..digits].parse().unwrap_or(0)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::notation::grammar::moves::parse_game;

    /// A game with a theoretical score; `depth` is that of its file, if it comes from one.
    fn game(theoretical: u8, depth: Option<u8>) -> Detected {
        let game = NamedGame::from(parse_game(Position::START, "f5d6").unwrap());
        let record = GameRecord {
            theoretical,
            ..GameRecord::from_record(&game).unwrap()
        };
        let wthor = depth.map(|depth| {
            let header = Header {
                board_size: 8,
                depth,
                ..Header::default()
            };
            WthorOrigin {
                record,
                header,
                names: Rc::default(),
            }
        });
        Detected {
            origin: wthor.map(Origin::Wthor),
            ..Detected::new(WTHOR, game)
        }
    }

    #[test]
    fn players_that_the_file_cannot_keep_apart_are_named() {
        let mut collection = Collection::default();
        for black in [
            "Maximilian Alexander A",
            "Ann",
            "Maximilian Alexander B",
            "Ann",
        ] {
            let mut entry = game(0, None);
            entry.record.black = black.into();
            collection.add(&entry).unwrap();
        }
        assert_eq!(
            collection.finish(Some(Beside::default())).unwrap().notes,
            [
                "players become one, since their names differ only beyond the length in the file: \
              Maximilian Alexander A = Maximilian Alexander B"
            ]
        );
    }

    #[test]
    fn games_without_a_theoretical_score_have_no_depth() {
        type Case<'a> = (&'a [(u8, Option<u8>)], u8, usize);
        let cases: &[Case] = &[
            (&[(0, None), (0, Some(24)), (0, Some(0))], 0, 0),
            (&[(0, None), (40, Some(24)), (0, Some(20))], 24, 0),
            (&[(40, Some(24)), (40, Some(0)), (0, None)], 24, 1),
            // 0 means 22.
            (&[(40, Some(22)), (30, Some(0))], 22, 0),
            // The depth of the file stays if no game has a theoretical score.
            (&[(0, Some(24))], 24, 0),
        ];
        for &(games, depth, notes) in cases {
            let mut collection = Collection::default();
            games
                .iter()
                .for_each(|&(score, depth)| collection.add(&game(score, depth)).unwrap());
            let (header, found) = collection.header();
            assert_eq!((header.depth, found.len()), (depth, notes), "{games:?}");
        }
    }
}
