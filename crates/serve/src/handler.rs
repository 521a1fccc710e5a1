//! rmcp's handler over our catalogue.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use axum::http::request::Parts;
use engine::ErrorKind;
use engine::trust::visible;
use model::scope::OwnerId;
use model::{Caller, Layer};
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;
use tools::prompt::{self, PROMPTS};
use tools::resource::{self, RESOURCES, TEMPLATES};
use tools::{Catalogue, Context, Definition, Pace, Toolset};
use tracing::Span;

use crate::ask::{self, Asked, Way};
use crate::call::{CallLimits, Runner, Timer};
use crate::metrics::{Metrics, outcome};
use crate::offer::{Offer, grant, leave_seat, needs};
use crate::opening::{Opener, Opening};
use crate::places::Tenant;
use crate::probe::Probe;
use crate::progress::{self, News};
use crate::render::refusal;
use crate::{client, denials, instructions, render, roots};

type Answer<T> = Result<T, ErrorData>;
pub(crate) type Request = RequestContext<RoleServer>;

/// How long a client may keep a list: it never changes while the process lives.
const LIST_TTL_MS: u64 = 300_000;

/// How many values a completion offers: the protocol's own limit.
const COMPLETIONS_MAX: usize = 100;

/// The methods whose malformed parameters are answered -32602. Methods that a revision removed must
/// stay unknown (-32601) and are not among them.
const METHODS: [&str; 9] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// How a server is set up.
pub struct Setup {
    /// The tools it offers.
    pub catalogue: Catalogue,
    /// Opens the engine when it is first needed.
    pub open: Opener,
    /// Who calls, unless the transport knows better.
    pub caller: Caller,
    /// How many calls at once, and how long.
    pub limits: CallLimits,
    /// The id and the root of the project that a client's directory lies in; `None` if the project is
    /// settled.
    pub project_of: Option<ProjectOf>,
    /// The version told to clients.
    pub version: &'static str,
}

/// Tells the project that a directory lies in: its id and its root.
pub type ProjectOf = fn(&Path) -> Option<(OwnerId, PathBuf)>;

pub(crate) struct Inner {
    catalogue: Catalogue,
    pub(crate) opening: Arc<Opening>,
    caller: Caller,
    runner: Arc<Runner>,
    metrics: Arc<Metrics>,
    project_of: Option<ProjectOf>,
    info: ServerConfig,
}

/// The server: one for the process; a clone talks to one more client.
pub struct Server {
    pub(crate) inner: Arc<Inner>,
    /// The caller as this client's roots settle it.
    client: OnceCell<Caller>,
}

impl Clone for Server {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), client: OnceCell::new() }
    }
}

