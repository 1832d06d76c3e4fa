//! The monotonic clock: the system's, or in a browser that of the page, where the standard library's panics.

use std::sync::LazyLock;

/// Microseconds since the first call.
pub fn micros() -> u64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed().as_micros() as u64
}

cfg_select! {
    all(target_family = "wasm", target_os = "unknown") => { pub use page::Instant; }
    _ => { pub use std::time::Instant; }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod page {
    use std::ops::Add;
    use std::time::Duration;

    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// Milliseconds since any begin, as `performance.now()` returns them.
        safe fn emilia_now() -> f64;
    }

    /// A moment, as in the standard library.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        pub fn now() -> Self {
            Self(Duration::from_micros((emilia_now() * 1000.0) as u64))
        }

        pub fn elapsed(&self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }

        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        pub fn checked_add(&self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Self)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }
}
