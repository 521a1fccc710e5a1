//! The bodies of requests: read within bounds, of one request, of one bearer and of all together.
//!
//! A body lies in memory from its first byte until its request is answered, long before it has a turn.
//! Small ones are bounded by the number of connections and always have room, so that who sends large
//! ones keeps nobody else from asking.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::{Body, Bytes, HttpBody};

use super::limits::Limits;

/// So much of a body always has room.
const SMALL_BYTES: usize = 64 << 10;

/// Why a body was read no further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stopped {
    /// It is larger than one may be.
    TooLarge,
    /// It did not come as it was announced: the reason.
    Broken(String),
    /// There is too much of others, or of the same bearer.
    NoRoom,
}

/// How much there is of all bodies.
#[derive(Default)]
struct Book {
    all: usize,
    of: HashMap<String, usize>,
}

/// The bodies of a server's requests.
pub(super) struct Bodies {
    book: Mutex<Book>,
    body_bytes_max: usize,
    all_bytes_max: usize,
    /// Nobody has more than half of it, if that is a whole body.
    bearer_bytes_max: usize,
}

/// What a body takes, until its request is answered.
pub(super) struct Room {
    bodies: Arc<Bodies>,
    bearer: String,
    bytes: usize,
}

impl Bodies {
    pub(super) fn new(limits: &Limits) -> Self {
        let body_bytes_max = limits.body_bytes_max;
        let all_bytes_max = limits.bodies_bytes_max.max(body_bytes_max);
        let bearer_bytes_max = (all_bytes_max / 2).max(body_bytes_max);
        Self { book: Mutex::default(), body_bytes_max, all_bytes_max, bearer_bytes_max }
    }

    /// Reads a body of this bearer's.
    pub(super) async fn read(
        self: &Arc<Self>,
        body: &mut Body,
        bearer: &str,
    ) -> Result<(Bytes, Room), Stopped> {
        // Who says that it is too large need not send it.
        if body.size_hint().lower() > self.body_bytes_max as u64 {
            return Err(Stopped::TooLarge);
        }
        let mut room = Room { bodies: Arc::clone(self), bearer: bearer.to_owned(), bytes: 0 };
        let mut read = Vec::new();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
            let frame = frame.map_err(|why| Stopped::Broken(why.to_string()))?;
            let Ok(data) = frame.into_data() else { continue };
            if read.len() + data.len() > self.body_bytes_max {
                return Err(Stopped::TooLarge);
            }
            room.grow(read.len() + data.len())?;
            read.extend_from_slice(&data);
        }
        Ok((read.into(), room))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Room {
    /// Takes room for a body of so many bytes.
    fn grow(&mut self, bytes: usize) -> Result<(), Stopped> {
        if bytes <= SMALL_BYTES {
            return Ok(());
        }
        let (more, bodies) = (bytes - self.bytes, &self.bodies);
        let mut book = bodies.book();
        let own = book.of.get(&self.bearer).copied().unwrap_or_default() + more;
        if own > bodies.bearer_bytes_max || book.all + more > bodies.all_bytes_max {
            return Err(Stopped::NoRoom);
        }
        book.all += more;
        book.of.insert(self.bearer.clone(), own);
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut book = self.bodies.book();
        book.all -= self.bytes;
        let left = book.of.get(&self.bearer).map_or(0, |own| own - self.bytes);
        match left {
            0 => drop(book.of.remove(&self.bearer)),
            left => drop(book.of.insert(self.bearer.clone(), left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: usize = 2 * SMALL_BYTES;

    fn bodies() -> Arc<Bodies> {
        let limits =
            Limits { body_bytes_max: LARGE, bodies_bytes_max: 4 * LARGE, ..Limits::default() };
        Arc::new(Bodies::new(&limits))
    }

    async fn read(bodies: &Arc<Bodies>, bearer: &str, bytes: usize) -> Result<Room, Stopped> {
        let (read, room) = bodies.read(&mut vec![b' '; bytes].into(), bearer).await?;
        assert_eq!(read.len(), bytes);
        Ok(room)
    }

    #[tokio::test]
    async fn nobody_has_all_the_room_and_small_bodies_always_have_some() {
        let bodies = bodies();
        let mut held = Vec::new();
        for (bearer, refused) in [("ada", "ada"), ("bob", "carol")] {
            for _ in 0..2 {
                held.push(read(&bodies, bearer, LARGE).await.ok().unwrap());
            }
            assert_eq!(read(&bodies, refused, LARGE).await.err(), Some(Stopped::NoRoom));
        }
        assert!(read(&bodies, "carol", SMALL_BYTES).await.is_ok());
        held.pop();
        assert!(read(&bodies, "carol", LARGE).await.is_ok());
        held.clear();
        assert!(bodies.book().of.is_empty() && bodies.book().all == 0, "all is given back");
    }

    #[tokio::test]
    async fn a_body_that_says_that_it_is_too_large_is_not_read() {
        let bodies = bodies();
        assert_eq!(read(&bodies, "ada", LARGE + 1).await.err(), Some(Stopped::TooLarge));
    }
}
