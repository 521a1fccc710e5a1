//! Tests of the index.
