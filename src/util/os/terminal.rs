//! Facts about the terminal.

use std::fs::File;
use std::io;
use std::time::Duration;

/// The keys that end the input.
pub const END_OF_INPUT: &str = if cfg!(windows) {
    "Ctrl-Z and Enter"
} else {
    "Ctrl-D"
};

/// Whether stdin is a regular file.
pub fn stdin_is_file() -> bool {
    let stdin = cfg_select! {
        unix => std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().map(File::from),
        windows => std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().map(File::from),
        _ => io::Result::<File>::Err(io::ErrorKind::Unsupported.into()),
    };
    stdin
        .and_then(|stdin| stdin.metadata())
        .is_ok_and(|metadata| metadata.is_file())
}

/// Whether a read from stdin gives bytes, or the end, within `wait`; `false` where the system cannot say.
pub fn stdin_has_more(wait: Duration) -> bool {
    let _ = wait;
    cfg_select! {
        unix => {
            let mut stdin = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
            let milliseconds = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX);
            // SAFETY: the pointer is to one live structure of this frame.
            let found = unsafe { libc::poll(&raw mut stdin, 1, milliseconds) };
            found > 0
        }
        _ => false,
    }
}

/// A variable of the environment about the terminal.
///
/// The console of Windows sets no variable, shows all of Unicode in any locale, and has colors on request.
pub fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok();
    let console = |value: &str| cfg!(windows).then(|| value.to_owned());
    match name {
        "TERM" => value
            .or_else(|| console("xterm"))
            .filter(|_| takes_escapes()),
        "LANG" => value.or_else(|| console("UTF-8")),
        _ => value,
    }
}

/// Whether the terminal of stdout, if there is one, handles escape sequences; the console of Windows does so on request.
pub fn takes_escapes() -> bool {
    cfg_select! {
        windows => {
            use windows_sys::Win32::System::Console::{
                ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle, STD_OUTPUT_HANDLE, SetConsoleMode,
            };

            let mut mode = 0;
            // SAFETY: the handle is the system's, the pointer is to a live number of this frame; without a console the calls
            // fail.
            unsafe {
                let console = GetStdHandle(STD_OUTPUT_HANDLE);
                GetConsoleMode(console, &raw mut mode) != 0
                    && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0
            }
        }
        _ => true,
    }
}
