//! The client against a small HTTP server in the same process: what goes over the wire, and what becomes of answers.

mod auth;
mod events;
mod limits;
mod links;
mod reading;
mod retry;
mod server;
mod tls;
mod writes;
