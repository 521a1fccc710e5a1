//! Layers, who owns what lies in them, and the identity that opens them.

use std::str::FromStr;

use crate::knowledge::pointer_place;

/// How far a memory reaches, strongest (most specific) first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// One agent of one user.
    Agent,
    /// One user, in all sessions.
    User,
    /// One conversation of one user.
    Session,
    /// One project or repository.
    Project,
    /// One team.
    Team,
    /// One organisation.
    Org,
    /// The whole company.
    Company,
}

impl Layer {
    /// All layers, strongest first.
    pub const ALL: [Self; 7] = [
        Self::Agent,
        Self::User,
        Self::Session,
        Self::Project,
        Self::Team,
        Self::Org,
        Self::Company,
    ];

    /// The layer's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Session => "session",
            Self::Project => "project",
            Self::Team => "team",
            Self::Org => "org",
            Self::Company => "company",
        }
    }

    /// The layer of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// Where a memory lies: a layer and its owner in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The layer.
    pub layer: Layer,
    /// The owner's id; for `agent` and `session`, `<user>/<agent or session>`, and for what a user
    /// keeps in a namespace of their own, `<user>/<namespace>`: `<user>/default` without a name.
    pub owner: String,
}

impl Scope {
    /// The project of this id.
    pub fn project(id: &str) -> Self {
        Self { layer: Layer::Project, owner: id.to_owned() }
    }

    /// Whether memories lie there that follow facts.
    pub fn is_facts(&self) -> bool {
        self.user_and_namespace().is_some_and(|(_, namespace)| namespace == FACTS)
    }

    /// The scope as one word: `global` for the user's own, the namespace's name for what the user
    /// keeps in one (`default` without a name), `project:<id>` and so on for the others.
    pub fn namespace(&self) -> String {
        match (self.layer, self.user_and_namespace()) {
            (_, Some((_, namespace))) => namespace.to_owned(),
            (Layer::User, None) => GLOBAL.to_owned(),
            (layer, None) => format!("{}:{}", layer.name(), self.owner),
        }
    }

    /// The user and the namespace of theirs that it is; no id of a user contains a slash.
    fn user_and_namespace(&self) -> Option<(&str, &str)> {
        self.owner.split_once('/').filter(|_| self.layer == Layer::User)
    }
}

/// Whether a namespace of a user may be called that: 1 to 128 of letters, digits, `_`, `.`, `:`, `/`, `@`
/// and `-`, the first a letter or digit. What begins like a place of a layer (`team:…`) names that
/// place and nothing else.
fn is_free_name(name: &str) -> bool {
    let is_allowed = |c: char| OwnerId::allows(c) || matches!(c, ':' | '/');
    let is_of_layer = |(layer, _)| Layer::named(layer).is_some();
    name.len() <= OwnerId::LENGTH_MAX
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_allowed)
        && !name.split_once(':').is_some_and(is_of_layer)
}

/// The namespace of what belongs to the user.
const GLOBAL: &str = "global";

/// The namespace of what the user keeps in none that has a name. It is the user's too, and a place of
/// its own.
const DEFAULT: &str = "default";

/// The namespace of the facts that the user knows.
const FACTS: &str = "graph";

/// An id that an identity may name: 1 to 128 of letters, digits, `_`, `-`, `.` and `@`.
///
/// No slash, so that the two ids an `agent` or `session` owner is made of stay apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnerId(String);

impl OwnerId {
    /// The most characters an id may have.
    pub const LENGTH_MAX: usize = 128;

