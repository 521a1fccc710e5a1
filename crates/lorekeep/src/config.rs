//! Settings from four places with one precedence: option, `LOREKEEP_*` variable, the project's
//! `lorekeep.toml`, the user's. What stands nearer wins, key by key; ids and limits name by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use engine::Limits;
use engine::secrets::Policy;
use etcetera::BaseStrategy;
use model::{Identity, Layer, Role, Trust, TrustLevel};
use serde::Deserialize;
use tools::{Dialect, Profile, Selection};

use crate::cli::{HttpArgs, LimitArgs, OfferArgs, OutsideArgs, StoreArgs};
use crate::{backups, embedder, http, outside, traces};

/// The configuration file's name, for a project and for a user.
pub(crate) const FILE_NAME: &str = "lorekeep.toml";

/// What one place says. Keys are those of the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Partial {
    data_dir: Option<PathBuf>,
    knowledge_dir: Option<PathBuf>,
    toolsets: Option<Vec<String>>,
    tools: Option<Vec<String>>,
    exclude_tools: Option<Vec<String>>,
    read_only: Option<bool>,
    role: Option<String>,
    identity: BTreeMap<String, String>,
    limits: BTreeMap<String, u64>,
    #[serde(deserialize_with = "http::of_file")]
    http: Option<http::Partial>,
    embedder: Option<String>,
    embedder_dimensions: Option<usize>,
    keep_queries: Option<bool>,
    audit_reads: Option<bool>,
    inject: Option<String>,
    trust: Option<String>,
    outside: Option<outside::Partial>,
    backups: Option<backups::Partial>,
    secrets: Secrets,
    traces: Option<traces::Partial>,
}

/// What one place says of secrets. Keys are those of the table `secrets`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Secrets {
    policy: Option<String>,
}

/// What is told to agents unasked, by its level.
fn inject(named: Option<&str>) -> Result<TrustLevel> {
    let Some(name) = named else { return Ok(TrustLevel::Agent) };
    let names = TrustLevel::ALL.iter().map(|level| level.name());
    TrustLevel::named(name).ok_or_else(|| {
        anyhow!("inject {name:?} is unknown; it takes {}", names.collect::<Vec<_>>().join(", "))
    })
}

/// What holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// Where the store is.
    pub data_dir: PathBuf,
    /// Where knowledge is; none for the folder in the store's.
    pub knowledge_dir: Option<PathBuf>,
    /// Which tools are offered.
    pub selection: Selection,
    /// What the caller may do.
    pub role: Role,
    /// Who the caller is, as far as it was said.
    pub identity: Identity,
    /// How much of what there may be.
    pub limits: Limits,
    /// Where to serve HTTP, if at all, to whom, and how much of it.
    pub http: http::Setting,
    /// What compares meanings.
    pub embedder: embedder::Setting,
    /// Whether what is searched for is kept, so that other models can be tried on it.
    pub keep_queries: bool,
    /// Whether the audit log tells of calls that only read, too.
    pub audit_reads: bool,
    /// What is trusted less than this is told to agents only when they ask.
    pub inject: TrustLevel,
    /// Who may change records.
    pub trust: Trust,
    /// What may be reached beyond the store.
    pub outside: outside::Setting,
    /// How often backups are made, and how many are kept.
    pub backups: store::Rhythm,
    /// What is done about secrets in what is to be kept.
    pub secrets: Policy,
    /// Whether traces are made, and where they go.
    pub traces: traces::Setting,
    /// The configuration files that were read.
    pub files: Vec<PathBuf>,
}

impl Partial {
    /// What the command line says.
    pub(crate) fn of_options(store: &StoreArgs, offer: &OfferArgs) -> Result<Self> {
        let given = |list: &[String]| (!list.is_empty()).then(|| split(&list.join(",")));
        Ok(Self {
            data_dir: store.data_dir.clone(),
            knowledge_dir: store.knowledge_dir.clone(),
            toolsets: given(&offer.toolsets),
            tools: given(&offer.tools),
            exclude_tools: given(&offer.exclude_tools),
            read_only: store.read_only.then_some(true),
            role: store.role.clone(),
            identity: pairs(&store.identity).context("--identity")?,
            embedder: store.embedder.clone(),
            embedder_dimensions: store.embedder_dimensions,
            trust: store.trust.clone(),
            secrets: Secrets { policy: store.secrets.clone() },
            ..Self::default()
        })
    }

