//! `lorekeep serve`.

use std::io::IsTerminal;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use model::Layer;
use serve::http::Options;
use serve::http::auth::Gate;
use serve::http::tokens::{FileGate, SaidGate, Tokens};
use serve::{CallLimits, Server, Setup};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tools::Catalogue;

use crate::cli::ServeArgs;
use crate::config::{self, Partial, Settings};
use crate::{identity, output, traces, wiring};

/// The variable that holds the bearer token; a variable alone, so that it stands in no process list.
const TOKEN_VARIABLE: &str = "LOREKEEP_HTTP_TOKEN";

/// How long work that was left behind may hold up the end of the process.
const LEFT_BEHIND_MAX: Duration = Duration::from_millis(300);

pub(crate) fn run(args: ServeArgs) -> Result<ExitCode> {
    let options = Partial::of_options(&args.store, &args.offer, args.http)?;
    let options = options.with_limits(&args.limits)?.without_queries(args.no_keep_queries);
    let options = options.with_outside(&args.outside);
    let settings = config::load(options)?;
    // Dropped last, when there is nothing more to tell.
    let _telling = traces::start(&settings.traces)?;
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
            Some(address) => over_http(server, &settings, address, stop).await,
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
        caller: wiring::agent(settings),
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

async fn over_http(
    server: Server,
    settings: &Settings,
    address: &str,
    stop: CancellationToken,
) -> Result<()> {
    let address = loopback(address)?;
    let options = Options { gates: gates(settings)?, role_max: settings.role };
    let listener = TcpListener::bind(address).await.with_context(|| address.to_string())?;
    let address = listener.local_addr()?;
    output::note(format!("listening on http://{address}{}", serve::http::PATH));
    tell_of_tokens(&Tokens::at(&settings.data_dir))?;
    serve::http::serve(listener, server, options, stop).await?;
    Ok(())
}

/// Who is let in: the tokens of the store, and the one that was said.
fn gates(settings: &Settings) -> Result<Vec<Arc<dyn Gate>>> {
    let caller = wiring::agent(settings);
    let said = config::variable(TOKEN_VARIABLE);
    let tokens = Tokens::at(&settings.data_dir);
    if said.is_none() {
        tokens.make_own().context("the first token")?;
    }
    let said = said.map(|token| Arc::new(SaidGate::new(&token, caller.clone())) as Arc<dyn Gate>);
    let of_file: Arc<dyn Gate> = Arc::new(FileGate::new(tokens, caller));
    let of_issuer = settings.oauth.as_ref().map(|oauth| oauth.gate(settings.outside.roots.clone()));
    let of_issuer = of_issuer.transpose()?.map(|gate| Arc::new(gate) as Arc<dyn Gate>);
    Ok(said.into_iter().chain([of_file]).chain(of_issuer).collect())
}

/// Says where callers find their token; never the token.
fn tell_of_tokens(tokens: &Tokens) -> Result<()> {
    let own = tokens.own_path();
    output::note(if config::variable(TOKEN_VARIABLE).is_some() {
        format!("callers bring a bearer token: {TOKEN_VARIABLE}, or one of `lorekeep token`")
    } else if !tokens.has_any_good()? {
        "no token is good, so nobody is let in; `lorekeep token new` makes one".to_owned()
    } else if own.exists() {
        format!("callers bring a bearer token; yours is in {}", own.display())
    } else {
        "callers bring a bearer token of `lorekeep token`".to_owned()
    });
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
