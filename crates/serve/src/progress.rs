//! How far a call is, on its way from the thread that works to the client that asked.
//!
//! The work leaves its latest news and goes on; whoever waits for the work passes them on, not too
//! often. The client is never behind the end: the last news go out before the answer.

use std::future::Future;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The client hears no more often than this.
const PAUSE: Duration = Duration::from_millis(100);

/// So many done, of so many.
type Step = (u64, u64);

/// What the work tells.
pub(crate) struct News {
    latest: Sender<Option<Step>>,
    ends: CancellationToken,
}

/// What is heard of the work. Once this is dropped nobody waits for it any more.
pub(crate) struct Heard {
    latest: Receiver<Option<Step>>,
    _ends: DropGuard,
}

impl News {
    /// Of a call that ends early when it is `cancelled`, or when nobody waits for it any more.
    pub(crate) fn of_call(cancelled: &CancellationToken) -> (Self, Heard) {
        let (told, latest) = channel(None);
        let ends = cancelled.child_token();
        let heard = Heard { latest, _ends: ends.clone().drop_guard() };
        (Self { latest: told, ends }, heard)
    }

    /// So many are done, of so many. Answers whether to go on.
    pub(crate) fn tell(&self, done: u64, all: u64) -> bool {
        self.latest.send_replace(Some((done, all)));
        !self.ends.is_cancelled()
    }
}

/// Waits for `work`, and tells the client meanwhile how far it is, if it asked to know.
pub(crate) async fn follow<T>(
    cx: &RequestContext<RoleServer>,
    mut heard: Heard,
    work: impl Future<Output = T>,
) -> T {
    let Some(token) = cx.meta.get_progress_token() else { return work.await };
    let mut teller = Teller { cx, token, last: None };
    let mut ticks = tokio::time::interval(PAUSE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(work);
    let answer = loop {
        tokio::select! {
            biased;
            answer = &mut work => break answer,
            _ = ticks.tick() => {
                let latest = *heard.latest.borrow_and_update();
                teller.tell(latest).await;
            }
        }
    };
    let latest = *heard.latest.borrow_and_update();
    teller.tell(latest).await;
    answer
}

/// Tells a client what it has not heard yet.
struct Teller<'a> {
    cx: &'a RequestContext<RoleServer>,
    token: ProgressToken,
    last: Option<u64>,
}

impl Teller<'_> {
    /// Progress only ever grows, and a call that was cancelled says nothing more.
    async fn tell(&mut self, latest: Option<Step>) {
        let Some((done, all)) = latest else { return };
        if self.last.is_some_and(|last| done <= last) || self.cx.ct.is_cancelled() {
            return;
        }
        self.last = Some(done);
        let step = ProgressNotificationParam::new(self.token.clone(), done as f64);
        // A client that is gone hears nothing, and the work has not failed by that.
        let _ = self.cx.peer.notify_progress(step.with_total(all as f64)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_told_to_end_when_it_is_cancelled_or_nobody_waits() {
        let call = CancellationToken::new();
        let (news, heard) = News::of_call(&call);
        assert!(news.tell(1, 9) && news.tell(2, 9));
        assert_eq!(*heard.latest.borrow(), Some((2, 9)));
        call.cancel();
        assert!(!news.tell(3, 9));
        let (news, heard) = News::of_call(&CancellationToken::new());
        drop(heard);
        assert!(!news.tell(1, 9));
    }
}
