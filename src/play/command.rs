//! The commands of a session: one table holds their names, help and handlers.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::lesson::{MISTAKE, parse_lesson};
use super::seat::Seat;
use super::state::Play;
use crate::board::{Color, Game, Move, SquareSet};
use crate::engine::Elo;
use crate::engine::people::{OPPONENTS, Opponent, Rating};
use crate::notation::formats::MOVES;
use crate::notation::moves::{parse_move, write_moves};
use crate::notation::parse_position;
use crate::search::Handicap;
use crate::util::commands::Table;

#[derive(Clone, Copy)]
pub struct Command {
    /// Its forms in the help; one with a blank takes an argument.
    forms: &'static str,
    pub effect: Effect,
    run: fn(&mut Play, &Typed) -> io::Result<()>,
    help: &'static str,
}

/// The effect of a command that comes while the engine thinks.
#[derive(Clone, Copy, PartialEq)]
pub enum Effect {
    /// It runs at once.
    Looks,
    /// It waits until the engine has moved.
    Waits,
    /// It makes the engine move now.
    Hurries,
    /// It makes the engine move now, and then it runs.
    Leaves,
}

pub struct Typed<'a> {
    pub command: Command,
    /// Its name, in small letters.
    pub word: String,
    /// Its argument, maybe empty.
    pub rest: &'a str,
    pub now: Instant,
}

use Effect::{Hurries, Leaves, Looks, Waits};

/// A row of the table: names, forms, effect, handler and help.
const fn row(
    names: &'static str,
    forms: &'static str,
    effect: Effect,
    run: fn(&mut Play, &Typed) -> io::Result<()>,
    help: &'static str,
) -> (&'static str, Command) {
    (
        names,
        Command {
            forms,
            effect,
            run,
            help,
        },
    )
}

#[rustfmt::skip]
pub const COMMANDS: Table<Command> = Table(&[
    row("hint h", "hint, hint 5", Looks, hint,
        "the best moves with their scores; while the engine thinks, its line so far"),
    row("undo u back", "undo", Waits, |play, typed| play.undo(typed.now),
        "take moves back to your last turn"),
    row("redo r", "redo", Waits, |play, typed| play.redo(typed.now),
        "play them again"),
    row("go", "go", Hurries, go,
        "let the engine move for the side to move"),
    row("stop", "stop", Hurries, |play, _| play.say("The engine is not thinking"),
        "make the engine move now, as an empty line does"),
    row("moves", "moves", Looks, moves,
        "the legal moves and the discs they turn"),
    row("board b", "board", Looks, |play, typed| play.show(typed.now),
        "draw the board again"),
    row("list", "list", Looks, list,
        "the moves so far"),
    row("black white", "black engine, white human", Waits, sit,
        "the player of a side: you or the engine"),
    row("level", "level 12", Waits, level,
        "strength of the engine, 0 to 60"),
    row("opponent", "opponent, opponent 3, opponent 1450", Waits, opponent,
        "six opponents to choose from; a number from 1000 to 2000 is a person of that rating"),
    row("lesson", "lesson 4, lesson off", Looks, lesson,
        "take your mistakes of 4 discs or more back, and say why"),
    row("clock", "clock, clock stop, clock go", Looks, clock,
        "the time left; stop the clock that runs; let it go on"),
    row("save save!", "save FILE", Looks, save,
        "the game as GGF, or as PGN or SGF by FILE's ending; save! replaces FILE"),
    row("load", "load FILE", Waits, load,
        "the first game or position of FILE"),
    row("new", "new", Waits, new,
        "a new game"),
    row("help ?", "help", Looks, help,
        "this list"),
    row("quit q exit", "quit", Leaves, quit,
        "leave; Ctrl-C prints the moves so far and leaves"),
]);

/// The text below the list of commands.
const HELP_END: &str = "Or paste any position or game: moves, GGF, SGF, PGN, FEN, a drawn board, or 64 characters \
                        and a side. While the engine thinks you can type on: commands that only show something run at \
                        once, all others wait for its move.";

pub enum Line<'a> {
    Nothing,
    Move(Move),
    Command(Typed<'a>),
    /// A position or game, whole in this line.
    Game,
    /// An unknown line; the text names the expected ones.
    Bad(String),
}

pub fn read(line: &str, now: Instant) -> Line<'_> {
    let line = line.trim();
    if let Ok(mv) = parse_move(line) {
        return Line::Move(mv);
    }
    let (word, rest) = line
        .split_once(char::is_whitespace)
        .map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let word = word.to_ascii_lowercase();
    match COMMANDS.find(&word) {
        _ if word.is_empty() => Line::Nothing,
        Some(command) => Line::Command(Typed {
            command,
            word,
            rest,
            now,
        }),
        None => pasted(line),
    }
}

