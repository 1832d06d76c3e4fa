//! Whether this processor has what the binary was built for.
//!
//! A build with `target-cpu=native` may use any instruction anywhere, the first lines of `main`
//! included: with link-time optimisation the runtime's own start is compiled for it too. So on Linux and x86-64 the
//! question is asked before `main`, from the program's initialiser list, in a few lines of assembly that every
//! x86-64 processor can run; elsewhere as the first thing in `main`.

/// What a binary says before it gives up on a processor.
pub const REFUSAL: &str = "emilia: this processor lacks instruction sets that the binary was built for; \
                           build it on this machine, or take a portable build (see the README)\n";

/// Hands every instruction set that a build may assume to `$macro`: the name as in `-C target-feature`, the word
/// of `cpuid`'s answers and the bit in it, and what of XCR0 the operating system must have set to save the registers.
///
/// All that stable Rust knows for x86-64, but for what each such processor has ([`BASELINE`]) and Key Locker
/// ([`UNASKED`]).
///
/// Sources: Intel SDM volume 2A, CPUID, and its Instruction Set Extensions Programming Reference; AMD APM volume 3,
/// appendix E.
#[cfg(target_arch = "x86_64")]
macro_rules! with_features {
    ($macro:ident) => {
        $macro! {
            "sse3" Leaf1Ecx 0 0;
            "pclmulqdq" Leaf1Ecx 1 0;
            "ssse3" Leaf1Ecx 9 0;
            "fma" Leaf1Ecx 12 AVX_STATE;
            "cmpxchg16b" Leaf1Ecx 13 0;
            "sse4.1" Leaf1Ecx 19 0;
            "sse4.2" Leaf1Ecx 20 0;
            "movbe" Leaf1Ecx 22 0;
            "popcnt" Leaf1Ecx 23 0;
            "aes" Leaf1Ecx 25 0;
            "xsave" Leaf1Ecx 26 X87_STATE;
            "avx" Leaf1Ecx 28 AVX_STATE;
            "f16c" Leaf1Ecx 29 AVX_STATE;
            "rdrand" Leaf1Ecx 30 0;
            "bmi1" Leaf7Ebx 3 0;
            "avx2" Leaf7Ebx 5 AVX_STATE;
            "bmi2" Leaf7Ebx 8 0;
            "ermsb" Leaf7Ebx 9 0;
            "rtm" Leaf7Ebx 11 0;
            "avx512f" Leaf7Ebx 16 AVX512_STATE;
            "avx512dq" Leaf7Ebx 17 AVX512_STATE;
            "rdseed" Leaf7Ebx 18 0;
            "adx" Leaf7Ebx 19 0;
            "avx512ifma" Leaf7Ebx 21 AVX512_STATE;
            "avx512cd" Leaf7Ebx 28 AVX512_STATE;
            "sha" Leaf7Ebx 29 0;
            "avx512bw" Leaf7Ebx 30 AVX512_STATE;
            "avx512vl" Leaf7Ebx 31 AVX512_STATE;
            "avx512vbmi" Leaf7Ecx 1 AVX512_STATE;
            "avx512vbmi2" Leaf7Ecx 6 AVX512_STATE;
            "gfni" Leaf7Ecx 8 0;
            "vaes" Leaf7Ecx 9 AVX_STATE;
            "vpclmulqdq" Leaf7Ecx 10 AVX_STATE;
            "avx512vnni" Leaf7Ecx 11 AVX512_STATE;
            "avx512bitalg" Leaf7Ecx 12 AVX512_STATE;
            "avx512vpopcntdq" Leaf7Ecx 14 AVX512_STATE;
            "avx512vp2intersect" Leaf7Edx 8 AVX512_STATE;
            "avx512fp16" Leaf7Edx 23 AVX512_STATE;
            "sha512" Leaf71Eax 0 AVX_STATE;
            "sm3" Leaf71Eax 1 AVX_STATE;
            "sm4" Leaf71Eax 2 AVX_STATE;
            "avxvnni" Leaf71Eax 4 AVX_STATE;
            "avx512bf16" Leaf71Eax 5 AVX512_STATE;
            "avxifma" Leaf71Eax 23 AVX_STATE;
            "avxvnniint8" Leaf71Edx 4 AVX_STATE;
            "avxneconvert" Leaf71Edx 5 AVX_STATE;
            "avxvnniint16" Leaf71Edx 10 AVX_STATE;
            "xsaveopt" LeafD1Eax 0 X87_STATE;
            "xsavec" LeafD1Eax 1 X87_STATE;
            "xsaves" LeafD1Eax 3 X87_STATE;
            "lzcnt" ExtendedEcx 5 0;
            "sse4a" ExtendedEcx 6 0;
            "tbm" ExtendedEcx 21 0;
        }
    };
}

