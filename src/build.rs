//! Names the level of vector kernels that this build gets: one of three, chosen once.
//!
//! `cfg(kernel = "avx512")` needs what Intel's Ice Lake and AMD's Zen 4 brought, `"avx2"` what every
//! processor with AVX2 and BMI2 has, `"scalar"` nothing. A build between the levels takes the lower.

/// What each level needs, the highest level first.
const LEVELS: [(&str, &[&str]); 2] = [
    (
        "avx512",
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
            "bmi2",
            "gfni",
        ],
    ),
    ("avx2", &["avx2", "bmi2"]),
];

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    let has = |feature: &&str| features.split(',').any(|other| other == *feature);
    let fits = |(_, needs): &&(&str, &[&str])| needs.iter().all(has);
    let best = LEVELS.iter().find(fits).map(|(name, _)| *name);
    let kernel = best.filter(|_| variable("CARGO_CFG_TARGET_ARCH") == "x86_64").unwrap_or("scalar");
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rustc-check-cfg=cfg(kernel, values(\"avx512\", \"avx2\", \"scalar\"))");
    println!("cargo::rustc-env=EMILIA_KERNEL={kernel}");
    println!("cargo::rustc-cfg=kernel=\"{kernel}\"");
}
