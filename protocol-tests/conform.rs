//! The transcripts of `emilia conform`: this program passes them, and each has a twin, an engine with one fault, that fails it.
//! A twin is this program behind `sed`, which changes a line of its input or output.
#![cfg(target_os = "linux")]

use std::collections::HashMap;
use std::process::Command;

use emilia::internal::transcripts::{self, Script};

use crate::child::{Failure, Session};
use crate::parallel::in_parallel;
use crate::scratch::{Outcome, Scratch};

/// The transcripts of each protocol, and the options with which they are played here.
const TEXTS: [(&str, &str, &str); 4] = [
    (
        "nboard",
        "--hash 1",
        include_str!("../src/conform/nboard.txt"),
    ),
    ("gtp", "--hash 1", include_str!("../src/conform/gtp.txt")),
    ("edax", "", include_str!("../src/conform/edax.txt")),
    (
        "cassio",
        "--hash 1",
        include_str!("../src/conform/cassio.txt"),
    ),
];

/// The lines of a twin that `sed` changes.
#[derive(Clone, Copy)]
enum Side {
    /// Those to the engine.
    In,
    /// Those from the engine.
    Out,
}
use Side::{In, Out};

/// The fault of each twin: protocol, transcript, the side that `sed` changes, its script.
const TWINS: &[(&str, &str, Side, &str)] = &[
    (
        "nboard",
        "hello",
        Out,
        "s/^set myname.*/set myname The Engine/",
    ),
    ("nboard", "ping_numbers", Out, "s/^pong -/pong /"),
    ("nboard", "thousand_pings", Out, "/^pong 500$/d"),
    ("nboard", "start", Out, "s/^search .*/search A1 0 0 1/"),
    (
        "nboard",
        "ping_ends_hint",
        Out,
        "s/^pong 2$/&\\nsearch F5 1.00 0 3/",
    ),
    ("nboard", "ping_ends_go", Out, "s/^===.*/pong 2\\n&/"),
    (
        "nboard",
        "ping_ends_analyze",
        Out,
        "s/^pong 1$/&\\nanalysis 0 1.00/",
    ),
    ("nboard", "go_twice", Out, "s/^===.*/&\\n&/"),
    ("nboard", "go_first", Out, "s/^=== ../=== A1/"),
    ("nboard", "go_keeps_position", In, "s/^go$/go\\nmove F5/"),
    ("nboard", "eval_sign", Out, "s#/+*#/-#"),
    ("nboard", "times_of_clock", In, "s/TI.0:01./TI[0]/;s/^go$//"),
    ("nboard", "clock_of_side", Out, "s#^=== ..#=== F5#"),
    ("nboard", "forced_pass", Out, "s/^=== PA/=== C5/"),
    (
        "nboard",
        "game_over",
        Out,
        "s/^pong 2$/search A1 0 0 1\\n&/",
    ),
    ("nboard", "move_spellings", In, "/1,23/d"),
    ("nboard", "pass_spellings", In, "s/^move pa$/move C5/"),
    ("nboard", "illegal_moves", In, "s/^move zz$/move F5/"),
    ("nboard", "odd_settings", Out, "s/^===.*/=== F5/"),
    ("nboard", "game_forms", In, "/oX------Xo/d"),
    (
        "nboard",
        "bad_games",
        In,
        "s/^set game garbage$/clear\\nset game (;GM[Othello]TY[8];)/",
    ),
    (
        "nboard",
        "hint_moves",
        Out,
        "s/^search \\(..\\)[^ ]* /search \\1x /",
    ),
    (
        "nboard",
        "learn_analyze",
        Out,
        "s/^analysis 2 .*/analysis 2 none/",
    ),
    ("nboard", "quit", In, "s/^quit$/ping 1/"),
    ("nboard", "quit_in_go", In, "s/^quit$/ping 1/"),
    ("nboard", "quit_in_hint", In, "s/^quit$/ping 1/"),
    ("nboard", "eof", In, "$e sleep 9"),
    ("nboard", "eof_in_go", Out, "/^===/d"),
    ("nboard", "eof_in_hint", In, "$e sleep 9"),
    ("nboard", "queue_at_eof", In, "/^ping 5$/d"),
    ("nboard", "unknown_lines", In, "s/^hello world$/go/"),
    ("nboard", "unknown_lines_in_go", In, "s/^xyzzy$/go/"),
    ("nboard", "line_ends", In, "s/^ping 8$//"),
    ("nboard", "odd_bytes", Out, "s/^pong 1$/status \\xe6\\n&/"),
    ("nboard", "long_lines", In, "s/^ping 2$//"),
    ("nboard", "burst", Out, "s/^=== ../=== D6/"),
    (
        "nboard",
        "game_in_search",
        Out,
        "s/^search \\(D6\\|F6\\|F4\\)/search D3/",
    ),
    ("nboard", "move_in_search", In, "s/^move F5$//"),
    ("nboard", "clear", In, "s/^clear$/ping 9/"),
    (
        "nboard",
        "output_gone",
        Out,
        "s/^search/look/;s/^book/look/",
    ),
    ("gtp", "hello", Out, "s/^= 2$/= 1/"),
    ("gtp", "numbers", Out, "s/^?7 /?42 /"),
    ("gtp", "framing", In, "s/\t/x/g"),
    ("gtp", "known_commands", Out, "s/^= false/= true/"),
    ("gtp", "boardsize", In, "s/^boardsize 19/boardsize 8/"),
    ("gtp", "clear_board", In, "s/^clear_board$/komi 0/"),
    ("gtp", "komi", Out, "s/^= B+64/= B+57.5/"),
    ("gtp", "colors", In, "s/green/black/"),
    ("gtp", "vertices", In, "s/^play b i1$/play b c3/"),
    ("gtp", "illegal_moves", Out, "s/^?/=/"),
    ("gtp", "genmove", Out, "s/^= [A-H][1-8]/= a1/"),
    ("gtp", "forced_pass", Out, "s/^= pass/= C5/"),
    ("gtp", "game_over", Out, "s/^= pass/= resign/"),
    ("gtp", "pass_in_play", In, "s/PASS/A1/"),
    (
        "gtp",
        "implied_pass",
        In,
        "s/^play w e7$/play w E7/;s/^play b pass$/undo/",
    ),
    ("gtp", "undo", In, "2s/^undo$/komi 0/;s/^time.*/play b f5/"),
    ("gtp", "reg_genmove", In, "s/^reg_genmove/genmove/"),
    (
        "gtp",
        "time_forms",
        In,
        "s/^time_left white/time_left green/",
    ),
    (
        "gtp",
        "time_per_move",
        In,
        "s/^time_settings.*/set_level 60/",
    ),
    (
        "gtp",
        "time_is_up",
        In,
        "s/^time_settings.*/set_level 60/;s/^time_left.*/komi 0/",
    ),
    ("gtp", "final_score", Out, "s/^= B+64/= B+13/"),
    ("gtp", "gogui_rules", Out, "s/X O/O X/"),
    ("gtp", "interrupt", In, "s/^# interrupt$/#/"),
    ("gtp", "set_game", In, "s/^set_game Go$/set_game Othello/"),
    ("gtp", "script_with_quit", In, "s/^5 .*//"),
    ("gtp", "script_without_quit", In, "s/^5 .*//"),
    ("gtp", "many_commands", Out, "/^=250/{N;d}"),
    ("gtp", "odd_input", In, "s/^xxx.*/name/"),
    ("gtp", "output_gone", Out, "s/^= 2/= 1/"),
    ("edax", "hello", Out, "s/^Edax plays/Edax: /"),
    ("edax", "illegal", In, "s/^a1$/d3/"),
    ("edax", "passes", Out, "s/PS/--/"),
    ("edax", "over", Out, "/Game Over/d"),
    ("edax", "hints", In, "s/^hint 3/hint 2/"),
    ("edax", "board", Out, "/^8 /d"),
    ("edax", "positions", In, "s/^undo$//"),
    ("edax", "stop", In, "s/^stop$//"),
    ("edax", "queue", Out, "s/^Edax plays.*//"),
    ("edax", "solve", Out, "s/+08/+06/"),
    ("cassio", "hello", Out, "s/^version: .*/version/"),
    ("cassio", "midgame", Out, "s/ node [0-9]*,//"),
    ("cassio", "endgame", Out, "s/+8.00/+8/"),
    ("cassio", "stop", Out, "/^ok/d"),
    ("cassio", "errors", Out, "s/^ERROR/error/"),
];