/// What every x86-64 processor has.
#[cfg(all(test, target_arch = "x86_64"))]
const BASELINE: [&str; 3] = ["fxsr", "sse", "sse2"];

/// No compiler uses these unasked, and whether they work is up to the operating system.
#[cfg(all(test, target_arch = "x86_64"))]
const UNASKED: [&str; 2] = ["kl", "widekl"];

/// The name of an instruction set, whether this build assumes it, and whether this processor and its
/// operating system have it.
type Feature = (&'static str, bool, bool);

#[cfg(target_arch = "x86_64")]
fn features() -> impl Iterator<Item = Feature> {
    macro_rules! asked {
        ($($name:tt $word:ident $bit:literal $state:expr;)*) => {
            [$(($name, cfg!(target_feature = $name), std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    with_features!(asked).into_iter()
}

/// What compilers use unasked of all that stable Rust knows for AArch64: not what guards branches and memory or steers
/// caches, which does nothing where it is missing, and which systems may hide from programs.
#[cfg(target_arch = "aarch64")]
fn features() -> impl Iterator<Item = Feature> {
    macro_rules! asked {
        ($($name:tt)*) => {
            [$(($name, cfg!(target_feature = $name), std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let all = asked! {
        "neon" "aes" "bf16" "crc" "dotprod" "f32mm" "f64mm" "fcma" "fhm" "flagm" "fp16" "frintts" "i8mm" "jsconv" "lse"
        "lse2" "rcpc" "rcpc2" "rdm" "sha2" "sha3" "sm4" "sve" "sve2" "sve2-aes" "sve2-bitperm" "sve2-sha3" "sve2-sm4"
    };
    all.into_iter()
}

/// Other processors have no more than their target's baseline assumed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> impl Iterator<Item = Feature> {
    std::iter::empty()
}

/// The instruction sets that this build was told to assume, by name; empty for a plain build.
pub fn built_for() -> Vec<&'static str> {
    features().filter_map(|(name, is_built, _)| is_built.then_some(name)).collect()
}

/// Whether processor and operating system have all that this build assumes.
pub fn suffices() -> bool {
    features().all(|(_, is_built, is_present)| is_present || !is_built)
}

// Miri runs no assembly.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod before_main {
    use std::arch::asm;

    /// A word of `cpuid`'s answers.
    #[derive(Clone, Copy)]
    enum Word {
        Leaf1Ecx,
        Leaf7Ebx,
        Leaf7Ecx,
        Leaf7Edx,
        Leaf71Eax,
        Leaf71Edx,
        LeafD1Eax,
        ExtendedEcx,
    }

    /// An instruction set that this build assumes, or not.
    struct Feature {
        built: bool,
        word: Word,
        bit: u32,
        state: u32,
    }

    const X87_STATE: u32 = 0x01;
    const AVX_STATE: u32 = 0x06;
    const AVX512_STATE: u32 = 0xE6;
    /// In leaf 1, ECX: the operating system lets programs read XCR0.
    const OSXSAVE: u32 = 1 << 27;

    macro_rules! table {
        ($($name:tt $word:ident $bit:literal $state:expr;)*) => {
            &[$(Feature {
                built: cfg!(target_feature = $name),
                word: Word::$word,
                bit: $bit,
                state: $state,
            }),*]
        };
    }

    const FEATURES: &[Feature] = with_features!(table);

    /// The bits of `word` that this build needs.
    const fn needed(word: Word) -> u32 {
        let mut mask = 0;
        let mut i = 0;
        while i < FEATURES.len() {
            if FEATURES[i].built && FEATURES[i].word as u8 == word as u8 {
                mask |= 1 << FEATURES[i].bit;
            }
            i += 1;
        }
        mask
    }

    /// The register files that the operating system must save for this build.
    const NEEDED_STATE: u32 = {
        let mut state = 0;
        let mut i = 0;
        while i < FEATURES.len() {
            if FEATURES[i].built {
                state |= FEATURES[i].state;
            }
            i += 1;
        }
        state
    };

    const NEEDED_LEAF1: u32 = needed(Word::Leaf1Ecx) | if NEEDED_STATE != 0 { OSXSAVE } else { 0 };
    const NEEDED_LEAF7: u32 = needed(Word::Leaf7Ebx)
        | needed(Word::Leaf7Ecx)
        | needed(Word::Leaf7Edx)
        | needed(Word::Leaf71Eax)
        | needed(Word::Leaf71Edx);
    const HIGHEST_LEAF: u32 = if needed(Word::LeafD1Eax) != 0 {
        0xD
    } else if NEEDED_LEAF7 != 0 {
        7
    } else {
        1
    };
    /// Leaf 7 tells how many parts it has.
    const HIGHEST_PART: u32 = (needed(Word::Leaf71Eax) | needed(Word::Leaf71Edx) != 0) as u32;

    /// Whether processor and operating system have all that this build assumes.
    #[inline(always)]
    fn suffices() -> bool {
        let mut lacks = 0_u32;
        /// Sets `lacks` unless the word that `cpuid` gives for a leaf and a part of it has all bits that are needed.
        macro_rules! ask {
            ($leaf:literal $part:literal $register:literal $needed:expr) => {
                // SAFETY: cpuid exists on every x86-64 processor, rbx is restored, and no memory is touched.
                unsafe {
                    asm!(
                        "mov r8, rbx",
                        concat!("mov eax, ", $leaf),
                        concat!("mov ecx, ", $part),
                        "cpuid",
                        concat!("mov r10d, ", $register),
                        "mov rbx, r8",
                        "and r10d, {needed}",
                        "xor r10d, {needed}",
                        "or r9d, r10d",
                        // By name: a register of the compiler's choice may be rbx, which `cpuid` overwrites.
                        inout("r9d") lacks,
                        out("r8") _, out("r10d") _, out("eax") _, out("ecx") _, out("edx") _,
                        needed = const $needed as i32,
                        options(nomem, nostack),
                    );
                }
            };
        }
        /// Sets `lacks` unless the processor tells of leaves, or parts of leaf 7, up to this number: it answers anything
        /// when asked for others.
        macro_rules! reaches {
            ($leaf:literal $highest:expr) => {
                // SAFETY: as above.
                unsafe {
                    asm!(
                        "mov r8, rbx",
                        concat!("mov eax, ", $leaf),
                        "xor ecx, ecx",
                        "cpuid",
                        "mov rbx, r8",
                        "mov ecx, {highest}",
                        "cmp eax, ecx",
                        "sbb edx, edx",
                        "or r9d, edx",
                        inout("r9d") lacks,
                        out("r8") _, out("eax") _, out("ecx") _, out("edx") _,
                        highest = const $highest as i32,
                        options(nomem, nostack),
                    );
                }
            };
        }
        reaches!("0" HIGHEST_LEAF);
        ask!("1" "0" "ecx" NEEDED_LEAF1);
        if NEEDED_LEAF7 != 0 {
            reaches!("7" HIGHEST_PART);
            ask!("7" "0" "ebx" needed(Word::Leaf7Ebx));
            ask!("7" "0" "ecx" needed(Word::Leaf7Ecx));
            ask!("7" "0" "edx" needed(Word::Leaf7Edx));
            ask!("7" "1" "eax" needed(Word::Leaf71Eax));
            ask!("7" "1" "edx" needed(Word::Leaf71Edx));
        }
        ask!("0xD" "1" "eax" needed(Word::LeafD1Eax));
        ask!("0x80000001" "0" "ecx" needed(Word::ExtendedEcx));
        if NEEDED_STATE != 0 {
            // SAFETY: xgetbv is reached only where OSXSAVE, which it needs, was seen.
            unsafe {
                asm!(
                    "test r9d, r9d",
                    "jne 2f",
                    "xor ecx, ecx",
                    "xgetbv",
                    "and eax, {state}",
                    "xor eax, {state}",
                    "mov r9d, eax",
                    "2:",
                    inout("r9d") lacks,
                    out("eax") _, out("ecx") _, out("edx") _,
                    state = const NEEDED_STATE as i32,
                    options(nomem, nostack),
                );
            }
        }
        lacks == 0
    }

    extern "C" fn guard() {
        if suffices() {
            return;
        }
        // SAFETY: both calls are async-signal-safe and need no initialised runtime; the message
        // is a static of the given length.
        unsafe {
            libc::write(2, super::REFUSAL.as_ptr().cast(), super::REFUSAL.len());
            libc::_exit(2);
        }
    }

    // SAFETY: the section holds pointers to `extern "C"` functions that the loader calls once,
    // before `main`; the guard needs nothing that `main`'s runtime would set up.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static GUARD: extern "C" fn() = guard;

    #[cfg(test)]
    mod tests {
        use std::arch::x86_64::{__cpuid_count, CpuidResult};

        use super::{FEATURES, Word, suffices};

        #[test]
        fn both_questions_have_one_answer() {
            assert_eq!(suffices(), crate::util::cpu::suffices());
        }

        /// On this processor at least: each bit of the table says what the standard library says.
        #[test]
        fn the_table_has_the_right_bits() {
            let highest = __cpuid_count(0, 0).eax;
            let parts = if highest >= 7 { __cpuid_count(7, 0).eax } else { 0 };
            for (feature, (name, _, is_present)) in FEATURES.iter().zip(crate::util::cpu::features()) {
                let part = |leaf, part| {
                    let none = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
                    let told = leaf <= highest && (leaf != 7 || part <= parts) || leaf > 1 << 31;
                    if told { __cpuid_count(leaf, part) } else { none }
                };
                let word = match feature.word {
                    Word::Leaf1Ecx => part(1, 0).ecx,
                    Word::Leaf7Ebx => part(7, 0).ebx,
                    Word::Leaf7Ecx => part(7, 0).ecx,
                    Word::Leaf7Edx => part(7, 0).edx,
                    Word::Leaf71Eax => part(7, 1).eax,
                    Word::Leaf71Edx => part(7, 1).edx,
                    Word::LeafD1Eax => part(0xD, 1).eax,
                    Word::ExtendedEcx => part(0x8000_0001, 0).ecx,
                };
                // What the operating system does not save, the standard library does not show.
                let is_told = word >> feature.bit & 1 == 1;
                assert!(is_told == is_present || is_told && feature.state != 0, "{name}: {is_told}");
            }
        }
    }
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

    /// Whatever a build for some processor assumes is asked for, as far as stable Rust tells.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_feature_that_a_build_can_assume_is_asked_for() {
        let known: Vec<&str> = features().map(|(name, ..)| name).chain(BASELINE).chain(UNASKED).collect();
        for processor in [
            "native",
            "x86-64-v4",
            "haswell",
            "bdver4",
            "znver3",
            "znver4",
            "znver5",
            "skylake-avx512",
            "icelake-client",
            "icelake-server",
            "tigerlake",
            "sapphirerapids",
            "graniterapids",
            "alderlake",
            "arrowlake-s",
            "lunarlake",
            "pantherlake",
            "sierraforest",
            "diamondrapids",
        ] {
            let mut rustc = std::process::Command::new(option_env!("RUSTC").unwrap_or("rustc"));
            rustc.args(["--print", "cfg", "--target", "x86_64-unknown-linux-gnu", "-C"]);
            // A compiler that does not know the processor, or none at all, has nothing to say.
            let Ok(output) = rustc.arg(format!("target-cpu={processor}")).output() else { return };
            let told = String::from_utf8_lossy(&output.stdout);
            for line in told.lines() {
                let Some(name) = line.strip_prefix("target_feature=\"") else { continue };
                let name = name.trim_end_matches('"');
                assert!(name.starts_with("crt-") || known.contains(&name), "{processor}: {name}");
            }
        }
    }
}
