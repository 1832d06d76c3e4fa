//! What a terminal is called, told and asked for.

use std::fs::File;
use std::io;

/// The keys that end the input.
pub const END_OF_INPUT: &str = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };

/// Whether stdin is a file, of which no more is to come than is there.
pub fn stdin_is_file() -> bool {
    let stdin = cfg_select! {
        unix => std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().map(File::from),
        windows => std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().map(File::from),
        _ => io::Result::<File>::Err(io::ErrorKind::Unsupported.into()),
    };
    stdin.and_then(|stdin| stdin.metadata()).is_ok_and(|metadata| metadata.is_file())
}

/// What the environment says of the terminal; `None` where it says nothing.
///
/// The console of Windows says nothing, takes all of Unicode whatever the locale is, and knows colours if asked to.
pub fn variable(name: &str) -> Option<String> {
    let told = std::env::var(name).ok();
    let console = |value: &str| cfg!(windows).then(|| value.to_owned());
    match name {
        "TERM" => told.or_else(|| console("xterm")).filter(|_| takes_escapes()),
        "LANG" => told.or_else(|| console("UTF-8")),
        _ => told,
    }
}

/// Whether the terminal behind stdout, if there is one, takes escape sequences; Windows' console has to be asked to.
pub fn takes_escapes() -> bool {
    cfg_select! {
        windows => {
            use windows_sys::Win32::System::Console::{
                ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle, STD_OUTPUT_HANDLE, SetConsoleMode,
            };

            let mut mode = 0;
            // SAFETY: the handle is the system's own, the pointer is to a live number of this frame, and where there
            // is no console the calls fail.
            unsafe {
                let console = GetStdHandle(STD_OUTPUT_HANDLE);
                GetConsoleMode(console, &raw mut mode) != 0
                    && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0
            }
        }
        _ => true,
    }
}