/// Plays a transcript with an engine that has one fault; the failure.
fn fails(
    protocol: &str,
    options: &str,
    script: &Script,
    (side, fault): (Side, &str),
) -> Option<String> {
    let folder = Scratch::new("twin");
    let program = format!(
        "{} {protocol} {} {options}",
        env!("CARGO_BIN_EXE_emilia"),
        script.args.join(" ")
    );
    // `sed` ends with the engine, which may be silent for long.
    let sed = format!("sed -u -e '{fault}'");
    let line = match side {
        In => format!("{sed} -e '/quit$/q' | {program}"),
        Out => format!("{program} | {sed}"),
    };
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &line])
        .env("EMILIA_BOOK", "off")
        .current_dir(&folder.0);
    let mut session = transcripts::EngineSession::start(&mut shell, line, 1).unwrap();
    session.play(script).err().map(|Failure(what)| what)
}

#[test]
fn every_transcript_has_a_twin_that_fails_it() {
    let twins: HashMap<_, _> = TWINS
        .iter()
        .map(|&(protocol, name, side, fault)| ((protocol, name), (side, fault)))
        .collect();
    let scripts =
        TEXTS.map(|(protocol, options, text)| (protocol, options, Script::all(text).unwrap()));
    let scripts: Vec<_> = scripts
        .iter()
        .flat_map(|(p, o, all)| all.iter().map(move |script| (p, o, script)))
        .collect();
    assert_eq!(
        (twins.len(), TWINS.len()),
        (scripts.len(), scripts.len()),
        "one twin each"
    );
    let check = |(protocol, options, script): &(&&str, &&str, &Script)| {
        let name = script.title.0.as_str();
        let twin = twins
            .get(&(**protocol, name))
            .unwrap_or_else(|| panic!("{protocol} {name} has no twin"));
        let what = fails(protocol, options, script, *twin)
            .unwrap_or_else(|| panic!("{protocol} {name}: its twin passes"));
        assert!(
            !what.lines().any(|line| line.starts_with("sed: ")),
            "{protocol} {name}: {what}"
        );
    };
    // Some wait for a line that does not come.
    in_parallel(8, &scripts, check);
}

