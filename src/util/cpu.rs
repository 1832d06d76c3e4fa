//! Checks that this processor has the instruction sets of the build.
//!
//! A build with `target-cpu=native` may use any instruction anywhere, also before `main`: link-time optimization compiles the
//! start of the runtime for it, too. So on Linux and x86-64 the initializer list of the program catches illegal instructions
//! until `main` has checked the processor; elsewhere only `main` checks.

/// The message on a processor without these instruction sets.
pub const REFUSAL: &str = "emilia: this processor lacks instruction sets that the binary was built for; \
                           build it on this machine, or take a portable build (see the README)\n";

/// The instruction sets of every x86-64 processor.
#[cfg(all(test, target_arch = "x86_64"))]
const BASELINE: [&str; 3] = ["fxsr", "sse", "sse2"];

/// No compiler uses these by itself, and the operating system enables them.
#[cfg(all(test, target_arch = "x86_64"))]
const UNASKED: [&str; 2] = ["kl", "widekl"];

/// The name of an instruction set, whether this build assumes it, and whether processor and operating system have it.
type Feature = (&'static str, bool, bool);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! asked {
    ($is_detected:ident: $($name:tt)*) => {
        [$(($name, cfg!(target_feature = $name), std::arch::$is_detected!($name))),*].into_iter()
    };
}

/// All of stable Rust for x86-64, except [`BASELINE`] and [`UNASKED`].
#[cfg(target_arch = "x86_64")]
fn features() -> impl Iterator<Item = Feature> {
    asked! {
        is_x86_feature_detected:
        "sse3" "pclmulqdq" "ssse3" "fma" "cmpxchg16b" "sse4.1" "sse4.2" "movbe" "popcnt" "aes" "xsave" "avx"
        "f16c" "rdrand" "bmi1" "avx2" "bmi2" "ermsb" "rtm" "avx512f" "avx512dq" "rdseed" "adx" "avx512ifma"
        "avx512cd" "sha" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2" "gfni" "vaes" "vpclmulqdq"
        "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512vp2intersect" "avx512fp16" "sha512" "sm3" "sm4"
        "avxvnni" "avx512bf16" "avxifma" "avxvnniint8" "avxneconvert" "avxvnniint16" "xsaveopt" "xsavec"
        "xsaves" "lzcnt" "sse4a" "tbm"
    }
}

/// The sets of AArch64 that compilers use by themselves. Guards of branches and memory and cache hints are absent: they do
/// nothing on older processors, and systems may hide them from programs.
#[cfg(target_arch = "aarch64")]
fn features() -> impl Iterator<Item = Feature> {
    asked! {
        is_aarch64_feature_detected:
        "neon" "aes" "bf16" "crc" "dotprod" "f32mm" "f64mm" "fcma" "fhm" "flagm" "fp16" "frintts" "i8mm" "jsconv" "lse"
        "lse2" "rcpc" "rcpc2" "rdm" "sha2" "sha3" "sm4" "sve" "sve2" "sve2-aes" "sve2-bitperm" "sve2-sha3" "sve2-sm4"
    }
}

/// Builds for other processors assume only the baseline.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> impl Iterator<Item = Feature> {
    std::iter::empty()
}

/// The instruction sets that this build assumes, by name; empty for a plain build.
pub fn built_for() -> Vec<&'static str> {
    features()
        .filter_map(|(name, is_built, _)| is_built.then_some(name))
        .collect()
}

/// Whether processor and operating system have all assumed sets; ends the watch of [`guard`].
pub fn suffices() -> bool {
    let is_enough = features().all(|(_, is_built, is_present)| is_present || !is_built);
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    if is_enough {
        // SAFETY: the default action runs no code of this program.
        unsafe { libc::signal(libc::SIGILL, libc::SIG_DFL) };
    }
    is_enough
}

/// Exits with [`REFUSAL`] at the first illegal instruction, until [`suffices`] has checked.
///
/// The loader calls it before `main`: it needs no runtime, and is too small for vector instructions.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub extern "C" fn guard() {
    extern "C" fn refuse(_: libc::c_int) {
        // SAFETY: both calls are async-signal-safe and need no initialized runtime; the message is a static of the
        // given length.
        unsafe {
            libc::write(2, REFUSAL.as_ptr().cast(), REFUSAL.len());
            libc::_exit(2);
        }
    }
    // SAFETY: the handler has the right type, and all its calls are async-signal-safe.
    unsafe { libc::signal(libc::SIGILL, refuse as *const () as libc::sighandler_t) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_the_tests_suffices() {
        assert!(suffices());
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[test]
    fn the_build_names_its_features() {
        assert!(built_for().contains(&"avx2"));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_feature_that_a_build_can_assume_is_asked_for() {
        let known: Vec<&str> = features()
            .map(|(name, ..)| name)
            .chain(BASELINE)
            .chain(UNASKED)
            .collect();
        let processors = "native x86-64-v4 haswell bdver4 znver3 znver4 znver5 skylake-avx512 icelake-client \
                          icelake-server tigerlake sapphirerapids graniterapids alderlake arrowlake-s lunarlake \
                          pantherlake sierraforest diamondrapids";
        for processor in processors.split(' ') {
            let mut rustc = std::process::Command::new(option_env!("RUSTC").unwrap_or("rustc"));
            rustc.args([
                "--print",
                "cfg",
                "--target",
                "x86_64-unknown-linux-gnu",
                "-C",
            ]);
            // Only a compiler that knows the processor can be compared.
            let Ok(output) = rustc.arg(format!("target-cpu={processor}")).output() else {
                return;
            };
            let features = String::from_utf8_lossy(&output.stdout);
            for line in features.lines() {
                let Some(name) = line.strip_prefix("target_feature=\"") else {
                    continue;
                };
                let name = name.trim_end_matches('"');
                assert!(
                    name.starts_with("crt-") || known.contains(&name),
                    "{processor}: {name}"
                );
            }
        }
    }
}
