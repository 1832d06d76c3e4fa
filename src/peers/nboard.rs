//! Answers of NBoard engines.

use crate::board::{Move, Square};

/// Reads the move and the score after `===`: `MV[/EVAL[/TIME]]`, with slashes or blanks.
pub fn parse_reply(text: &str) -> Option<(Move, Option<f64>)> {
    let mut fields = text.trim().split(|c: char| c == '/' || c.is_whitespace());
    let mv = parse_move(fields.next()?)?;
    let eval = fields
        .next()
        .and_then(|field| field.parse().ok())
        .filter(|eval: &f64| eval.is_finite());
    Some((mv, eval))
}

/// Reads a square in either case, or `PA`, `PASS`, `--`; ignores letters after a square.
fn parse_move(text: &str) -> Option<Move> {
    let upper = text.to_ascii_uppercase();
    if upper == "--" || (!upper.is_empty() && "PASS".starts_with(&upper)) {
        return Some(Move::Pass);
    }
    upper.get(..2)?.parse::<Square>().ok().map(Move::Place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_as_engines_write_them() {
        let place = |name: &str| Move::Place(name.parse().unwrap());
        let cases = [
            (" D3/0.91/0.00", place("d3"), Some(0.91)),
            (" d6 -1.00 0.0", place("d6"), Some(-1.0)),
            (" PA//0.00", Move::Pass, None),
            (" -- 0.00 0.0", Move::Pass, Some(0.0)),
            (" pa", Move::Pass, None),
            (" f5xyz/1e2", place("f5"), Some(100.0)),
            (" f5/nan", place("f5"), None),
        ];
        for (text, mv, eval) in cases {
            assert_eq!(parse_reply(text), Some((mv, eval)), "{text}");
        }
        for text in ["", " ", " resign", " i9", " 5f", " é"] {
            assert_eq!(parse_reply(text), None, "{text}");
        }
    }
}
