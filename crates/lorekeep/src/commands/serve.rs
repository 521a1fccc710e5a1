//! `lorekeep serve`.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use model::Layer;
use serve::http::Options;
use serve::http::auth::Gate;
use serve::http::gates::{FileGate, SaidGate};
use serve::http::tokens::Tokens;
use serve::traces::Traced;
use serve::{CallLimits, Server, Setup};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tools::Catalogue;

use crate::cli::ServeArgs;
use crate::settings::{self, Settings};
use crate::{identity, output, store_origin, traces, wiring};

/// The variable that holds the bearer token; a variable alone, so that it stands in no process list.
const TOKEN_VARIABLE: &str = "LOREKEEP_HTTP_TOKEN";

/// A shorter one could be guessed.
const TOKEN_LENGTH_MIN: usize = 16;

/// How long a call waits for its turn over HTTP.
const HTTP_WAIT_MAX: Duration = Duration::from_secs(5);

/// Threads that are left for who watches the server when calls have all others.
const WATCHERS: usize = 2;

/// How long work that was left behind may hold up the end of the process.
const LEFT_BEHIND_MAX: Duration = Duration::from_millis(300);

pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode> {
    let groups =
        [&*args.store, &*args.offer, &*args.limits, &*args.outside, &*args.http, &*args.queries];
    let settings = settings::load(groups)?;
    // Dropped last, when there is nothing more to tell.
    let _telling = traces::start(&settings.traces)?;
    let server = server(&settings);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .max_blocking_threads(CallLimits::default().all_running_max() + WATCHERS)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        stop_on_signals(&stop)?;
        match &settings.http.address {
            Some(address) => over_http(server, &settings, address, stop).await,
            None => {
                greet();
                Ok(serve::stdio::serve(Traced::new(server), stop).await?)
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
        limits: limits(settings),
        project_of: (!settled).then_some(identity::project_at),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// How many calls at once. Over HTTP nobody is left to wait for long: who comes to a server that has
/// too much to do hears so at once, and comes again.
fn limits(settings: &Settings) -> CallLimits {
    match settings.http.address {
        None => CallLimits::default(),
        Some(_) => CallLimits {
            waiting_max: settings.http.waiting_max,
            wait_max: HTTP_WAIT_MAX,
            ..CallLimits::default()
        },
    }
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
    let http = &settings.http;
    let address = http.socket(address)?;
    let tokens = own_tokens(settings)?;
    let store = settings.data_dir.join(store::FILE_NAME);
    let files = vec![store.with_extension("db-wal"), store];
    let options = Options {
        role_max: settings.role,
        allowed_hosts: http.allowed_hosts.clone(),
        allowed_origins: http.allowed_origins.clone(),
        limits: http.limits,
        tls: http.tls()?,
        probe: Some(server.probe(files)),
        ..Options::new(gates(settings, tokens.as_ref())?)
    };
    let listener = TcpListener::bind(address).await.with_context(|| address.to_string())?;
    let address = listener.local_addr()?;
    let scheme = if http.tls.is_some() { "https" } else { "http" };
    // Nobody may call it by an address that stands for all.
    let name = match address.ip().is_unspecified() {
        true => format!("localhost:{}", address.port()),
        false => address.to_string(),
    };
    output::note(format!("listening on {scheme}://{name}{}", serve::http::PATH));
    tell_of_tokens(settings, tokens.as_ref())?;
    if address.ip().is_unspecified() {
        tell_of_names(address, &http.allowed_hosts);
    }
    serve::http::serve(listener, Traced::new(server), options, stop).await?;
    Ok(())
}

/// The tokens of the store; none if it may be anybody's and callers have another way in.
fn own_tokens(settings: &Settings) -> Result<Option<Tokens>> {
    match store_origin::tokens(settings) {
        Err(why) if said()?.is_some() || settings.http.oauth.is_some() => {
            output::note(format!("{why:#}"));
            Ok(None)
        }
        tokens => tokens.map(Some),
    }
}

/// Who is let in: the tokens of the store, those of an issuer, and the one that was said.
fn gates(settings: &Settings, tokens: Option<&Tokens>) -> Result<Vec<Arc<dyn Gate>>> {
    let caller = wiring::agent(settings);
    let said = said()?;
    if let (None, Some(tokens)) = (&said, tokens) {
        let unwritten = || {
            let dir = settings.data_dir.display();
            format!("no token could be made in {dir}; {TOKEN_VARIABLE} gives one without a file")
        };
        if tokens.make_own().with_context(unwritten)? && !settings.selection.read_only {
            tokens.list()?.last().into_iter().for_each(|token| {
                super::try_note(settings, &format!("make {}", super::token::in_words(token)));
            });
        }
    }
    let said = said.map(|token| Arc::new(SaidGate::new(&token, caller.clone())) as Arc<dyn Gate>);
    let of_file =
        tokens.map(|tokens| Arc::new(FileGate::new(tokens.clone(), caller)) as Arc<dyn Gate>);
    let of_issuer = settings.http.oauth.as_ref().map(|oauth| oauth.gate()).transpose()?;
    let of_issuer = of_issuer.map(|gate| Arc::new(gate) as Arc<dyn Gate>);
    Ok(said.into_iter().chain(of_file).chain(of_issuer).collect())
}

/// The token of the variable, if there is one.
fn said() -> Result<Option<String>> {
    let Some(token) = settings::variable(TOKEN_VARIABLE) else { return Ok(None) };
    // No request can bring blanks around it.
    let token = token.trim();
    if token.chars().count() < TOKEN_LENGTH_MIN {
        bail!(
            "{TOKEN_VARIABLE} has fewer than {TOKEN_LENGTH_MIN} characters, so that it could be \
             guessed; `openssl rand -hex 32` makes a good one"
        );
    }
    Ok(Some(token.to_owned()))
}

/// Says where callers find their token; never the token.
fn tell_of_tokens(settings: &Settings, tokens: Option<&Tokens>) -> Result<()> {
    let has_own = tokens.map(Tokens::has_good_own).transpose()?.unwrap_or_default();
    let own = tokens.filter(|_| has_own).map(Tokens::own_path);
    let has_any = tokens.map(Tokens::has_any_good).transpose()?.unwrap_or_default();
    let issuer = settings.http.oauth.as_ref().map(|oauth| oauth.issuer());
    output::note(if settings::variable(TOKEN_VARIABLE).is_some() {
        format!("callers bring a bearer token: {TOKEN_VARIABLE}, or one of `lorekeep token`")
    } else if let Some(own) = own {
        format!("callers bring a bearer token; yours is in {}", own.display())
    } else if has_any {
        "callers bring a bearer token of `lorekeep token`".to_owned()
    } else if let Some(issuer) = issuer {
        format!("callers bring a bearer token of {issuer}; none of `lorekeep token` is good")
    } else {
        "no token is good, so nobody is let in; `lorekeep token new` makes one".to_owned()
    });
    Ok(())
}

/// Says by which names a server may be called that listens at every address of its machine.
fn tell_of_names(address: SocketAddr, allowed: &[String]) {
    let elsewhere = match allowed {
        [] => "no name is allowed, so callers from elsewhere get 403; --allow-host NAME allows one"
            .to_owned(),
        names => format!("callers from elsewhere use the name {}", names.join(" or ")),
    };
    output::note(format!("{address} is every address of this machine; {elsewhere}"));
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
