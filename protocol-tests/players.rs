//! Programs as players of a match: scripts that speak a protocol.

use crate::scratch::Scratch;

#[cfg(unix)]
mod programs {
    use std::fs;
    use std::process::Stdio;

    use super::*;
    use crate::scratch::Outcome;

    /// Writes a script for `sh`; the command that starts it.
    fn script(scratch: &Scratch, name: &str, text: &str) -> String {
        scratch.write(name, text);
        format!("sh {name}")
    }

    /// An NBoard program that logs its input and resigns.
    const NBOARD: &str = "while read -r c r; do echo \"$c $r\" >> input.txt; case $c in ping) echo \"pong $r\";; \
                          go) echo '=== resign';; quit) exit;; esac; done";

    /// A GTP program likewise; its first argument lists its commands.
    const GTP: &str = "while read -r c r; do echo \"$c $r\" >> input.txt; case $c in genmove) echo '= resign';; \
                       list_commands) echo \"= $1\";; shout) echo '? no';; *) echo =;; esac; echo; [ $c = quit ] && exit; done";

    /// The input of a program in a match of two games, and the messages of the match.
    fn shown(scratch: &Scratch, player: &str, options: &str) -> String {
        let file = scratch.0.join("input.txt");
        let _ = fs::remove_file(&file);
        // Somebody has to count the nodes.
        let other = if options.contains("--nodes") {
            "emilia:hash=1"
        } else {
            "greedy"
        };
        let Outcome(code, out, error) =
            scratch.plays(&[other, player], &format!("--games 2 {options}"));
        assert_eq!(code, 0, "{player} {options}: {out}{error}");
        fs::read_to_string(file).unwrap() + &error
    }

    #[test]
    fn a_program_keeps_its_own_strength_unless_the_match_says_otherwise() {
        let scratch = Scratch::with_openings("strength");
        let nboard = format!("x=nboard:{}", script(&scratch, "nboard.sh", NBOARD));
        let gtp = format!("x=gtp:{} set_level", script(&scratch, "gtp.sh", GTP));
        for (player, word) in [(&nboard, "set depth"), (&gtp, "set_level")] {
            for (terms, options, level) in [
                ("", "--move-time 1", None),
                ("", "--clock 10+1", None),
                (";own", "--level 9", None),
                (";own", "--move-time 1", None),
                ("", "--level 9", Some(9)),
                ("", "--level 9 --move-time 1", Some(9)),
                (";level=7", "--level 9", Some(7)),
                (";level=7", "--nodes 100", Some(7)),
                (";level=7", "--move-time 1", Some(7)),
            ] {
                let shown = shown(&scratch, &format!("{player}{terms}"), options);
                let said =
                    level.is_none_or(|level: i32| shown.contains(&format!("{word} {level}\n")));
                assert!(
                    said && shown.contains(word) == level.is_some(),
                    "{player}{terms} {options}: {shown}"
                );
            }
            for (terms, options, remedy) in [
                ("", "", ";move-time=0.5, ;clock=60+1, ;level=8"),
                (";margin=5", "", ";own"),
                ("", "--nodes 100", "cannot count nodes"),
                (";level=7", "--nodes 100", "--nodes has no effect"),
            ] {
                let options = format!("--games 2 {options}");
                let Outcome(code, _, error) =
                    scratch.plays(&["greedy", &format!("{player}{terms}")], options.trim());
                assert_eq!((code, error.lines().count()), (1, 1), "{error}");
                assert!(error.contains(remedy), "{error}");
            }
        }
        let shown = shown(&scratch, &nboard, "--clock 10+1");
        assert!(
            shown.starts_with("nboard 2\nping 1\n") && shown.contains("TI[0:10/0:01]"),
            "{shown}"
        );
        // The match reports once the options that GTP cannot send.
        let deaf = format!("x=gtp:{} play", script(&scratch, "gtp.sh", GTP));
        let shown = self::shown(&scratch, &deaf, "--level 3 --move-time 1");
        for what in ["lists no set_level", "lists no time_settings"] {
            assert_eq!(shown.matches(what).count(), 1, "{shown}");
        }
        let Outcome(code, _, error) =
            scratch.plays(&["greedy", &format!("{deaf};level=3")], "--games 2");
        assert!(
            code == 1 && error.contains("did not start: it lists no set_level"),
            "{error}"
        );
    }

