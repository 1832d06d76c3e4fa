//! Levels of vector kernels.
//!
//! A build for a processor with vector instructions has one level, [`Native`]. A plain build for x86-64
//! (`cfg(kernel = "dispatch")`) compiles the hot code once for each level, with the instruction sets of the level, and
//! [`at_level!`] asks the processor.
//!
//! Code of a level must be inlined into [`Level::run`] or into a function with its `target_feature`. Closures that library
//! functions call, such as those of `map` and `fold`, are not: kernels use loops instead.

/// A type without values that chooses kernels when code is compiled.
///
/// Only `at_level!` names a level, after it has asked the processor, and the kernels of the level itself.
#[allow(dead_code, reason = "builds without these kernels never ask")]
pub trait Level {
    /// Whether the AVX2 kernels may run.
    const AVX2: bool;
    /// Whether the AVX-512 kernels may run; then those of AVX2 may, too.
    const AVX512: bool;

    /// Runs `work`, compiled for the instruction sets of the level.
    #[inline(always)]
    fn run<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// The level of vector kernels that this build selects: `avx512`, `avx2`, `neon`, `simd128`, `scalar`, or `dispatch` if the
/// program chooses one of `avx512`, `avx2` and `scalar` for the processor.
pub const KERNEL: &str = env!("EMILIA_KERNEL");

/// Evaluates `$call`, which may name `$level`, at this processor's level.
macro_rules! at_level {
    ($level:ident => $call:expr) => {
        cfg_select! {
            kernel = "dispatch" => {{
                use crate::board::level::{Choice, Level, choice};
                macro_rules! run {
                    ($chosen:ident) => {{
                        type $level = crate::board::level::$chosen;
                        $level::run(|| $call)
                    }};
                }
                match choice() {
                    Choice::Avx512 => run!(Avx512),
                    Choice::Avx2 => run!(Avx2),
                    Choice::Scalar => run!(Scalar),
                }
            }}
            _ => {{
                type $level = crate::board::level::Native;
                $call
            }}
        }
    };
}
pub(crate) use at_level;

/// The level of the build.
#[cfg(not(kernel = "dispatch"))]
pub struct Native;

#[cfg(not(kernel = "dispatch"))]
impl Level for Native {
    const AVX2: bool = cfg!(with = "avx2");
    const AVX512: bool = cfg!(with = "avx512");
}

/// Evaluates `$call` once for each level that this build holds and this processor has.
#[cfg(test)]
macro_rules! every_level {
    ($level:ident => $call:expr) => {{
        #[allow(unused_imports, reason = "a static build calls them directly")]
        use crate::board::level::{self, Level};
        macro_rules! run {
            ($chosen:ident) => {{
                type $level = level::$chosen;
                $level::run(|| $call)
            }};
        }
        #[cfg(kernel = "dispatch")]
        for choice in level::Choice::ALL
            .iter()
            .filter(|choice| choice.is_available())
        {
            match choice {
                level::Choice::Avx512 => run!(Avx512),
                level::Choice::Avx2 => run!(Avx2),
                level::Choice::Scalar => run!(Scalar),
            }
        }
        #[cfg(not(kernel = "dispatch"))]
        {
            run!(Native);
            run!(WithoutAvx512);
        }
    }};
}
#[cfg(test)]
pub(crate) use every_level;

/// The name of the level, and why it was chosen.
pub fn name_and_reason() -> (&'static str, &'static str) {
    cfg_select! {
        kernel = "dispatch" => {
            let reason = match (std::env::var_os(OVERRIDE), Choice::asked()) {
                (None, _) => "the best for this processor",
                (_, Some(_)) => "as EMILIA_KERNELS says",
                (_, None) => "the best for this processor, which lacks those that EMILIA_KERNELS names",
            };
            (choice().name(), reason)
        }
        _ => (KERNEL, "fixed by the build"),
    }
}

/// The level below that of an AVX-512 build.
#[cfg(all(test, not(kernel = "dispatch")))]
pub struct WithoutAvx512;

#[cfg(all(test, not(kernel = "dispatch")))]
impl Level for WithoutAvx512 {
    const AVX2: bool = Native::AVX2;
    const AVX512: bool = false;
}

#[cfg(kernel = "avx512")]
pub type Avx512 = Native;
#[cfg(any(kernel = "avx2", kernel = "avx512"))]
pub type Avx2 = Native;

#[cfg(kernel = "dispatch")]
pub use dispatch::{Avx2, Avx512, Choice, OVERRIDE, Scalar, choice};

#[cfg(kernel = "dispatch")]
mod dispatch {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::Level;

    /// The environment variable that names a level to use instead, if the processor has it: for tests.
    pub const OVERRIDE: &str = "EMILIA_KERNELS";

    macro_rules! levels {
        ($($level:ident, $name:literal, $avx2:literal, $avx512:literal, [$($feature:tt)*];)*) => {
            $(
                pub struct $level;

                impl Level for $level {
                    const AVX2: bool = $avx2;
                    const AVX512: bool = $avx512;

                    #[inline(always)]
                    fn run<T>(work: impl FnOnce() -> T) -> T {
                        $(#[target_feature(enable = $feature)])*
                        unsafe fn compiled<T>(work: impl FnOnce() -> T) -> T {
                            work()
                        }
                        debug_assert!(Choice::$level.is_available());
                        // SAFETY: only `at_level!` names levels, after `choice` has asked the processor.
                        unsafe { compiled(work) }
                    }
                }
            )*

            /// A level as a value.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Choice { $($level,)* }

            impl Choice {
                /// All levels, the best first.
                pub const ALL: &[Self] = &[$(Self::$level),*];

                pub fn name(self) -> &'static str {
                    match self { $(Self::$level => $name,)* }
                }

                #[inline(always)]
                fn of(number: u8) -> Option<Self> {
                    match number {
                        $(number if number == Self::$level as u8 => Some(Self::$level),)*
                        _ => None,
                    }
                }

                /// Whether processor and operating system have the instruction sets.
                pub fn is_available(self) -> bool {
                    match self { $(Self::$level => true $(&& std::arch::is_x86_feature_detected!($feature))*,)* }
                }
            }
        };
    }

    levels! {
        Avx512, "avx512", true, true, [
            "avx512f" "avx512bitalg" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vnni" "avx512vpopcntdq" "gfni"
            "avx2" "bmi1" "bmi2" "lzcnt" "popcnt" "pclmulqdq"
        ];
        Avx2, "avx2", true, false, ["avx2" "bmi1" "bmi2" "lzcnt" "popcnt" "pclmulqdq"];
        Scalar, "scalar", false, false, [];
    }

    impl Choice {
        /// The level that the environment asks for, if the processor has it.
        pub fn asked() -> Option<Self> {
            let name = std::env::var(OVERRIDE).ok()?;
            Self::ALL
                .iter()
                .copied()
                .find(|choice| choice.name() == name && choice.is_available())
        }
    }

    /// The level in use; another number until it is known.
    static CHOICE: AtomicU8 = AtomicU8::new(u8::MAX);

    /// The level in use: the best that this processor has.
    #[inline(always)]
    pub fn choice() -> Choice {
        Choice::of(CHOICE.load(Relaxed)).unwrap_or_else(choose)
    }

    #[cold]
    fn choose() -> Choice {
        let best = || {
            Choice::ALL
                .iter()
                .copied()
                .find(|choice| choice.is_available())
        };
        let choice = Choice::asked()
            .or_else(best)
            .expect("every processor has the last level");
        CHOICE.store(choice as u8, Relaxed);
        choice
    }
}
