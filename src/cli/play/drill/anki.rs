//! Cards for Anki: a file of comma-separated values, as its import reads it.

use super::deck::{Card, Deck, Mistake};
use crate::board::Square;
use crate::cli::draw::{self, Style};
use crate::sentences::{Language, name, of_move};

/// All cards: the position in front, the answer behind.
pub fn csv(deck: &Deck, language: Language) -> String {
    let mut text = "#separator:Comma\n#html:true\n#columns:Front,Back,Tags\n".to_owned();
    for card in &deck.cards {
        let fields = [front(card, language), back(card, language), "othello".to_owned()];
        text += &(fields.map(|field| quoted(&field)).join(",") + "\n");
    }
    text
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

/// A text within a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn front(card: &Card, language: Language) -> String {
    let board = draw::board(&card.position, None, &[], Style::Unicode);
    let to_move = language.fill("to-move", &[("own", name(language, card.position.side).into())]);
    // A field of one line: tables of others read it too.
    let board = escaped(&board).replace('\n', "<br>");
    // Black and white on paper, whatever the colours of the page are.
    format!("<pre style=\"background:#fff;color:#000\">{board}</pre>{}", escaped(&to_move))
}

fn back(card: &Card, language: Language) -> String {
    let mut lines: Vec<String> = card.squares().map(|best| answer(card, best, language)).collect();
    if let Some(mistake) = card.mistake {
        lines.push(played(language, mistake));
    }
    lines.push(card.source.clone());
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("<br>")
}

/// A best move and what it does.
pub fn answer(card: &Card, best: Square, language: Language) -> String {
    let told = of_move(language, &card.position, best);
    format!("{best}: {}", told.join(language.gap()))
}

/// What was played in the game.
pub fn played(language: Language, mistake: Mistake) -> String {
    let values = [("sq", mistake.mv.in_words().into()), ("n", (mistake.loss.round() as u32).into())];
    language.fill("was-played", &values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, Position};
    use tempfile::TempDir;

    #[test]
    fn cards_are_rows_of_three_fields() {
        let folder = TempDir::new().unwrap();
        let mut deck = Deck::open(&folder.path().join("g")).unwrap();
        let [best, bad] = ["f5", "d3"].map(|name| name.parse().unwrap());
        let card = Card::new(Position::START, &[best], "\"A\" & <B>".into());
        deck.add(Card { mistake: Some(Mistake { mv: Move::Place(bad), loss: 4.4 }), ..card });
        let text = csv(&deck, Language::En);
        let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(rows.len(), 1, "{text}");
        // Quotes within a field are doubled, so that an odd one begins or ends a field.
        assert_eq!(rows[0].replace("\"\"", "").matches('"').count(), 6);
        assert!(rows[0].contains("Black to move") && rows[0].contains("f5: "), "{text}");
        assert!(rows[0].contains("\"\"A\"\" &amp; &lt;B&gt;") && rows[0].ends_with("\"othello\""), "{text}");
        assert!(rows[0].contains("In the game d3 was played, about 4 discs worse."), "{text}");
    }
}