    #[test]
    fn a_program_has_a_clock_a_folder_and_commands_of_its_own() {
        let scratch = Scratch::with_openings("terms");
        fs::create_dir(scratch.0.join("home")).unwrap();
        for (name, text) in [("home/nboard.sh", NBOARD), ("home/gtp.sh", GTP)] {
            script(&scratch, name, text);
        }
        let terms = r"dir=home;clock=2:00+3;init=set contempt 5;init='first; second';init=a\; b";
        let shown = |player: &str| {
            let _ = fs::remove_file(scratch.0.join("home/input.txt"));
            let players = ["emilia:level=1;move-time=2", player];
            let Outcome(code, _, error) =
                scratch.plays(&players, &format!("--games 2 --ggf {}.ggf", &player[..3]));
            assert_eq!(code, 0, "{error}");
            scratch.read("home/input.txt")
        };
        let nboard = shown(&format!("nboard:sh nboard.sh;{terms}"));
        let start = "nboard 2\nping 1\nset contempt 5\nfirst; second\na; b\nping 2\n";
        assert!(
            nboard.starts_with(start) && nboard.contains("TI[2:00/0:03]"),
            "{nboard}"
        );
        let gtp = shown(&format!("gtp:sh gtp.sh 'time_settings\ntime_left';{terms}"));
        let start = "list_commands \nset contempt 5\nfirst; second\na; b\n";
        assert!(
            gtp.starts_with(start) && gtp.contains("time_settings 120 3 0\n"),
            "{gtp}"
        );
        let games = scratch.read("nbo.ggf");
        assert!(
            games.contains("TB[0/0:02]TW[2:00/0:03]") && games.contains("TB[2:00/0:03]TW[0/0:02]"),
            "{games}"
        );
        for (player, why) in [
            (
                "x=gtp:sh gtp.sh;dir=home;own;init=shout",
                "did not start: refused `shout`: no",
            ),
            ("x=gtp:sh gtp.sh;dir=nowhere;own", "no folder nowhere"),
        ] {
            let Outcome(code, _, error) = scratch.plays(&["greedy", player], "--games 2");
            assert!(code == 1 && error.contains(why), "{error}");
        }
    }

    #[test]
    fn every_program_gets_quit_and_may_save() {
        let scratch = Scratch::with_openings("quit");
        let last = "quit) sleep 0.2; echo saved >> input.txt; exit";
        let nboard = format!(
            "nboard:{}",
            script(&scratch, "nboard.sh", &NBOARD.replace("quit) exit", last))
        );
        let gtp = GTP.replace(
            "echo; [ $c = quit ] && exit",
            &format!("echo; case $c in {last};; esac"),
        );
        let gtp = format!("gtp:{}", script(&scratch, "gtp.sh", &gtp));
        let file = scratch.0.join("input.txt");
        let is_even = |shown: &str| {
            // A program whose protocol is found out is greeted in one and, if that is GTP, started again.
            let starts = shown.matches("nboard 2").count() + shown.matches("list_commands").count();
            assert!(starts >= 2, "{shown}");
            assert_eq!(shown.matches("saved").count(), starts, "{shown}");
        };
        for player in [nboard, gtp] {
            is_even(&shown(&scratch, &player, "--level 3"));
            is_even(&shown(
                &scratch,
                player.split_once(':').unwrap().1,
                "--level 3",
            ));
            // Interrupted in the middle.
            let _ = fs::remove_file(&file);
            let mut command =
                scratch.command("match --openings openings.txt --games 100000 --level 3 greedy");
            command
                .arg(player)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            crate::patience::until("the match says nothing", || {
                assert!(
                    child.try_wait().unwrap().is_none(),
                    "ended before it was interrupted"
                );
                fs::read_to_string(&file).is_ok_and(|shown| shown.lines().count() >= 60)
            });
            assert!(crate::signals::send(child.id(), "INT"));
            assert_eq!(child.wait().unwrap().code(), Some(130));
            is_even(&fs::read_to_string(&file).unwrap());
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn missing_threads_are_an_error() {
        let scratch = Scratch::with_openings("threads");
        // Room for three stacks of 400 MB in one arena, for signals and for two players that are tried: the fourth
        // cannot start, and all else has room to spare.
        let line = format!(
            "ulimit -v 1400000; exec '{}' match random greedy --games 600 --jobs 256 --openings openings.txt",
            env!("CARGO_BIN_EXE_emilia")
        );
        let mut command = std::process::Command::new("sh");
        command
            .args(["-c", &line])
            .current_dir(&scratch.0)
            .env("EMILIA_BOOK", "off");
        command
            .env("RUST_MIN_STACK", "400000000")
            .env("MALLOC_ARENA_MAX", "1");
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("256 games at once") && error.contains("no more threads"),
            "{error}"
        );
        assert!(!error.contains("panicked"), "{error}");
    }
}

#[test]
fn numbers_that_make_no_match_are_refused() {
    let scratch = Scratch::with_openings("ranges");
    for (options, shown) in [
        ("--jobs 0", "1..=256"),
        ("--jobs 8000", "1..=256"),
        ("--games 0", "1..=100000000"),
        ("--games 18446744073709551615", "1..=100000000"),
        ("--clock 0", "0.001"),
        ("--clock 1e12", "864000"),
        ("--clock 5+1e12", "864000"),
        ("--move-time 0", "0.001"),
        ("--margin 18446744073709551615", "from 0 to 600"),
    ] {
        scratch.fails(
            &format!("match random greedy --openings openings.txt {options}"),
            2,
            shown,
        );
    }
    scratch.fails("match openings 0", 2, "1..=100000000");
}
