//! Random texts mixed from fragments of all notations: each entry is an error or a legal game, and no game has fewer
//! moves than a simple independent reader finds.

use crate::board::testing::play_on;
use crate::board::{Game, Move, Position, Square};
use crate::notation::split::Splitter;
use crate::notation::{Detected, ParseError};
use crate::util::rng::Rng;

const TEXTS: u32 = 10_000;

/// Fragments of all notations, separated by `~`; `@` becomes the moves of a random game.
const FRAGMENTS: &str = "@~@~@~@~@ Tiger~d3 opening: @~c4 - Heath: @~Tiger: @~ann - bob: @~Game 3: @~\
                          @ ; c3 was better~@; d3:+2; c4:-1~@ # f5 was better~@ {f5?}~@ (f5 d6)~@ +2.5~@ X-2.5~\
                          {\"transcript\":\"@\"}~{\"moves\":\"@\",\"id\":7}~{\"name\":\"f5d6\"}~{\"moves\":[]}~\
                          [{\"moves\":\"@\"},{\"moves\":\"@\"}]~{\"games\":[{\"moves\":\"@\"}]}~{'kifu': '@'}~\
                          {\"moves\":\"@\"~{~}~[~]~(;GM[Othello]PB[ann]B[f5]W[d6];)~(;GM[Othello]PB[c4]~\
                          (;FF[4]GM[2]C[d3];B[f5];W[d6])~(;FF[4]GM[2];B[f5]~[Black \"c4\"]~\
                          [Event \"x\"]\n[Black \"ann\"]\n\n1. f5 d6 {c3} 2. c3 *~1. f5 d6~2. c3 d3~1. @~*~1-0~34-30~\
                          ---------------------------OX------XO--------------------------- X~\
                          ---------------------------OX------XO--------------------------- X; f5:+2; d3:+1~\
                          8/8/8/3pP3/3Pp3/8/8/8 b~\
                          --------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------\nX~\
                          Black to move~moves: @~Black White~id,winner,moves~1,1,@~2,-1,@,ann~ann;bob;@~# f5d6~\
                          ; c3 d3~% f5~hello~I like f5~Tiger~pass~--~f9~0000000810000000 0000001008000000 X~\
                          | 1 | f5 | d6 |~+f5-d6+c3";

fn random_moves(rng: &mut Rng) -> String {
    let game = play_on(Game::default(), 1 + rng.below(20), rng);
    let separator = ["", "", " ", ", ", "-", "; ", " -> "][rng.below(7) as usize];
    let moves: Vec<String> = game.moves().iter().map(Move::to_string).collect();
    let moves = moves.join(separator);
    if rng.below(3) == 0 {
        moves.to_uppercase()
    } else {
        moves
    }
}

fn random_text(rng: &mut Rng) -> String {
    let fragments: Vec<&str> = FRAGMENTS.split('~').collect();
    let mut text = String::new();
    for _ in 0..1 + rng.below(5) {
        let fragment = fragments[rng.below(fragments.len() as u32) as usize];
        fragment
            .split_inclusive('@')
            .for_each(|part| match part.strip_suffix('@') {
                Some(part) => text.extend([part, &random_moves(rng)]),
                None => text.push_str(part),
            });
        text.push_str(["\n", "\n", "\n\n", " ", "; ", ": ", ", ", "\r\n"][rng.below(8) as usize]);
    }
    text
}

/// Squares that can be played one after another from `start`, outside of comments and tags; others are skipped.
fn simple_count(start: Position, text: &str) -> usize {
    let mut words = String::new();
    let mut close = None;
    let is_pgn = text.trim_start().starts_with('[') && text.contains(" \"");
    for line in text.lines() {
        let chars: Vec<char> = line.chars().collect();
        let is_tag = line.trim_start().starts_with('[') && line.contains(" \"");
        for (at, &c) in chars.iter().enumerate().take_while(|_| !is_tag) {
            let before = at.checked_sub(1).map_or(' ', |at| chars[at]);
            match (close, c) {
                (Some(sign), c) => close = (sign != c).then_some(sign),
                (None, '#' | '%') if before.is_whitespace() => break,
                (None, ';') if is_pgn => break,
                (None, ';') if before.is_whitespace() && !text.trim_start().starts_with('(') => {
                    break;
                }
                (None, '{') if is_pgn || !text.contains(['"', '\'']) => close = Some('}'),
                // The value of a tag; those of moves count.
                (None, '[') if before.is_ascii_uppercase() => {
                    let name: String = chars[..at]
                        .iter()
                        .rev()
                        .take_while(|c| c.is_ascii_uppercase())
                        .collect();
                    close = (name != "B" && name != "W").then_some(']');
                    words.push(' ');
                }
                _ => words.push(c),
            }
        }
        words.push('\n');
    }
    let mut game = Game::new(start);
    for word in words.split(|c: char| !c.is_alphanumeric()) {
        let pairs = word
            .as_bytes()
            .chunks(2)
            .map(|pair| std::str::from_utf8(pair).ok()?.parse::<Square>().ok());
        let Some(squares) = pairs.collect::<Option<Vec<Square>>>() else {
            continue;
        };
        for square in squares {
            let _ = game.play_implying_pass(square);
        }
    }
    game.moves().iter().filter(|mv| **mv != Move::Pass).count()
}

/// The entries of a text, each with its part of it.
fn entries(text: &str) -> Vec<(String, Result<Vec<Detected>, ParseError>)> {
    let mut splitter = Splitter::new(None);
    text.lines().for_each(|line| splitter.push(line));
    splitter.finish();
    let chunks = std::iter::from_fn(|| splitter.pop());
    let read = chunks.map(|chunk| {
        let read = chunk.format.parse_all(&chunk.text);
        (chunk.text, read)
    });
    read.collect()
}

/// Words that no reading of moves keeps: names and values in objects, moves with values.
fn is_apart(chunk: &str) -> bool {
    chunk.contains("\"name\"") || chunk.contains(":+") || chunk.contains("(f5 d6)")
}

#[test]
fn mixed_texts_are_errors_or_legal_games_without_lost_moves() {
    let mut rng = Rng::new(51);
    let (mut good, mut wrong) = (0, Vec::new());
    for _ in 0..TEXTS {
        let text = random_text(&mut rng);
        for (chunk, read) in entries(&text) {
            let Ok(read) = read else { continue };
            good += read.len();
            for found in &read {
                let game = &found.record.game;
                let replayed = Game::from_moves(game.start(), game.moves().iter().copied());
                assert_eq!(replayed.as_ref(), Ok(game), "{chunk}");
                let is_empty = found.format.is_of_games() && game.moves().is_empty();
                let is_tagged = chunk.trim_start().starts_with(['(', '[']);
                if is_empty && !is_tagged {
                    wrong.push(format!("an empty game: {chunk:?}"));
                }
            }
            if let [found] = &read[..]
                && found.format.is_of_games()
                && !is_apart(&chunk)
            {
                let game = &found.record.game;
                let count = game.moves().iter().filter(|mv| **mv != Move::Pass).count();
                let simple = simple_count(
                    game.start(),
                    &chunk.replace("d3 opening:", "").replace("c4 - Heath:", ""),
                );
                if count < simple {
                    wrong.push(format!("{count} of {simple} moves: {chunk:?}"));
                }
            }
        }
    }
    assert!(good > 5_000, "only {good} entries were read");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