impl Server {
    /// A server that has opened nothing yet.
    pub fn new(setup: Setup) -> Self {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_resources()
            .build();
        if !setup.catalogue.has(Toolset::Notes) {
            capabilities.resources = None;
        }
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("lorekeep", setup.version).with_title("Lorekeep"))
            .with_instructions(instructions::instructions(&setup.catalogue));
        let inner = Inner {
            catalogue: setup.catalogue,
            opening: Arc::new(Opening::new(setup.open)),
            caller: setup.caller,
            runner: Arc::new(Runner::new(setup.limits)),
            metrics: Arc::default(),
            project_of: setup.project_of,
            info,
        };
        Self { inner: Arc::new(inner), client: OnceCell::new() }
    }

    /// A look at this server, for who watches it; `files` are those of the store.
    pub fn probe(&self, files: Vec<PathBuf>) -> Arc<Probe> {
        let Inner { opening, runner, metrics, caller, .. } = &*self.inner;
        let (opening, runner) = (Arc::clone(opening), Arc::clone(runner));
        Probe::new(opening, runner, Arc::clone(metrics), caller.clone(), files)
    }

    /// Whom the transport vouches for, else this process's own caller. No client is asked, so that
    /// what depends on the role alone waits for nobody.
    pub(crate) fn vouched<'a>(&'a self, cx: &'a Request) -> &'a Caller {
        let parts = cx.extensions.get::<Parts>();
        parts.and_then(|parts| parts.extensions.get()).unwrap_or(&self.inner.caller)
    }

    /// The tool of that name, with its toolset.
    pub(crate) fn tool(&self, name: &str) -> Option<(Toolset, &'static str)> {
        let mut all = self.inner.catalogue.all();
        let (toolset, tool) = all.find(|(_, tool)| tool.spec.name == name)?;
        Some((toolset, tool.spec.name))
    }

    /// What of the catalogue is there for who the transport vouches for.
    fn offer<'a>(&'a self, cx: &'a Request) -> Offer<'a> {
        Offer::new(&self.inner.catalogue, grant(cx))
    }

    /// Who calls: over stdio, in the project that the client's first root lies in.
    async fn caller(&self, cx: &Request) -> Caller {
        if cx.extensions.get::<Parts>().is_some() {
            return self.vouched(cx).clone().by(client::name(cx));
        }
        let settle = async || {
            let mut caller = self.inner.caller.clone().by(client::name(cx));
            let opens_files = [Toolset::Files, Toolset::Documents];
            let opens_files = opens_files.into_iter().any(|set| self.inner.catalogue.has(set));
            let is_rootless = caller.roots.is_empty() && opens_files;
            if self.inner.project_of.is_none() && !is_rootless {
                return caller;
            }
            let roots = roots::all(&cx.peer).await;
            if let Some(project_of) = self.inner.project_of
                && let Some((id, root)) = roots.first().and_then(|root| project_of(root))
            {
                caller.identity = caller.identity.assuming(Layer::Project, id);
                caller.here = Some(root);
            }
            if is_rootless {
                caller.roots = roots;
            }
            caller
        };
        self.client.get_or_init(settle).await.clone()
    }

    /// Runs `work` with an open engine, off the async threads.
    pub(crate) async fn with_engine<T: Send + 'static>(
        &self,
        cx: &Request,
        work: impl FnOnce(&Catalogue, &Context<'_>) -> engine::Result<T> + Send + 'static,
    ) -> engine::Result<T> {
        self.with_engine_at(Pace::Waiting, cx, work).await
    }

    /// The same at some pace. The client hears how far the work is, if it asked to.
    async fn with_engine_at<T: Send + 'static>(
        &self,
        pace: Pace,
        cx: &Request,
        work: impl FnOnce(&Catalogue, &Context<'_>) -> engine::Result<T> + Send + 'static,
    ) -> engine::Result<T> {
        let caller = self.caller(cx).await;
        let inner = Arc::clone(&self.inner);
        let (news, heard) = News::of_call(&cx.ct);
        let span = Span::current();
        let work = move || {
            let _within = span.entered();
            let engine = inner.opening.get_for(&caller)?;
            let tell = |done, all| news.tell(done, all);
            let context = Context { news: &tell, ..Context::new(&engine, &caller) };
            work(&inner.catalogue, &context).map_err(|error| engine.told(&caller, error))
        };
        let tenant = grant(cx).map_or_else(Tenant::default, |grant| grant.name.as_str().into());
        let work = self.inner.runner.run(pace, &tenant, &cx.ct, work);
        progress::follow(cx, heard, work).await
    }

    /// What the client's model has to say before a call, if the tool asks and the client lets it.
    async fn answers(
        &self,
        definition: &Definition,
        arguments: &Map<String, Value>,
        brought: Option<InputResponses>,
        cx: &Request,
    ) -> Asked {
        let is_http = cx.extensions.get::<Parts>().is_some();
        let Some(way) = definition.spec.asks.then(|| ask::way(cx, is_http)).flatten() else {
            return Asked::Answered(None);
        };
        if let Some(brought) = brought {
            return Asked::Answered(Some(ask::brought(&brought)));
        }
        let (name, arguments) = (definition.spec.name, arguments.clone());
        let questions = self.with_engine(cx, move |catalogue, context| {
            found(catalogue, name).map(|tool| tool.questions(arguments, context))
        });
        match questions.await {
            Ok(questions) if !questions.is_empty() => match way {
                Way::Sampling => Asked::Answered(Some(ask::sample(cx, &questions).await)),
                Way::SecondRound => Asked::SecondRound(ask::second_round(&questions)),
            },
            // What is wrong is told by the call.
            _ => Asked::Answered(None),
        }
    }

    /// The prompts that ask for nothing the caller may not do.
    fn prompts(&self, cx: &Request) -> impl Iterator<Item = &'static prompt::Prompt> + use<> {
        let role = self.vouched(cx).role;
        let writes = self.offer(cx).list(role).any(|d| prompt::STORING.contains(&d.spec.name));
        let shows = self.offer(cx).has_memories();
        PROMPTS.iter().filter(move |prompt| shows && (writes || !prompt.writes))
    }

    fn has_resources(&self, cx: &Request) -> bool {
        self.offer(cx).has(Toolset::Notes)
    }

    /// The server's name for the `_meta` of a result, as newer clients like it in every one.
    fn stamp(&self, cx: &Request) -> Option<MetaObject> {
        cx.protocol_version().filter(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())?;
        let info = serde_json::to_value(&self.inner.info.server_info).ok()?;
        let mut meta = MetaObject::default();
        meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
        Some(meta)
    }
}

