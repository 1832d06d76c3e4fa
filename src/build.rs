//! Names the commit of the build.

use std::path::Path;
use std::process::Command;

/// The output of git, or nothing if git fails or is missing.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// The commit of this folder, `-dirty` behind it where a source was changed since.
fn commit_of_checkout(root: &Path) -> Option<String> {
    // A package is unpacked below another checkout while cargo tries it.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?)
        .canonicalize()
        .ok()?
        != root.canonicalize().ok()?
    {
        return None;
    }
    println!(
        "cargo::rerun-if-changed={}",
        git(&["rev-parse", "--git-path", "logs/HEAD"])?
    );
    for folder in ["src", "engine"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    git(&[
        "describe",
        "--always",
        "--abbrev=9",
        "--exclude=*",
        "--dirty",
    ])
}

/// The commit that a package of cargo's was made from.
fn commit_of_package(root: &Path) -> Option<String> {
    let record = std::fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let (_, commit) = record.split_once("\"sha1\": \"")?;
    Some(commit.get(..9)?.to_owned())
}

/// The version, and the commit if it is known: `0.3.0 (COMMIT)` of a release, `0.3.0-dev+COMMIT` before it. Test builds
/// omit the commit, because each commit would rebuild them.
fn version() -> String {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let find = || commit_of_checkout(root.as_ref()).or_else(|| commit_of_package(root.as_ref()));
    match is_release.then(find).flatten() {
        Some(commit) if version.contains('-') => format!("{version}+{commit}"),
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    }
}

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rustc-env=EMILIA_VERSION={}", version());
}
