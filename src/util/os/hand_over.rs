//! How a process becomes another program.

use std::env;
use std::io;
use std::path::Path;
use std::process::Command;

/// Gives this process to another program: arguments, streams, working folder, process number, signals and exit code stay
/// what they are. Returns only if that could not be started.
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

/// Runs another program in place of this one, which waits for it: arguments, streams, working folder and exit code stay
/// what they are, and both end together. Returns only if that could not be started.
#[cfg(windows)]
pub fn hand_over(program: &Path) -> io::Error {
    use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

    let started = super::children::spawn_bound(Command::new(program).args(env::args_os().skip(1)));
    let (mut child, family) = match started {
        Ok(started) => started,
        Err(error) => return error,
    };
    // SAFETY: the handler is a function of this program, which calls nothing.
    unsafe { SetConsoleCtrlHandler(Some(leave_to_child), 1) };
    let code = child.wait().ok().and_then(|status| status.code()).unwrap_or(1);
    drop(family);
    std::process::exit(code)
}

/// Ctrl-C goes to both processes: this one waits for what the other makes of it.
#[cfg(windows)]
unsafe extern "system" fn leave_to_child(event: u32) -> windows_sys::core::BOOL {
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT};

    matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT).into()
}
