//! The signals that end a program: Ctrl-C, SIGTERM and SIGHUP.

use std::io;

/// Calls `came` on another thread at each of them. A SIGHUP ignored at the start stays ignored, for `nohup`.
#[cfg(unix)]
pub fn listen(came: fn()) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // SAFETY: `sigaction` without a new action only fills the old one, a live value of its type, for which zeros are valid.
    let is_ignored = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(SIGHUP, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    };
    let mut signals = Signals::new(
        [SIGINT, SIGTERM]
            .into_iter()
            .chain((!is_ignored).then_some(SIGHUP)),
    )?;
    let wait = move || signals.forever().for_each(|_| came());
    std::thread::Builder::new()
        .name("emilia-signals".into())
        .spawn(wait)
        .map_err(super::threads::no_thread)?;
    Ok(())
}

/// Calls `came` on another thread at each of them.
#[cfg(windows)]
pub fn listen(came: fn()) -> io::Result<()> {
    use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

    *CAME
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(came);
    // SAFETY: the handler is a function of this program and lives as long.
    let set = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
    if set == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

#[cfg(windows)]
static CAME: std::sync::Mutex<Option<fn()>> = std::sync::Mutex::new(None);

/// The system calls it on another thread. After a closed console or a log-off it ends the program when the handler returns,
/// so the handler returns as late as possible.
#[cfg(windows)]
unsafe extern "system" fn handle(event: u32) -> windows_sys::core::BOOL {
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT};

    let came = *CAME
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(came) = came {
        came();
    }
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        std::thread::sleep(std::time::Duration::from_secs(5));
    }
    1
}
