//! Chooses the vector kernels of the build, one of six levels, and names its commit.
//!
//! `cfg(kernel = "avx512")` needs the instruction sets of Intel's Ice Lake and AMD's Zen 4, `"avx2"` AVX2 and BMI2,
//! `"neon"` any 64-bit ARM processor, `"simd128"` WebAssembly's vectors, `"scalar"` no vector instructions. A build between two levels uses the lower one.
//! On x86-64 the lowest is `"dispatch"`: the program holds all kernels, and `board/level.rs` chooses at run time. `cfg(with = "avx2")`
//! and `cfg(with = "avx512")` are set where the build holds these kernels.

use std::path::Path;
use std::process::Command;

/// Name, architecture and needed instruction sets of each level, the highest level of an architecture first.
const LEVELS: [(&str, &str, &[&str]); 4] = [
    (
        "avx512",
        "x86_64",
        &[
            "avx512f",
            "avx512bitalg",
            "avx512bw",
            "avx512cd",
            "avx512dq",
            "avx512vl",
            "avx512vnni",
            "avx512vpopcntdq",
            "avx2",
            "bmi1",
            "bmi2",
            "gfni",
            "lzcnt",
            "popcnt",
        ],
    ),
    (
        "avx2",
        "x86_64",
        &["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"],
    ),
    ("neon", "aarch64", &["neon"]),
    ("simd128", "wasm32", &["simd128"]),
];

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
    println!("cargo::rerun-if-changed=src");
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
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    let has = |feature: &&str| features.split(',').any(|other| other == *feature);
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    // The vector kernels read words as bytes, the lowest first.
    let is_little_endian = variable("CARGO_CFG_TARGET_ENDIAN") == "little";
    let fits = |(_, of, needs): &&(&str, &str, &[&str])| {
        *of == architecture && is_little_endian && needs.iter().all(has)
    };
    let lowest = if architecture == "x86_64" {
        "dispatch"
    } else {
        "scalar"
    };
    let kernel = LEVELS.iter().find(fits).map_or(lowest, |(name, ..)| *name);
    for (with, kernels) in [
        ("avx2", &["avx2", "avx512", "dispatch"][..]),
        ("avx512", &["avx512", "dispatch"]),
    ] {
        if kernels.contains(&kernel) {
            println!("cargo::rustc-cfg=with=\"{with}\"");
        }
    }
    println!("cargo::rerun-if-changed=src/build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(kernel, values(\"avx512\", \"avx2\", \"neon\", \"simd128\", \"dispatch\", \"scalar\"))"
    );
    println!("cargo::rustc-check-cfg=cfg(with, values(\"avx2\", \"avx512\"))");
    println!("cargo::rustc-env=EMILIA_KERNEL={kernel}");
    println!("cargo::rustc-env=EMILIA_VERSION={}", version());
    println!("cargo::rustc-cfg=kernel=\"{kernel}\"");
}
