//! Tokens in a file: made, listed and revoked. [`super::gates`] lets in who brings one.
//!
//! The file has what a token gives and the hash of the token, never the token itself: who reads the
//! file gets in nowhere.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use model::scope::OwnerId;
use model::time::{Timestamp, rfc3339};
use model::{Actor, Caller, Identity, Layer, Ledgers, Role, hex, of_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tools::{Profile, Selection};

use super::auth::Grant;
use super::private::{self, replace};

/// The file of tokens, in the store's folder.
pub const FILE_NAME: &str = "tokens.json";

/// The token of the person of this machine, in the store's folder.
pub const OWN_FILE_NAME: &str = "http-token";

/// Who writes holds this file.
const LOCK_NAME: &str = "tokens.lock";

/// What a token begins with, so that it is known for one where it should not be.
pub(super) const PREFIX: &str = "lk_";

/// What an id begins with, and how many digits follow.
const ID_PREFIX: &str = "t_";
const ID_DIGITS: usize = 8;

/// What the token of the person of this machine is called.
const OWN_NAME: &str = "this-machine";

/// What a token gives, as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its id.
    pub id: String,
    /// What its owner calls it; of those that are good, no two have the same.
    pub name: String,
    /// SHA-256 of the token, in hexadecimal.
    hash: String,
    /// What its bearer may do.
    pub role: String,
    /// Whether its bearer is who runs the server, with their identity.
    #[serde(default)]
    pub own: bool,
    /// Who its bearer is otherwise, layer by layer.
    #[serde(default)]
    pub identity: BTreeMap<String, String>,
    /// Whether every project is open to its bearer.
    #[serde(default)]
    pub all_projects: bool,
    /// The toolsets that are left of those on offer; none leaves all.
    #[serde(default)]
    pub toolsets: Option<Vec<String>>,
    /// Whether nothing that writes is left.
    #[serde(default)]
    pub read_only: bool,
    /// The folders of the server's machine whose files its bearer may open, if it is not who runs the
    /// server: absolute, without links.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// The namespaces of the ledger that are open to its bearer; without a word, that of its project,
    /// or all if it is who runs the server.
    #[serde(default)]
    pub namespaces: Option<Vec<String>>,
    /// Whether all of them are.
    #[serde(default)]
    pub all_namespaces: bool,
    /// When it was made.
    pub created: String,
    /// When it runs out.
    #[serde(default)]
    pub expires: Option<String>,
    /// When it was revoked.
    #[serde(default)]
    pub revoked: Option<String>,
}

/// What a new token shall give.
#[derive(Debug, Clone, Default)]
pub struct NewToken {
    /// What it is called; without a name, by its id.
    pub name: Option<String>,
    /// What its bearer may do; without a role, read and write.
    pub role: Option<Role>,
    /// Who its bearer is; without anything, who runs the server.
    pub identity: BTreeMap<Layer, OwnerId>,
    /// Whether every project is open to its bearer.
    pub all_projects: bool,
    /// The toolsets that are left of those on offer; none leaves all.
    pub toolsets: Vec<String>,
    /// Whether nothing that writes is left.
    pub read_only: bool,
    /// The folders of the server's machine whose files its bearer may open.
    pub roots: Vec<PathBuf>,
    /// The namespaces of the ledger that are open to its bearer, if it is not the usual.
    pub ledgers: Option<Ledgers>,
    /// When it runs out.
    pub expires: Option<Timestamp>,
}

/// The file as a whole.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    tokens: Vec<Token>,
}

impl Token {
    /// Why it is good no more, if so.
    pub fn is_over(&self, now: Timestamp) -> Option<String> {
        if let Some(when) = &self.revoked {
            return Some(format!("it was revoked at {when}"));
        }
        let when = self.expires.as_ref()?;
        // What cannot be read lets nobody in.
        let is_over = when.parse::<Timestamp>().map_or(true, |end| end <= now);
        is_over.then(|| format!("it ran out at {when}"))
    }

    /// What it gives, if that can be read. `own` is who runs the server.
    pub(super) fn grant(&self, own: &Caller) -> Result<Grant, String> {
        let role: Role = self.role.parse()?;
        let mut caller = match self.own {
            true => Caller { role, ..own.clone() },
            false => Caller::from_afar(identity(&self.identity, self.all_projects)?, role),
        };
        caller.roots.extend(self.roots.iter().filter(|_| !self.own).cloned());
        if let Some(ledgers) = self.ledgers()? {
            caller.ledgers = ledgers;
        }
        let toolsets = self.toolsets.as_ref().map(|words| selection(words)).transpose()?;
        let name = format!("{}#{}", self.name, self.id);
        // What its bearer does is done in the token's name.
        caller.actor = Actor::agent_of(name.clone());
        Ok(Grant { caller, toolsets, read_only: self.read_only, name })
    }

