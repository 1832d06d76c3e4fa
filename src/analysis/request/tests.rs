//! Requests read from lines: every field, its faults and its defaults.

use super::*;

fn request(text: &str) -> Request {
    match parse(text, 1, &Defaults::default()) {
        Ok(Query::Analyze(request)) => request,
        other => panic!("{text}: {other:?}"),
    }
}

fn fault(text: &str) -> Fault {
    parse(text, 1, &Defaults::default()).expect_err(text).1
}

#[test]
fn every_notation_is_a_position() {
    let board = "---------------------------OX------XO--------------------------- X";
    let ggf = format!(
        "(;GM[Othello]PC[x]TY[8]BO[8 {} *]B[f5];)",
        board[..64].replace('X', "*")
    );
    for text in [board, "f5", &ggf] {
        let request = request(&format!(r#"{{"position":"{text}"}}"#));
        assert_eq!((request.turns.len(), request.turns[0].number), (1, None));
    }
    let played = request(&format!(r#"{{"position":"{board}","play":"f5d6"}}"#));
    assert_eq!(
        played.turns[0].position,
        request(r#"{"position":"f5d6"}"#).turns[0].position
    );
}

#[test]
fn a_game_is_all_its_positions_unless_turns_are_named() {
    for (text, expected) in [
        (r#"{"game":"f5d6c3"}"#, &[0, 1, 2, 3][..]),
        (r#"{"game":"f5d6c3","turns":[2,-1,0]}"#, &[2, 3, 0]),
        (r#"{"game":"f5d6c3","turns":"last"}"#, &[3]),
        (r#"{"position":"f5d6c3","turns":"all"}"#, &[0, 1, 2, 3]),
    ] {
        let numbers = request(text)
            .turns
            .iter()
            .filter_map(|turn| turn.number)
            .collect::<Vec<_>>();
        assert_eq!(numbers, expected, "{text}");
    }
    let played: Vec<_> = request(r#"{"game":"f5d6"}"#)
        .turns
        .iter()
        .map(|turn| turn.played)
        .collect();
    assert!(played[0].is_some() && played[1].is_some() && played[2].is_none());
}

#[test]
fn budgets_become_limits() {
    for (budget, expected) in [
        (r#""depth":22"#, Limits::depth(22)),
        (r#""exact":true"#, Limits::exact()),
        (r#""wld":true"#, Limits::win_loss_draw()),
        (
            r#""nodes":1000"#,
            Limits {
                nodes: Some(1000),
                ..Limits::depth(60)
            },
        ),
        (
            r#""seconds":0.5"#,
            Limits::movetime(Duration::from_millis(500)),
        ),
        (
            r#""depth":9,"selectivity":100"#,
            Limits {
                selectivity: Selectivity::Full,
                ..Limits::depth(9)
            },
        ),
        (
            r#""level":3"#,
            Level::new(3).unwrap().limits(Clock::Unlimited),
        ),
        (r#""priority":1"#, Defaults::default().limits),
    ] {
        assert_eq!(
            request(&format!(r#"{{"position":"f5",{budget}}}"#)).limits,
            expected,
            "{budget}"
        );
    }
}

#[test]
fn nodes_and_time_of_the_command_line_bound_every_request() {
    let nodes = Some(1000);
    let clock = Clock::Move(Duration::from_secs(3));
    let defaults = Defaults {
        limits: Limits {
            nodes,
            clock,
            ..Limits::depth(60)
        },
        ..Defaults::default()
    };
    let limits = |budget: &str| {
        let text = format!(r#"{{"position":"f5"{budget}}}"#);
        match parse(&text, 1, &defaults) {
            Ok(Query::Analyze(request)) => (request.limits.nodes, request.limits.clock),
            other => panic!("{text}: {other:?}"),
        }
    };
    for (field, value) in [
        ("exact", "true"),
        ("wld", "true"),
        ("depth", "20"),
        ("level", "9"),
        ("elo", "1500"),
    ] {
        assert_eq!(
            limits(&format!(r#","{field}":{value}"#)),
            (nodes, clock),
            "{field}"
        );
    }
    assert_eq!(limits(""), (nodes, clock));
    assert_eq!(limits(r#","nodes":5"#), (Some(5), clock));
    assert_eq!(
        limits(r#","nodes":1001,"seconds":4"#),
        (nodes, clock),
        "a request does not raise them"
    );
    assert_eq!(
        limits(r#","wld":true,"seconds":1"#),
        (nodes, Clock::Move(Duration::from_secs(1)))
    );
}

#[test]
fn faults_speak_of_json_and_ids_take_64_bits() {
    for (text, message) in [
        (
            r#"{"position":"f5","seconds":"2"}"#,
            "seconds: expected a number, found \"2\"",
        ),
        (
            r#"{"position":"f5","exact":1}"#,
            "exact: expected true or false, found 1",
        ),
        (r#"{"position":7}"#, "position: expected a text, found 7"),
        (
            r#"{"position":"f5","depth":2,"depth":3}"#,
            "depth: given twice; give it once",
        ),
    ] {
        assert_eq!(fault(text).to_string(), message, "{text}");
    }
    for id in [
        "18446744073709551615",
        "9223372036854775808",
        "-9223372036854775808",
        "7",
    ] {
        let request = request(&format!(r#"{{"id":{id},"position":"f5"}}"#));
        assert_eq!(serde_json::to_string(&request.tag.id).unwrap(), id);
    }
    assert_eq!(
        fault(r#"{"id":18446744073709551616,"position":"f5"}"#)
            .field
            .as_deref(),
        Some("id")
    );
}

#[test]
fn faults_name_their_field() {
    // The field at fault, and the fields of a request without its position.
    for (field, rest) in [
        ("id", r#""id":[]"#),
        ("id", r#""id":1.5"#),
        ("game", r#""game":"f5""#),
        ("play", r#""play":"a1""#),
        ("depth", r#""depth":0"#),
        ("depth", r#""depth":61"#),
        ("depth", r#""depth":"8""#),
        ("depth", r#""depth":8.5"#),
        ("level", r#""depth":8,"level":8"#),
        ("elo", r#""elo":100"#),
        ("elo", r#""elo":"strong""#),
        ("depth", r#""elo":1000,"depth":8"#),
        ("best_moves", r#""best_moves":3,"elo":1000"#),
        ("person", r#""person":999"#),
        ("person", r#""person":"strong""#),
        ("depth", r#""person":1450,"depth":8"#),
        ("elo", r#""person":1450,"elo":400"#),
        ("best_moves", r#""person":1450,"best_moves":3"#),
        ("rating", r#""rating":2001"#),
        ("trap", r#""trap":2"#),
        ("trap", r#""trap":65,"rating":1500"#),
        ("nodes", r#""nodes":0"#),
        ("seconds", r#""seconds":-1"#),
        ("seconds", r#""seconds":1e300"#),
        ("confidence", r#""confidence":1"#),
        ("losses", r#""confidence":0.9,"losses":true"#),
        ("exact", r#""exact":1"#),
        ("depth", r#""exact":true,"depth":4"#),
        ("depth", r#""wld":true,"depth":4"#),
        ("level", r#""exact":true,"level":4"#),
        ("level", r#""wld":true,"level":4"#),
        ("wld", r#""exact":true,"wld":true"#),
        ("selectivity", r#""selectivity":74"#),
        ("selectivity", r#""selectivity":73,"exact":true"#),
        ("best_moves", r#""best_moves":0"#),
        ("best_moves", r#""best_moves":"some""#),
        ("moves", r#""moves":3"#),
        ("allow", r#""allow":["a1"]"#),
        ("allow", r#""allow":[]"#),
        ("avoid", r#""avoid":["d6","f4","f6"]"#),
        ("avoid", r#""avoid":"z9""#),
        ("priority", r#""priority":1e9"#),
        ("partial_every", r#""partial_every":0"#),
        ("threads", r#""threads":0"#),
        ("threads", r#""threads":257"#),
        ("pv_length", r#""pv_length":0"#),
    ] {
        let text = format!(r#"{{"position":"f5",{rest}}}"#);
        assert_eq!(fault(&text).field.as_deref(), Some(field), "{text}");
    }
    let over = format!(r#"{{"position":"{} O","person":1450}}"#, "X".repeat(64));
    for (text, field) in [
        (over.as_str(), "person"),
        (r#"{}"#, "position"),
        (r#"{"position":7}"#, "position"),
        (r#"{"position":"f5f5"}"#, "position"),
        (r#"{"game":"nonsense"}"#, "game"),
        (r#"{"game":"f5","turns":[2]}"#, "turns"),
        (r#"{"game":"f5","turns":[-3]}"#, "turns"),
        (r#"{"game":"f5","turns":[]}"#, "turns"),
        (r#"{"game":"f5","turns":[-9223372036854775808]}"#, "turns"),
        (r#"{"cancel":{}}"#, "cancel"),
        (r#"{"cancel_all":"yes"}"#, "cancel_all"),
    ] {
        assert_eq!(fault(text).field.as_deref(), Some(field), "{text}");
    }
    for text in [
        "",
        "[]",
        "7",
        "hello",
        r#"{"position":"f5""#,
        &"[".repeat(10_000),
    ] {
        assert_eq!(fault(text).field, None, "{text:.20}");
    }
}

#[test]
fn the_id_survives_a_fault() {
    let (tag, _) = parse(
        r#"{"depth":0,"id":"a","position":"f5"}"#,
        7,
        &Defaults::default(),
    )
    .unwrap_err();
    assert_eq!((tag.id, tag.line), (Some(Id::Text("a".into())), 7));
}

#[test]
fn openings_are_named_from_the_moves_that_led_there() {
    let names = |text: &str| {
        request(text)
            .turns
            .iter()
            .map(|turn| turn.opening)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(r#"{"position":"f5d6c3d3c4"}"#), [Some("Tiger")]);
    assert_eq!(names(r#"{"position":"f5"}"#), [None]);
    let game = names(r#"{"game":"f5d6c3d3c4","turns":[1,5]}"#);
    assert_eq!(game, [None, Some("Tiger")]);
    let later = names(r#"{"position":"f5d6c3d3c4f4c5b3c2e6c6b4"}"#);
    assert!(later[0].is_some(), "the last name holds on");
}

#[test]
fn sentences_are_in_the_language_asked_for() {
    let why = |text: &str, defaults| match parse(text, 1, &defaults) {
        Ok(Query::Analyze(request)) => Ok(request.why),
        Ok(other) => panic!("{other:?}"),
        Err((_, fault)) => Err(fault.to_string()),
    };
    let french = || Defaults {
        why: Some(Language::Fr),
        ..Defaults::default()
    };
    let plain = r#"{"position":"f5"}"#;
    let japanese = r#"{"position":"f5","why":"ja"}"#;
    assert_eq!(why(plain, Defaults::default()), Ok(None));
    assert_eq!(why(plain, french()), Ok(Some(Language::Fr)));
    assert_eq!(why(japanese, french()), Ok(Some(Language::Ja)));
    let fault = why(r#"{"position":"f5","why":"de"}"#, french());
    assert_eq!(
        fault,
        Err("why: expected one of `en`, `fr`, `ja`, found \"de\"".to_owned())
    );
}

#[test]
fn unknown_fields_get_a_warning() {
    let warnings = request(r#"{"position":"f5","detph":8,"zzz":null}"#).warnings;
    assert_eq!(
        warnings,
        [
            r#"unknown field "detph"; did you mean "depth"?"#,
            r#"unknown field "zzz""#
        ]
    );
    let lossless = request(r#"{"position":"f5d6","losses":true}"#).warnings;
    assert!(
        lossless[0].starts_with("losses: no move was played"),
        "{lossless:?}"
    );
    assert!(
        request(r#"{"game":"f5d6","losses":true}"#)
            .warnings
            .is_empty()
    );
}

#[test]
fn reproducible_runs_refuse_times() {
    let defaults = Defaults {
        reproducible: true,
        ..Defaults::default()
    };
    for field in ["seconds", "partial_every", "threads"] {
        let text = format!(r#"{{"position":"f5","{field}":1}}"#);
        assert_eq!(
            parse(&text, 1, &defaults).unwrap_err().1.field.as_deref(),
            Some(field)
        );
    }
}
