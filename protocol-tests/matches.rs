//! Matches played by the built `emilia`: engines that misbehave, and a match that is killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder of its own for a test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("emilia-match-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("openings.txt"), "f5d6c3d3c4\nf5f6e6f4\nf5d6c4d3c3\n").unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn emilia(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.arg("match").args(args).args(["--openings", "openings.txt"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The faults of a player, as `2 crash`.
fn faults(summary: &Value, name: &str) -> String {
    let players = summary["players"].as_array().unwrap();
    let player = players.iter().find(|player| player["name"] == name).unwrap();
    assert_eq!(player["tally"]["losses"], 2, "{name} must lose both games");
    let faults = player["faults"].as_object().unwrap();
    faults.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// An NBoard engine that is well-behaved until it is asked for a move.
fn mischief(name: &str, on_go: &str) -> String {
    format!(
        "{name}=nboard:sh -c 'while read -r c a; do case \"$c\" in ping) echo \"pong $a\";; go) {on_go};; esac; done'"
    )
}

/// A GTP engine likewise.
fn gtp_mischief(name: &str, on_genmove: &str) -> String {
    format!(
        "{name}=gtp:sh -c 'while read -r c a; do case \"$c\" in genmove) {on_genmove};; \
         list_commands) echo \"= play\"; echo;; *) echo \"= \"; echo;; esac; done'"
    )
}

#[test]
#[cfg(unix)]
fn misbehaving_engines_lose_their_games_and_the_match_goes_on() {
    let scratch = Scratch::new("mischief");
    let players = [
        "greedy".to_owned(),
        mischief("hangs", "sleep 60"),
        mischief("crashes", "echo oops >&2; exit 3"),
        mischief("cheats", "echo \"=== A1/0.00/0.00\""),
        mischief("slow", "sleep 0.7; echo \"=== A1\""),
        mischief("chatters", "while :; do echo status bla; done"),
        mischief("mumbles", "echo \"=== perhaps\""),
        "exits=nboard:sh -c 'exit 1'".to_owned(),
        "missing=nboard:/no/such/engine".to_owned(),
        gtp_mischief("gtp-hangs", "sleep 60"),
        gtp_mischief("gtp-crashes", "exit 3"),
        gtp_mischief("gtp-resigns", "echo \"= resign\"; echo"),
        gtp_mischief("gtp-refuses", "echo \"? no\"; echo"),
    ];
    let mut args: Vec<&str> = players.iter().map(String::as_str).collect();
    let options = "--gauntlet --games 2 --movetime 0.3 --margin 100 --concurrency 4 --json --log faults.txt";
    args.extend(options.split(' '));
    args.extend(["--ggf", "games.ggf"]);
    let start = Instant::now();
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert!(start.elapsed() < Duration::from_secs(45), "a stuck engine must not cost more than its time");
    assert_eq!(summary["games"], 24);
    for (name, fault) in [
        ("hangs", "2 hang"),
        ("crashes", "2 crash"),
        ("cheats", "2 illegal"),
        ("slow", "2 time"),
        ("mumbles", "2 protocol"),
        ("exits", "2 crash"),
        ("missing", "2 start"),
        ("gtp-hangs", "2 hang"),
        ("gtp-crashes", "2 crash"),
        ("gtp-resigns", "2 protocol"),
        ("gtp-refuses", "2 protocol"),
    ] {
        assert_eq!(faults(&summary, name), fault, "{name}");
    }
    // Whichever bound it meets first on a busy machine: the lines or the clock.
    assert!(["2 chatter", "2 hang", "1 chatter, 1 hang"].contains(&faults(&summary, "chatters").as_str()));
    let log = fs::read_to_string(scratch.path("faults.txt")).unwrap();
    assert!(log.contains("crashes (black) crashed: exit status: 3"), "{log}");
    assert!(log.contains("    ! oops") && log.contains("    < go") && log.contains("    > pong"), "{log}");
    assert_eq!(fs::read_to_string(scratch.path("games.ggf")).unwrap().lines().count(), 24);
}

#[test]
fn a_killed_match_is_resumed_without_losing_or_repeating_a_game() {
    let scratch = Scratch::new("resume");
    const GAMES: usize = 60;
    let players = ["greedy", "applet:depth=3", "weak=pentai:depth=3,vision=60"];
    let args = |more: &[&'static str]| -> Vec<&'static str> {
        [&players[..], &["--games", "20", "--concurrency", "2"], more].concat()
    };
    let whole = json(&emilia(&scratch.0, &args(&["--json"])).output().unwrap());
    let file = scratch.path("killed.ggf");
    let lines = || fs::read(&file).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
    for (kill, resume) in [(2, &["--ggf", "killed.ggf"][..]), (7, &["--ggf", "killed.ggf", "--resume"])] {
        let mut child = emilia(&scratch.0, &args(resume)).spawn().unwrap();
        while lines() < kill {
            assert!(child.try_wait().unwrap().is_none(), "ended before it could be killed");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!((kill..GAMES).contains(&lines()), "{} games", lines());
        // Half a line, as a kill in mid-write would leave it.
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend_from_within(..100);
        fs::write(&file, bytes).unwrap();
    }
    let again = emilia(&scratch.0, &args(&["--ggf", "killed.ggf"])).output().unwrap();
    assert!(!again.status.success(), "a file of games must not be overwritten");
    let resumed = args(&["--ggf", "killed.ggf", "--resume", "--json"]);
    assert_eq!(json(&emilia(&scratch.0, &resumed).output().unwrap()), whole);
    assert_eq!(lines(), GAMES);
    // Complete: nothing is left to play.
    assert_eq!(json(&emilia(&scratch.0, &resumed).output().unwrap()), whole);
    assert_eq!(lines(), GAMES);
    let other =
        emilia(&scratch.0, &args(&["--ggf", "killed.ggf", "--resume", "--seed", "9"])).output().unwrap();
    assert!(!other.status.success());
    assert!(String::from_utf8_lossy(&other.stderr).contains("another match"));
}

#[test]
fn our_own_engine_plays_itself_in_every_way() {
    let scratch = Scratch::new("own");
    let binary = env!("CARGO_BIN_EXE_emilia");
    let players = [
        "emilia:depth=3".to_owned(),
        format!("nboard=nboard:'{binary}' nboard"),
        format!("gtp=gtp:'{binary}' gtp"),
        format!("auto='{binary}'"),
    ];
    let mut args: Vec<&str> = players.iter().map(String::as_str).collect();
    args.extend("--games 2 --tc 8+0.1 --depth 3 --concurrency 2 --adjudicate 6 --json".split(' '));
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert_eq!(summary["games"], 12);
    for player in summary["players"].as_array().unwrap() {
        assert_eq!(player["faults"].as_object().unwrap().len(), 0, "{player}");
    }
    assert!(summary["adjudicated"].as_u64().unwrap() > 0);
}

#[test]
fn a_sequential_test_stops_early() {
    let scratch = Scratch::new("sprt");
    let args = ["applet", "random", "--games", "20000", "--sprt", "0,100", "--json"];
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert_eq!(summary["sprt"]["verdict"], "accepted");
    assert!(summary["games"].as_u64().unwrap() < 200, "{}", summary["games"]);
}

#[test]
fn our_engine_passes_its_own_conformance_list() {
    // The items without a stopwatch; `emilia conform` runs the rest on a machine that is not busy.
    const NBOARD: &str = "1,2,4,5,9,10,12-17,19-21,25-27,30,32,33,40-42";
    const GTP: &str = "45-62,64,65,67-69";
    let binary = env!("CARGO_BIN_EXE_emilia");
    for (protocol, only) in [("nboard", NBOARD), ("gtp", GTP)] {
        let option = format!("--{protocol}");
        let command = format!("'{binary}' {protocol} --hash 1");
        let output =
            Command::new(binary).args(["conform", &option, &command, "--only", only]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !text.contains("FAIL"), "{text}");
    }
}
