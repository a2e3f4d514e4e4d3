//! A stream that can't be held for ever.
//!
//! Three things that the HTTP library leaves to the stream below it. A client that does not read its answer
//! stalls the connection: that has an end. Bytes that come are noted, for the time that a head may take. And
//! a socket that is closed while the client still sends is reset, which destroys the answer on its way (a 413
//! or 431 that nobody ever gets to see): so after the last byte we read on for a moment.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::activity::{Activity, Phase};
use super::slots::Slot;

/// How long and how much is read after the last byte was sent.
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 1 << 20;

/// The stream of a connection; it keeps the connection's slot, also after an upgrade.
pub(super) struct Guarded<S> {
    stream: S,
    activity: Arc<Activity>,
    write_limit: Duration,
    /// While the client takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    closing: Closing,
    _slot: Slot,
}

enum Closing {
    No,
    Lingering { until: Pin<Box<Sleep>>, left: usize },
    Done,
}

impl<S> Guarded<S> {
    pub(super) fn new(
        stream: S,
        activity: Arc<Activity>,
        write_limit: Duration,
        slot: Slot,
    ) -> Self {
        let closing = Closing::No;
        Self { stream, activity, write_limit, stalled: None, closing, _slot: slot }
    }

    /// Whether the client has taken too long to take anything.
    fn poll_stalled(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let limit = self.write_limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "The client does not read"))
    }

    fn settle<T>(
        &mut self,
        poll: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if poll.is_pending() {
            return self.poll_stalled(cx).map(Err);
        }
        self.stalled = None;
        poll
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.activity.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.settle(poll, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
        self.settle(poll, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(cx);
        self.settle(poll, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if matches!(self.closing, Closing::No) {
            let poll = Pin::new(&mut self.stream).poll_shutdown(cx);
            ready!(self.settle(poll, cx))?;
            // Whoever is not in the middle of something has nothing on its way.
            self.closing = match self.activity.phase() {
                Phase::Idle if self.activity.waited() >= LINGER => Closing::Done,
                _ => Closing::Lingering { until: Box::pin(sleep(LINGER)), left: LINGER_BYTES },
            };
        }
        let Self { stream, closing, .. } = &mut *self;
        if let Closing::Lingering { until, left } = closing {
            let mut scratch = [0; 4096];
            while until.as_mut().poll(cx).is_pending() {
                let mut buffer = ReadBuf::new(&mut scratch);
                match Pin::new(&mut *stream).poll_read(cx, &mut buffer) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Err(_)) => break,
                    Poll::Ready(Ok(())) => {}
                }
                let read = buffer.filled().len();
                *left = left.saturating_sub(read);
                if read == 0 || *left == 0 {
                    break;
                }
            }
        }
        *closing = Closing::Done;
        Poll::Ready(Ok(()))
    }
}