/// A position or game in one line.
fn pasted(line: &str) -> Line<'_> {
    match parse_position(line) {
        // Moves and words are rather a mistyped command.
        Ok(found) if found.format == MOVES && !found.comment.is_empty() => Line::Bad(format!(
            "\"{line}\" has words that are no moves; ? lists the commands"
        )),
        Ok(_) => Line::Game,
        Err(error) if line.len() > 12 => Line::Bad(error.to_string()),
        // Only a list of moves is shorter.
        Err(_) => {
            let shown: String = line.chars().filter(|c| !c.is_control()).collect();
            Line::Bad(format!(
                "\"{shown}\" is not a move, a command or a position; ? lists the commands"
            ))
        }
    }
}

/// Whether a line below a pasted text is a command rather than a part of it, such as `B` or `White to move`.
pub fn is_command(line: &str, now: Instant) -> bool {
    let Line::Command(Typed {
        command,
        word,
        rest,
        ..
    }) = read(line, now)
    else {
        return false;
    };
    match (word.as_str(), rest) {
        ("b", _) => false,
        ("black" | "white", _) => rest.parse::<Seat>().is_ok(),
        (_, "") => true,
        _ => command.forms.contains(' ') && word.len() > 1,
    }
}

impl Typed<'_> {
    pub fn run(&self, play: &mut Play) -> io::Result<()> {
        match self.rest.is_empty() || self.command.forms.contains(' ') {
            true => (self.command.run)(play, self),
            false => play.say(format!("{} takes no argument", self.word)),
        }
    }
}

fn hint(play: &mut Play, typed: &Typed) -> io::Result<()> {
    let count = if typed.rest.is_empty() {
        Ok(3)
    } else {
        typed.rest.parse()
    };
    match count {
        Ok(1..=64) if play.thinking.is_some() => play.hint_so_far(),
        Ok(1..=64) if play.is_over() => play.say("The game is over"),
        Ok(count @ 1..=64) => play.begin_hint(count, typed.now),
        _ => play.say("hint takes the number of moves to show, such as hint 3"),
    }
}

fn go(play: &mut Play, typed: &Typed) -> io::Result<()> {
    if play.is_over() {
        return play.say("The game is over");
    }
    play.waits = false;
    play.clock_starts(typed.now);
    play.engine_turn(typed.now)
}

fn moves(play: &mut Play, _: &Typed) -> io::Result<()> {
    let board = play.position().board;
    if board.moves().is_empty() {
        return play.say("There is no legal move");
    }
    board.moves().iter().try_for_each(|square| {
        play.say(format!("{square} turns {}", SquareSet(board.flip(square))))
    })
}

fn list(play: &mut Play, _: &Typed) -> io::Result<()> {
    let moves = write_moves(play.setup.table.game().moves());
    play.say(if moves.is_empty() {
        "No moves yet"
    } else {
        &moves
    })
}

fn sit(play: &mut Play, typed: &Typed) -> io::Result<()> {
    let color = if typed.word == "black" {
        Color::Black
    } else {
        Color::White
    };
    match typed.rest.parse() {
        Ok(seat) => {
            play.setup.seats[color as usize] = seat;
            play.waits = false;
            let name = play.name(color);
            play.say(format!("{} is played by {name}", color.title()))
        }
        Err(error) => play.say(error),
    }
}

fn level(play: &mut Play, typed: &Typed) -> io::Result<()> {
    match typed.rest.parse() {
        Ok(level) => {
            play.setup.level = level;
            play.say(format!("The engine plays at level {level}"))
        }
        Err(error) => play.say(format!("{error}; an example is level 12")),
    }
}

/// Lists the opponents, or chooses one by number, name or rating.
fn opponent(play: &mut Play, typed: &Typed) -> io::Result<()> {
    let asked = typed.rest.to_ascii_lowercase();
    if asked.is_empty() {
        return list_opponents(play);
    }
    let by_name = OPPONENTS
        .iter()
        .find(|(name, _)| name.to_ascii_lowercase() == asked);
    let place = asked
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1));
    let found = by_name.or(place.and_then(|place| OPPONENTS.get(place)));
    let chosen = match found {
        Some((_, chosen)) => *chosen,
        None => match asked.parse::<Rating>() {
            Ok(rating) => Opponent::Person(rating.number()),
            Err(error) => return play.say(format!("{error}; opponent lists six to choose from")),
        },
    };
    play.setup.handicap = match chosen {
        Opponent::Person(rating) => Some(Handicap::of_person(rating, play.setup.seed)),
        Opponent::Engine => None,
        Opponent::Elo(elo) => {
            let strength = Elo::new(elo.into()).map(Elo::strength);
            let strength = strength.expect("the menu's numbers are on the ladder");
            play.setup.level = strength.level;
            strength.handicap(play.setup.seed)
        }
    };
    let name = play.setup.engine_name();
    play.say(format!("You play against {name}"))
}

fn list_opponents(play: &mut Play) -> io::Result<()> {
    for (number, (name, opponent)) in (1..).zip(OPPONENTS) {
        let strength = match opponent {
            Opponent::Elo(elo) => format!("weak play, Elo {elo} of the engine's own scale"),
            Opponent::Person(rating) => format!("plays like a person of {rating}"),
            Opponent::Engine => format!("level {}", play.setup.level),
        };
        play.say(format!("{number}  {name:<18}  {strength}"))?;
    }
    play.say("Ratings are those of WTHOR's tournament players: a club's beginner has about 1000.")
}