    /// The namespaces of the ledger that it names.
    fn ledgers(&self) -> Result<Option<Ledgers>, String> {
        let wrong = |name: &String, why| format!("namespace {name:?} {why}");
        let read = |name: &String| name.parse().map_err(|why: String| wrong(name, why));
        match &self.namespaces {
            _ if self.all_namespaces => Ok(Some(Ledgers::All)),
            Some(names) => {
                names.iter().map(read).collect::<Result<_, _>>().map(Ledgers::Only).map(Some)
            }
            None => Ok(None),
        }
    }

    /// The hash of the token, if that can be read.
    pub(super) fn hash(&self) -> Option<[u8; 32]> {
        of_hex(&self.hash)
    }
}

/// Who a bearer is.
fn identity(ids: &BTreeMap<String, String>, all_projects: bool) -> Result<Identity, String> {
    let named = ids.iter().try_fold(Identity::default(), |identity, (layer, id)| {
        let known = Layer::named(layer).ok_or_else(|| format!("{layer:?} is no layer"))?;
        Ok::<_, String>(identity.with(known, id.parse()?))
    })?;
    Ok(if all_projects { named.with_all_projects() } else { named })
}

/// The tools of some toolsets.
fn selection(words: &[String]) -> Result<Selection, String> {
    let profiles =
        words.iter().map(|word| word.parse::<Profile>()).collect::<Result<Vec<_>, _>>()?;
    let toolsets = profiles.into_iter().flat_map(Profile::toolsets).collect();
    Ok(Selection { toolsets, ..Selection::all() })
}

/// The tokens of a store's folder.
#[derive(Debug, Clone)]
pub struct Tokens {
    dir: PathBuf,
}

impl Tokens {
    /// Those in this folder.
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// Where the token of the person of this machine lies.
    pub fn own_path(&self) -> PathBuf {
        self.dir.join(OWN_FILE_NAME)
    }

    /// All of them, the oldest first.
    pub fn list(&self) -> io::Result<Vec<Token>> {
        let path = self.path();
        private::refuse_foreign(&path)?;
        let text = match fs::read_to_string(&path) {
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            text => text?,
        };
        let read = serde_json::from_str::<Contents>(&text);
        let wrong = |why| io::Error::new(ErrorKind::InvalidData, format!("{FILE_NAME}: {why}"));
        Ok(read.map_err(wrong)?.tokens)
    }

    /// Makes a token: what it gives, and the token itself, which is nowhere else.
    pub fn add(&self, new: NewToken) -> io::Result<(Token, String)> {
        let _held = self.hold()?;
        let secret = fresh()?;
        Ok((self.add_held(new, &secret)?, secret))
    }

    fn add_held(&self, new: NewToken, secret: &str) -> io::Result<Token> {
        let refused = |why: String| io::Error::new(ErrorKind::InvalidInput, why);
        let mut tokens = self.list()?;
        let now = Timestamp::now();
        let id = format!("{ID_PREFIX}{}", &hex(&random()?)[..ID_DIGITS]);
        if let Some(name) = new.name.as_ref().filter(|name| is_like_an_id(name)) {
            let text = format!("name: {name:?} reads like the id of a token; take another name");
            return Err(refused(text));
        }
        let name = new.name.unwrap_or_else(|| id.clone());
        let _: OwnerId = name.parse().map_err(|why| refused(format!("name: {why}")))?;
        if tokens.iter().any(|token| token.name == name && token.is_over(now).is_none()) {
            let text =
                format!("there is a token {name:?} already; revoke it, or take another name");
            return Err(refused(text));
        }
        selection(&new.toolsets).map_err(refused)?;
        let own = new.identity.is_empty() && !new.all_projects;
        if own && !new.roots.is_empty() {
            let why = "a token of who runs the server opens its files anyway; --root needs --user or \
                       another id that says whose it is";
            return Err(refused(why.to_owned()));
        }
        let roots: Result<Vec<_>, _> = new.roots.iter().map(|root| self.root(root)).collect();
        let (namespaces, all_namespaces) = match new.ledgers {
            Some(Ledgers::Only(open)) => {
                (Some(open.iter().map(|one| one.as_str().to_owned()).collect()), false)
            }
            ledgers => (None, ledgers.is_some()),
        };
        let ids = new.identity.into_iter();
        let token = Token {
            id,
            name,
            hash: hex(&Sha256::digest(secret)),
            role: new.role.unwrap_or(Role::User).name().to_owned(),
            own,
            identity: ids.map(|(l, id)| (l.name().to_owned(), id.as_str().to_owned())).collect(),
            all_projects: new.all_projects,
            toolsets: (!new.toolsets.is_empty()).then_some(new.toolsets),
            read_only: new.read_only,
            roots: roots.map_err(refused)?,
            namespaces,
            all_namespaces,
            created: rfc3339(now),
            expires: new.expires.map(rfc3339),
            revoked: None,
        };
        let before = tokens.clone();
        tokens.push(token.clone());
        self.write(tokens).inspect_err(|_| {
            // It may be in its place though that is not on disk: nobody gets to know it, so nobody is let
            // in by it.
            let _ = self.write(before);
        })?;
        Ok(token)
    }

