//! Holds the rules of the house: see the crate documentation.
//!
//! Reads every file under `src/` as text, so a breach is reported with file and line.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The top-level modules by row. A module imports only from strictly lower rows or from itself.
const ROWS: [&[&str]; 10] = [
    &["util"],
    &["board"],
    &["certificate", "eval", "notation", "picture"],
    &["book", "search", "peers", "sentences"],
    &["engine", "proof"],
    &["analysis", "capi"],
    &["conform", "protocols", "report", "tournament", "training"],
    &["play", "web"],
    &["cli", "main"],
    &["fuzz"],
];

/// Folders and files that may contain `unsafe`: kernels, raw memory, the C interface and the operating system.
const UNSAFE_PLACES: &[&str] = &[
    "board/flip/",
    "board/level.rs",
    "board/mobility/",
    "board/stability/",
    "board/zobrist/",
    "capi/",
    "eval/network/inference/",
    "main.rs",
    "search/endgame/last_empties/",
    "search/endgame/order/",
    "util/clock.rs",
    "util/cpu.rs",
    "util/memory.rs",
    "util/os/",
    "web/mod.rs",
];

/// The Rust files below a folder of the project as (path relative to it, text).
fn files_below(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    super::prose::files(&root, &mut files);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let read = |path: PathBuf| {
        let name = path
            .strip_prefix(&root)
            .expect("found below the root")
            .to_string_lossy()
            .replace('\\', "/");
        (name, fs::read_to_string(&path).expect("sources are UTF-8"))
    };
    files.into_iter().map(read).collect()
}

/// All sources, without the tests of the project, `lib.rs` and the build script.
fn sources() -> Vec<(String, String)> {
    let mut sources = files_below("src");
    sources.retain(|(name, _)| {
        !["build.rs", "lib.rs"].contains(&name.as_str()) && !name.starts_with("tests/")
    });
    sources
}

/// The top-level module that a file belongs to.
fn module_of(file: &str) -> &str {
    file.split(['/', '.'])
        .next()
        .expect("split gives at least one part")
}

