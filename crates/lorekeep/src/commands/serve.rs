//! `lorekeep serve`.

use std::io::IsTerminal;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use model::Layer;
use serve::{CallLimits, Server, Setup};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tools::Catalogue;
use tracing_subscriber::EnvFilter;

use crate::cli::ServeArgs;
use crate::config::{self, Partial, Settings};
use crate::{identity, output, wiring};

/// The variable that holds the bearer token; a variable alone, so that it stands in no process list.
const TOKEN_VARIABLE: &str = "LOREKEEP_HTTP_TOKEN";

/// How long work that was left behind may hold up the end of the process.
const LEFT_BEHIND_MAX: Duration = Duration::from_millis(300);

pub(crate) fn run(args: ServeArgs) -> Result<ExitCode> {
    let options = Partial::of_options(&args.store, &args.offer, args.http)?;
    let options = options.with_limits(&args.limits)?.without_queries(args.no_keep_queries);
    let options = options.with_outside(&args.outside);
    let settings = config::load(options)?;
    log_to_stderr()?;
    let server = server(&settings);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .max_blocking_threads(CallLimits::default().all_running_max())
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        stop_on_signals(&stop)?;
        match &settings.http {
            Some(address) => over_http(server, address, stop).await,
            None => {
                greet();
                Ok(serve::stdio::serve(server, stop).await?)
            }
        }
    });
    runtime.shutdown_timeout(LEFT_BEHIND_MAX);
    served.map(|()| ExitCode::SUCCESS)
}

/// Threads that read, answer and run quick calls: one a processor, but never one alone, so that a
/// slow search does not hold up the rest, and never many, because they wait most of the time.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, |processors| processors.get().clamp(2, 4))
}

fn server(settings: &Settings) -> Server {
    let settled = settings.identity.id(Layer::Project).is_some();
    Server::new(Setup {
        catalogue: Catalogue::new(settings.selection.clone()),
        open: Box::new(wiring::opener(settings)),
        caller: wiring::caller(settings),
        limits: CallLimits::default(),
        project_of: (!settled).then_some(identity::project_at),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// Tells a person who started the server by hand what it waits for.
fn greet() {
    if std::io::stdin().is_terminal() {
        output::note(
            "lorekeep speaks MCP here and waits for a client; end it with Ctrl-D.\n\
             To set up a client, e.g.: claude mcp add -s user lorekeep -- lorekeep serve",
        );
    }
}

async fn over_http(server: Server, address: &str, stop: CancellationToken) -> Result<()> {
    let address = loopback(address)?;
    let token = config::variable(TOKEN_VARIABLE);
    let listener = TcpListener::bind(address).await.with_context(|| address.to_string())?;
    let address = listener.local_addr()?;
    output::note(format!("listening on http://{address}{}", serve::http::PATH));
    serve::http::serve(listener, server, token.map(Arc::from), stop).await?;
    Ok(())
}

/// Only this machine is served: nothing here would tell other machines apart yet.
fn loopback(address: &str) -> Result<SocketAddr> {
    let resolved = address
        .to_socket_addrs()
        .map_err(|why| anyhow!("--http {address:?}: {why}; it takes ADDRESS:PORT"))?
        .next()
        .ok_or_else(|| anyhow!("--http {address:?} is no address"))?;
    if !resolved.ip().is_loopback() {
        bail!(
            "--http {address} reaches beyond this machine; \
             it takes a loopback address such as 127.0.0.1:7420"
        );
    }
    Ok(resolved)
}

fn stop_on_signals(stop: &CancellationToken) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stop = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.cancel();
    });
    Ok(())
}

/// Standard output belongs to the protocol, so logs go to standard error. What is stored is logged
/// at no level of ours; the SDK logs requests from `debug` on.
fn log_to_stderr() -> Result<()> {
    let filter = std::env::var("LOREKEEP_LOG").unwrap_or_else(|_| "warn,rmcp=error".into());
    let filter = EnvFilter::try_new(&filter).with_context(|| format!("LOREKEEP_LOG {filter:?}"))?;
    // A log that cannot be written, on a full disk say, is no reason to panic.
    let log = tracing_subscriber::fmt().log_internal_errors(false);
    log.with_env_filter(filter).with_writer(std::io::stderr).init();
    Ok(())
}