    /// What the command line says of limits, on top.
    pub(crate) fn with_limits(self, args: &LimitArgs) -> Result<Self> {
        let limits = numbers(pairs(&args.limit).context("--limit")?).context("--limit")?;
        Ok(Self { limits, ..self })
    }

    /// What the command line says of HTTP, on top.
    pub(crate) fn with_http(self, args: &HttpArgs) -> Result<Self> {
        let limits = pairs(&args.http_limit).and_then(numbers).context("--http-limit")?;
        Ok(Self { http: Some(http::Partial::of_options(args, limits)), ..self })
    }

    /// What the command line says of the world outside, on top.
    pub(crate) fn with_outside(self, args: &OutsideArgs) -> Self {
        Self { outside: Some(outside::Partial::of_options(args)), ..self }
    }

    /// The same without what is searched for being kept, if that is said.
    pub(crate) fn without_queries(self, is_said: bool) -> Self {
        Self { keep_queries: is_said.then_some(false), ..self }
    }

    /// What the variables say; `get` reads one. An empty variable says nothing.
    fn of_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let list = |name: &str| get(name).map(|text| split(&text));
        let named = |name: &'static str| pairs(&list(name).unwrap_or_default()).context(name);
        let flag = |name: &str| match get(name).as_deref() {
            None => Ok(None),
            Some("1" | "true") => Ok(Some(true)),
            Some("0" | "false") => Ok(Some(false)),
            Some(other) => bail!("{name} is {other:?}; it takes true or false"),
        };
        let dimensions = get("LOREKEEP_EMBEDDER_DIMENSIONS").map(|text| {
            text.parse().map_err(|_| anyhow!("it is {text:?}; it takes a whole number"))
        });
        let embedder_dimensions = dimensions.transpose().context("LOREKEEP_EMBEDDER_DIMENSIONS")?;
        Ok(Self {
            data_dir: get("LOREKEEP_DATA_DIR").map(PathBuf::from),
            knowledge_dir: get("LOREKEEP_KNOWLEDGE_DIR").map(PathBuf::from),
            toolsets: list("LOREKEEP_TOOLSETS"),
            tools: list("LOREKEEP_TOOLS"),
            exclude_tools: list("LOREKEEP_EXCLUDE_TOOLS"),
            read_only: flag("LOREKEEP_READ_ONLY")?,
            role: get("LOREKEEP_ROLE").or_else(|| get("LEDGERMIND_DEFAULT_ROLE")),
            identity: named("LOREKEEP_IDENTITY")?,
            limits: numbers(named("LOREKEEP_LIMITS")?).context("LOREKEEP_LIMITS")?,
            http: Some(http::Partial::of_variables(
                &get,
                list,
                flag,
                numbers(named("LOREKEEP_HTTP_LIMITS")?).context("LOREKEEP_HTTP_LIMITS")?,
            )?),
            embedder: get("LOREKEEP_EMBEDDER"),
            embedder_dimensions,
            keep_queries: flag("LOREKEEP_KEEP_QUERIES")?,
            audit_reads: flag("LOREKEEP_AUDIT_READS")?,
            inject: get("LOREKEEP_INJECT"),
            trust: get("LOREKEEP_TRUST"),
            outside: Some(outside::Partial::of_variables(&get, flag)?),
            backups: Some(
                backups::Partial::of_pairs(named("LOREKEEP_BACKUPS")?)
                    .context("LOREKEEP_BACKUPS")?,
            ),
            secrets: Secrets { policy: get("LOREKEEP_SECRETS") },
            traces: Some(traces::Partial::of_variables(&get)?),
        })
    }

    /// What a configuration file says; a relative directory in it is relative to the file.
    fn of_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut partial: Self =
            toml::from_str(&text).with_context(|| path.display().to_string())?;
        let beside = path.parent().unwrap_or(Path::new("."));
        partial.data_dir = partial.data_dir.map(|dir| beside.join(dir));
        partial.knowledge_dir = partial.knowledge_dir.map(|dir| beside.join(dir));
        partial.outside = partial.outside.map(|outside| outside.beside(beside));
        partial.http = partial.http.map(|http| http.beside(beside));
        Ok(partial)
    }

    /// Who clones a project must not thereby send all memories to its author's server, or let agents
    /// do more than the person at this machine allowed.
    fn is_harmless(&self) -> Result<()> {
        if self.embedder.is_some() {
            bail!("embedder decides who gets your texts");
        }
        if self.outside.is_some() {
            bail!("outside decides what agents may reach");
        }
        if self.inject.is_some() {
            bail!("inject decides what agents are told unasked");
        }
        if self.audit_reads.is_some() {
            bail!("audit-reads decides what of you is noted");
        }
        if self.http.is_some() {
            bail!("http decides who may reach your memories");
        }
        if self.backups.is_some() {
            bail!("backups decides what is kept of your store");
        }
        let policy = self.secrets.policy.as_deref();
        if policy.is_some_and(|policy| policy != Policy::Refuse.name()) {
            bail!("secrets.policy decides whether secrets may be kept; a project may only refuse");
        }
        if self.traces.is_some() {
            bail!("traces decides who is told what you do");
        }
        Ok(())
    }

    /// This place's word, and the other's where this one says nothing.
    fn or(self, other: Self) -> Self {
        let mut identity = other.identity;
        identity.extend(self.identity);
        let mut limits = other.limits;
        limits.extend(self.limits);
        Self {
            data_dir: self.data_dir.or(other.data_dir),
            knowledge_dir: self.knowledge_dir.or(other.knowledge_dir),
            toolsets: self.toolsets.or(other.toolsets),
            tools: self.tools.or(other.tools),
            exclude_tools: self.exclude_tools.or(other.exclude_tools),
            read_only: self.read_only.or(other.read_only),
            role: self.role.or(other.role),
            identity,
            limits,
            http: match (self.http, other.http) {
                (Some(ours), Some(theirs)) => Some(ours.or(theirs)),
                (ours, theirs) => ours.or(theirs),
            },
            embedder: self.embedder.or(other.embedder),
            embedder_dimensions: self.embedder_dimensions.or(other.embedder_dimensions),
            keep_queries: self.keep_queries.or(other.keep_queries),
            audit_reads: self.audit_reads.or(other.audit_reads),
            inject: self.inject.or(other.inject),
            trust: self.trust.or(other.trust),
            outside: match (self.outside, other.outside) {
                (Some(ours), Some(theirs)) => Some(ours.or(theirs)),
                (ours, theirs) => ours.or(theirs),
            },
            backups: match (self.backups, other.backups) {
                (Some(ours), Some(theirs)) => Some(ours.or(theirs)),
                (ours, theirs) => ours.or(theirs),
            },
            secrets: Secrets { policy: self.secrets.policy.or(other.secrets.policy) },
            traces: match (self.traces, other.traces) {
                (Some(ours), Some(theirs)) => Some(ours.or(theirs)),
                (ours, theirs) => ours.or(theirs),
            },
        }
    }

    /// What holds in the end.
    fn settle(self, files: Vec<PathBuf>) -> Result<Settings> {
        let (selection, profiles) = select(&self)?;
        let limits = limits(&profiles, &self.limits)?;
        let mut identity = Identity::default();
        for (layer, id) in &self.identity {
            let known = Layer::named(layer).ok_or_else(|| {
                let takes = Layer::ALL.map(Layer::name).join(", ");
                anyhow!("identity {layer:?} is no layer; it takes {takes}")
            })?;
            engine::secrets::admit_name(Policy::Refuse, &format!("identity {layer}"), id)?;
            identity = identity.with(known, id.parse().map_err(|why: String| anyhow!(why))?);
        }
        let role = self.role.as_deref().unwrap_or(Role::Admin.name());
        Ok(Settings {
            data_dir: self.data_dir.map_or_else(default_data_dir, Ok)?,
            knowledge_dir: self.knowledge_dir,
            selection,
            role: role.parse().map_err(|why: String| anyhow!(why))?,
            identity,
            limits,
            http: self.http.unwrap_or_default().settle()?,
            embedder: embedder::Setting::of(self.embedder.as_deref(), self.embedder_dimensions)?,
            keep_queries: self.keep_queries.unwrap_or(true),
            audit_reads: self.audit_reads.unwrap_or(false),
            inject: inject(self.inject.as_deref())?,
            trust: trust(self.trust.as_deref())?,
            outside: self.outside.unwrap_or_default().settle()?,
            backups: self.backups.unwrap_or_default().settle()?,
            secrets: secrets(self.secrets.policy.as_deref())?,
            traces: self.traces.unwrap_or_default().settle()?,
            files,
        })
    }
}

