//! How much memory the system lets this process take.

use std::fs;
use std::path::Path;

/// What can be taken, in MiB; `None` where the system does not tell.
///
/// The least of what the machine has free, the process may address (`ulimit -v`) and its control group may hold.
pub fn available_mib() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let bounds = [
        fs::read_to_string("/proc/meminfo").ok().and_then(|text| kib(&text, "MemAvailable:")),
        address_space_kib(&limits).map(|most| most.saturating_sub(kib(&status, "VmSize:").unwrap_or(0))),
        control_group_kib(),
    ];
    bounds.into_iter().flatten().min().map(|kib| (kib / 1024) as usize)
}

/// The number behind a key such as `VmSize:`.
fn kib(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    rest.trim().trim_end_matches(" kB").parse().ok()
}

/// The soft limit in the table of `/proc/self/limits`, unless there is none.
fn address_space_kib(limits: &str) -> Option<u64> {
    let rest = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    Some(rest.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

/// The least that the process's group and those around it allow.
fn control_group_kib() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let most = |group: &Path| {
        let file = Path::new("/sys/fs/cgroup").join(group).join("memory.max");
        fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    };
    Some(Path::new(group).ancestors().filter_map(most).min()? / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_system_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max address space         409600000            unlimited            bytes     \n";
        assert_eq!(address_space_kib(limits), Some(400_000));
        assert_eq!(address_space_kib(&limits.replace("409600000", "unlimited")), None);
        assert_eq!(kib("MemFree:  7 kB\nMemAvailable:   21101332 kB\n", "MemAvailable:"), Some(21_101_332));
        assert_eq!(kib("MemFree:  7 kB\n", "MemAvailable:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_may_take_something() {
        assert!(available_mib().is_some_and(|mib| mib > 0));
    }
}
