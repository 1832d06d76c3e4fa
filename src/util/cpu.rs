//! Whether this processor has what the binary was built for.

/// The instruction sets that this build uses and the processor lacks, by name; empty when it will run.
///
/// Reads the processor itself: the standard detection macro answers "yes" at compile time for
/// every feature the build was told to assume.
pub fn missing_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        x86_64::missing()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Vec::new()
    }
}

/// The instruction sets that this build was told to assume, by name.
pub fn built_for() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        x86_64::FEATURES.iter().filter(|feature| feature.built).map(|feature| feature.name).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Vec::new()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    /// Where cpuid reports a feature.
    pub struct Feature {
        pub name: &'static str,
        pub built: bool,
        leaf: u32,
        register: Register,
        bit: u32,
        /// Bits of XCR0 that the operating system must have set to save the registers.
        state: u64,
    }

    #[derive(Clone, Copy)]
    enum Register {
        Ebx,
        Ecx,
    }

    const AVX_STATE: u64 = 0x06;
    const AVX512_STATE: u64 = 0xE6;

    macro_rules! features {
        ($($name:tt $leaf:literal $register:ident $bit:literal $state:expr;)*) => {
            /// Source: Intel SDM volume 2A, CPUID.
            pub const FEATURES: &[Feature] = &[$(Feature {
                name: $name,
                built: cfg!(target_feature = $name),
                leaf: $leaf,
                register: Register::$register,
                bit: $bit,
                state: $state,
            }),*];
        };
    }

    features! {
        "sse3" 1 Ecx 0 0;
        "pclmulqdq" 1 Ecx 1 0;
        "ssse3" 1 Ecx 9 0;
        "fma" 1 Ecx 12 AVX_STATE;
        "sse4.1" 1 Ecx 19 0;
        "sse4.2" 1 Ecx 20 0;
        "popcnt" 1 Ecx 23 0;
        "avx" 1 Ecx 28 AVX_STATE;
        "bmi1" 7 Ebx 3 0;
        "avx2" 7 Ebx 5 AVX_STATE;
        "bmi2" 7 Ebx 8 0;
        "avx512f" 7 Ebx 16 AVX512_STATE;
        "avx512dq" 7 Ebx 17 AVX512_STATE;
        "avx512cd" 7 Ebx 28 AVX512_STATE;
        "avx512bw" 7 Ebx 30 AVX512_STATE;
        "avx512vl" 7 Ebx 31 AVX512_STATE;
        "avx512vbmi" 7 Ecx 1 AVX512_STATE;
        "avx512vbmi2" 7 Ecx 6 AVX512_STATE;
        "gfni" 7 Ecx 8 0;
        "vpclmulqdq" 7 Ecx 10 AVX_STATE;
        "avx512vnni" 7 Ecx 11 AVX512_STATE;
        "avx512bitalg" 7 Ecx 12 AVX512_STATE;
        "avx512vpopcntdq" 7 Ecx 14 AVX512_STATE;
        "lzcnt" 0x8000_0001 Ecx 5 0;
    }

    pub fn missing() -> Vec<&'static str> {
        let os_saves = enabled_state();
        FEATURES
            .iter()
            .filter(|feature| feature.built && !(has(feature) && os_saves & feature.state == feature.state))
            .map(|feature| feature.name)
            .collect()
    }

    fn has(feature: &Feature) -> bool {
        let highest = __cpuid(feature.leaf & 0x8000_0000).eax;
        if highest < feature.leaf {
            return false;
        }
        let leaf = __cpuid_count(feature.leaf, 0);
        let register = match feature.register {
            Register::Ebx => leaf.ebx,
            Register::Ecx => leaf.ecx,
        };
        register >> feature.bit & 1 == 1
    }

    /// XCR0: which register files the operating system saves; 0 if it cannot be read.
    fn enabled_state() -> u64 {
        const XSAVE: u32 = 26;
        const OSXSAVE: u32 = 27;
        let flags = __cpuid(1).ecx;
        if flags >> XSAVE & 1 == 0 || flags >> OSXSAVE & 1 == 0 {
            return 0;
        }
        debug_assert!(flags >> OSXSAVE & 1 == 1);
        // SAFETY: cpuid has just said that the processor has XSAVE and the system enabled it.
        unsafe { read_xcr0() }
    }

    #[target_feature(enable = "xsave")]
    unsafe fn read_xcr0() -> u64 {
        // SAFETY: the caller has checked XSAVE and OSXSAVE; XCR0 always exists then.
        unsafe { _xgetbv(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_the_tests_lacks_nothing() {
        assert_eq!(missing_features(), Vec::<&str>::new());
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[test]
    fn the_build_names_its_features() {
        assert!(built_for().contains(&"avx2"));
    }
}
