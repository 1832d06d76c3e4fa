//! Signals to a child: those of Unix, and on Windows Ctrl-Break, which is all that one process can send to one other.

use std::process::Command;
#[cfg(unix)]
use std::process::{Child, Output};
#[cfg(unix)]
use std::time::Duration;

#[cfg(unix)]
use crate::patience::{Wait, pause};

/// Lets [`send`] reach only this command.
#[cfg(unix)]
pub fn takes_signals(command: &mut Command) -> &mut Command {
    command
}

/// Sends a signal by its name, `TERM` for `SIGTERM`; whether it was sent. A fresh machine may lack the program `kill`.
#[cfg(unix)]
pub fn send(process: u32, name: &str) -> bool {
    let number = match name {
        "INT" => libc::SIGINT,
        "TERM" => libc::SIGTERM,
        "STOP" => libc::SIGSTOP,
        "CONT" => libc::SIGCONT,
        "HUP" => libc::SIGHUP,
        _ => return false,
    };
    // SAFETY: it sends a signal to a child of this test and touches no memory.
    unsafe { libc::kill(process as libc::pid_t, number) == 0 }
}

/// Lets [`send`] reach only this command, by a new group at this console.
#[cfg(windows)]
pub fn takes_signals(command: &mut Command) -> &mut Command {
    use std::os::windows::process::CommandExt;
    use std::sync::Once;

    use windows_sys::Win32::System::Console::{
        AllocConsole, GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
        SetStdHandle,
    };
    use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

    static CONSOLE: Once = Once::new();
    CONSOLE.call_once(|| {
        let streams = [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE];
        // SAFETY: the calls take no pointers. An existing console makes the first fail without effect.
        unsafe {
            let ours = streams.map(|stream| GetStdHandle(stream));
            if AllocConsole() != 0 {
                // Keep the inherited streams.
                for (stream, handle) in streams.into_iter().zip(ours) {
                    SetStdHandle(stream, handle);
                }
            }
        }
    });
    command.creation_flags(CREATE_NEW_PROCESS_GROUP)
}

/// Sends Ctrl-Break for `INT` and `TERM`; whether it was sent.
#[cfg(windows)]
pub fn send(process: u32, name: &str) -> bool {
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};

    // SAFETY: it takes no pointers; the group is that of a child of this test.
    matches!(name, "INT" | "TERM")
        && unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, process) } != 0
}

/// Sends the signal and waits for the end, by code 130 and within a second.
#[cfg(unix)]
pub fn end_by(mut child: Child, name: &str, case: &str) -> Output {
    assert!(
        child.try_wait().unwrap().is_none(),
        "{case}: ended before the signal"
    );
    assert!(send(child.id(), name));
    let wait = Wait::of(1_000);
    while child.try_wait().unwrap().is_none() {
        if wait.is_over() {
            child.kill().unwrap();
            panic!("{case}: goes on after SIG{name}");
        }
        pause(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.code(),
        Some(130),
        "{case}, SIG{name}: {shown}"
    );
    assert!(!shown.contains("panicked"), "{case}: {shown}");
    output
}