#[test]
fn this_program_passes_every_transcript() {
    let of = |(protocol, options, text)| {
        let scripts = Script::all(text).unwrap();
        scripts
            .into_iter()
            .map(move |script| (protocol, options, script))
    };
    in_parallel(
        4,
        TEXTS.into_iter().flat_map(of),
        |(protocol, options, script): (&str, &str, Script)| {
            let args = [
                vec![protocol.to_owned()],
                script.args.clone(),
                split(options),
            ]
            .concat();
            let played = Session::start(&Script {
                args,
                ..Script::default()
            })
            .and_then(|mut session| {
                Ok((session.play(&script)?, session.process.errors().join("|")))
            });
            let (is_played, stderr) = played
                .unwrap_or_else(|Failure(what)| panic!("{protocol} {}: {what}", script.title.0));
            assert!(is_played, "{protocol} {}: skipped", script.title.0);
            let is_long_game = script.title.0 == "long_lines" && protocol == "nboard";
            let is_expected = match protocol {
                "edax" => true,
                _ if is_long_game => stderr.ends_with("set game: a line takes at most 65536 bytes"),
                _ => stderr.is_empty(),
            };
            assert!(is_expected, "{protocol} {}: {stderr}", script.title.0);
        },
    );
}

fn split(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn conform_reports_one_line_without_a_check() {
    let scratch = Scratch::new("conform");
    scratch.fails(
        "conform gtp:true --only 45",
        1,
        "--only: no transcript 45; there are hello, ",
    );
    scratch.fails("conform nboard:./absent", 1, "`./absent` does not start");
    scratch.fails("conform", 2, "<PROGRAM>");
    scratch.fails("conform ./absent", 1, "does not name its protocol");
    scratch.fails("conform gtp:./absent;level=3", 1, "without player options");
    let Outcome(_, out, error) = scratch.run("conform gtp:./absent");
    assert!(out.is_empty() && error.lines().count() == 1, "{out}{error}");
}