fn row_of(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// The part of a line before a `//` comment.
fn code(line: &str) -> &str {
    line.split("//")
        .next()
        .expect("split gives at least one part")
}

/// A path of modules from the crate's root; items at the end of a path may belong to it.
type ModulePath = Vec<String>;

/// The module that a file is.
fn module_path(file: &str) -> ModulePath {
    let name = file.strip_suffix(".rs").unwrap_or(file);
    name.strip_suffix("/mod")
        .unwrap_or(name)
        .split('/')
        .map(str::to_owned)
        .collect()
}

/// The lines of a file with their numbers, comments cut off, each with its module: inline ones count. A `use` over
/// several lines is one line with every path in full.
fn statements(file: &str, text: &str) -> Vec<(usize, ModulePath, String)> {
    let mut module = module_path(file);
    let depth = module.len();
    let mut lines = text.lines().map(code).enumerate();
    let mut found = Vec::new();
    while let Some((at, line)) = lines.next() {
        let mut statement = line.to_owned();
        let words = line.trim_start();
        if words.starts_with("use ") || words.starts_with("pub") && words.contains(" use ") {
            while !statement.contains(';') {
                let Some((_, next)) = lines.next() else { break };
                statement.push_str(next);
            }
            statement = without_braces(statement);
        }
        let inline = line.split_once("mod ").and_then(|(before, rest)| {
            (before.is_empty() || before.starts_with("pub"))
                .then(|| rest.strip_suffix(" {"))
                .flatten()
        });
        if let Some(name) = inline {
            module.push(name.to_owned());
        } else if line.starts_with('}') {
            module.truncate(depth);
        }
        found.push((at + 1, module.clone(), statement));
    }
    found
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Writes every path of a `use` in full: `use a::{b, c::d};` becomes `use a::b,a::c::d;`.
fn without_braces(mut statement: String) -> String {
    while let Some(open) = statement.rfind('{') {
        let close = statement[open..]
            .find('}')
            .map_or(statement.len(), |length| open + length);
        let begin = statement[..open]
            .rfind(|c| !(is_word(c) || c == ':'))
            .map_or(0, |at| at + 1);
        let prefix = &statement[begin..open];
        let items = statement[open + 1..close]
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty());
        let paths: Vec<String> = items.map(|item| format!("{prefix}{item}")).collect();
        statement.replace_range(begin..statement.len().min(close + 1), &paths.join(","));
    }
    statement
}

/// The path at the beginning of `text`.
fn path(text: &str) -> ModulePath {
    let end = text
        .find(|c| !(is_word(c) || c == ':'))
        .unwrap_or(text.len());
    text[..end]
        .split("::")
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// All paths of a statement in `module` that begin with `crate::`, `self::` and `super::`, from the crate's root.
fn named(module: &[String], statement: &str) -> Vec<ModulePath> {
    let mut found = Vec::new();
    for keyword in ["crate::", "self::", "super::"] {
        for (at, _) in statement.match_indices(keyword) {
            if statement[..at].ends_with(|c| is_word(c) || c == ':') {
                continue;
            }
            let mut rest = &statement[at..];
            let mut base = if keyword == "crate::" {
                &[][..]
            } else {
                module
            };
            while let Some(above) = rest.strip_prefix("super::") {
                (rest, base) = (above, &base[..base.len().saturating_sub(1)]);
            }
            rest = rest
                .strip_prefix("crate::")
                .or(rest.strip_prefix("self::"))
                .unwrap_or(rest);
            found.push([base, &path(rest)].concat());
        }
    }
    found
}

/// All paths in a room's own file that begin with the name of a module, as in `use child::Item` and `child::f()`.
fn named_below(room: &[String], statement: &str, modules: &HashSet<ModulePath>) -> Vec<ModulePath> {
    let mut found = Vec::new();
    for (at, _) in statement.match_indices("::") {
        let begin = statement[..at]
            .rfind(|c| !is_word(c))
            .map_or(0, |before| before + 1);
        let word = statement[begin..at].to_owned();
        if !statement[..begin].ends_with([':', '.']) && modules.contains(&[room, &[word]].concat())
        {
            found.push([room, &path(&statement[begin..])].concat());
        }
    }
    found
}

/// Whether a statement re-exports an item.
fn is_door(statement: &str) -> bool {
    let words = statement.trim_start();
    words.starts_with("pub") && words.contains(" use ")
}

/// The name of a room's own file among its modules.
const OWN_FILE: &str = "mod.rs";

/// One module of a room naming another one of the same room, or an item of the room's own file.
struct Edge {
    room: ModulePath,
    from: String,
    to: String,
    place: String,
}

/// All names of one module in a sibling or in the room's own file, without tests.
///
/// An item that a room re-exports by `pub use` belongs to its module, and a re-export is no use.
fn edges(sources: &[(String, String)]) -> Vec<Edge> {
    let mut modules: HashSet<ModulePath> = HashSet::new();
    let mut statements_of = Vec::new();
    for (file, text) in sources {
        let here = module_path(file);
        modules.extend((1..=here.len()).map(|len| here[..len].to_vec()));
        statements_of.push((file, here, statements(file, text)));
    }
    let mut doors: HashMap<ModulePath, ModulePath> = HashMap::new();
    for (_, here, statements) in &statements_of {
        for (_, module, statement) in statements {
            if module == here && is_door(statement) {
                for target in [
                    named(here, statement),
                    named_below(here, statement, &modules),
                ]
                .into_iter()
                .flatten()
                {
                    let shown = [here.as_slice(), &target[target.len() - 1..]].concat();
                    if target.starts_with(here) && target.len() > shown.len() {
                        doors.insert(shown, target);
                    }
                }
            }
        }
    }
    let holder = |mut path: ModulePath| {
        while let Some(len) = (1..=path.len())
            .rev()
            .find(|&len| doors.contains_key(&path[..len]))
        {
            if modules.contains(&path[..len]) {
                break;
            }
            path = [&doors[&path[..len]], &path[len..]].concat();
        }
        path
    };
    let mut edges = Vec::new();
    for (file, here, statements) in &statements_of {
        for (number, module, statement) in statements {
            if module.iter().any(|name| name == "tests") {
                continue;
            }
            let mut targets = named(module, statement);
            if module == here && !is_door(statement) {
                targets.extend(named_below(here, statement, &modules));
            }
            for target in targets.into_iter().map(holder) {
                let shared = here.iter().zip(&target).take_while(|(a, b)| a == b).count();
                let in_room = |path: &ModulePath| match modules
                    .contains(&path[..path.len().min(shared + 1)])
                {
                    true if path.len() > shared => path[shared].clone(),
                    _ => OWN_FILE.to_owned(),
                };
                let (from, to) = (in_room(here), in_room(&target));
                // A path that ends at the room itself is a visibility.
                if from != to && target.len() > shared && (shared > 0 || to != OWN_FILE) {
                    let place = format!("src/{file}:{number}");
                    edges.push(Edge {
                        room: here[..shared].to_vec(),
                        from,
                        to,
                        place,
                    });
                }
            }
        }
    }
    edges
}

/// Calls `check` on each line of each file with (file, line number from 1, line); joins the reports.
fn breaches(check: impl Fn(&str, &str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if let Some(what) = check(&file, line) {
                found.push(format!("src/{file}:{}: {what}", number + 1));
            }
        }
    }
    found
}

#[test]
fn modules_import_only_from_lower_rows() {
    let found: Vec<_> = edges(&sources())
        .into_iter()
        .filter(|edge| edge.room.is_empty())
        .filter(|edge| row_of(&edge.to) >= row_of(&edge.from))
        .map(|edge| format!("{}: {} imports {}", edge.place, edge.from, edge.to))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// To verify a proof, a reader needs only the rules and this room.
#[test]
fn the_checker_of_proofs_is_short_and_knows_the_rules_alone() {
    const ROOM: &str = "certificate";
    let sources = sources();
    let own = sources.iter().filter(|(file, _)| module_of(file) == ROOM);
    let lines: usize = own.map(|(_, text)| text.lines().count()).sum();
    assert!((1..=400).contains(&lines), "{lines} lines");
    let edges = edges(&sources);
    let named: HashSet<&str> = edges
        .iter()
        .filter(|edge| edge.room.is_empty() && edge.from == ROOM)
        .map(|edge| edge.to.as_str())
        .collect();
    assert_eq!(named, HashSet::from(["board"]));
}

/// The edges of circles: the rest after removing modules without incoming or outgoing edges.
fn circles(mut edges: Vec<Edge>) -> Vec<Edge> {
    loop {
        let before = edges.len();
        let of = |edges: &[Edge], end: fn(&Edge) -> &String| -> HashSet<(ModulePath, String)> {
            edges
                .iter()
                .map(|edge| (edge.room.clone(), end(edge).clone()))
                .collect()
        };
        let (from, to) = (of(&edges, |edge| &edge.from), of(&edges, |edge| &edge.to));
        edges.retain(|edge| {
            from.contains(&(edge.room.clone(), edge.to.clone()))
                && to.contains(&(edge.room.clone(), edge.from.clone()))
        });
        if edges.len() == before {
            return edges;
        }
    }
}

#[test]
fn no_room_has_a_circle() {
    let found: Vec<_> = circles(edges(&sources()))
        .into_iter()
        .map(|edge| {
            format!(
                "{}: {} and {} go round in {}",
                edge.place,
                edge.from,
                edge.to,
                edge.room.join("::")
            )
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_rooms_own_file_is_part_of_its_circles() {
    let own = "mod a;\nmod b;\nuse a::A;\npub use b::B;\npub const ROOM: u8 = 1;\n";
    let rounds = |a: &str, b: &str| {
        let sources = [("r/mod.rs", own), ("r/a.rs", a), ("r/b.rs", b)];
        let sources = sources.map(|(file, text)| (file.to_owned(), text.to_owned()));
        let mut found: Vec<_> = circles(edges(&sources))
            .iter()
            .map(|edge| format!("{} {}", edge.from, edge.to))
            .collect();
        found.sort();
        found
    };
    assert_eq!(rounds("use super::ROOM;\n", ""), ["a mod.rs", "mod.rs a"]);
    // `B` is shown by the room and belongs to `b`; `pub(in crate::r)` is a visibility.
    assert!(rounds("use super::B;\npub(in crate::r) fn f() {}\n", "").is_empty());
    assert_eq!(
        rounds("use super::B;\n", "use super::a::A;\n"),
        ["a b", "b a"]
    );
    // A ladder is no circle.
    assert!(rounds("", "use super::a::A;\n").is_empty());
    assert!(rounds("mod tests {\n    use super::super::ROOM;\n}\n", "").is_empty());
}

#[test]
fn every_module_has_a_row() {
    for (file, _) in sources() {
        assert!(
            row_of(module_of(&file)).is_some(),
            "src/{file} belongs to no row of the house"
        );
    }
}

#[test]
fn unsafe_stays_in_its_places() {
    let is_listed = |file: &str| UNSAFE_PLACES.iter().any(|place| file.starts_with(place));
    let found = breaches(|file, line| {
        let uses = code(line)
            .split(|c| !is_word(c))
            .any(|word| word == "unsafe");
        (uses && !is_listed(file)).then(|| "unsafe outside the listed places".to_owned())
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
    let sources = sources();
    for place in UNSAFE_PLACES {
        let has_some =
            |(file, text): &(String, String)| file.starts_with(place) && text.contains("unsafe");
        assert!(
            sources.iter().any(has_some),
            "src/{place} needs no place on the list"
        );
    }
}

/// These panic when the output is closed or the disk is full; `cli/output.rs` and `protocols/console.rs` do not.
#[test]
fn nothing_prints_by_macro() {
    let found = breaches(|_, line| {
        let prints = ["println!", "print!", "eprintln!", "eprint!", "dbg!"]
            .iter()
            .any(|word| {
                code(line)
                    .match_indices(word)
                    .any(|(at, _)| at == 0 || !line.as_bytes()[at - 1].is_ascii_alphabetic())
            });
        prints.then(|| "prints by macro instead of through a writer".to_owned())
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The lines of tests: those after `mod tests`, or all of a file that only tests use.
fn test_lines<'a>(file: &str, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    const TESTS_ALONE: [&str; 3] = ["/tests.rs", "/testing.rs", "_tests.rs"];
    let all =
        file.starts_with("protocol-tests/") || TESTS_ALONE.iter().any(|end| file.ends_with(end));
    let lines = text.lines().enumerate();
    lines
        .skip_while(move |(_, line)| !all && !line.contains("mod tests {"))
        .map(|(at, line)| (at + 1, line))
}

/// A call in a test that waits or reads the clock: a time limit that a busy machine would exceed.
fn own_clock(line: &str) -> Option<&'static str> {
    const CLOCKS: [&str; 7] = [
        "Instant::now",
        "SystemTime::now",
        ".elapsed()",
        "thread::sleep",
        "sleep(Duration",
        "recv_timeout(",
        "wait_timeout(",
    ];
    CLOCKS.into_iter().find(|clock| code(line).contains(clock))
}

/// `util/patience.rs` is the clock of all tests.
#[test]
fn tests_have_no_limits_of_their_own() {
    // A package is built without `protocol-tests`.
    let is_there = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("protocol-tests")
        .is_dir();
    let folders = if is_there {
        &["src", "protocol-tests"][..]
    } else {
        &["src"]
    };
    let all = folders.iter().flat_map(|folder| {
        let files = if *folder == "src" {
            sources()
        } else {
            files_below(folder)
        };
        files
            .into_iter()
            .map(move |(file, text)| (format!("{folder}/{file}"), text))
    });
    let found: Vec<_> = all
        .flat_map(|(file, text)| {
            let own =
                |(at, line): (usize, &str)| Some(format!("{file}:{at}: `{}`", own_clock(line)?));
            test_lines(&file, &text).filter_map(own).collect::<Vec<_>>()
        })
        .collect();
    assert!(
        found.is_empty(),
        "by `util::patience` instead:\n{}",
        found.join("\n")
    );
}

#[test]
fn limits_of_tests_are_seen() {
    let text = "fn wait() { thread::sleep(A); }\n#[cfg(test)]\nmod tests {\n    let a = Instant::now();\n    \
                // begin.elapsed()\n    game.elapsed(side); pause(b);\n    assert!(a.elapsed() < b);\n}\n";
    let found = |file: &str| -> Vec<usize> {
        test_lines(file, text)
            .filter(|(_, line)| own_clock(line).is_some())
            .map(|(at, _)| at)
            .collect()
    };
    assert_eq!(found("src/a.rs"), [4, 7]);
    assert_eq!(found("src/a/tests.rs"), [1, 4, 7]);
    assert_eq!(found("protocol-tests/a.rs"), [1, 4, 7]);
}

#[test]
fn files_stay_short() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > 600)
        .map(|(file, text)| format!("src/{file}: {} lines", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "over 600 lines:\n{}", long.join("\n"));
}

#[test]
fn imports_are_read_from_all_spellings() {
    let text = "use crate::board::{Board, Square};\nuse crate::{board, eval::{Evaluator, stage::STAGES}};\n\
                \x20   crate::search::Stop::new() // crate::cli\npub(crate) use super::super::board;\n\
                use crate::{\n    cli::input,\n};\nmod tests {\n    use super::*;\n}\nself::x();";
    let found: Vec<String> = statements("search/tree/pvs.rs", text)
        .iter()
        .flat_map(|(_, module, statement)| named(module, statement))
        .map(|path| path.join("::"))
        .collect();
    let expected = "board::Board board::Square board eval::Evaluator eval::stage::STAGES search::Stop::new \
                    search::board cli::input search::tree::pvs search::tree::pvs::x";
    assert_eq!(found.join(" "), expected);
}
