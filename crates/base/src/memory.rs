//! Memory whose size follows the input. A size of a few digits, or a file's header, can request
//! more memory than exists.

use std::fs;

/// The size up to which memory is allocated without looking at how much is available.
const SMALL: usize = 64 << 20;

/// Allocates `length` zero bytes, or returns `None` if there is not enough memory.
pub fn zeroed(length: usize) -> Option<Vec<u8>> {
    if length > SMALL && available().is_some_and(|available| length as u64 > available) {
        return None;
    }
    // A reservation shows whether the request can be met; zeros that nobody writes to take no
    // memory.
    Vec::<u8>::new().try_reserve_exact(length).ok()?;
    Some(vec![0; length])
}

/// The number of available bytes, if the system reports it: the free memory, within the limit of
/// the cgroup.
fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|limit| limit.trim().parse::<u64>().ok()).unwrap_or(u64::MAX);
    Some(limit.min(kibibytes.saturating_mul(1024)))
}

#[cfg(test)]
mod tests {
    use super::zeroed;

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(zeroed(5), Some(vec![0; 5]));
        for length in [usize::MAX, isize::MAX as usize, 1 << 50] {
            assert_eq!(zeroed(length), None, "{length}");
        }
    }
}
