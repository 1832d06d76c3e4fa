//! Child processes that are ended with all that they started: a process group on Unix, a job on Windows.

use std::io;
use std::process::{Child, Command};

pub use system::{Family, spawn_apart};

/// Starts a child that is ended with this process, and whose Ctrl-C is ours.
///
/// # Errors
/// When the program cannot be started.
#[cfg(all(windows, feature = "launcher"))]
pub fn spawn_bound(command: &mut Command) -> io::Result<(Child, Family)> {
    system::spawn(command, 0)
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt;

    use super::*;

    /// A child and all that it started: the number of its process group.
    #[derive(Debug)]
    pub struct Family(libc::pid_t);

    /// Starts a child apart: our Ctrl-C is not its, and whatever it starts belongs to its family.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn_apart(command: &mut Command) -> io::Result<(Child, Family)> {
        let child = command.process_group(0).spawn()?;
        let group = libc::pid_t::try_from(child.id()).expect("the system's own type");
        debug_assert!(group > 1);
        Ok((child, Family(group)))
    }

    impl Family {
        /// Ends all of them at once.
        pub fn kill(&self) {
            // SAFETY: `killpg` only sends a signal; it reads and writes no memory of ours. The group was
            // made for this child by `process_group(0)`, so nobody else is in it.
            let _ = unsafe { libc::killpg(self.0, libc::SIGKILL) };
        }
    }
}

#[cfg(windows)]
mod system {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::os::windows::process::CommandExt;
    use std::ptr::null;

    use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
    use windows_sys::Win32::System::Diagnostics::ToolHelp::{
        CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
    };
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
        TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::{
        CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
    };
    use windows_sys::core::BOOL;

    use super::*;

    /// A child and all that it started: a job, which the system ends when its last handle is closed, however this process
    /// ends.
    #[derive(Debug)]
    pub struct Family(OwnedHandle);

    /// Starts a child apart: our Ctrl-C is not its, and whatever it starts belongs to its family.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn_apart(command: &mut Command) -> io::Result<(Child, Family)> {
        spawn(command, CREATE_NEW_PROCESS_GROUP)
    }

    /// Starts a child in a job: it sleeps until it is in there, so that it can start nothing outside.
    pub fn spawn(command: &mut Command, flags: u32) -> io::Result<(Child, Family)> {
        let family = Family::new()?;
        let mut child = command.creation_flags(flags | CREATE_SUSPENDED).spawn()?;
        let begun = family.take_in(&child).and_then(|()| wake(&child));
        if let Err(error) = begun {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok((child, family))
    }

    impl Family {
        fn new() -> io::Result<Self> {
            // SAFETY: a job without a name and with default security; no pointer is given.
            let job = owned(unsafe { CreateJobObjectW(null(), null()) })?;
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            // SAFETY: the handle is open, and the pointer and size are those of a live value of the class's type.
            done(unsafe {
                SetInformationJobObject(
                    job.as_raw_handle(),
                    JobObjectExtendedLimitInformation,
                    (&raw const limits).cast(),
                    size_of_val(&limits) as u32,
                )
            })?;
            Ok(Self(job))
        }

        fn take_in(&self, child: &Child) -> io::Result<()> {
            // SAFETY: both handles are open while their owners live.
            done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) })
        }

        /// Ends all of them at once.
        pub fn kill(&self) {
            // SAFETY: the handle is open; those who are in the job are the child's and nobody else's.
            let _ = unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
        }
    }

    /// Lets a child run that was started asleep: the standard library does not tell its thread.
    fn wake(child: &Child) -> io::Result<()> {
        // SAFETY: it makes a list of threads and hands us its handle.
        let threads = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) })?;
        let mut entry =
            THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..THREADENTRY32::default() };
        // SAFETY: the handle is open, and the entry is a live one that tells its size; so below.
        let mut found = unsafe { Thread32First(threads.as_raw_handle(), &raw mut entry) };
        while found != 0 {
            if entry.th32OwnerProcessID == child.id() {
                // SAFETY: no pointer is given.
                let thread = owned(unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) })?;
                // SAFETY: the handle is open, with the right that this needs.
                let before = unsafe { ResumeThread(thread.as_raw_handle()) };
                return if before == u32::MAX { Err(io::Error::last_os_error()) } else { Ok(()) };
            }
            // SAFETY: as above.
            found = unsafe { Thread32Next(threads.as_raw_handle(), &raw mut entry) };
        }
        Err(io::Error::other("the new process has no thread"))
    }

    /// A handle that a call has just opened for us.
    fn owned(handle: *mut std::ffi::c_void) -> io::Result<OwnedHandle> {
        if handle.is_null() || handle == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and nobody else has it.
        Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    fn done(result: BOOL) -> io::Result<()> {
        if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;
    use std::time::Duration;

    use super::*;
    use crate::util::patience::{Wait, pause};

    /// Says to a process that runs this test what part it has.
    const PART: &str = "EMILIA_TEST_FAMILY";

    /// This test again, in a process of its own.
    fn actor(part: &str) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        let name = "util::os::children::tests::whatever_a_child_started_ends_with_it";
        command.args([name, "--exact", "--nocapture"]).env(PART, part);
        command
    }

    #[test]
    fn whatever_a_child_started_ends_with_it() {
        match env::var(PART).as_deref() {
            Ok("child") => return drop(actor("grandchild").spawn().unwrap()),
            Ok(_) => {
                io::stdout().write_all(b"\nup\n").unwrap();
                return pause(Duration::from_secs(300));
            }
            Err(_) => {}
        }
        let (mut child, family) = spawn_apart(actor("child").stdout(Stdio::piped())).unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while line.trim_end() != "up" {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the grandchild did not start");
        }
        assert!(child.wait().unwrap().success());
        let wait = Wait::of(2_000);
        family.kill();
        // The grandchild held the pipe.
        output.read_to_string(&mut line).unwrap();
        assert!(!wait.is_over());
    }
}