    /// A folder for a bearer, without links. The store's own files are nobody's, so it is none of
    /// their folders, nor around them.
    fn root(&self, dir: &Path) -> Result<PathBuf, String> {
        let wrong = |why: &str| format!("--root {}: {why}", dir.display());
        if !dir.is_absolute() {
            return Err(wrong("it takes an absolute path"));
        }
        let found = dir.canonicalize().map_err(|why| wrong(&why.to_string()))?;
        if !found.is_dir() {
            return Err(wrong("it is no folder"));
        }
        let own = self.dir.canonicalize().map_err(|why| wrong(&why.to_string()))?;
        if found.starts_with(&own) || own.starts_with(&found) {
            return Err(wrong("it holds the store's own files; name a folder beside them"));
        }
        Ok(found)
    }

    /// Revokes the token of this id, or the good one of this name; without a good one, one that ran out.
    pub fn revoke(&self, which: &str) -> io::Result<Token> {
        let _held = self.hold()?;
        let now = Timestamp::now();
        let mut tokens = self.list()?;
        let first = |is_meant: &dyn Fn(&Token) -> bool| tokens.iter().position(is_meant);
        // A name is free again when its token has run out, so several may have had it.
        let at = first(&|token| token.id == which)
            .or_else(|| first(&|token| token.name == which && token.is_over(now).is_none()))
            .or_else(|| first(&|token| token.name == which && token.revoked.is_none()));
        let Some(token) = at.and_then(|at| tokens.get_mut(at)) else {
            let text = match tokens.iter().rev().find(|token| token.name == which) {
                Some(Token { id, revoked: Some(at), .. }) => {
                    format!("token {id} ({which}) was revoked already, {at}")
                }
                _ => {
                    format!("no token has the id or name {which:?}; `lorekeep token list` has them")
                }
            };
            return Err(io::Error::new(ErrorKind::NotFound, text));
        };
        token.revoked.get_or_insert_with(|| rfc3339(now));
        let revoked = token.clone();
        self.write(tokens)?;
        Ok(revoked)
    }

    /// Makes a token for the person of this machine and writes it where their programs read it, if
    /// there has never been one, good or not. Whether one was made.
    pub fn make_own(&self) -> io::Result<bool> {
        let _held = self.hold()?;
        if self.list()?.iter().any(|token| token.name == OWN_NAME) {
            return Ok(false);
        }
        let name = Some(OWN_NAME.to_owned());
        let new = NewToken { name, role: Some(Role::Admin), ..NewToken::default() };
        // What programs read comes first: it lets nobody in before it is in the list, and what is in the
        // list and nowhere else would let nobody in, ever.
        let secret = fresh()?;
        replace(&self.own_path(), format!("{secret}\n").as_bytes())?;
        self.add_held(new, &secret)?;
        Ok(true)
    }

    /// Whether any token is good.
    pub fn has_any_good(&self) -> io::Result<bool> {
        let now = Timestamp::now();
        Ok(self.list()?.iter().any(|token| token.is_over(now).is_none()))
    }

    /// Whether the token that lies there for the person of this machine is good.
    pub fn has_good_own(&self) -> io::Result<bool> {
        let Ok(secret) = fs::read_to_string(self.own_path()) else { return Ok(false) };
        let (hash, now) = (hex(&Sha256::digest(secret.trim())), Timestamp::now());
        let is_it = |token: &Token| token.hash == hash && token.is_over(now).is_none();
        Ok(self.list()?.iter().any(is_it))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.join(FILE_NAME)
    }