/// Any bytes as a file of configuration: what holds then, or an error. For those who try what it takes.
#[cfg(any(test, fuzzing))]
#[allow(unreachable_pub, reason = "who tries it includes the binary as a library")]
pub fn fuzz_config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(partial) = toml::from_str::<Partial>(&text) else { return };
    let is_harmless = partial.is_harmless().is_ok();
    let settled = partial.clone().or(Partial::default()).settle(Vec::new());
    if let (true, Ok(settings)) = (is_harmless, &settled) {
        assert_eq!(settings.secrets, Policy::Refuse, "a project let secrets in");
        assert!(settings.outside == outside::Setting::default(), "a project reached out");
    }
    let again = Partial::default().or(partial).settle(Vec::new());
    assert_eq!(settled.ok(), again.ok(), "nothing said changes nothing");
}

/// The settings that hold for this command line, here and now.
pub(crate) fn load(options: Partial) -> Result<Settings> {
    let base = etcetera::choose_base_strategy()?;
    let user = base.config_dir().join("lorekeep").join(FILE_NAME);
    let project = project_file();
    let files: Vec<PathBuf> =
        project.iter().cloned().chain(user.is_file().then(|| user.clone())).collect();
    let variables = Partial::of_variables(variable)?;
    let mut all = options.or(variables);
    for file in &files {
        let partial = Partial::of_file(file)?;
        if project.as_ref() == Some(file) {
            partial.is_harmless().with_context(|| {
                format!("{}: that belongs into {}", file.display(), user.display())
            })?;
        }
        all = all.or(partial);
    }
    all.settle(files)
}

