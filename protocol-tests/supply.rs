//! The packages of the program: compatible licenses, one registry, by the policy in `.cargo/deny.toml`.

use std::process::Command;

use serde_json::Value;

const POLICY: &str = include_str!("../.cargo/deny.toml");

fn licenses() -> Vec<&'static str> {
    let list = POLICY
        .lines()
        .find_map(|line| line.strip_prefix("allow = [")?.strip_suffix(']'));
    list.expect("the policy allows licenses")
        .split(", ")
        .map(|name| name.trim_matches('"'))
        .collect()
}

/// Whether an SPDX expression lets us use a package: each part between `AND` offers an allowed license. This refuses
/// `MIT OR A AND B`, where `AND` binds closer, which no package has.
fn is_allowed(expression: &str) -> bool {
    let allowed = |word: &str| licenses().contains(&word.trim_matches(['(', ')']));
    expression
        .split(" AND ")
        .all(|part| part.split(['/', ' ']).any(allowed))
}

/// The packages by cargo; `None` if it needs the network.
fn metadata() -> Option<Value> {
    let args = [
        "metadata",
        "--locked",
        "--offline",
        "--format-version",
        "1",
        "--filter-platform",
    ];
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .args(args)
        .arg(host())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| serde_json::from_slice(&output.stdout).unwrap())
}

/// The platform of this toolchain.
fn host() -> String {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .arg("-vV")
        .output()
        .expect("the cargo that built this test runs");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("cargo names its host")
        .to_owned()
}

#[test]
fn every_license_is_allowed() {
    let metadata = metadata().expect("the packages of this build are on this machine");
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 20, "{} packages", packages.len());
    for package in packages {
        let name = &package["name"];
        let license = package["license"].as_str();
        assert!(
            license.is_some_and(is_allowed),
            "{name}: {license:?} is not one of {:?}",
            licenses()
        );
    }
}

/// Whether an entry of a lock file is a package of this repository, or one of a registry with a checksum.
fn is_pinned(entry: &str) -> bool {
    let field = |name: &str| {
        entry
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))
    };
    match (field("source"), field("checksum")) {
        (None, None) => field("name").is_some_and(|name| name.starts_with("\"emilia")),
        (Some(source), Some(checksum)) => source.starts_with("\"registry+") && checksum.len() == 66,
        _ => false,
    }
}

#[test]
fn other_packages_come_from_one_registry_and_are_pinned() {
    for lock in [
        include_str!("../Cargo.lock"),
        include_str!("fuzz/Cargo.lock"),
    ] {
        let entries: Vec<&str> = lock.split("[[package]]\n").skip(1).collect();
        assert!(entries.len() > 20, "{} packages", entries.len());
        let mut sources: Vec<&str> = lock
            .lines()
            .filter(|line| line.starts_with("source = "))
            .collect();
        sources.dedup();
        assert_eq!(sources.len(), 1, "{sources:?}");
        for entry in entries {
            assert!(is_pinned(entry), "{entry}");
        }
    }
}

#[test]
fn unpinned_packages_are_found() {
    let ours = "name = \"emilia-fuzz\"\nversion = \"0.0.0\"\n";
    let checksum = format!("checksum = \"{}\"\n", "0".repeat(64));
    let sent = format!("name = \"a\"\nsource = \"registry+x\"\n{checksum}");
    assert!(is_pinned(ours) && is_pinned(&sent));
    let from_git = sent.replace("registry+", "git+");
    for entry in [
        "name = \"a\"\n",
        "name = \"a\"\nsource = \"registry+x\"\n",
        from_git.as_str(),
    ] {
        assert!(!is_pinned(entry), "{entry}");
    }
}

#[test]
fn each_part_needs_an_allowed_license() {
    for (text, allowed) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0-only OR MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception OR BSL-1.0", true),
        ("", false),
        ("GPL-3.0-only", false),
        ("MIT AND GPL-3.0-only", false),
        ("(GPL-3.0-only OR MIT) AND MPL-2.0", false),
    ] {
        assert_eq!(is_allowed(text), allowed, "{text}");
    }
}

/// `.ci/run` compares each commit with its number.
#[cfg(unix)]
#[test]
fn a_commit_without_its_number_is_refused() {
    let scratch = crate::scratch::Scratch::new("promise");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&scratch.0)
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .output()
    };
    if run("git", &["init", "-q"]).is_err() {
        eprintln!("skipped: there is no git here");
        return;
    }
    let promise = concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/promise");
    for (message, number) in [
        ("area: fact\n\nWhy.\n\nBench: 629285", Some("629285")),
        ("area: fact", None),
        ("area: fact\n\nBench: no", None),
        (
            "area: fact\n\nThe last one said\n\n    Bench: 12\n\nand this says nothing.",
            None,
        ),
    ] {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let commit = ["commit", "-q", "--allow-empty", "-m", message];
        assert!(
            run("git", &[&who[..], &commit].concat())
                .unwrap()
                .status
                .success()
        );
        let output = run(promise, &[]).unwrap();
        let [out, error] = [&output.stdout, &output.stderr]
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        match number {
            Some(number) => assert_eq!((out.trim(), error.as_str()), (number, "")),
            None => {
                assert!(
                    !output.status.success() && error.contains("has no line `Bench: NUMBER`"),
                    "{error}"
                )
            }
        }
    }
}
