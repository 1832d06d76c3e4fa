//! Items 1 to 44: NBoard.

mod search;
mod state;
mod wire;

use super::check::skip;
use super::item::{Item, nboard, program};

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    program(1, "any protocol version is taken", state::versions),
    program(2, "works without the nboard line", state::without_hello),
    program(3, "first pong within a second", wire::first_pong),
    nboard(4, "ping is echoed as sent", state::ping_echo),
    nboard(5, "1000 pings, 1000 pongs in order", wire::many_pings),
    nboard(6, "ping stops a hint within 50 ms", search::ping_in_hint),
    nboard(7, "ping stops go, move first, within 50 ms", search::ping_in_go),
    program(8, "every go gets exactly one ===", state::one_answer),
    program(9, "go leaves the position alone", state::go_plays_nothing),
    program(10, "=== has the form MV/EVAL/TIME", state::answer_form),
    nboard(11, "times are true and the clock is kept", search::clock_kept),
    nboard(12, "EVAL in discs from the mover's side", search::eval_sign),
    program(13, "a forced pass is answered PA", state::pass),
    program(14, "game over: go answers, hint is silent", state::over),
    nboard(15, "all spellings of a move", state::move_spellings),
    nboard(16, "illegal moves change nothing", state::illegal_moves),
    program(17, "bare F5, depth N, game GGF", state::version_one),
    program(18, "odd depths do no harm", state::odd_depths),
    program(19, "set contempt is accepted", state::contempt),
    program(20, "set game in all its forms", state::game_forms),
    nboard(21, "a bad game leaves the old one", state::bad_games),
    nboard(22, "the clock is read from the game", search::clock_read),
    nboard(23, "hint n: n moves, never more than legal", search::hint_counts),
    program(24, "one depth token per iteration, rising", search::depth_tokens),
    program(25, "search lines keep to the grammar", search::search_grammar),
    program(26, "nodestats keep to the grammar", search::nodestats),
    nboard(27, "learn and analyze", search::learn_analyze),
    program(28, "quit ends it within a second", wire::quit),
    program(29, "end of input ends it within a second", wire::end_of_input),
    program(30, "what came before the end is done", wire::before_the_end),
    program(31, "unknown lines are silent, stop nothing", wire::unknown_lines),
    program(32, "CRLF; a last line without its end", wire::line_ends),
    program(33, "bytes that are no text", wire::odd_bytes),
    program(34, "lines of a megabyte", wire::long_lines),
    program(35, "ASCII, LF, nothing on stderr", wire::plain_output),
    program(36, "exits quietly when its reader is gone", wire::broken_pipe),
    nboard(37, "50 set game + hint in one write", wire::burst),
    program(38, "set game during a search", search::game_in_search),
    program(39, "not more lines than a GUI can take", wire::line_rate),
    program(40, "the name is one ASCII word", wire::name),
    program(41, "clear is silent", wire::clear),
    program(42, "upper case is not fatal", wire::upper_case),
    program(43, "NBoard's own link classes", |_| skip("needs NBoard")),
    program(44, "vibe-othello-2's client", |_| skip("needs vibe-othello-2")),
];
