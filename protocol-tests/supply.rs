//! What the program is made of: licences that go with our own, and a list without gaps.

use std::process::Command;

use serde_json::Value;

/// Licences that may stand alone: their terms ask for a notice at most.
const ALLOWED: [&str; 4] = ["MIT", "Apache-2.0", "Unicode-3.0", "Zlib"];

/// Whether an SPDX expression lets us use a package under the allowed licences.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let allowed = either(&mut rest);
    allowed.unwrap_or(false) && rest.is_empty()
}

/// `a OR b`; `None` when it is no expression.
fn either(words: &mut &[&str]) -> Option<bool> {
    let mut allowed = both(words)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        allowed |= both(words)?;
    }
    Some(allowed)
}

/// `a AND b`, which binds closer.
fn both(words: &mut &[&str]) -> Option<bool> {
    let mut allowed = one(words)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        allowed &= one(words)?;
    }
    Some(allowed)
}

/// A licence, perhaps with an exception (which only ever allows more), or an expression in parentheses.
fn one(words: &mut &[&str]) -> Option<bool> {
    let (&first, rest) = words.split_first()?;
    *words = rest;
    if first == "(" {
        let allowed = either(words)?;
        *words = words.strip_prefix(&[")"])?;
        return Some(allowed);
    }
    if let ["WITH", _, rest @ ..] = *words {
        *words = rest;
    }
    Some(ALLOWED.contains(&first))
}

/// What cargo says of the packages, or `None` where it cannot say it without the network.
fn metadata() -> Option<Value> {
    let args = ["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform"];
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.args(args).arg(host()).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}

/// The platform of this toolchain.
fn host() -> String {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.arg("-vV").output().expect("the cargo that built this test runs");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host").to_owned()
}

#[test]
fn every_licence_goes_with_ours() {
    let metadata = metadata().expect("what was just built is on this machine");
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 20, "{} packages", packages.len());
    for package in packages {
        let (name, license) = (&package["name"], package["license"].as_str());
        assert!(license.is_some_and(is_allowed), "{name}: {license:?} is none of {ALLOWED:?}");
    }
}

#[test]
fn expressions_are_read_as_they_bind() {
    for text in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0-only OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR BSL-1.0",
    ] {
        assert!(is_allowed(text), "{text}");
    }
    for text in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "MIT OR",
        "(MIT",
        "MIT MIT",
        "(GPL-3.0-only OR MIT) AND MPL-2.0",
        "MPL-2.0 AND MIT OR GPL-2.0-only",
    ] {
        assert!(!is_allowed(text), "{text}");
    }
}
