//! Chooses the vector kernels of the build, one of six levels.
//!
//! `cfg(kernel = "avx512")` needs the instruction sets of Intel's Ice Lake and AMD's Zen 4, `"avx2"` AVX2 and BMI2,
//! `"neon"` any 64-bit ARM processor, `"simd128"` WebAssembly's vectors, `"scalar"` no vector instructions. A build between two levels uses the lower one.
//! On x86-64 the lowest is `"dispatch"`: the program holds all kernels, and `board/level.rs` chooses at run time. `cfg(with = "avx2")`
//! and `cfg(with = "avx512")` are set where the build holds these kernels.

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
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(kernel, values(\"avx512\", \"avx2\", \"neon\", \"simd128\", \"dispatch\", \"scalar\"))"
    );
    println!("cargo::rustc-check-cfg=cfg(with, values(\"avx2\", \"avx512\"))");
    println!("cargo::rustc-env=EMILIA_KERNEL={kernel}");
    println!("cargo::rustc-cfg=kernel=\"{kernel}\"");
}
