//! Child processes that end with all their own children: a process group on Unix, a job on Windows.

use std::io;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::super::lock;
use system::Group;

/// The groups of all living families.
static GROUPS: Mutex<Vec<Group>> = Mutex::new(Vec::new());
/// This process ends: it starts no more children.
static ENDING: AtomicBool = AtomicBool::new(false);

/// A child and its own children. [`end_all`] ignores a dropped family.
#[derive(Debug)]
pub struct Family(Group);

impl Family {
    pub fn kill(&self) {
        self.0.kill();
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        lock(&GROUPS).retain(|group| *group != self.0);
    }
}

/// Starts a child with its own family, which the Ctrl-C of this process does not reach.
///
/// # Errors
/// When the program does not start, or this process is ending.
pub fn spawn_apart(command: &mut Command) -> io::Result<(Child, Family)> {
    // Held until the child is listed, so that `end_all` misses no family.
    let mut groups = lock(&GROUPS);
    if is_ending() {
        return Err(io::Error::other("this process is ending"));
    }
    let (child, group) = system::spawn_apart(command)?;
    groups.push(group.clone());
    Ok((child, Family(group)))
}

/// Whether [`end_all`] was called.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// Starts no more children, and kills all families that live after `grace`.
pub fn end_all(grace: Duration) {
    ENDING.store(true, Ordering::SeqCst);
    let deadline = Instant::now() + grace;
    while !lock(&GROUPS).is_empty() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    lock(&GROUPS).iter().for_each(Group::kill);
}

/// Starts a child that ends with this process and shares its Ctrl-C.
#[cfg(windows)]
pub fn spawn_bound(command: &mut Command) -> io::Result<(Child, Family)> {
    let (child, group) = system::spawn(command, 0)?;
    Ok((child, Family(group)))
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt;

    use super::*;

    /// The number of a child's process group.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Group(libc::pid_t);

    pub fn spawn_apart(command: &mut Command) -> io::Result<(Child, Group)> {
        let child = command.process_group(0).spawn()?;
        let group = libc::pid_t::try_from(child.id()).expect("the system's own type");
        debug_assert!(group > 1);
        Ok((child, Group(group)))
    }

    impl Group {
        pub fn kill(&self) {
            // SAFETY: `killpg` only sends a signal. `process_group(0)` made the group for this family.
            let _ = unsafe { libc::killpg(self.0, libc::SIGKILL) };
        }
    }
}

#[cfg(windows)]
mod system {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::os::windows::process::CommandExt;
    use std::ptr::null;
    use std::sync::Arc;

    use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
    use windows_sys::Win32::System::Diagnostics::ToolHelp::{
        CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
    };
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
        SetInformationJobObject, TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::{
        CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
    };
    use windows_sys::core::BOOL;

    use super::*;

    /// A job: the system ends it when its last handle is closed.
    #[derive(Clone, Debug)]
    pub struct Group(Arc<OwnedHandle>);

    impl PartialEq for Group {
        fn eq(&self, other: &Self) -> bool {
            Arc::ptr_eq(&self.0, &other.0)
        }
    }

    pub fn spawn_apart(command: &mut Command) -> io::Result<(Child, Group)> {
        spawn(command, CREATE_NEW_PROCESS_GROUP)
    }

    /// Starts a child suspended, and wakes it in its job: it can start nothing outside.
    pub fn spawn(command: &mut Command, flags: u32) -> io::Result<(Child, Group)> {
        let group = Group::new()?;
        let mut child = command.creation_flags(flags | CREATE_SUSPENDED).spawn()?;
        let begun = group.take_in(&child).and_then(|()| wake(&child));
        if let Err(error) = begun {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok((child, group))
    }

    impl Group {
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
            Ok(Self(Arc::new(job)))
        }

        fn take_in(&self, child: &Child) -> io::Result<()> {
            // SAFETY: both handles are open while their owners live.
            done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) })
        }

        pub fn kill(&self) {
            // SAFETY: the handle is open; the job holds only this family.
            let _ = unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
        }
    }

    /// Wakes a suspended child, whose thread the standard library does not name.
    fn wake(child: &Child) -> io::Result<()> {
        // SAFETY: it makes a list of threads and hands us its handle.
        let threads = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) })?;
        let mut entry = THREADENTRY32 {
            dwSize: size_of::<THREADENTRY32>() as u32,
            ..THREADENTRY32::default()
        };
        // SAFETY: the handle is open, and the entry is live and holds its size; so below.
        let mut found = unsafe { Thread32First(threads.as_raw_handle(), &raw mut entry) };
        while found != 0 {
            if entry.th32OwnerProcessID == child.id() {
                // SAFETY: no pointer is given.
                let thread =
                    owned(unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) })?;
                // SAFETY: the handle is open, with the right that this needs.
                let before = unsafe { ResumeThread(thread.as_raw_handle()) };
                return if before == u32::MAX {
                    Err(io::Error::last_os_error())
                } else {
                    Ok(())
                };
            }
            // SAFETY: as above.
            found = unsafe { Thread32Next(threads.as_raw_handle(), &raw mut entry) };
        }
        Err(io::Error::other("the new process has no thread"))
    }

    /// Takes over a new handle.
    fn owned(handle: *mut std::ffi::c_void) -> io::Result<OwnedHandle> {
        if handle.is_null() || handle == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and this is its only owner.
        Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    fn done(result: BOOL) -> io::Result<()> {
        if result == 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
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

    /// The part of a process that runs this test.
    const PART: &str = "EMILIA_TEST_FAMILY";

    /// This test in another process.
    fn actor(part: &str) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        let name = "util::os::children::tests::children_of_a_child_end_with_it";
        command
            .args([name, "--exact", "--nocapture"])
            .env(PART, part);
        command
    }

    #[test]
    fn children_of_a_child_end_with_it() {
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
            assert!(
                output.read_line(&mut line).unwrap() > 0,
                "the grandchild did not start"
            );
        }
        assert!(child.wait().unwrap().success());
        let wait = Wait::of(2_000);
        family.kill();
        // The grandchild held the pipe.
        output.read_to_string(&mut line).unwrap();
        assert!(!wait.is_over());
    }
}
