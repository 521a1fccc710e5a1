//! The clients of others that Lorekeep can be put into: which there are, where their files are, and
//! what is written there.
pub(crate) mod edit;
