//! Whether this processor has what the binary was built for.
//!
//! A build with `target-cpu=native` may use any instruction anywhere, the first lines of `main`
//! included: with link-time optimisation the runtime's own start is compiled for it too. So on Linux the
//! question is asked before `main`, from the program's initialiser list, in a few lines of assembly that every
//! x86-64 processor can run; elsewhere as the first thing in `main`.

/// What a binary says before it gives up on a processor.
pub const REFUSAL: &str = "emilia: this processor lacks instruction sets that the binary was built for; \
                           build it on this machine, or take a portable build (see the README)\n";

/// Hands every instruction set that a build may assume to `$macro`: the name as in `-C target-feature`, the word
/// of `cpuid`'s answers and the bit in it, and what of XCR0 the operating system must have set to save the registers.
///
/// Source: Intel SDM volume 2A, CPUID.
#[cfg(target_arch = "x86_64")]
macro_rules! with_features {
    ($macro:ident) => {
        $macro! {
            "sse3" Leaf1Ecx 0 0;
            "pclmulqdq" Leaf1Ecx 1 0;
            "ssse3" Leaf1Ecx 9 0;
            "fma" Leaf1Ecx 12 AVX_STATE;
            "sse4.1" Leaf1Ecx 19 0;
            "sse4.2" Leaf1Ecx 20 0;
            "popcnt" Leaf1Ecx 23 0;
            "movbe" Leaf1Ecx 22 0;
            "avx" Leaf1Ecx 28 AVX_STATE;
            "f16c" Leaf1Ecx 29 AVX_STATE;
            "bmi1" Leaf7Ebx 3 0;
            "avx2" Leaf7Ebx 5 AVX_STATE;
            "bmi2" Leaf7Ebx 8 0;
            "avx512f" Leaf7Ebx 16 AVX512_STATE;
            "avx512dq" Leaf7Ebx 17 AVX512_STATE;
            "avx512cd" Leaf7Ebx 28 AVX512_STATE;
            "avx512bw" Leaf7Ebx 30 AVX512_STATE;
            "avx512vl" Leaf7Ebx 31 AVX512_STATE;
            "avx512vbmi" Leaf7Ecx 1 AVX512_STATE;
            "avx512vbmi2" Leaf7Ecx 6 AVX512_STATE;
            "gfni" Leaf7Ecx 8 0;
            "vpclmulqdq" Leaf7Ecx 10 AVX_STATE;
            "avx512vnni" Leaf7Ecx 11 AVX512_STATE;
            "avx512bitalg" Leaf7Ecx 12 AVX512_STATE;
            "avx512vpopcntdq" Leaf7Ecx 14 AVX512_STATE;
            "lzcnt" ExtendedEcx 5 0;
        }
    };
}

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

/// Other processors have no more than their target's baseline assumed.
#[cfg(not(target_arch = "x86_64"))]
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
        ExtendedEcx,
    }

    /// An instruction set that this build assumes, or not.
    struct Feature {
        built: bool,
        word: Word,
        bit: u32,
        state: u32,
    }

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
    const HIGHEST_LEAF: u32 = if needed(Word::Leaf7Ebx) | needed(Word::Leaf7Ecx) != 0 { 7 } else { 1 };

    /// Whether processor and operating system have all that this build assumes.
    #[inline(always)]
    fn suffices() -> bool {
        let lacks: u32;
        // SAFETY: cpuid exists on every x86-64 processor, xgetbv is reached only after OSXSAVE was
        // seen, rbx is restored, and no memory is touched.
        unsafe {
            asm!(
                "mov r8, rbx",
                "mov r9d, 1",
                "xor eax, eax",
                "cpuid",
                "cmp eax, {highest}",
                "jb 3f",
                "mov eax, 1",
                "cpuid",
                "and ecx, {leaf1}",
                "cmp ecx, {leaf1}",
                "jne 3f",
                "mov eax, 7",
                "xor ecx, ecx",
                "cpuid",
                "and ebx, {leaf7b}",
                "cmp ebx, {leaf7b}",
                "jne 3f",
                "and ecx, {leaf7c}",
                "cmp ecx, {leaf7c}",
                "jne 3f",
                "mov eax, 0x80000001",
                "cpuid",
                "and ecx, {extended}",
                "cmp ecx, {extended}",
                "jne 3f",
                "mov eax, {state}",
                "test eax, eax",
                "jz 2f",
                "xor ecx, ecx",
                "xgetbv",
                "and eax, {state}",
                "cmp eax, {state}",
                "jne 3f",
                "2:",
                "xor r9d, r9d",
                "3:",
                "mov rbx, r8",
                // By name: a register of the compiler's choice may be rbx, which `cpuid` overwrites.
                out("r8") _, out("r9d") lacks,
                out("eax") _, out("ecx") _, out("edx") _,
                highest = const HIGHEST_LEAF as i32,
                leaf1 = const NEEDED_LEAF1 as i32,
                leaf7b = const needed(Word::Leaf7Ebx) as i32,
                leaf7c = const needed(Word::Leaf7Ecx) as i32,
                extended = const needed(Word::ExtendedEcx) as i32,
                state = const NEEDED_STATE as i32,
                options(nomem, nostack),
            );
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
    #[test]
    fn both_questions_have_one_answer() {
        assert_eq!(suffices(), super::suffices());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_processor_that_runs_the_tests_suffices() {
        assert!(super::suffices());
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[test]
    fn the_build_names_its_features() {
        assert!(super::built_for().contains(&"avx2"));
    }
}