    fn hold(&self) -> io::Result<File> {
        engine::make_private_dir(&self.dir).map_err(io::Error::other)?;
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.dir.join(LOCK_NAME))?;
        file.lock()?;
        Ok(file)
    }

    fn write(&self, tokens: Vec<Token>) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(&Contents { tokens })?;
        text.push('\n');
        replace(&self.path(), text.as_bytes())
    }
}

/// Whether a name could be taken for an id.
fn is_like_an_id(name: &str) -> bool {
    let digits = name.strip_prefix(ID_PREFIX);
    digits
        .is_some_and(|rest| rest.len() == ID_DIGITS && rest.chars().all(|c| c.is_ascii_hexdigit()))
}

/// A token that nobody has yet.
fn fresh() -> io::Result<String> {
    Ok(format!("{PREFIX}{}", hex(&random()?)))
}

/// 256 bits of the system's randomness.
pub(super) fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str) -> NewToken {
        let identity = BTreeMap::from([(Layer::User, id.parse().unwrap())]);
        NewToken { name: Some(id.into()), identity, ..NewToken::default() }
    }

    #[test]
    fn the_first_token_is_made_once_more_if_its_file_could_not_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        fs::create_dir_all(tokens.own_path().join("in the way")).unwrap();
        assert!(tokens.make_own().is_err());
        assert!(!tokens.has_any_good().unwrap(), "no token that nobody has");
        fs::remove_dir_all(tokens.own_path()).unwrap();
        assert!(tokens.make_own().unwrap());
        assert!(tokens.has_good_own().unwrap());
    }

    #[test]
    fn a_folder_of_a_token_is_there_and_holds_nothing_of_the_store() {
        let (dir, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = work.path().join("file");
        fs::write(&file, "x").unwrap();
        let store = dir.path().join("store");
        fs::create_dir_all(store.join("ledger")).unwrap();
        let why = |root: &Path, new: NewToken| {
            let added = Tokens::at(&store).add(NewToken { roots: vec![root.to_owned()], ..new });
            added.unwrap_err().to_string()
        };
        let refused = |root: &Path| why(root, user("ada"));
        assert!(refused(Path::new("work")).contains("absolute"));
        assert!(refused(&work.path().join("none")).contains("No such file"));
        assert!(refused(&file).contains("no folder"));
        for root in [dir.path(), &store, &store.join("ledger")] {
            assert!(refused(root).contains("store's own files"), "{}", root.display());
        }
        assert!(why(work.path(), NewToken::default()).contains("needs --user"));
        assert!(Tokens::at(&store).list().unwrap().is_empty());
    }

    #[test]
    fn a_name_that_was_free_again_means_the_token_that_is_good() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        let expires = Some("2001-01-01T00:00:00Z".parse().unwrap());
        let (old, _) = tokens.add(NewToken { expires, ..user("lap") }).unwrap();
        let (new, _) = tokens.add(user("lap")).unwrap();
        assert_eq!(tokens.revoke("lap").unwrap().id, new.id);
        assert!(!tokens.has_any_good().unwrap());
        assert_eq!(tokens.revoke("lap").unwrap().id, old.id, "there is no other left");
        assert!(tokens.revoke("lap").is_err());
    }

    #[test]
    fn a_name_is_never_taken_for_an_id() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        let (ada, _) = tokens.add(user("ada")).unwrap();
        for name in [ada.id.as_str(), "t_00000000", "t_ABCDEF01"] {
            let why = tokens.add(user(name)).unwrap_err().to_string();
            assert!(why.contains("reads like the id"), "{why}");
        }
        assert!(tokens.add(user("t_ada")).is_ok() && tokens.add(user("t_000000000")).is_ok());
        let (unnamed, _) = tokens.add(NewToken::default()).unwrap();
        assert_eq!(unnamed.name, unnamed.id);
        assert_eq!(tokens.revoke(&unnamed.id).unwrap().id, unnamed.id);
    }

    #[test]
    fn the_person_of_this_machine_gets_a_token_whoever_had_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        tokens.add(user("bob")).unwrap();
        assert!(!tokens.has_good_own().unwrap());
        assert!(tokens.make_own().unwrap() && tokens.has_good_own().unwrap());
        tokens.revoke(OWN_NAME).unwrap();
        assert!(!tokens.has_good_own().unwrap(), "though its file is there");
        assert!(!tokens.make_own().unwrap(), "who revoked it wants none");
    }
}
