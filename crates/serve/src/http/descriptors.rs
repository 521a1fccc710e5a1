//! How many descriptors this process may have. Each connection takes one, and the store, the ledger and
//! backups need theirs: who connects must not take those.

use std::io;

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

/// So many are left for everything but connections.
const OTHERS: usize = 256;

/// How many of the connections that are wanted there may be. The limit of the process is raised for
/// them as far as it goes.
pub(super) fn for_connections(wanted: usize) -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    let needed = rlim_t::try_from(wanted.saturating_add(OTHERS)).unwrap_or(hard).min(hard);
    let is_raised = soft < needed && setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_ok();
    let limit = if is_raised { needed } else { soft };
    let fit = fit(wanted, usize::try_from(limit).unwrap_or(usize::MAX));
    if fit < wanted {
        tracing::warn!(
            "this process may have {limit} descriptors, so {fit} connections are taken and not \
             {wanted}; ulimit -n raises it"
        );
    }
    fit
}

/// How many connections fit into this limit: a quarter of it, if it is that small.
fn fit(wanted: usize, limit: usize) -> usize {
    wanted.min(limit.saturating_sub(OTHERS).max(limit / 4)).max(1)
}

/// Whether that is the reason why a connection could not be taken.
pub(super) fn are_used_up(why: &io::Error) -> bool {
    let code = why.raw_os_error().map(Errno::from_raw);
    matches!(code, Some(Errno::EMFILE | Errno::ENFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_rest() {
        assert_eq!(fit(1_024, 1 << 20), 1_024);
        assert_eq!(fit(1_024, 1_024), 768);
        assert_eq!(fit(100, 1_024), 100);
        assert_eq!(fit(1_024, 256), 64);
        assert_eq!(fit(1_024, 0), 1);
        assert!(are_used_up(&io::Error::from_raw_os_error(Errno::EMFILE as i32)));
        assert!(!are_used_up(&io::Error::from_raw_os_error(Errno::EINTR as i32)));
    }
}
