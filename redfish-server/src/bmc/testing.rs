//! A scripted backend.