fn lesson(play: &mut Play, typed: &Typed) -> io::Result<()> {
    let least = match typed.rest.to_ascii_lowercase().as_str() {
        "off" => None,
        "" | "on" => Some(MISTAKE),
        discs => match parse_lesson(discs) {
            Ok(discs) => Some(discs),
            Err(error) => return play.say(error),
        },
    };
    play.setup.lesson = least;
    play.say(match least {
        Some(discs) => format!("Mistakes of {discs} discs or more are taken back"),
        None => "Mistakes are not taken back".to_owned(),
    })
}

fn clock(play: &mut Play, typed: &Typed) -> io::Result<()> {
    match typed.rest.to_ascii_lowercase().as_str() {
        _ if play.setup.table.clock.is_none() => {
            return play.say("There is no clock: start emilia play --clock 5:00+3");
        }
        "" => {}
        "stop" => {
            play.stopped_at.get_or_insert(typed.now);
        }
        "go" => {
            let stopped = play
                .stopped_at
                .take()
                .map(|at| typed.now.saturating_duration_since(at));
            play.since += stopped.unwrap_or_default();
        }
        _ => return play.say("clock takes stop or go, or nothing to show the time"),
    }
    play.show_clocks(typed.now)
}

fn save(play: &mut Play, typed: &Typed) -> io::Result<()> {
    let path = Path::new(typed.rest);
    if typed.rest.is_empty() {
        return play.say(format!("{} takes the name of a file", typed.word));
    }
    let saved = (play.setup.refuse_named)(path).and_then(|()| {
        play.setup
            .table
            .save(path, typed.word.ends_with('!'), play.names())
    });
    play.say(match saved {
        Ok(()) => format!("Saved as {}", path.display()),
        Err(error) => format!("Not saved: {error:#}"),
    })
}

fn load(play: &mut Play, typed: &Typed) -> io::Result<()> {
    let read_game = play.setup.read_game;
    match play.setup.table.load(Path::new(typed.rest), read_game) {
        _ if typed.rest.is_empty() => play.say("load takes the name of a file"),
        Err(error) => play.say(format!("Not loaded: {error:#}")),
        Ok(note) => {
            note.map_or(Ok(()), |note| play.say(note))?;
            play.changed(typed.now)
        }
    }
}

fn new(play: &mut Play, typed: &Typed) -> io::Result<()> {
    play.setup.table.reset(Game::default());
    play.changed(typed.now)
}

fn quit(play: &mut Play, _: &Typed) -> io::Result<()> {
    play.is_done = true;
    Ok(())
}

/// Longer forms have a line for themselves.
const MOST_FORMS: usize = 28;

fn help(play: &mut Play, _: &Typed) -> io::Result<()> {
    let column = MOST_FORMS + 2;
    let is_narrow = (play.setup.columns)().is_some_and(|columns| columns < 2 * column);
    let squares = ("f5", "play on f5; a pass is played for you");
    for (forms, help) in [squares].into_iter().chain(
        COMMANDS
            .0
            .iter()
            .map(|(_, command)| (command.forms, command.help)),
    ) {
        match is_narrow || forms.len() > MOST_FORMS {
            true => play.say(format!("{forms}\n    {help}"))?,
            false => play.say_behind(&format!("{forms:column$}"), help)?,
        }
    }
    play.say(HELP_END)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::patience::origin;

    #[test]
    fn lines_are_moves_commands_or_games() {
        for (line, expected) in [
            (" F5 ", "move f5"),
            ("  ", "nothing"),
            ("hint", "hint "),
            ("SAVE! a b.ggf", "save! a b.ggf"),
            ("f5d6c3", "game"),
            ("(;GM[Othello]B[f5];)", "game"),
            (
                "f9",
                "\"f9\" is not a move, a command or a position; ? lists the commands",
            ),
            (
                "\u{1b}[2J",
                "\"[2J\" is not a move, a command or a position; ? lists the commands",
            ),
            (
                "f5 d6 c3 d3 a1 a1",
                "game, move 5: a1 is illegal: it turns no disc",
            ),
        ] {
            let found = match read(line, origin()) {
                Line::Nothing => "nothing".to_owned(),
                Line::Move(mv) => format!("move {mv}"),
                Line::Command(typed) => format!("{} {}", typed.word, typed.rest),
                Line::Game => "game".to_owned(),
                Line::Bad(text) => text,
            };
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn a_side_to_move_below_a_board_is_no_command() {
        for line in ["b", "B - - W", "White to move", "f5", "list of moves"] {
            assert!(!is_command(line, origin()), "{line}");
        }
        for line in ["h", "white engine", "undo", "hint 3"] {
            assert!(is_command(line, origin()), "{line}");
        }
    }
}
