//! `emilia play --drill`: positions that were mistaken, or that a book has, asked again and again.

mod anki;
mod deck;
mod source;

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;

use super::command::PlayCommand;
use crate::analysis::judge::judge;
use crate::board::{Move, Square};
use crate::cli::draw::{self, Style};
use crate::cli::language::paragraph;
use crate::cli::output;
use crate::protocols::console::{InputLine, LineReader};
use crate::search::{Clock, Search, Silent, Stop, Task};
use crate::sentences::{Found, name, of_mistake};
use crate::util::printable::escaped;
use crate::util::target::Existing;
use deck::{Card, Day, Deck, today};
pub use source::Wanted;

/// An answer so many discs below the best is right too.
const AS_GOOD: f64 = 1.0;

/// How cards are asked.
pub struct Drill<'a> {
    /// Lines that are typed.
    pub lines: LineReader,
    /// Where cards appear.
    pub out: Box<dyn Write>,
    /// The prompt is written here, and not by a line editor.
    pub prompts: bool,
    /// What the terminal can show.
    pub style: Style,
    /// Its columns.
    pub columns: fn() -> Option<usize>,
    /// What is asked, and in which language.
    pub wanted: &'a Wanted,
    /// Judges answers.
    pub search: Search,
}

/// Makes cards of the file and writes them for Anki.
///
/// # Errors
/// When a file cannot be read or written.
pub fn export(
    path: &Path,
    (to, existing): (&Path, Existing),
    wanted: &Wanted,
    mut search: Search,
) -> Result<()> {
    let deck = filled(path, wanted, &mut search)?;
    let text = anki::csv(&deck, wanted.language);
    output::write(to, existing, text.as_bytes())?;
    output::message(format_args!("{} cards in {}", deck.cards.len(), to.display()));
    Ok(())
}

/// The deck of the file with whatever is new in the file.
fn filled(path: &Path, wanted: &Wanted, search: &mut Search) -> Result<Deck> {
    let mut deck = Deck::open(path)?;
    source::add_from(path, &mut deck, wanted, search)?;
    deck.save()?;
    Ok(deck)
}

/// What came of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Answered(bool),
    Skipped,
    Left,
}