/// A variable of the environment that says something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Settings for a scratch store in `dir`, whatever else is configured.
pub(crate) fn scratch(dir: &Path) -> Result<Settings> {
    let data_dir = Some(dir.to_owned());
    Partial { data_dir, keep_queries: Some(false), ..Partial::default() }.settle(Vec::new())
}

/// The nearest `lorekeep.toml` from the working directory up to the project's root.
fn project_file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let root = crate::identity::git_root(&here).unwrap_or_else(|| here.clone());
    let within = here.ancestors().take_while(|dir| dir.starts_with(&root));
    within.map(|dir| dir.join(FILE_NAME)).find(|path| path.is_file())
}

fn default_data_dir() -> Result<PathBuf> {
    Ok(etcetera::choose_base_strategy()?.data_dir().join("lorekeep"))
}

fn select(partial: &Partial) -> Result<(Selection, Vec<Profile>)> {
    let profiles: Vec<Profile> = partial
        .toolsets
        .iter()
        .flatten()
        .map(|word| word.parse().map_err(|why: String| anyhow!(why)))
        .collect::<Result<_>>()?;
    let mut selection = Selection {
        tools: partial.tools.clone().unwrap_or_default(),
        exclude: partial.exclude_tools.clone().unwrap_or_default(),
        read_only: partial.read_only.unwrap_or_default(),
        ..Selection::default()
    };
    if partial.toolsets.is_some() {
        selection.toolsets = profiles.iter().flat_map(|profile| profile.toolsets()).collect();
    }
    if let Some(name) = selection.unknown_tool() {
        bail!("tool {name:?} is unknown; `lorekeep tools --toolsets all` lists them");
    }
    Ok((selection, profiles))
}

/// Who may change records of the ledger.
fn trust(said: Option<&str>) -> Result<Trust> {
    let name = said.unwrap_or(Trust::Open.name());
    let found = Trust::named(&name.to_lowercase());
    found.ok_or_else(|| anyhow!("trust {name:?} is unknown; it takes open or human_only"))
}

