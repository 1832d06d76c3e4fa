//! Items 1 to 44: NBoard.

mod search;
mod state;
mod wire;

use super::Item;
use super::probe::{NBoard, OPENING, game, ggf, skip};
use crate::board::Game;

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    Item { number: 1, title: "any protocol version is taken", check: state::versions },
    Item { number: 2, title: "works without the nboard line", check: state::without_hello },
    Item { number: 3, title: "first pong within a second", check: wire::first_pong },
    Item { number: 4, title: "ping is echoed as sent", check: state::ping_echo },
    Item { number: 5, title: "1000 pings, 1000 pongs in order", check: wire::many_pings },
    Item { number: 6, title: "ping stops a hint within 50 ms", check: search::ping_in_hint },
    Item { number: 7, title: "ping stops go, move first, within 50 ms", check: search::ping_in_go },
    Item { number: 8, title: "every go gets exactly one ===", check: state::one_answer },
    Item { number: 9, title: "go leaves the position alone", check: state::go_plays_nothing },
    Item { number: 10, title: "=== has the form MV/EVAL/TIME", check: state::answer_form },
    Item { number: 11, title: "times are true and the clock is kept", check: search::clock_kept },
    Item { number: 12, title: "EVAL in discs from the mover's side", check: search::eval_sign },
    Item { number: 13, title: "a forced pass is answered PA", check: state::pass },
    Item { number: 14, title: "game over: go answers, hint is silent", check: state::over },
    Item { number: 15, title: "all spellings of a move", check: state::move_spellings },
    Item { number: 16, title: "illegal moves change nothing", check: state::illegal_moves },
    Item { number: 17, title: "bare F5, depth N, game GGF", check: state::version_one },
    Item { number: 18, title: "odd depths do no harm", check: state::odd_depths },
    Item { number: 19, title: "set contempt is accepted", check: state::contempt },
    Item { number: 20, title: "set game in all its forms", check: state::game_forms },
    Item { number: 21, title: "a bad game leaves the old one", check: state::bad_games },
    Item { number: 22, title: "the clock is read from the game", check: search::clock_read },
    Item { number: 23, title: "hint n: n moves, never more than legal", check: search::hint_counts },
    Item { number: 24, title: "one depth token per iteration, rising", check: search::depth_tokens },
    Item { number: 25, title: "search lines keep to the grammar", check: search::search_grammar },
    Item { number: 26, title: "nodestats keep to the grammar", check: search::nodestats },
    Item { number: 27, title: "learn and analyze", check: search::learn_analyze },
    Item { number: 28, title: "quit ends it within a second", check: wire::quit },
    Item { number: 29, title: "end of input ends it within a second", check: wire::end_of_input },
    Item { number: 30, title: "what came before the end is done", check: wire::before_the_end },
    Item { number: 31, title: "unknown lines are silent, stop nothing", check: wire::unknown_lines },
    Item { number: 32, title: "CRLF; a last line without its end", check: wire::line_ends },
    Item { number: 33, title: "bytes that are no text", check: wire::odd_bytes },
    Item { number: 34, title: "lines of a megabyte", check: wire::long_lines },
    Item { number: 35, title: "ASCII, LF, nothing on stderr", check: wire::plain_output },
    Item { number: 36, title: "exits quietly when its reader is gone", check: wire::broken_pipe },
    Item { number: 37, title: "50 set game + hint in one write", check: wire::burst },
    Item { number: 38, title: "set game during a search", check: search::game_in_search },
    Item { number: 39, title: "not more lines than a GUI can take", check: wire::line_rate },
    Item { number: 40, title: "the name is one ASCII word", check: wire::name },
    Item { number: 41, title: "clear is silent", check: wire::clear },
    Item { number: 42, title: "upper case is not fatal", check: wire::upper_case },
    Item { number: 43, title: "NBoard's own link classes", check: |_| skip("needs NBoard") },
    Item { number: 44, title: "vibe-othello-2's client", check: |_| skip("needs vibe-othello-2") },
];

fn opening() -> Game {
    game(OPENING)
}

fn load(engine: &NBoard, game: &Game) {
    engine.send(&format!("set game {}", ggf(game, "0", 0.0)));
}