    /// The id nearest to `text`: what an id may not contain becomes `-`. Where letters were lost to
    /// that, or the end of a long text, a mark of the whole is added, so that two names that look
    /// alike afterwards stay apart.
    pub fn nearest(text: &str) -> Option<Self> {
        let is_lossy = !text.is_ascii() || text.len() > Self::LENGTH_MAX;
        let mark =
            if is_lossy { format!("-{:08x}", fnv1a(text.as_bytes())) } else { String::new() };
        let kept: String = text
            .chars()
            .take(Self::LENGTH_MAX - mark.len())
            .map(|c| if Self::allows(c) { c } else { '-' })
            .collect();
        (kept + &mark).parse().ok()
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn allows(c: char) -> bool {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@')
    }
}

/// A short mark of a text: FNV-1a, 32 bits. It tells names apart and protects nothing.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

impl FromStr for OwnerId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = text.chars().count();
        if (1..=Self::LENGTH_MAX).contains(&length) && text.chars().all(Self::allows) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "id {text:?} is not 1 to {} of letters, digits, '_', '-', '.' and '@'",
                Self::LENGTH_MAX
            ))
        }
    }
}

/// Who a caller is, layer by layer. A layer whose owner is not known is closed to that caller.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    ids: [Option<OwnerId>; Layer::ALL.len()],
    /// Which of the ids nobody named: what a machine assumes of who sits at it.
    assumed: [bool; Layer::ALL.len()],
    all_projects: bool,
}

impl Identity {
    /// This identity with `id` as its id of `layer`.
    #[must_use]
    pub fn with(mut self, layer: Layer, id: OwnerId) -> Self {
        self.ids[layer as usize] = Some(id);
        self.assumed[layer as usize] = false;
        self
    }

    /// This identity with `id` as its id of `layer`, which nobody named: who has not said which
    /// organisation is theirs is shown the knowledge of all that there are.
    #[must_use]
    pub fn assuming(self, layer: Layer, id: OwnerId) -> Self {
        let mut assuming = self.with(layer, id);
        assuming.assumed[layer as usize] = true;
        assuming
    }

    /// This identity, with what it leaves open taken from `fallback`.
    #[must_use]
    pub fn or(mut self, fallback: &Self) -> Self {
        self.all_projects |= fallback.all_projects;
        for (at, other) in fallback.ids.iter().enumerate() {
            if self.ids[at].is_none() {
                self.ids[at].clone_from(other);
                self.assumed[at] = fallback.assumed[at];
            }
        }
        self
    }

    /// This identity, for which every project is open and not only its own: somebody at their own
    /// machine, who can go to each of them.
    #[must_use]
    pub fn with_all_projects(mut self) -> Self {
        self.all_projects = true;
        self
    }

    /// Whether every project is open to it.
    pub fn has_all_projects(&self) -> bool {
        self.all_projects
    }

    /// The id for `layer`, as it was given.
    pub fn id(&self, layer: Layer) -> Option<&OwnerId> {
        self.ids[layer as usize].as_ref()
    }

    /// The id for `layer`, if somebody named it.
    pub fn named(&self, layer: Layer) -> Option<&OwnerId> {
        self.id(layer).filter(|_| !self.assumed[layer as usize])
    }

    /// Where a memory of `layer` lies for this caller; `None` if the layer is closed to it.
    pub fn scope(&self, layer: Layer) -> Option<Scope> {
        let own = self.id(layer)?.as_str();
        let owner = match layer {
            Layer::Agent | Layer::Session => format!("{}/{own}", self.id(Layer::User)?.as_str()),
            _ => own.to_owned(),
        };
        Some(Scope { layer, owner })
    }

    /// Where the facts that the user knows lie.
    pub fn facts_scope(&self) -> Option<Scope> {
        self.user_scope(FACTS)
    }

    /// The place of what the user keeps outside named namespaces.
    pub fn default_scope(&self) -> Option<Scope> {
        self.user_scope(DEFAULT)
    }

    fn user_scope(&self, namespace: &str) -> Option<Scope> {
        let user = self.id(Layer::User)?.as_str();
        Some(Scope { layer: Layer::User, owner: format!("{user}/{namespace}") })
    }

    /// The places that every caller has, strongest layer first. The namespaces that the user gave names
    /// to are known to the store.
    pub fn scopes(&self) -> Vec<Scope> {
        let of_layer = |layer| {
            let is_user = layer == Layer::User;
            let more = [self.default_scope(), self.facts_scope()].into_iter().flatten();
            self.scope(layer).into_iter().chain(more.filter(move |_| is_user))
        };
        Layer::ALL.into_iter().flat_map(of_layer).collect()
    }

