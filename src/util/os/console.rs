//! A terminal that goes away: SIGHUP on Unix, a closed console on Windows.

pub use system::{HangUp, on_close};

#[cfg(unix)]
mod system {
    /// Whether SIGHUP was ignored when the program began: `nohup` asks for that.
    pub struct HangUp {
        is_ignored: bool,
    }

    impl HangUp {
        /// Asks the system.
        pub fn now() -> Self {
            // SAFETY: `sigaction` without a new action only fills the old one, a live value of its type, for which
            // zeros are valid.
            let is_ignored = unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut action) == 0
                    && action.sa_sigaction == libc::SIG_IGN
            };
            Self { is_ignored }
        }

        /// Ignores it again, if it was ignored.
        pub fn keep(self) {
            if self.is_ignored {
                // SAFETY: an ignored signal runs no code of this program.
                unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
            }
        }
    }

    /// SIGHUP comes as any signal does.
    pub fn on_close(_came: fn()) {}
}

#[cfg(windows)]
mod system {
    use std::sync::OnceLock;
    use std::thread;
    use std::time::Duration;

    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
    use windows_sys::core::BOOL;

    /// How long the system lets a program live whose console was closed.
    const LEFT: Duration = Duration::from_secs(5);

    static CAME: OnceLock<fn()> = OnceLock::new();

    /// Windows knows no such signal.
    pub struct HangUp;

    impl HangUp {
        /// Asks the system.
        pub fn now() -> Self {
            Self
        }

        /// Nothing to keep.
        pub fn keep(self) {}
    }

    /// Calls `came` when the console is closed, or the user logs off. The system ends the program when the handler
    /// returns, so it returns as late as it may.
    pub fn on_close(came: fn()) {
        if CAME.set(came).is_ok() {
            // SAFETY: the handler is a function of this program and lives as long.
            unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
        }
    }

    unsafe extern "system" fn handle(event: u32) -> BOOL {
        if matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
            // The handler of these was set before and is asked next.
            return 0;
        }
        if let Some(came) = CAME.get() {
            came();
            thread::sleep(LEFT);
        }
        1
    }
}
