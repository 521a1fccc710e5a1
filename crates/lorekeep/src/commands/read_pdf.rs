//! `lorekeep read-pdf`: the process that a PDF is read in. Nobody types it.

use std::process::ExitCode;

use anyhow::Result;

pub(crate) fn run() -> Result<ExitCode> {
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    providers::pdf::serve_pdf(input, output, rank::chunk::pdf_pages)?;
    Ok(ExitCode::SUCCESS)
}
