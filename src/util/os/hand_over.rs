//! Replaces this process by another program.

use std::env;
use std::io;
use std::path::Path;
use std::process::Command;

/// Replaces this process by another program with the same arguments, streams, working folder, process number and signals.
/// Returns only if the program does not start.
#[cfg(unix)]
pub fn hand_over(program: &Path) -> io::Error {
    use std::os::unix::process::CommandExt;

    let mut command = Command::new(program);
    let mut args = env::args_os();
    if let Some(name) = args.next() {
        command.arg0(name);
    }
    command.args(args).exec()
}

/// Runs another program with the same arguments, streams and working folder, waits for it and exits with its code; both end
/// together. Returns only if the program does not start.
#[cfg(windows)]
pub fn hand_over(program: &Path) -> io::Error {
    use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

    let started = super::children::spawn_bound(Command::new(program).args(env::args_os().skip(1)));
    let (mut child, family) = match started {
        Ok(started) => started,
        Err(error) => return error,
    };
    // SAFETY: the handler is a function of this program and calls nothing.
    unsafe { SetConsoleCtrlHandler(Some(leave_to_child), 1) };
    let code = child
        .wait()
        .ok()
        .and_then(|status| status.code())
        .unwrap_or(1);
    drop(family);
    std::process::exit(code)
}

/// Ctrl-C reaches both processes: the child handles it.
#[cfg(windows)]
unsafe extern "system" fn leave_to_child(event: u32) -> windows_sys::core::BOOL {
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT};

    matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT).into()
}
