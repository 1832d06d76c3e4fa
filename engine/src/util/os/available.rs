//! The memory available to this process.

use std::fs;
use std::path::Path;

/// The available memory in MiB, if the system reports it: the least of the machine's free memory, the address space
/// (`ulimit -v`), the rest of the control groups and, on Windows, the commit limit.
pub fn available_mib() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let bounds = [
        fs::read_to_string("/proc/meminfo")
            .ok()
            .and_then(|text| kib(&text, "MemAvailable:")),
        address_space_kib(&limits)
            .map(|most| most.saturating_sub(kib(&status, "VmSize:").unwrap_or(0))),
        control_group_kib(&groups, Path::new("/sys/fs/cgroup")),
        windows_kib(),
    ];
    bounds
        .into_iter()
        .flatten()
        .min()
        .map(|kib| (kib / 1024) as usize)
}

/// The least of the free memory, the commit limit and the address space of Windows.
fn windows_kib() -> Option<u64> {
    cfg_select! {
        windows => {
            use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

            let mut status = MEMORYSTATUSEX {
                dwLength: size_of::<MEMORYSTATUSEX>() as u32,
                ..MEMORYSTATUSEX::default()
            };
            // SAFETY: the pointer is to a live value of this frame that holds its size.
            let succeeds = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
            let free = status.ullAvailPhys.min(status.ullAvailPageFile).min(status.ullAvailVirtual);
            succeeds.then_some(free / 1024)
        }
        _ => None,
    }
}

/// The number after a key such as `VmSize:`.
fn kib(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    rest.trim().trim_end_matches(" kB").parse().ok()
}

/// The soft limit in the table of `/proc/self/limits`.
fn address_space_kib(limits: &str) -> Option<u64> {
    let rest = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    Some(rest.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

/// Files in the folder of a control group: its limit and its use; last, the key in `memory.stat` of reclaimable bytes.
type GroupFiles = [&'static str; 3];

const VERSION_1: GroupFiles = [
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    "total_inactive_file ",
];
const VERSION_2: GroupFiles = ["memory.max", "memory.current", "inactive_file "];

/// The least free memory of the process's groups and their parents, in KiB.
///
/// `groups` is the text of `/proc/self/cgroup`; `root` is the mount point. A container may see its own group as the root while
/// the text has the path outside: missing folders are skipped.
fn control_group_kib(groups: &str, root: &Path) -> Option<u64> {
    let rooms = groups.lines().flat_map(|line| {
        let (controllers, group) = line.split_once(':')?.1.split_once(":/")?;
        let (root, files) = match controllers {
            "" => (root.to_owned(), VERSION_2),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), VERSION_1)
            }
            _ => return None,
        };
        Path::new(group)
            .ancestors()
            .filter_map(|group| room(&root.join(group), files))
            .min()
    });
    Some(rooms.min()? / 1024)
}

/// The free bytes of a group; `None` without a limit.
fn room(folder: &Path, [most, held, reclaimable]: GroupFiles) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let most = number(most)?;
    let stat = read("memory.stat").unwrap_or_default();
    // Unused cached files count as use, but the system drops them on demand.
    let dropped = stat
        .lines()
        .find_map(|line| line.strip_prefix(reclaimable)?.parse().ok())
        .unwrap_or(0);
    Some(most.saturating_sub(number(held).unwrap_or(0).saturating_sub(dropped)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn tables_of_the_system_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max address space         409600000            unlimited            bytes     \n";
        assert_eq!(address_space_kib(limits), Some(400_000));
        assert_eq!(
            address_space_kib(&limits.replace("409600000", "unlimited")),
            None
        );
        assert_eq!(
            kib(
                "MemFree:  7 kB\nMemAvailable:   21101332 kB\n",
                "MemAvailable:"
            ),
            Some(21_101_332)
        );
        assert_eq!(kib("MemFree:  7 kB\n", "MemAvailable:"), None);
    }

    /// Writes the files of a group, in MiB.
    fn group(root: &TempDir, path: &str, files: GroupFiles, numbers: [&str; 3]) {
        let folder = root.path().join(path);
        fs::create_dir_all(&folder).unwrap();
        let bytes = |mib: &str| {
            mib.parse::<u64>()
                .map_or(mib.to_owned(), |mib| (mib << 20).to_string())
        };
        for (file, number) in files.iter().zip(numbers).take(2) {
            fs::write(folder.join(file), bytes(number) + "\n").unwrap();
        }
        let stat = format!(
            "anon 1\nfile 2\n{}{}\nunevictable 0\n",
            files[2],
            bytes(numbers[2])
        );
        fs::write(folder.join("memory.stat"), stat).unwrap();
    }

    #[test]
    fn a_group_has_its_limit_less_its_use() {
        let root = TempDir::new().unwrap();
        let left = |groups: &str| control_group_kib(groups, root.path()).map(|kib| kib / 1024);
        assert_eq!(left("0::/pod/box\n"), None);
        for (path, numbers, room, why) in [
            ("pod/box", ["max", "300", "0"], None, "no limit"),
            ("pod/box", ["1000", "300", "0"], Some(700), "a limit"),
            (
                "pod/box",
                ["1000", "900", "500"],
                Some(600),
                "files that can be dropped",
            ),
            (
                "pod",
                ["2000", "1950", "0"],
                Some(50),
                "other processes fill the parent group",
            ),
            ("pod", ["2000", "2001", "0"], Some(0), "more than full"),
        ] {
            group(&root, path, VERSION_2, numbers);
            assert_eq!(left("0::/pod/box\n"), room, "{why}");
        }
        // A group that does not say how much it holds.
        fs::remove_file(root.path().join("pod/memory.current")).unwrap();
        assert_eq!(left("0::/pod/box\n"), Some(600));
        // The first version; last, as a container sees it that is mounted as the root.
        let text = "12:cpu,cpuacct:/box\n7:hugetlb,memory:/box\n1:name=systemd:/x:/y\n0::/system\n";
        assert_eq!(left(text), None);
        group(&root, "memory/box", VERSION_1, ["512", "212", "50"]);
        assert_eq!(left(text), Some(350));
        group(&root, "memory", VERSION_1, ["256", "206", "0"]);
        assert_eq!(
            (left(text), left("7:memory:/docker/0123\n")),
            (Some(50), Some(50))
        );
        assert_eq!(left("nonsense\n:\n::\n"), None);
    }

    #[test]
    #[cfg(any(target_os = "linux", windows))]
    fn this_process_may_take_something() {
        assert!(available_mib().is_some_and(|mib| mib > 0));
    }
}