/// What is done about secrets.
fn secrets(said: Option<&str>) -> Result<Policy> {
    let Some(name) = said else { return Ok(Policy::default()) };
    let found = Policy::named(&name.to_lowercase());
    found.ok_or_else(|| {
        let takes = Policy::ALL.map(Policy::name).join(", ");
        anyhow!("secrets policy {name:?} is unknown; it takes {takes}")
    })
}

/// The limits: those of the notes system where it is the drop-in, and what was said on top.
fn limits(profiles: &[Profile], said: &BTreeMap<String, u64>) -> Result<Limits> {
    let drop_in = profiles.contains(&Profile::System(Dialect::AgentMemory));
    let mut limits = if drop_in { Limits::AGENT_MEMORY } else { Limits::default() };
    for (name, max) in said {
        match name.as_str() {
            "notes-core" => limits.notes_core_max = *max,
            "notes-learning" => limits.notes_learning_max = *max,
            "notes-task" => limits.notes_task_max = *max,
            "event-days" => limits.event_days = *max,
            _ => bail!(
                "limit {name:?} is unknown; it takes notes-core, notes-learning, notes-task or \
                 event-days"
            ),
        }
    }
    Ok(limits)
}

fn split(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The pairs `NAME=VALUE` of some words.
pub(crate) fn pairs(words: &[String]) -> Result<BTreeMap<String, String>> {
    words
        .iter()
        .map(|word| {
            let (key, value) =
                word.split_once('=').ok_or_else(|| anyhow!("{word:?} is not NAME=VALUE"))?;
            Ok((key.to_owned(), value.to_owned()))
        })
        .collect()
}

fn numbers(pairs: BTreeMap<String, String>) -> Result<BTreeMap<String, u64>> {
    let number = |name: &str, text: &str| {
        text.parse().map_err(|_| anyhow!("{name} is {text:?}; it takes a whole number"))
    };
    pairs.into_iter().map(|(name, text)| Ok((name.clone(), number(&name, &text)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tools::Toolset;

    fn toml(text: &str) -> Partial {
        toml::from_str(text).unwrap()
    }

    fn variables(all: &[(&str, &str)]) -> Result<Partial> {
        Partial::of_variables(|name| {
            all.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn what_stands_nearer_wins_key_by_key() {
        let offer = OfferArgs { toolsets: vec!["notes".into()], ..OfferArgs::default() };
        let store = StoreArgs { identity: vec!["user=flag".into()], ..StoreArgs::default() };
        let flags = Partial::of_options(&store, &offer).unwrap();
        let env = variables(&[
            ("LOREKEEP_TOOLSETS", "layers"),
            ("LOREKEEP_ROLE", "user"),
            ("LOREKEEP_IDENTITY", "user=env,team=env"),
        ])
        .unwrap();
        let project =
            toml("role = \"guest\"\nhttp = \"p\"\nidentity = { team = \"p\", org = \"p\" }");
        let user = toml("http = \"u\"\nread-only = true\ndata-dir = \"/u\"\nlimits.notes-core = 5");
        let settings = flags.or(env).or(project).or(user).settle(Vec::new()).unwrap();
        assert_eq!(settings.selection.toolsets, [Toolset::Notes]);
        assert!(settings.selection.read_only);
        assert_eq!(settings.role, Role::User);
        assert_eq!(settings.http.address.as_deref(), Some("p"));
        assert_eq!(settings.data_dir, Path::new("/u"));
        assert_eq!(settings.limits.notes_core_max, 5);
        let id = |layer| settings.identity.id(layer).map(|id| id.as_str().to_owned());
        assert_eq!(id(Layer::User).as_deref(), Some("flag"));
        assert_eq!(id(Layer::Team).as_deref(), Some("env"));
        assert_eq!(id(Layer::Org).as_deref(), Some("p"));
    }

    #[test]
    fn the_drop_in_profile_sets_the_limits_and_others_lift_them() {
        let settle = |text: &str| toml(text).settle(Vec::new()).map(|s| s.limits).unwrap();
        assert_eq!(settle("toolsets = [\"notes\"]"), Limits::default());
        assert_eq!(settle("toolsets = [\"agent-memory\"]"), Limits::AGENT_MEMORY);
        let lifted = settle("toolsets = [\"agent-memory\"]\nlimits.notes-core = 0");
        assert_eq!(lifted, Limits { notes_core_max: 0, ..Limits::AGENT_MEMORY });
    }

    #[test]
    fn the_other_name_of_the_role_is_honoured() {
        let role = |all: &[(&str, &str)]| variables(all).unwrap().role;
        assert_eq!(role(&[("LEDGERMIND_DEFAULT_ROLE", "guest")]).as_deref(), Some("guest"));
        let both = [("LEDGERMIND_DEFAULT_ROLE", "guest"), ("LOREKEEP_ROLE", "user")];
        assert_eq!(role(&both).as_deref(), Some("user"));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let wrong = |text: &str| toml(text).settle(Vec::new()).unwrap_err().to_string();
        assert!(wrong("role = \"root\"").contains("\"root\" is unknown; it takes guest, user"));
        assert!(wrong("toolsets = [\"x\"]").contains("toolset \"x\" is unknown; it takes layers"));
        assert!(wrong("tools = [\"y\"]").contains("tool \"y\" is unknown"));
        assert!(wrong("identity = { planet = \"x\" }").contains("\"planet\" is no layer"));
        assert!(wrong("identity = { user = \"a/b\" }").contains("\"a/b\" is not 1 to 128"));
        let token = format!("ghp_{}", "A7kD93lMq0XzR5tB8wNy2VhC6jFe4SgP1uRi");
        let told = wrong(&format!("identity = {{ user = \"{token}\" }}"));
        assert!(told.contains("identity user holds what looks like a secret"), "{told}");
        assert!(!told.contains(&token), "{told}");
        assert!(wrong("limits.core = 5").contains("\"core\" is unknown; it takes notes-core"));
        let unknown = toml::from_str::<Partial>("tolsets = []").unwrap_err().to_string();
        assert!(unknown.contains("unknown field `tolsets`"), "{unknown}");
        let bad = variables(&[("LOREKEEP_READ_ONLY", "maybe")]).unwrap_err().to_string();
        assert!(bad.contains("\"maybe\"; it takes true or false"));
    }

    #[test]
    fn queries_are_kept_unless_somebody_says_no() {
        let kept = |partial: Partial| partial.settle(Vec::new()).map(|s| s.keep_queries).unwrap();
        assert!(kept(Partial::default()));
        assert!(!kept(toml("keep-queries = false")));
        let yes = variables(&[("LOREKEEP_KEEP_QUERIES", "true")]).unwrap();
        assert!(kept(yes.clone().or(toml("keep-queries = false"))));
        assert!(!kept(Partial::default().without_queries(true).or(yes)));
    }

    #[test]
    fn secrets_are_refused_unless_it_is_said_otherwise_and_no_project_may_say_so() {
        let settled = |partial: Partial| partial.settle(Vec::new()).unwrap().secrets;
        assert_eq!(settled(Partial::default()), Policy::Refuse);
        let keep = toml("[secrets]\npolicy = \"keep\"");
        let env = variables(&[("LOREKEEP_SECRETS", "redact")]).unwrap();
        assert_eq!(settled(env.or(keep.clone())), Policy::Redact);
        assert!(toml("secrets.policy = \"refuse\"").is_harmless().is_ok());
        let why = keep.is_harmless().unwrap_err().to_string();
        assert!(why.contains("a project may only refuse"), "{why}");
        let wrong = toml("secrets.policy = \"hide\"").settle(Vec::new()).unwrap_err().to_string();
        assert_eq!(wrong, "secrets policy \"hide\" is unknown; it takes refuse, redact, keep");
    }

    #[test]
    fn any_file_is_taken_or_refused() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/config");
        let mut all: Vec<Vec<u8>> = Vec::new();
        for entry in std::fs::read_dir(dir).unwrap() {
            all.push(std::fs::read(entry.unwrap().path()).unwrap());
        }
        assert!(!all.is_empty());
        all.iter().for_each(|data| fuzz_config(data));
        // Every line of the corpus, left out or doubled or with another's beside it.
        let lines: Vec<&[u8]> = all.iter().flat_map(|data| data.split(|b| *b == b'\n')).collect();
        for (at, line) in lines.iter().enumerate() {
            for other in lines.iter().skip(at % 3).step_by(3) {
                fuzz_config(&[*line, b"\n".as_slice(), *other].concat());
            }
            fuzz_config(&line[..line.len() / 2]);
        }
    }
}
