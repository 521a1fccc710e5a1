//! Options of benchmarks.

use std::path::PathBuf;

use clap::Args;

/// Options of `bench knowledge`.
#[derive(Debug, Args)]
pub(crate) struct KnowledgeBenchArgs {
    /// How many items are synced
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) items: u64,
    /// How many items files are checked against, with five constraints each
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    pub(crate) checked_items: u64,
    /// How many files of 200 lines are checked
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) files: u64,
    /// Directory for the scratch stores
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `bench graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphBenchArgs {
    /// How many links the large graph has
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000)]
    pub(crate) links: u64,
    /// How long each rate is measured
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    pub(crate) seconds: f64,
    /// How many bytes the large file has
    #[arg(long, value_name = "NUMBER", default_value_t = 1 << 30)]
    pub(crate) bytes: u64,
    /// Directory for the scratch stores and the file; a million links take about 2 GB
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `bench load`.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// How many clients call at once; four times as many try to afterwards
    #[arg(long, value_name = "NUMBER", default_value_t = 64)]
    pub(crate) clients: usize,
    /// How many tokens they have
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    pub(crate) tenants: usize,
    /// How long that is measured
    #[arg(long, default_value_t = 60.0)]
    pub(crate) seconds: f64,
    /// Directory for the scratch stores; the speed of its disk is part of the figures
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