impl Drill<'_> {
    /// Makes cards of the file, and asks those that are due.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn run(mut self, path: &Path) -> Result<()> {
        let mut deck = filled(path, self.wanted, &mut self.search)?;
        self.ask_all(&mut deck, today())
    }

    /// Asks what is due; what was wrong is asked again until it is right.
    fn ask_all(&mut self, deck: &mut Deck, today: Day) -> Result<()> {
        let mut due = deck.due(today);
        let all = due.len();
        let cards = |count: usize| if count == 1 { "1 card".to_owned() } else { format!("{count} cards") };
        self.say(&format!("{} of {} due; type a move, hint, skip or quit", cards(all), deck.cards.len()))?;
        let (mut right, mut wrong) = (0, 0);
        while !due.is_empty() {
            let at = due.remove(0);
            match self.ask(&deck.cards[at], due.len() + 1)? {
                Asked::Left => break,
                Asked::Skipped => {}
                Asked::Answered(is_right) => {
                    // Only the first answer of a day counts.
                    if deck.cards[at].due <= today {
                        deck.cards[at].answered(is_right, today);
                        deck.save()?;
                        if is_right { right += 1 } else { wrong += 1 }
                    }
                    due.extend((!is_right).then_some(at));
                }
            }
        }
        let when = match deck.next_due().map(|next| next.saturating_sub(today)) {
            None => "there are no cards".to_owned(),
            Some(0) => "more is due today".to_owned(),
            Some(1) => "the next card is due tomorrow".to_owned(),
            Some(days) => format!("the next card is due in {days} days"),
        };
        self.say(&format!("{right} right, {wrong} wrong; {when}"))?;
        Ok(())
    }

    /// Asks a card until there is an answer.
    fn ask(&mut self, card: &Card, left: usize) -> Result<Asked> {
        let language = self.wanted.language;
        let to_move = language.fill("to-move", &[("own", name(language, card.position.side).into())]);
        let board = draw::board(&card.position, None, &[], self.style);
        write!(self.out, "\n{board}")?;
        self.say(&format!("{to_move} ({}; {left} left)", card.source))?;
        loop {
            let Some(text) = self.line()? else { return Ok(Asked::Left) };
            match (text.trim().to_ascii_lowercase().as_str(), PlayCommand::parse(&text)) {
                ("skip" | "s", _) => return Ok(Asked::Skipped),
                (_, Ok(PlayCommand::Quit)) => return Ok(Asked::Left),
                (_, Ok(PlayCommand::Nothing)) => {}
                (_, Ok(PlayCommand::Hint(_))) => self.hint(card)?,
                (_, Ok(PlayCommand::Play(Move::Place(square))))
                    if card.position.board.play(square).is_some() =>
                {
                    return self.answer(card, square).map(Asked::Answered);
                }
                (typed, Ok(PlayCommand::Play(_))) => self.say(&format!("{typed} is no legal move"))?,
                _ => self.say("Type a move such as f5, hint, skip or quit")?,
            }
        }
    }

    /// What a good move here does, without naming it.
    fn hint(&mut self, card: &Card) -> io::Result<()> {
        let language = self.wanted.language;
        let told = card.squares().next().and_then(|best| {
            let told = crate::sentences::of_move(language, &card.position, best);
            told.into_iter().find(|sentence| !sentence.contains(&best.to_string()))
        });
        self.say(&told.unwrap_or_else(|| format!("{} moves are right", card.best.len())))
    }

    /// Judges an answer, and tells what is right.
    fn answer(&mut self, card: &Card, square: Square) -> Result<bool> {
        let language = self.wanted.language;
        if card.best.contains(&Move::Place(square)) {
            let told = anki::answer(card, square, language);
            self.say(&format!("{} {told}", language.fill("right", &[])))?;
            return Ok(true);
        }
        let task = Task::new(card.position.board, self.wanted.level.limits(Clock::Unlimited));
        let judged = judge(&mut self.search, &task, Some(Move::Place(square)), &Stop::new(), &mut Silent);
        let loss = judged.loss();
        if loss.is_some_and(|loss| loss < AS_GOOD) {
            self.say(&language.fill("right-too", &[("sq", square.into())]))?;
            return Ok(true);
        }
        let reply = judged.played.as_ref().and_then(|line| line.pv.get(1).copied());
        let values = [("sq", square.into()), ("n", (loss.unwrap_or_default().round() as u32).into())];
        let mut told = vec![language.fill(if loss.is_some() { "wrong" } else { "wrong-unknown" }, &values)];
        let found = Found { reply, best: card.squares().next(), ..Found::default() };
        told.extend(of_mistake(language, &card.position, square, &found));
        self.say(&told.join(language.gap()))?;
        for best in card.squares() {
            self.say(&anki::answer(card, best, language))?;
        }
        if let Some(mistake) = card.mistake.filter(|mistake| mistake.mv != Move::Place(square)) {
            self.say(&anki::played(language, mistake))?;
        }
        Ok(false)
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        let columns = (self.columns)();
        writeln!(
            self.out,
            "{}",
            paragraph("", &[escaped(text).into_owned()], self.wanted.language, columns)
        )?;
        self.out.flush()
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> io::Result<Option<String>> {
        if self.prompts {
            write!(self.out, "> ")?;
        }
        self.out.flush()?;
        Ok(match self.lines.read()? {
            Some(InputLine::Text(text)) => Some(text),
            Some(InputLine::TooLong) => Some("too long".to_owned()),
            None => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::board::Position;
    use crate::engine::Level;
    use crate::eval::Evaluator;
    use crate::search::Options;
    use crate::sentences::Language;
    use tempfile::TempDir;

    #[derive(Clone, Default)]
    struct Out(Arc<Mutex<Vec<u8>>>);

    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Asks the cards of a deck, with these lines typed.
    fn asked(deck: &mut Deck, typed: &'static str, day: Day) -> String {
        let wanted = Wanted { mine: None, least: 4.0, level: Level::new(2).unwrap(), language: Language::En };
        let out = Out::default();
        let mut drill = Drill {
            lines: LineReader::new(io::Cursor::new(typed)),
            out: Box::new(out.clone()),
            prompts: true,
            style: Style::Ascii,
            columns: || Some(60),
            wanted: &wanted,
            search: Search::new(&Options { threads: 1, hash_mib: 1 }, Evaluator::classic().into()),
        };
        drill.ask_all(deck, day).unwrap();
        let bytes = out.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    /// Black can take a corner, or not.
    fn deck(folder: &TempDir) -> Deck {
        let mut deck = Deck::open(&folder.path().join("g")).unwrap();
        let text = "-OX------------------------OX------XO--------------------------- X";
        let board = crate::notation::diagram::parse_board(text).unwrap();
        deck.add(Card::new(board, &["a1".parse().unwrap()], "a game".into()));
        assert_ne!(board, Position::START);
        deck
    }

    #[test]
    fn what_is_wrong_is_asked_again_until_it_is_right() {
        let folder = TempDir::new().unwrap();
        let mut deck = deck(&folder);
        let seen = asked(&mut deck, "hint\nh8\nrubbish\nf5\na1\n", 500);
        assert!(
            seen.contains("1 card of 1 due") && seen.contains("Black to move (a game; 1 left)"),
            "{seen}"
        );
        assert!(seen.contains("h8 is no legal move") && seen.contains("Type a move such as f5"), "{seen}");
        assert!(seen.contains("Wrong: f5 is about") && seen.contains("a1: Takes the corner."), "{seen}");
        assert!(seen.contains("Right. a1:") && seen.contains("0 right, 1 wrong"), "{seen}");
        assert!(seen.lines().all(|line| line.chars().count() <= 60), "{seen}");
        let card = &Deck::open(&folder.path().join("g")).unwrap().cards[0];
        assert_eq!((card.due, card.answers), (501, [0, 1]), "the answer is kept");
        let seen = asked(&mut deck, "a1\n", 501);
        assert!(seen.contains("1 right, 0 wrong; the next card is due tomorrow"), "{seen}");
        assert!(asked(&mut deck, "", 501).contains("0 cards of 1 due"));
        // The end of input leaves, and a skipped card stays due.
        assert!(asked(&mut deck, "skip\n", 502).contains("more is due today"));
        assert!(asked(&mut deck, "", 502).contains("0 right, 0 wrong"));
    }
}
