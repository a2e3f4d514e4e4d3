//! The load: threads that send one prepared request after the other and note how long each takes.

use std::time::{Duration, Instant};

use redfish_tests::client::Client;
use redfish_tests::connection::{Connection, Endpoint};
use serde_json::{Value, json};

use crate::process;

/// How requests come.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// How many at the same time.
    pub(crate) connections: usize,
    /// Whether connections are kept.
    pub(crate) keep: bool,
}

/// A load.
pub(crate) struct Load {
    pub(crate) endpoint: Endpoint,
    /// The requests, each sent in turn.
    pub(crate) requests: Vec<Vec<u8>>,
    pub(crate) shape: Shape,
    /// The status that counts as success.
    pub(crate) expect: u16,
    /// The server, where it can be looked at.
    pub(crate) pid: Option<u32>,
    /// Requests a second that are not to be exceeded.
    pub(crate) rate: Option<u32>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// Answers as expected.
    pub(crate) answers: usize,
    /// Everything else.
    pub(crate) errors: usize,
    pub(crate) seconds: f64,
    pub(crate) median: Duration,
    pub(crate) p99: Duration,
    /// CPU time of the server for one answer.
    pub(crate) cpu: Option<Duration>,
    /// The first error.
    pub(crate) error: Option<String>,
}

impl Load {
    /// Reads of one URI on four kept connections.
    pub(crate) fn get(client: &Client, uri: &str) -> Self {
        Self::of(client, vec![client.bytes("GET", uri, &[], None)])
    }

    /// The given requests.
    pub(crate) fn of(client: &Client, requests: Vec<Vec<u8>>) -> Self {
        let shape = Shape { connections: 4, keep: true };
        let endpoint = client.endpoint.clone();
        Self { endpoint, requests, shape, expect: 200, pid: None, rate: None }
    }

    /// Puts the load on for a while.
    pub(crate) fn run(&self, time: Duration) -> Figures {
        let before = self.pid.map(process::cpu_time);
        let started = Instant::now();
        let mut took: Vec<Duration> = Vec::new();
        let mut figures = Figures::default();
        std::thread::scope(|scope| {
            let work = |first| scope.spawn(move || self.work(first, started + time));
            let workers: Vec<_> = (0..self.shape.connections).map(work).collect();
            for worker in workers {
                let (times, errors, error) = worker.join().unwrap();
                took.extend(times);
                figures.errors += errors;
                figures.error = figures.error.take().or(error);
            }
        });
        figures.seconds = started.elapsed().as_secs_f64();
        let after = self.pid.map(process::cpu_time);
        took.sort_unstable();
        let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or_default();
        (figures.median, figures.p99, figures.answers) = (at(50), at(99), took.len());
        figures.cpu = before.zip(after).and_then(|(before, after)| {
            (after - before).checked_div(u32::try_from(took.len()).unwrap())
        });
        figures
    }

    fn work(&self, first: usize, end: Instant) -> (Vec<Duration>, usize, Option<String>) {
        let mut took = Vec::new();
        let (mut errors, mut error) = (0, None);
        let mut kept = None;
        let requests =
            self.requests.iter().cycle().skip(first * self.requests.len() / self.shape.connections);
        let pace = self
            .rate
            .map(|rate| Duration::from_secs(u64::try_from(self.shape.connections).unwrap()) / rate);
        for request in requests {
            let started = Instant::now();
            if started >= end {
                break;
            }
            match self.exchange(&mut kept, request) {
                Ok(status) if status == self.expect => took.push(started.elapsed()),
                other => {
                    errors += 1;
                    error = error.or_else(|| Some(format!("{other:?}")));
                    kept = None;
                }
            }
            if let Some(pace) = pace {
                std::thread::sleep(pace.saturating_sub(started.elapsed()));
            }
        }
        (took, errors, error)
    }

    fn exchange(&self, kept: &mut Option<Connection>, request: &[u8]) -> std::io::Result<u16> {
        let mut connection = match kept.take() {
            Some(connection) => connection,
            None => self.endpoint.connect()?,
        };
        connection.send(request)?;
        let answer = connection.receive(false)?;
        if self.shape.keep && !answer.closed {
            *kept = Some(connection);
        }
        Ok(answer.status)
    }
}

impl Figures {
    /// Answers a second.
    pub(crate) fn rate(&self) -> f64 {
        if self.seconds > 0.0 { count(self.answers) / self.seconds } else { 0.0 }
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "answers": self.answers,
            "errors": self.errors,
            "error": self.error,
            "seconds": self.seconds,
            "per_second": self.rate(),
            "median_us": self.median.as_micros(),
            "p99_us": self.p99.as_micros(),
            "server_cpu_us": self.cpu.map(|cpu| cpu.as_nanos() as f64 / 1000.0),
        })
    }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// The middle one of several runs by rate.
pub(crate) fn middle(mut runs: Vec<Figures>) -> Figures {
    runs.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
    runs.swap_remove(runs.len() / 2)
}
