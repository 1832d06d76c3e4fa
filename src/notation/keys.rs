//! The keys of JSON with their meanings.

/// The meaning of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Start,
    Moves,
    Name,
    Result,
    Tag,
}

/// All keys, in small letters and without `_`.
const KEYS: [(Key, &str); 5] = [
    (
        Key::Start,
        "start initial initialboard startposition startpos setup from state board fen position",
    ),
    (
        Key::Moves,
        "moves transcript kifu movelist gamemoves sequence history game record line pgn",
    ),
    (Key::Name, "black white blackplayer whiteplayer players"),
    (
        Key::Result,
        "result winner score blackscore whitescore finalstatus reason termination",
    ),
    (Key::Tag, "date created event tournament comment memo id"),
];
/// A key in small letters and without `_`.
pub fn normal(key: &str) -> String {
    key.to_lowercase().replace('_', "")
}

/// The meaning of a key.
pub fn meaning(key: &str) -> Option<Key> {
    let key = normal(key);
    let has = |(_, names): &&(Key, &str)| names.split(' ').any(|name| name == key);
    KEYS.iter().find(has).map(|(meaning, _)| *meaning)
}