    /// Whether knowledge of `owner` in `layer` is open to this caller; without an owner it is whoever's
    /// the layer is.
    pub fn knows(&self, layer: Layer, owner: Option<&str>) -> bool {
        let Some(own) = self.id(layer) else { return false };
        let is_own = |owner| self.assumed[layer as usize] || own.as_str() == owner;
        owner.is_none_or(is_own)
    }

    /// Whether what lies there is open to this caller.
    pub fn sees(&self, scope: &Scope) -> bool {
        if let Some((project, owner)) = pointer_place(scope) {
            let is_here =
                |project| self.id(Layer::Project).is_some_and(|id| id.as_str() == project);
            return project.is_none_or(is_here) && self.knows(scope.layer, owner);
        }
        let is_project = || self.all_projects && scope.layer == Layer::Project;
        let is_user = |(user, _)| self.id(Layer::User).is_some_and(|id| id.as_str() == user);
        is_project()
            || self.scope(scope.layer).as_ref() == Some(scope)
            || scope.user_and_namespace().is_some_and(is_user)
    }

    /// The place of this caller's own that a namespace names, whether or not anything lies there.
    pub fn own(&self, namespace: &str) -> Option<Scope> {
        let known = self.scopes().into_iter().find(|scope| scope.namespace() == namespace);
        known.or_else(|| self.user_scope(namespace).filter(|_| is_free_name(namespace)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> OwnerId {
        text.parse().expect("a legal id")
    }

    #[test]
    fn a_layer_opens_only_with_all_its_owners() {
        let agent_only = Identity::default().with(Layer::Agent, id("a1"));
        assert_eq!(agent_only.scope(Layer::Agent), None);
        let both = agent_only.with(Layer::User, id("ada"));
        assert_eq!(both.scope(Layer::Agent).map(|s| s.owner), Some("ada/a1".into()));
        assert_eq!(both.scope(Layer::Session), None);
        assert_eq!(both.scopes().len(), 4);
    }

    #[test]
    fn scopes_come_strongest_first() {
        let all = Layer::ALL.into_iter().fold(Identity::default(), |i, l| i.with(l, id("x")));
        let mut layers: Vec<_> = all.scopes().into_iter().map(|s| s.layer).collect();
        layers.dedup();
        assert_eq!(layers, Layer::ALL);
        assert!(layers.is_sorted());
    }

    #[test]
    fn a_namespace_names_the_scope() {
        let all = Layer::ALL.into_iter().fold(Identity::default(), |i, l| i.with(l, id("x")));
        let names: Vec<_> = all.scopes().iter().map(Scope::namespace).collect();
        let expected =
            ["agent:x/x", "global", "default", "graph", "session:x/x", "project:x", "team:x"];
        assert_eq!(names[..7], expected);
        assert!(names.iter().zip(all.scopes()).all(|(name, scope)| all.own(name) == Some(scope)));
    }

    #[test]
    fn other_projects_are_open_to_who_may_go_there() {
        let ada = Identity::default().with(Layer::User, id("ada")).with(Layer::Project, id("here"));
        assert!(ada.sees(&Scope::project("here")) && !ada.sees(&Scope::project("there")));
        assert!(ada.clone().with_all_projects().sees(&Scope::project("there")));
        let of_bob = Scope { layer: Layer::User, owner: "bob/default".into() };
        assert!(!ada.with_all_projects().sees(&of_bob));
    }

    #[test]
    fn a_namespace_of_any_name_is_the_users() {
        let [ada, bob] = ["ada", "bob"].map(|name| Identity::default().with(Layer::User, id(name)));
        let long = "x".repeat(128);
        for name in ["docs", "code/api", "v1.2", "a:b", "0", "me@work", "graph/x", "userx:1", &long]
        {
            let scope = ada.own(name).unwrap();
            assert_eq!((scope.namespace().as_str(), scope.layer), (name, Layer::User));
            assert!(ada.sees(&scope) && !bob.sees(&scope) && !scope.is_facts());
            assert_ne!(bob.own(name), Some(scope));
        }
        let of_layers = Layer::ALL.map(|layer| format!("{}:x", layer.name()));
        let refused = ["", " docs", "-a", "/a", ".", "_a", "a b", "a\0", "dócs", &"x".repeat(129)];
        for name in of_layers.iter().map(String::as_str).chain(refused) {
            assert_eq!(ada.own(name), None, "{name}");
        }
        assert_eq!(ada.own("graph"), ada.facts_scope());
        assert_eq!(Identity::default().own("docs"), None);
        assert_eq!(Identity::default().own("global"), None);
    }

    #[test]
    fn a_namespace_of_a_user_is_no_place_of_pointers() {
        let named = Identity::default().with(Layer::User, id("knowledge"));
        let scope = named.own("web/ada").unwrap();
        assert_eq!(crate::knowledge::pointer_place(&scope), None);
        let ada = Identity::default().with(Layer::User, id("ada")).with(Layer::Project, id("web"));
        assert!(named.sees(&scope) && !ada.sees(&scope));
    }

    #[test]
    fn knowledge_is_shown_to_its_owners_and_to_who_named_none() {
        let acme = Identity::default().with(Layer::Org, id("acme"));
        assert!(acme.knows(Layer::Org, Some("acme")) && acme.knows(Layer::Org, None));
        assert!(!acme.knows(Layer::Org, Some("globex")) && !acme.knows(Layer::Team, None));
        let usual = Identity::default().assuming(Layer::Org, id("default"));
        assert!(usual.knows(Layer::Org, Some("globex")));
        assert!(!acme.clone().or(&usual).knows(Layer::Org, Some("globex")));
        assert!(Identity::default().or(&usual).knows(Layer::Org, Some("globex")));
        assert!(!usual.with(Layer::Org, id("acme")).knows(Layer::Org, Some("globex")));
    }

    #[test]
    fn pointers_are_seen_by_owner_and_project() {
        let scope = |project, owner| crate::knowledge::pointer_scope(Layer::Org, project, owner);
        let acme = Identity::default().with(Layer::Org, id("acme")).with(Layer::Project, id("web"));
        assert!(acme.sees(&scope(None, Some("acme"))) && acme.sees(&scope(Some("web"), None)));
        assert!(!acme.sees(&scope(None, Some("globex"))) && !acme.sees(&scope(Some("api"), None)));
        let of_other = crate::knowledge::pointer_scope(Layer::Project, Some("api"), None);
        assert!(!acme.with_all_projects().sees(&of_other));
    }

    #[test]
    fn ids_have_bounds_and_no_slash() {
        assert!("a".repeat(128).parse::<OwnerId>().is_ok());
        assert!("a".repeat(129).parse::<OwnerId>().is_err());
        assert!("".parse::<OwnerId>().is_err());
        assert!("a/b".parse::<OwnerId>().is_err());
        assert_eq!(OwnerId::nearest("my app"), Some(id("my-app")));
        assert_eq!(OwnerId::nearest(""), None);
    }

    #[test]
    fn names_that_an_id_cannot_hold_stay_apart() {
        let nearest = |text: &str| OwnerId::nearest(text).unwrap().as_str().to_owned();
        assert!(nearest("проект").starts_with("-------"));
        assert_ne!(nearest("проект"), nearest("задача"));
        assert_eq!(nearest("проект"), nearest("проект"));
        let long = "x".repeat(128);
        assert_ne!(nearest(&format!("{long}a")), nearest(&format!("{long}b")));
        assert_eq!(nearest(&format!("{long}a")).len(), OwnerId::LENGTH_MAX);
    }

    #[test]
    fn what_is_given_wins_over_the_fallback() {
        let given = Identity::default().with(Layer::User, id("ada"));
        let fallback =
            Identity::default().with(Layer::User, id("os")).with(Layer::Team, id("default"));
        let merged = given.or(&fallback);
        assert_eq!(merged.id(Layer::User), Some(&id("ada")));
        assert_eq!(merged.id(Layer::Team), Some(&id("default")));
    }
}
