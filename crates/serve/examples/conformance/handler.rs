//! The wrapper: the handler under test, with the fixtures of the conformance suite added.
//!
//! Whatever is not a fixture goes to the inner handler unchanged, so that the suite
//! exercises the product's own lists, errors, version handling and custom requests.

#![expect(deprecated, reason = "the legacy half of the suite uses subscribe and log levels")]

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerConfig, SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::capabilities::extend;
use crate::state::{Session, Shared};
use crate::tools::Context;
use crate::{prompts, resources, stateless, tools};

type Notified = NotificationContext<RoleServer>;

/// `inner` plus the fixtures. A clone shares the tasks and change events with its
/// original but starts a session of its own, which is what the service factory of the
/// HTTP transport needs.
pub(crate) struct WithFixtures<H> {
    inner: H,
    shared: Arc<Shared>,
    session: Session,
}

impl<H> WithFixtures<H> {
    pub(crate) fn new(inner: H) -> Self {
        Self { inner, shared: Arc::default(), session: Session::default() }
    }
}

impl<H: Clone> Clone for WithFixtures<H> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            shared: Arc::clone(&self.shared),
            session: Session::default(),
        }
    }
}

impl<H: ServerHandler> WithFixtures<H> {
    /// The inner handler answers for tasks that are not the fixtures', if it has any.
    fn inner_has_tasks(&self) -> bool {
        self.inner.get_info().capabilities.supports_tasks()
    }
}

impl<H: ServerHandler> ServerHandler for WithFixtures<H> {
    async fn ping(&self, context: Context) -> Result<(), ErrorData> {
        self.inner.ping(context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.inner.initialize(request, context).await?;
        extend(&mut result.capabilities);
        Ok(result)
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.inner.negotiate_initialize(request)?;
        extend(&mut result.capabilities);
        Ok(result)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.inner.discover(context).await?;
        extend(&mut result.capabilities);
        Ok(result)
    }

    fn get_info(&self) -> ServerConfig {
        let mut info = self.inner.get_info();
        extend(&mut info.capabilities);
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut page = self.inner.list_tools(request, context).await?;
        if page.next_cursor.is_none() {
            page.tools.extend(tools::all());
        }
        Ok(page)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::get(name).or_else(|| self.inner.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match tools::group(&request.name) {
            Some(group) => group.run(&self.shared, &self.session, request, context).await,
            None => self.inner.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut page = self.inner.list_resources(request, context).await?;
        if page.next_cursor.is_none() {
            page.resources.extend(resources::all());
        }
        Ok(page)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut page = self.inner.list_resource_templates(request, context).await?;
        if page.next_cursor.is_none() {
            page.resource_templates.extend(resources::templates());
        }
        Ok(page)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.inner.read_resource(request, context).await,
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if !resources::can_be_watched(&request.uri) {
            return self.inner.subscribe(request, context).await;
        }
        self.session.subscribe(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if !resources::can_be_watched(&request.uri) {
            return self.inner.unsubscribe(request, context).await;
        }
        self.session.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // The SDK intersects the answer with the request.
        let mut accepted = self.inner.accepted_subscription_filter(requested).unwrap_or_default();
        accepted.tools_list_changed = Some(true);
        accepted.prompts_list_changed = Some(true);
        let watched = requested.resource_subscriptions.iter().flatten();
        accepted
            .resource_subscriptions
            .get_or_insert_default()
            .extend(watched.filter(|uri| resources::can_be_watched(uri)).cloned());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink().clone();
        tokio::select! {
            result = self.inner.listen(context) => result,
            () = stateless::announce(&self.shared, sink) => Ok(()),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut page = self.inner.list_prompts(request, context).await?;
        if page.next_cursor.is_none() {
            page.prompts.extend(prompts::all());
        }
        Ok(page)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        match prompts::get(&request, &context) {
            Some(result) => result,
            None => self.inner.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        match prompts::complete(&request) {
            Some(result) => result,
            None => self.inner.complete(request, context).await,
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if tools::is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.session.set_level(request.level);
        match self.inner.set_level(request, context).await {
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => Ok(()),
            result => result,
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: Context,
    ) -> Result<GetTaskResult, ErrorData> {
        match self.shared.tasks.get_task(&request.task_id) {
            Err(_) if self.inner_has_tasks() => self.inner.get_task(request, context).await,
            result => result.map(GetTaskResult::new),
        }
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        let tasks = &self.shared.tasks;
        match tasks.update_task(&request.task_id, request.input_responses.clone()) {
            Err(_) if self.inner_has_tasks() => self.inner.update_task(request, context).await,
            result => result,
        }
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        match self.shared.tasks.cancel_task(&request.task_id) {
            Err(_) if self.inner_has_tasks() => self.inner.cancel_task(request, context).await,
            result => result,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        self.inner.on_custom_request(request, context).await
    }

    async fn on_cancelled(&self, notification: CancelledNotificationParam, context: Notified) {
        self.inner.on_cancelled(notification, context).await;
    }

    async fn on_progress(&self, notification: ProgressNotificationParam, context: Notified) {
        self.inner.on_progress(notification, context).await;
    }

    async fn on_initialized(&self, context: Notified) {
        self.inner.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: Notified) {
        self.inner.on_roots_list_changed(context).await;
    }

    async fn on_custom_notification(&self, notification: CustomNotification, context: Notified) {
        self.inner.on_custom_notification(notification, context).await;
    }
}
