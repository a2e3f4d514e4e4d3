//! The mock as a product: what it is told and what it shows.
