//! Holds rules of the house that need no compiler: places of `unsafe`, printing, clocks of tests, length of files.

use std::fmt;
use std::fs;
use std::path::Path;

/// The sources of the crates.
const FOLDERS: [&str; 3] = ["src", "engine/src", "lab/src"];

/// A source file.
pub struct Source {
    /// Its folder in the project, and its path below it.
    folder: &'static str,
    name: String,
    pub text: String,
}

impl Source {
    /// The top-level module that it belongs to.
    pub fn room(&self) -> &str {
        self.name.split(['/', '.']).next().unwrap_or_default()
    }

    /// Whether only tests use it.
    fn is_test(&self) -> bool {
        const TESTS_ALONE: [&str; 4] = ["tests.rs", "testing.rs", "_tests.rs", "/tests/"];
        self.folder == "protocol-tests" || TESTS_ALONE.iter().any(|part| self.name.contains(part))
    }

    /// The lines before its tests, with their numbers. A file that only tests use has no such lines.
    pub fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines());
        lines.take_while(|(_, line)| !self.is_test() && !line.contains("mod tests {"))
    }

    /// The lines of its tests, with their numbers.
    fn test_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines());
        lines.skip_while(|(_, line)| !self.is_test() && !line.contains("mod tests {"))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.folder, self.name)
    }
}

/// The Rust files below a folder of the project, without the crate's own file and build script.
pub fn sources(folder: &'static str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    crate::prose::files(&root, &mut files);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let mut sources: Vec<_> = files
        .into_iter()
        .map(|path| Source {
            folder,
            name: path
                .strip_prefix(&root)
                .expect("found below the root")
                .to_string_lossy()
                .replace('\\', "/"),
            text: fs::read_to_string(&path).expect("sources are UTF-8"),
        })
        .collect();
    sources.retain(|source| !["build.rs", "lib.rs"].contains(&source.name.as_str()));
    sources
}

/// All files of the crates.
fn all() -> impl Iterator<Item = Source> {
    FOLDERS.into_iter().flat_map(sources)
}

/// The part of a line before a `//` comment.
pub fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Folders and files that may contain `unsafe`: kernels, raw memory, the C interface and the operating system.
const UNSAFE_PLACES: &[&str] = &[
    "engine/src/board/flip/",
    "engine/src/board/level.rs",
    "engine/src/board/mobility/",
    "engine/src/board/stability/",
    "engine/src/board/zobrist/",
    "engine/src/eval/network/inference/",
    "engine/src/search/endgame/last_empties/",
    "engine/src/search/endgame/order/",
    "engine/src/util/clock.rs",
    "engine/src/util/memory.rs",
    "engine/src/util/os/",
    "lab/src/coroutines.rs",
    "src/capi/",
    "src/main.rs",
    "src/util/cpu.rs",
    "src/util/os/",
    "src/web/mod.rs",
];

#[test]
fn unsafe_stays_in_its_places() {
    let uses = |line: &str| {
        code(line)
            .split(|c| !is_word(c))
            .any(|word| word == "unsafe")
    };
    let mut used = Vec::new();
    for source in all() {
        let path = source.to_string();
        let place = UNSAFE_PLACES.iter().find(|place| path.starts_with(**place));
        let mut lines = (1..).zip(source.text.lines());
        if let Some((number, _)) = lines.find(|(_, line)| uses(line)) {
            assert!(
                place.is_some(),
                "{path}:{number}: unsafe outside the listed places"
            );
            used.extend(place);
        }
    }
    for place in UNSAFE_PLACES {
        assert!(used.contains(&place), "{place} needs no place on the list");
    }
}

/// The names of the crates in the tables of dependencies of a manifest.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut is_listed = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_listed = line.ends_with("dependencies]") && !line.starts_with("[workspace");
        } else if let Some((name, _)) = line.split_once(['.', ' '])
            && is_listed
            && name.starts_with(|first: char| first.is_ascii_lowercase())
        {
            names.push(name);
        }
    }
    names
}

#[test]
fn each_dependency_has_its_reason() {
    let page = include_str!("../src/guide/DEPENDENCIES.md");
    for manifest in [
        include_str!("../Cargo.toml"),
        include_str!("../engine/Cargo.toml"),
        include_str!("../lab/Cargo.toml"),
    ] {
        let names = dependencies(manifest);
        assert!(names.len() > 5, "{names:?}");
        for name in names.iter().filter(|name| !name.starts_with("emilia")) {
            let is_there = page.contains(&format!("`{name}`"));
            assert!(is_there, "src/guide/DEPENDENCIES.md does not list {name}");
        }
    }
}

/// The page of these tests lists their files.
#[test]
fn each_file_of_tests_is_on_the_page() {
    let page = include_str!("README.md");
    for source in sources("protocol-tests") {
        let is_part = source.name.contains('/') || source.name == "main.rs";
        let is_there = page.contains(&format!("`{}`", source.name));
        assert!(
            is_part || is_there,
            "protocol-tests/README.md lacks {source}"
        );
    }
}

/// These panic when the output is closed or the disk is full; `cli/output.rs` and `protocols/console.rs` do not.
#[test]
fn nothing_prints_by_macro() {
    const MACROS: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];
    let prints = |line: &str| {
        let line = code(line);
        let mut found = MACROS.iter().flat_map(|name| line.match_indices(name));
        found.any(|(at, _)| at == 0 || !line.as_bytes()[at - 1].is_ascii_alphabetic())
    };
    for source in all() {
        for (number, line) in (1..).zip(source.text.lines()) {
            assert!(!prints(line), "{source}:{number}: prints by macro");
        }
    }
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
    let mut found = Vec::new();
    for source in all()
        .chain(sources("protocol-tests"))
        .chain(sources("lab/tests"))
    {
        // This file names them.
        let lines = source.test_lines().filter(|_| source.name != "house.rs");
        for (number, line) in lines {
            if let Some(clock) = own_clock(line) {
                found.push(format!("{source}:{number}: `{clock}`"));
            }
        }
    }
    let found = found.join("\n");
    assert!(found.is_empty(), "by `util::patience` instead:\n{found}");
}

#[test]
fn limits_of_tests_are_seen() {
    let text = "fn wait() { thread::sleep(A); }\n#[cfg(test)]\nmod tests {\n    let a = Instant::now();\n    \
                // begin.elapsed()\n    game.elapsed(side); pause(b);\n    assert!(a.elapsed() < b);\n}\n";
    let found = |folder, name: &str| -> Vec<usize> {
        let source = Source {
            folder,
            name: name.to_owned(),
            text: text.to_owned(),
        };
        let lines = source.test_lines();
        lines
            .filter(|(_, line)| own_clock(line).is_some())
            .map(|(at, _)| at)
            .collect()
    };
    assert_eq!(found("src", "a.rs"), [4, 7]);
    assert_eq!(found("src", "a/tests.rs"), [1, 4, 7]);
    assert_eq!(found("protocol-tests", "a.rs"), [1, 4, 7]);
}

/// Files that the strict grammar of notations replaces.
const STILL_LONG: [&str; 2] = ["src/notation/split/mod.rs", "src/notation/text/board.rs"];

#[test]
fn files_stay_short() {
    let is_checked = |source: &Source| !STILL_LONG.contains(&source.to_string().as_str());
    for source in all().chain(sources("protocol-tests")).filter(is_checked) {
        let lines = source.text.lines().count();
        assert!(lines <= 600, "{source}: {lines} lines, over 600");
    }
}