/// The tool of a call that has begun.
fn found<'a>(catalogue: &'a Catalogue, name: &str) -> engine::Result<&'a Definition> {
    let lost = || engine::Error::new(ErrorKind::Internal, "the tool is gone");
    catalogue.find(name).ok_or_else(lost)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.inner.info.clone()
    }

    async fn discover(&self, _: Request) -> Answer<DiscoverResult> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: Request,
    ) -> Answer<ListToolsResult> {
        render::only_page(page)?;
        let role = self.vouched(&cx).role;
        let tools = self.offer(&cx).list(role).map(render::tool).collect();
        let mut list = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        list.meta = self.stamp(&cx);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.inner.catalogue.find(name).map(render::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: Request,
    ) -> Answer<CallToolResponse> {
        let name = request.name.into_owned();
        let Some(definition) = self.offer(&cx).find(&name) else {
            self.note_left_out(&name, &cx).await;
            let text = format!("Unknown tool: {name}");
            return Err(refusal(ErrorCode::INVALID_PARAMS, &text, Some(("tool", &name))));
        };
        let begun = Instant::now();
        if self.vouched(&cx).role < definition.spec.role {
            needs(&cx, definition.spec.role);
        }
        if definition.spec.pace == Pace::Long {
            leave_seat(&cx);
        }
        let arguments = request.arguments.unwrap_or_default();
        let answers = match self.answers(definition, &arguments, request.input_responses, &cx).await
        {
            Asked::Answered(answers) => answers,
            Asked::SecondRound(mut questions) => {
                questions.meta = self.stamp(&cx);
                return Ok(questions.into());
            }
        };
        let pace = definition.spec.pace;
        let quick = pace == Pace::Quick;
        let runner = &self.inner.runner;
        let here = quick && runner.is_quick();
        let called = match self.inner.opening.ready().filter(|_| here) {
            Some(engine) => {
                let caller = self.caller(&cx).await;
                let context = Context::new(&engine, &caller);
                match runner.run_here(|| Ok(definition.attempt(arguments, &context))) {
                    Ok((reply, denial)) => self.noted(denial, &cx).await.map(|()| reply),
                    Err(error) => Err(error),
                }
            }
            None => {
                let timer = quick.then(|| runner.timer());
                let call = move |catalogue: &Catalogue, context: &Context<'_>| {
                    let _timed = timer.map(Timer::start);
                    let context = Context { answers: answers.as_ref(), ..*context };
                    found(catalogue, &name).map(|tool| tool.call(arguments, &context))
                };
                self.with_engine_at(pace, &cx, call).await
            }
        };
        self.inner.metrics.called(definition.spec.name, outcome(&called), begun.elapsed());
        let reply = called.unwrap_or_else(|error| {
            if error.kind == ErrorKind::Limit {
                self.note_too_much(definition.spec.name, &error, &cx);
            }
            definition.failure(&error)
        });
        let mut result = render::reply(reply);
        result.meta = self.stamp(&cx);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: Request,
    ) -> Answer<ListResourcesResult> {
        render::only_page(page)?;
        let offered = if self.has_resources(&cx) { RESOURCES } else { &[] };
        let resources = offered.iter().map(render::resource).collect();
        let mut list = ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        list.meta = self.stamp(&cx);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: Request,
    ) -> Answer<ListResourceTemplatesResult> {
        render::only_page(page)?;
        let offered = if self.has_resources(&cx) { TEMPLATES } else { &[] };
        let templates = offered.iter().map(render::template).collect();
        let mut list = ListResourceTemplatesResult::with_all_items(templates)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        list.meta = self.stamp(&cx);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: Request,
    ) -> Answer<ReadResourceResponse> {
        let uri = request.uri;
        let unknown = || {
            let text = format!("Resource not found: {uri}");
            refusal(ErrorCode::RESOURCE_NOT_FOUND, &text, Some(("uri", &uri)))
        };
        if !self.has_resources(&cx) {
            self.note_left_out(denials::RESOURCES, &cx).await;
            return Err(unknown());
        }
        let asked = uri.clone();
        let read = self.with_engine(&cx, move |_, cx| resource::read(&asked, cx).transpose()).await;
        let value = read.map_err(|error| render::error(&error, &uri))?.ok_or_else(unknown)?;
        let contents = ResourceContents::text(value.to_string(), visible(&uri));
        let contents = vec![contents.with_mime_type(render::MIME_TYPE)];
        let mut result =
            ReadResourceResult::new(contents).with_ttl_ms(0).with_cache_scope(CacheScope::Private);
        result.meta = self.stamp(&cx);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: Request,
    ) -> Answer<ListPromptsResult> {
        render::only_page(page)?;
        let mut list =
            ListPromptsResult::with_all_items(self.prompts(&cx).map(render::prompt).collect())
                .with_ttl_ms(LIST_TTL_MS)
                .with_cache_scope(CacheScope::Private);
        list.meta = self.stamp(&cx);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: Request,
    ) -> Answer<GetPromptResponse> {
        let name = request.name;
        if !self.offer(&cx).has_memories() {
            self.note_left_out(denials::PROMPTS, &cx).await;
        }
        let prompt = self.prompts(&cx).find(|prompt| prompt.name == name).ok_or_else(|| {
            refusal(ErrorCode::INVALID_PARAMS, &format!("Unknown prompt: {name}"), None)
        })?;
        let arguments: Map<String, Value> = request.arguments.unwrap_or_default();
        let text = self
            .with_engine(&cx, move |_, cx| prompt.render(cx, &arguments))
            .await
            .map_err(|error| render::error(&error, &name))?;
        let message = PromptMessage::new_text(Role::User, text);
        let mut result = GetPromptResult::new(vec![message]).with_description(prompt.description);
        result.meta = self.stamp(&cx);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: Request,
    ) -> Answer<CompleteResult> {
        let known = match &request.r#ref {
            Reference::Prompt(asked) => self.prompts(&cx).any(|prompt| prompt.name == asked.name),
            Reference::Resource(asked) => {
                self.has_resources(&cx) && TEMPLATES.iter().any(|t| t.uri == asked.uri)
            }
            _ => false,
        };
        if !known {
            if denials::completes(&request.r#ref) {
                self.note_left_out(denials::COMPLETIONS, &cx).await;
            }
            let text = "ref names no prompt or resource template of this server";
            return Err(refusal(ErrorCode::INVALID_PARAMS, text, None));
        }
        let ArgumentInfo { name, value, .. } = request.argument;
        let about = name.clone();
        let values = self
            .with_engine(&cx, move |_, cx| prompt::complete(cx, &name, &value, COMPLETIONS_MAX))
            .await
            .map_err(|error| render::error(&error, &about))?;
        let values = CompletionInfo::with_all_values(values)
            .map_err(|why| refusal(ErrorCode::INTERNAL_ERROR, &why, None))?;
        let mut result = CompleteResult::new(values);
        result.meta = self.stamp(&cx);
        Ok(result)
    }

    async fn on_custom_request(&self, request: CustomRequest, _: Request) -> Answer<CustomResult> {
        let method = request.method;
        if METHODS.contains(&method.as_str()) {
            let text = format!("{method}: the parameters are not what the method takes");
            return Err(refusal(ErrorCode::INVALID_PARAMS, &text, None));
        }
        Err(refusal(ErrorCode::METHOD_NOT_FOUND, &method, None))
    }
}
