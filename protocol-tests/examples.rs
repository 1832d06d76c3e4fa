//! Runs the examples of all help texts and pages as a shell does, in a folder with small files of the names that they use.
//!
//! Two changes make them short: `AT_MOST` lowers numbers, and `ADDED` adds missing limits.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use crate::parallel::in_parallel;
use crate::patience::{Wait, pause};
use crate::scratch::Scratch;

/// The text before a number or a time, and its largest value in the test.
const AT_MOST: &[(&str, f64)] = &[
    ("+", 0.01),
    ("--clock ", 0.2),
    ("--deeper ", 1.0),
    ("--depth ", 6.0),
    ("--epochs ", 1.0),
    ("--games ", 2.0),
    ("--hash ", 16.0),
    ("--jobs ", 2.0),
    ("--level ", 2.0),
    ("--limit ", 2.0),
    ("--move-time ", 0.01),
    ("--nodes ", 1000.0),
    ("bench perft ", 6.0),
    ("--positions ", 20.0),
    ("--solve-from ", 10.0),
    ("--threads ", 2.0),
    ("--time ", 0.5),
    ("-j ", 2.0),
    ("-level ", 2.0),
    ("clock=", 0.2),
    ("depth=", 4.0),
    ("level=", 8.0),
    ("match openings ", 4.0),
    ("move-time=", 0.01),
    ("nodes=", 1000.0),
];

/// A command, options that limit it, and the default one.
const ADDED: &[(&str, &[&str], &str)] = &[
    (
        "emilia analyze",
        &["--depth", "--level", "--nodes"],
        "--depth 2",
    ),
    (
        "emilia bench",
        &["--limit", "bench perft", "bench kernels"],
        "--limit 1",
    ),
    (
        "emilia book grow",
        &["--positions", "--time"],
        "--positions 2",
    ),
    ("emilia book grow", &["--depth"], "--depth 4"),
    ("emilia book jobs", &["--depth"], "--depth 4"),
    ("emilia conform", &["--only"], "--only hello"),
    ("emilia match", &["--games", "match openings"], "--games 2"),
    ("emilia report", &["--depth", "--level"], "--depth 2"),
];

/// Beginnings of examples that cannot be run here, and why.
const NOT_RUN: &[(&str, &str)] = &[
    (
        "emilia book import my.book cut.dat",
        "ends with code 1, as it must: the book is damaged",
    ),
    (
        "emilia report game.ggf -o report.html --engine",
        "needs emilia.html, built first: `.ci/browser` runs it",
    ),
    (
        "emilia match --pool",
        "needs the games of two matches: `matches` runs it",
    ),
    (
        "emilia match emilia:ORDER_EVAL",
        "needs a build with the feature `tune`",
    ),
    (
        "python dask_run.py",
        "needs Dask: `examples/cluster/check.sh` runs it",
    ),
    (
        "python examples/analysis/deeper.py",
        "thousands of searches",
    ),
    (
        "python lab/suites/make.py",
        "searches of 37 thousand million nodes",
    ),
    (
        "python ray_run.py",
        "needs Ray: `examples/cluster/check.sh` runs it",
    ),
    (
        "python shards.py",
        "needs fsspec: `examples/cluster/check.sh` runs it",
    ),
    (
        "python spark_run.py",
        "needs Spark: `examples/cluster/check.sh` runs it",
    ),
    (
        "sbatch",
        "needs Slurm: `examples/cluster/check.sh` runs the script",
    ),
    ("seq 1 64 | parallel", "64 jobs by GNU parallel"),
];

/// Programs that not every machine has.
const OTHER_PROGRAMS: &[&str] = &["jq", "sha256sum"];

