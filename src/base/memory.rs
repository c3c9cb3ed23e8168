//! How much memory this process may still have, so that what is too much is refused with both figures before it is asked for.

use crate::base::error::{Error, Result};

const GIB: f64 = (1 << 30) as f64;

/// Bytes that are free: the least of what the machine has, what the limit of the process leaves (`ulimit -v`), and what its
/// container leaves. `None` where the system does not say.
pub fn available() -> Option<f64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable:");
    let limit = left_of_limit();
    let number = |path: &str| read(path)?.trim().parse::<f64>().ok();
    let container = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    let container = container.map(|(most, now)| most - now);
    [machine, limit, container].into_iter().flatten().reduce(f64::min).map(|bytes| bytes.max(0.0))
}

/// What the limit of the process (`ulimit -v`) leaves, in bytes; `None` where there is none.
pub fn left_of_limit() -> Option<f64> {
    let limit = read("/proc/self/limits").and_then(|text| number_of(&text, "Max address space"));
    limit.zip(kilobytes("/proc/self/status", "VmSize:")).map(|(most, now)| most - now)
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Of a line such as `VmSize:  1234 kB`.
fn number_of(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

fn kilobytes(path: &str, name: &str) -> Option<f64> {
    Some(number_of(&read(path)?, name)? * 1024.0)
}

/// Refuses so many bytes where there are fewer.
///
/// # Errors
/// Says how much is wanted and how much there is.
pub fn check(bytes: f64) -> Result<()> {
    match available() {
        Some(free) if bytes > free => Err(Error::new(format!("this {}", figures(bytes, Some(free))))),
        _ => Ok(()),
    }
}

/// What is wanted and what there is, in words.
pub fn figures(bytes: f64, free: Option<f64>) -> String {
    let wanted = format!("takes {:.1} GiB of memory", bytes / GIB);
    match free {
        Some(free) => format!("{wanted}, and {:.1} GiB are free", free / GIB),
        None => wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(check(1.0).is_ok());
        let error = check(1e18).expect_err("a thousand petabytes");
        assert!(error.message.starts_with("this takes 931322574.6 GiB of memory, and "), "{}", error.message);
    }
}
