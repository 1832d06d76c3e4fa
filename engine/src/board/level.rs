//! Levels of vector kernels.
//!
//! A build for a processor with vector instructions has one level, [`Native`]. A plain build for x86-64
//! (`cfg(kernel = "dispatch")`) compiles the hot code once for each level, with the instruction sets of the level, and
//! [`at_level!`] asks the processor.
//!
//! Code of a level must be inlined into [`Level::run`] or into a function with its `target_feature`. Closures that library
//! functions call, such as those of `map` and `fold`, are not: kernels use loops instead.

/// The proof that this processor has the level's instruction sets. Its type chooses kernels when code is compiled.
///
/// Only the check of the processor makes values; they take no space.
#[allow(dead_code, reason = "builds without these kernels never ask")]
pub trait Level: Copy {
    /// Whether the AVX2 kernels may run.
    const AVX2: bool;
    /// Whether the AVX-512 kernels may run; then those of AVX2 may, too.
    const AVX512: bool;

    /// Runs `work`, compiled for the instruction sets of the level.
    #[inline(always)]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// The level of vector kernels that this build selects: `avx512`, `avx2`, `neon`, `simd128`, `scalar`, or `dispatch` if the
/// program chooses one of `avx512`, `avx2` and `scalar` for the processor.
pub const KERNEL: &str = env!("EMILIA_KERNEL");

/// Evaluates `$call`, in which `$level` is this processor's level.
macro_rules! at_level {
    ($level:ident => $call:expr) => {
        cfg_select! {
            kernel = "dispatch" => {{
                use crate::board::level::{Choice, Level, choice};
                match choice() {
                    Choice::Avx512($level) => $level.run(|| $call),
                    Choice::Avx2($level) => $level.run(|| $call),
                    Choice::Scalar($level) => $level.run(|| $call),
                }
            }}
            _ => {{
                let $level = crate::board::level::Native;
                $call
            }}
        }
    };
}
pub(crate) use at_level;

/// The level of the build, which only runs on processors that have it.
#[cfg(not(kernel = "dispatch"))]
#[derive(Clone, Copy)]
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
        use crate::board::level::Level;
        #[cfg(kernel = "dispatch")]
        for choice in crate::board::level::available() {
            use crate::board::level::Choice;
            match choice {
                Choice::Avx512($level) => $level.run(|| $call),
                Choice::Avx2($level) => $level.run(|| $call),
                Choice::Scalar($level) => $level.run(|| $call),
            }
        }
        #[cfg(not(kernel = "dispatch"))]
        {
            use crate::board::level::{Native, WithoutAvx512};
            let $level = Native;
            $level.run(|| $call);
            let $level = WithoutAvx512;
            $level.run(|| $call);
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
#[derive(Clone, Copy)]
pub struct WithoutAvx512;

#[cfg(all(test, not(kernel = "dispatch")))]
impl Level for WithoutAvx512 {
    const AVX2: bool = Native::AVX2;
    const AVX512: bool = false;
}

#[cfg(all(test, kernel = "dispatch"))]
pub use dispatch::available;
#[cfg(kernel = "dispatch")]
pub use dispatch::{Choice, OVERRIDE, choice};

#[cfg(kernel = "dispatch")]
mod dispatch {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::Level;

    /// The environment variable that names a level to use instead, if the processor has it: for tests.
    pub const OVERRIDE: &str = "EMILIA_KERNELS";

    macro_rules! levels {
        ($($level:ident, $number:literal, $name:literal, $avx2:literal, $avx512:literal, [$($feature:tt)*];)*) => {
            $(
                /// The processor has this level.
                #[derive(Clone, Copy, Debug, PartialEq, Eq)]
                pub struct $level(());

                impl $level {
                    /// Asks processor and operating system.
                    fn detect() -> Option<Self> {
                        let is_available = true $(&& std::arch::is_x86_feature_detected!($feature))*;
                        is_available.then_some(Self(()))
                    }
                }

                impl Level for $level {
                    const AVX2: bool = $avx2;
                    const AVX512: bool = $avx512;

                    #[inline(always)]
                    fn run<T>(self, work: impl FnOnce() -> T) -> T {
                        $(#[target_feature(enable = $feature)])*
                        unsafe fn compiled<T>(work: impl FnOnce() -> T) -> T {
                            work()
                        }
                        // SAFETY: `detect` has found the instruction sets.
                        unsafe { compiled(work) }
                    }
                }
            )*

            /// One of the levels that this processor has.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Choice { $($level($level),)* }

            impl Choice {
                pub fn name(self) -> &'static str {
                    match self { $(Self::$level(_) => $name,)* }
                }

                fn number(self) -> u8 {
                    match self { $(Self::$level(_) => $number,)* }
                }

                /// The choice with this number, which [`choose`] has stored.
                #[inline(always)]
                fn of(number: u8) -> Option<Self> {
                    match number {
                        $($number => Some(Self::$level($level(()))),)*
                        _ => None,
                    }
                }
            }

            /// All levels of this processor, the best first.
            pub fn available() -> impl Iterator<Item = Choice> {
                [$($level::detect().map(Choice::$level)),*].into_iter().flatten()
            }
        };
    }

    levels! {
        Avx512, 0, "avx512", true, true, [
            "avx512f" "avx512bitalg" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vnni" "avx512vpopcntdq" "gfni"
            "avx2" "bmi1" "bmi2" "lzcnt" "popcnt" "pclmulqdq"
        ];
        Avx2, 1, "avx2", true, false, ["avx2" "bmi1" "bmi2" "lzcnt" "popcnt" "pclmulqdq"];
        Scalar, 2, "scalar", false, false, [];
    }

    impl Choice {
        /// The level that the environment asks for, if the processor has it.
        pub fn asked() -> Option<Self> {
            let name = std::env::var(OVERRIDE).ok()?;
            available().find(|choice| choice.name() == name)
        }
    }

    /// The number of the level in use; another number until it is known.
    static CHOICE: AtomicU8 = AtomicU8::new(u8::MAX);

    /// The level in use: the best that this processor has.
    #[inline(always)]
    pub fn choice() -> Choice {
        Choice::of(CHOICE.load(Relaxed)).unwrap_or_else(choose)
    }

    #[cold]
    fn choose() -> Choice {
        let choice = Choice::asked()
            .or_else(|| available().next())
            .expect("every processor has the last level");
        CHOICE.store(choice.number(), Relaxed);
        choice
    }
}
