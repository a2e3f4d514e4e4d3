//! What a process costs, from `/proc`: CPU time with its children's, and resident memory.

use std::time::Duration;

/// Ticks of `utime` and `stime` in a second; 100 on every Linux that there is.
const TICKS: u64 = 100;

/// User and kernel time of a process and all below it.
pub(crate) fn cpu_time(pid: u32) -> Duration {
    let ticks: u64 = family(pid).iter().filter_map(|pid| Some(stat(*pid)?.1)).sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}

/// Resident memory of a process alone, in bytes.
pub(crate) fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kib| kib * 1024)
}

/// A process and its descendants.
fn family(pid: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
        Some((pid, stat(pid)?.0))
    });
    let all: Vec<(u32, u32)> = all.collect();
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        family.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    family
}

/// The parent and the ticks of a process.
fn stat(pid: u32) -> Option<(u32, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in parentheses, can hold anything.
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some((fields.get(1)?.parse().ok()?, number(11)? + number(12)?))
}
