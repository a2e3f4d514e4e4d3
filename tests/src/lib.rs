//! Suites that span crates; `cargo xtask test --list` tells what they need.