/// Makes the files of the examples: inputs of all kinds, engines, and a `parallel` of one process.
const STAND_INS: &str = r#"
emilia match random greedy --games 4 --openings f5d6c3 --ggf ggs.ggf
emilia convert --to pgn ggs.ggf >games.pgn
emilia convert --to ggf --limit 1 ggs.ggf >game.ggf
emilia convert --to sgf game.ggf | tee game.sgf >club.sgf
emilia convert --to moves ggs.ggf >games.txt
for year in 2005 2010 2015 2016 2017 2019 2020; do emilia convert --to wthor -o WTH_$year.wtb ggs.ggf; done
mkdir wthor; cp WTH_2020.wtb wthor
printf 'f5d6c3\nf5f6e6f4\n' >xot.txt; cp xot.txt openings.txt; printf 'f5\n' >start.txt
emilia convert --to board --limit 2 books/ffo-1-19.obf | tee positions.txt >problems.txt
emilia convert --to example f5d6 >exampleBoard
emilia convert --to obf xot.txt >positions.obf
printf '{"id":1,"position":"f5d6c3"}\n{"id":2,"game":"f5d6c3"}\n' | tee positions.jsonl >requests.jsonl
emilia analyze --depth 2 requests.jsonl >answers.jsonl
emilia book import my.book games.txt
emilia book grow my.book --positions 2 --depth 4
cp my.book yours.book; cp my.book theirs.book; cp my.book emilia.book
emilia book export my.book --to edax -o edax.dat
emilia book export my.book --to egaroucid -o egaroucid.egbk3
emilia book export my.book | tee answers-1.jsonl >answers-2.jsonl
mkdir -p bin engines x src/sentences
printf '#!/bin/sh\nexec emilia --level 1 --no-book\n' >old
for name in new a b rhino engine engines/old x/e bin/gtp-rhino; do cp old $name; done
printf '#!/bin/sh\nwhile [ "$1" != emilia ]; do shift; done\nexec "$@"\n' >bin/parallel
chmod +x old new a b rhino engine engines/old x/e bin/*
"#;

/// All commands by their words, such as `book grow`.
fn commands(scratch: &Scratch, path: &str, found: &mut Vec<(String, String)>) {
    let help = scratch.succeeds(format!("help {path}").trim_end());
    for line in help.lines().take_while(|line| *line != "Options:") {
        let name = line
            .strip_prefix("  ")
            .and_then(|line| line.split_once("  "))
            .map_or("", |(name, _)| name);
        let is_command = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_command && name != "help" {
            commands(scratch, format!("{path} {name}").trim_start(), found);
        }
    }
    found.push((format!("emilia help {path}"), help));
}

/// The pages of the tree.
fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The lines of a text that call the program, with continued lines joined.
fn calls<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in lines {
        let last = found.last_mut().expect("it begins with one");
        last.push_str(line.trim_start().trim_start_matches("$ "));
        match last.ends_with(['\\', '|']) {
            true => *last = last.trim_end_matches('\\').to_owned() + " ",
            false => found.push(String::new()),
        }
    }
    found.retain(|line| line.contains("emilia ") && !line.starts_with('#'));
    found
}

fn of_help(help: &str) -> Vec<String> {
    let (_, examples) = help.split_once("\nExample").unwrap_or_default();
    calls(
        examples
            .lines()
            .skip(1)
            .filter(|line| line.starts_with("  ")),
    )
}

/// In blocks of code that are for a shell.
fn of_page(page: &str) -> Vec<String> {
    let mut block = None;
    let mut lines = Vec::new();
    for line in page.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(_), Some(_)) => block = None,
            (Some(language), None) => block = Some(language),
            (None, Some("sh")) => lines.push(line),
            (None, Some("console")) if line.starts_with("$ ") => lines.push(line),
            (None, None) if line.starts_with("    ") => lines.push(line),
            _ => {}
        }
    }
    calls(lines.into_iter())
}

/// A number or a time such as `5:00`, at the beginning of a text: its length and its worth.
fn leading_number(text: &str) -> Option<(usize, f64)> {
    let len = text
        .find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.')
        .unwrap_or(text.len());
    let worth = text[..len].split(':').try_fold(0.0, |all, part| {
        Some(all * 60.0 + part.parse::<f64>().ok()?)
    });
    Some((len, worth?))
}

fn shortened(line: &str) -> String {
    let mut line = line.to_owned();
    for &(before, most) in AT_MOST {
        let mut at = 0;
        while let Some(found) = line[at..].find(before) {
            at += found + before.len();
            if let Some((len, worth)) = leading_number(&line[at..])
                && worth > most
            {
                line.replace_range(at..at + len, &most.to_string());
            }
        }
    }
    for (command, limits, added) in ADDED {
        if let Some(at) = line.find(command) {
            let end = line[at..].find(" | ").map_or(line.len(), |len| at + len);
            if !limits.iter().any(|limit| line[at..end].contains(limit)) {
                line.insert_str(at + command.len(), &format!(" {added}"));
            }
        }
    }
    line
}

/// Removes the outputs of a line and their companions: an output refuses an existing file.
fn new_outputs(folder: &Path, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words
        .windows(2)
        .filter(|pair| ["-o", "--output", "--ggf"].contains(&pair[0]))
    {
        for ending in ["", ".part", ".run", ".summary.json"] {
            let _ = fs::remove_file(folder.join(format!("{}{ending}", pair[1])));
        }
    }
}

/// Runs a script in a folder to its end; the output of a failed one.
fn run(folder: &Path, script: &str) -> Result<(), String> {
    let program = Path::new(env!("CARGO_BIN_EXE_emilia"))
        .parent()
        .expect("it is in a folder");
    let path = format!(
        "{}:bin:{}",
        program.display(),
        env::var("PATH").unwrap_or_default()
    );
    let said = folder.join("said");
    let output = File::create(&said).unwrap();
    let mut child = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .env("EMILIA_BOOK", "off")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .spawn()
        .expect("bash is here");
    let wait = Wait::default();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.to_string(),
            None if wait.is_over() => {
                // SAFETY: it sends a signal to a group of this test's and touches no memory.
                unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
                break child.wait().unwrap().to_string() + " after too long";
            }
            None => pause(Duration::from_millis(2)),
        }
    };
    let said = String::from_utf8_lossy(&fs::read(&said).unwrap()).into_owned();
    let last: Vec<&str> = said.lines().rev().take(5).collect();
    match status == "exit status: 0" {
        true => Ok(()),
        false => Err(format!(
            "{status}\n    {}",
            last.into_iter().rev().collect::<Vec<_>>().join("\n    ")
        )),
    }
}

fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-R").arg(from).arg(to).status();
    assert!(status.unwrap().success(), "copying {}", from.display());
}

/// The result of an example.
enum Ran {
    Well,
    /// The example and its output.
    Badly(String),
    /// It begins like this entry of `NOT_RUN`.
    Listed(&'static str),
    /// A program of `OTHER_PROGRAMS` is not here.
    NoProgram,
}

fn outcome(folder: &Path, text: &str, line: &str, missing: &[&str]) -> Ran {
    if let Some((listed, _)) = NOT_RUN.iter().find(|(listed, _)| line.starts_with(listed)) {
        return Ran::Listed(listed);
    }
    if missing.iter().any(|program| line.contains(program)) {
        return Ran::NoProgram;
    }
    let script = shortened(line);
    new_outputs(folder, &script);
    match run(folder, &script) {
        Ok(()) => Ran::Well,
        Err(why) => Ran::Badly(format!("{text}: {line}\n  as {script}\n    {why}")),
    }
}

#[test]
fn every_example_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = Scratch::new("examples");
    let mut texts = Vec::new();
    commands(&scratch, "", &mut texts);
    let mut texts: Vec<_> = texts
        .iter()
        .map(|(name, help)| (name.clone(), of_help(help)))
        .collect();
    let mut paths = vec![root.join("README.md")];
    for folder in [
        "books",
        "engine",
        "examples",
        "lab",
        "protocol-tests",
        "src",
    ] {
        markdown(&root.join(folder), &mut paths);
    }
    paths.sort();
    texts.extend(paths.iter().map(|path| {
        let name = path
            .strip_prefix(root)
            .expect("it is below the root")
            .display()
            .to_string();
        (name, of_page(&fs::read_to_string(path).unwrap()))
    }));
    texts.retain(|(_, lines)| !lines.is_empty());

    let files = scratch.0.join("files");
    fs::create_dir(&files).unwrap();
    copy(&root.join("books"), &files.join("books"));
    fs::create_dir(files.join("examples")).unwrap();
    copy(&root.join("examples/game.ggf"), &files.join("examples"));
    if let Err(why) = run(&files, STAND_INS) {
        panic!("making the files: {why}");
    }
    let missing: Vec<&str> = OTHER_PROGRAMS
        .iter()
        .filter(|name| run(&files, &format!("command -v {name}")).is_err())
        .copied()
        .collect();
    let outcomes = Mutex::new(Vec::new());
    in_parallel(2, texts.iter().enumerate(), |(number, (name, lines))| {
        let folder = scratch.0.join(number.to_string());
        copy(&files, &folder);
        let ran = lines
            .iter()
            .map(|line| outcome(&folder, name, line, &missing));
        let ran: Vec<_> = ran.collect();
        outcomes.lock().unwrap().extend(ran);
        fs::remove_dir_all(&folder).unwrap();
    });
    let outcomes = outcomes.into_inner().unwrap();
    let mut faults: Vec<String> = Vec::new();
    let mut not_run = BTreeSet::new();
    let mut count = 0;
    for outcome in outcomes {
        match outcome {
            Ran::Well => count += 1,
            Ran::Badly(what) => faults.push(what),
            Ran::Listed(listed) => drop(not_run.insert(listed)),
            Ran::NoProgram => {}
        }
    }
    let gone = NOT_RUN
        .iter()
        .filter(|(listed, _)| !not_run.contains(listed));
    faults.extend(gone.map(|(listed, _)| format!("no example begins with: {listed}")));
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(count > 100, "{count} examples");
    println!(
        "{count} examples run, {} beginnings listed as not run",
        not_run.len()
    );
}

#[test]
fn man_pages_fit_the_terminal_and_keep_the_examples() {
    let scratch = Scratch::new("man");
    if run(&scratch.0, "command -v groff").is_err() {
        return;
    }
    let mut helps = Vec::new();
    commands(&scratch, "", &mut helps);
    let mut faults = Vec::new();
    for (name, help) in &helps {
        let page = name.replacen("help", "man", 1);
        let script = format!("{page} >page && groff -man -Tutf8 -P-cbou -rLL=80n page >shown");
        run(&scratch.0, &script).unwrap_or_else(|why| panic!("{page}: {why}"));
        let shown = scratch.read("shown");
        let wide = shown.lines().filter(|line| line.chars().count() > 80);
        faults.extend(wide.map(|line| format!("{page} is wide: {line}")));
        let (_, examples) = help.split_once("\nExample").unwrap_or_default();
        let lost = examples
            .lines()
            .skip(1)
            .filter(|line| line.starts_with("  "));
        let lost = lost.filter(|line| !shown.lines().any(|there| there == *line));
        faults.extend(lost.map(|line| format!("{page} has lost: {line}")));
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
