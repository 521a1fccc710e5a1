//! The product's own server with the fixtures that the official conformance suite asks for.
//!
//! It wraps the same handler, transports and middleware that `lorekeep serve` uses, so that the suite
//! tests those; it is an example and not a feature, so that nobody can ever ship the fixtures.
//!
//! Usage: `conformance [PORT]` (prints `listening on URL` on stderr) or `conformance --stdio`.

mod capabilities;
mod content;
mod handler;
mod legacy;
mod mrtr;
mod probes;
mod prompts;
mod resources;
mod state;
mod stateless;
mod tasks;
mod tools;

use std::error::Error;
use std::io::Write;
use std::net::Ipv4Addr;
use std::sync::Arc;

use ::tools::{Catalogue, Selection};
use engine::{Engine, Limits};
use model::{Caller, Identity, Layer, Role};
use providers::{LocalFiles, RandomIds, SystemClock};
use serve::http::Options;
use serve::http::auth::{Gate, Grant, Refusal};
use serve::{CallLimits, Server, Setup};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let handler = handler::WithFixtures::new(server(dir.path().to_owned())?);
    let stop = CancellationToken::new();
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("--stdio") {
        return Ok(serve::stdio::serve(handler, stop).await?);
    }
    let port = argument.map_or(Ok(0), |port| port.parse())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stderr(), "listening on http://{address}{}", serve::http::PATH)?;
    let options = Options::new(vec![Arc::new(Everybody)]);
    Ok(serve::http::serve(listener, handler, options, stop).await?)
}

/// Lets everybody in: the suite has no tokens.
struct Everybody;

impl Gate for Everybody {
    fn admit(&self, _: &[u8]) -> Result<Grant, Refusal> {
        let caller = caller().map_err(Refusal::Invalid)?;
        Ok(Grant { caller, toolsets: None, read_only: false, name: "everybody".to_owned() })
    }
}

fn caller() -> Result<Caller, String> {
    let identity = Identity::default().with(Layer::User, "conformance".parse()?);
    Ok(Caller::new(identity, Role::Admin))
}

fn server(dir: std::path::PathBuf) -> Result<Server, Box<dyn Error>> {
    let open = move || {
        let setup = engine::Setup {
            clock: Box::new(SystemClock),
            ids: Box::new(RandomIds),
            files: Box::<LocalFiles>::default(),
            limits: Limits::default(),
            read_only: false,
            meaning: engine::Meaning::BuiltIn,
            keeps_index: false,
            keeps_queries: true,
            audits_reads: false,
            injects_from: model::TrustLevel::Agent,
            store_trust_max: model::TrustLevel::Person,
            trust: model::Trust::Open,
            secrets: engine::secrets::Policy::default(),
            knowledge_dir: None,
            outside: engine::Outside::default(),
            backups: engine::Rhythm::NEVER,
        };
        Engine::open(&dir, setup)
    };
    Ok(Server::new(Setup {
        catalogue: Catalogue::new(Selection::all()),
        open: Box::new(open),
        caller: caller()?,
        limits: CallLimits::default(),
        project_of: None,
        version: env!("CARGO_PKG_VERSION"),
    }))
}
