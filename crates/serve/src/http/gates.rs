//! The gates of tokens that are known here: those of the file, and the one that was said at the start.

use std::sync::{Arc, Mutex};

use model::Caller;
use model::time::Timestamp;
use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::auth::{Gate, Grant, Refusal};
use super::private::{self, Stamp, stamp};
use super::tokens::{Token, Tokens};

/// What is known of a token at a request.
struct Known {
    hash: [u8; 32],
    token: Token,
    grant: Grant,
}

/// What was in the file when it was last read.
#[derive(Default)]
struct Seen {
    stamp: Option<Stamp>,
    known: Arc<[Known]>,
    /// Why it could not be read, which is said once.
    trouble: Option<String>,
}

/// Lets in who brings a token of the file, as it is at that moment.
pub struct FileGate {
    tokens: Tokens,
    own: Caller,
    seen: Mutex<Seen>,
}

impl FileGate {
    /// The gate of these tokens; `own` is who runs the server.
    pub fn new(tokens: Tokens, own: Caller) -> Self {
        let file = tokens.own_path();
        if private::is_shown(&file) {
            let file = file.display();
            tracing::warn!("{file} can be read by others, who are let in by it; chmod 600 it");
        }
        Self { tokens, own, seen: Mutex::default() }
    }

    /// The tokens as the file has them now. A file that cannot be read lets nobody in.
    fn now(&self) -> Arc<[Known]> {
        let stamp = stamp(self.tokens.path());
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if stamp.is_none() || seen.stamp != stamp {
            *seen = match self.tokens.list() {
                Ok(tokens) => {
                    let known = tokens.into_iter().filter_map(|token| self.known(token));
                    Seen { stamp, known: known.collect(), trouble: None }
                }
                // Without the stamp, so that it is tried again: what is in the way may not be in the file.
                Err(why) => {
                    let why = why.to_string();
                    if seen.trouble.as_ref() != Some(&why) {
                        tracing::error!(
                            "the tokens cannot be read, so nobody is let in by them: {why}"
                        );
                    }
                    Seen { trouble: Some(why), ..Seen::default() }
                }
            };
        }
        Arc::clone(&seen.known)
    }

    fn known(&self, token: Token) -> Option<Known> {
        let grant = token.grant(&self.own);
        let grant = grant.inspect_err(|why| {
            let Token { id, name, .. } = &token;
            tracing::error!("token {id} ({name}) lets nobody in: {why}");
        });
        Some(Known { hash: token.hash()?, grant: grant.ok()?, token })
    }
}

impl Gate for FileGate {
    fn bearer(&self, token: &[u8]) -> Option<String> {
        let known = self.now();
        let at = same(token, known.iter().map(|known| &known.hash))?;
        known.get(at).map(|known| known.grant.name.clone())
    }

    fn admit(&self, token: &[u8]) -> Result<Grant, Refusal> {
        let known = self.now();
        let at = same(token, known.iter().map(|known| &known.hash));
        let found = at.and_then(|at| known.get(at)).ok_or(Refusal::Unknown)?;
        match found.token.is_over(Timestamp::now()) {
            Some(why) => Err(Refusal::Invalid(why)),
            None => Ok(found.grant.clone()),
        }
    }
}

/// Lets in who brings one token that was said when the server was started.
pub struct SaidGate {
    hash: [u8; 32],
    grant: Grant,
}

impl SaidGate {
    /// The gate of this token: it is who runs the server.
    pub fn new(token: &str, own: Caller) -> Self {
        let name = "said at the start".to_owned();
        let grant = Grant { caller: own, toolsets: None, read_only: false, name };
        Self { hash: Sha256::digest(token).into(), grant }
    }
}

impl Gate for SaidGate {
    fn admit(&self, token: &[u8]) -> Result<Grant, Refusal> {
        let found = same(token, std::iter::once(&self.hash));
        found.map(|_| self.grant.clone()).ok_or(Refusal::Unknown)
    }
}

/// Which hash is the token's. All are compared, and how long that takes does not depend on which.
fn same<'a>(token: &[u8], hashes: impl Iterator<Item = &'a [u8; 32]>) -> Option<usize> {
    let brought: [u8; 32] = Sha256::digest(token).into();
    let none = u64::MAX;
    let at = hashes
        .zip(0..)
        .fold(none, |found, (hash, at)| u64::conditional_select(&found, &at, hash.ct_eq(&brought)));
    usize::try_from(at).ok().filter(|_| at != none)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use model::{Actor, Identity, Layer, Ledgers, Role, hex};

    use super::super::private::replace;
    use super::super::tokens::NewToken;
    use super::*;

    fn own() -> Caller {
        let identity = Identity::default().with(Layer::User, "me".parse().unwrap());
        Caller::new(identity.with_all_projects(), Role::Admin)
    }

    fn user(id: &str) -> NewToken {
        let identity = BTreeMap::from([(Layer::User, id.parse().unwrap())]);
        NewToken { name: Some(id.into()), identity, ..NewToken::default() }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_token_is_good_until_it_is_revoked_and_its_file_does_not_have_it() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        let gate = FileGate::new(tokens.clone(), own());
        assert!(matches!(gate.admit(b"lk_x"), Err(Refusal::Unknown)), "there is no file yet");
        let (ada, of_ada) = tokens.add(user("ada")).unwrap();
        let (_, of_bob) = tokens.add(user("bob")).unwrap();
        assert!(of_ada.starts_with("lk_") && of_ada.len() == 3 + 64 && of_ada != of_bob);
        let text = fs::read_to_string(tokens.path()).unwrap();
        assert!(!text.contains(&of_ada[3..]) && text.contains(&hex(&ada.hash().unwrap())));
        assert_eq!(mode(&tokens.path()), 0o600);
        let grant = gate.admit(of_ada.as_bytes()).unwrap();
        let id = |grant: &Grant| grant.caller.identity.id(Layer::User).unwrap().as_str().to_owned();
        assert_eq!((id(&grant).as_str(), grant.caller.role), ("ada", Role::User));
        assert!(!grant.caller.identity.has_all_projects());
        assert_eq!(id(&gate.admit(of_bob.as_bytes()).unwrap()), "bob");
        assert!(matches!(gate.admit(b""), Err(Refusal::Unknown)));
        tokens.revoke("ada").unwrap();
        let refused = gate.admit(of_ada.as_bytes()).unwrap_err();
        assert!(matches!(refused, Refusal::Invalid(why) if why.contains("revoked")));
        assert!(gate.admit(of_bob.as_bytes()).is_ok());
        assert!(tokens.revoke("carol").unwrap_err().to_string().contains("\"carol\""));
    }

    #[test]
    fn what_was_in_the_way_of_reading_the_tokens_need_not_be_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        let (_, secret) = tokens.add(user("ada")).unwrap();
        let gate = FileGate::new(tokens, own());
        fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(gate.admit(secret.as_bytes()), Err(Refusal::Unknown)));
        fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
        assert!(gate.admit(secret.as_bytes()).is_ok());
    }

    #[test]
    fn a_token_runs_out() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        let expires = Some("2001-01-01T00:00:00Z".parse().unwrap());
        let (_, old) = tokens.add(NewToken { expires, ..user("ada") }).unwrap();
        let gate = FileGate::new(tokens.clone(), own());
        let refused = gate.admit(old.as_bytes()).unwrap_err();
        assert!(matches!(refused, Refusal::Invalid(why) if why.contains("ran out at 2001")));
        assert!(tokens.add(user("ada")).is_ok(), "its name is free again");
        assert!(tokens.add(user("ada")).unwrap_err().to_string().contains("already"));
    }

    #[test]
    fn a_token_without_an_identity_is_of_who_runs_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        assert!(tokens.make_own().unwrap());
        assert!(!tokens.make_own().unwrap(), "only the first time");
        let secret = fs::read_to_string(tokens.own_path()).unwrap();
        assert_eq!(mode(&tokens.own_path()), 0o600);
        let grant = FileGate::new(tokens, own()).admit(secret.trim().as_bytes()).unwrap();
        let actor = Actor::agent_of(grant.name.clone());
        assert_eq!(grant.caller, Caller { actor, ..own() }, "in its own name");
    }

    #[test]
    fn a_token_of_others_has_its_own_folders_and_namespaces_and_nothing_of_the_server() {
        let (dir, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tokens = Tokens::at(dir.path());
        let own = Caller { here: Some("/srv/project".into()), roots: vec!["/srv".into()], ..own() };
        let gate = FileGate::new(tokens.clone(), own.clone());
        let admitted = |new: NewToken| {
            let (_, secret) = tokens.add(new).unwrap();
            gate.admit(secret.as_bytes()).unwrap().caller
        };
        let bare = admitted(user("ada"));
        assert!(bare.confined && bare.here.is_none() && bare.roots.is_empty());
        assert_eq!(bare.ledgers, Ledgers::Only(Vec::new()));
        let mut web = user("bob");
        web.identity.insert(Layer::Project, "web".parse().unwrap());
        web.roots = vec![work.path().to_owned()];
        let web = admitted(web);
        assert_eq!(web.roots, [work.path().canonicalize().unwrap()]);
        assert_eq!(web.ledgers, Ledgers::Only(vec!["web".parse().unwrap()]));
        assert_eq!(web.here, None);
        let all = NewToken { ledgers: Some(Ledgers::All), ..user("carol") };
        assert_eq!(admitted(all).ledgers, Ledgers::All);
        let some = Ledgers::Only(vec!["a".parse().unwrap(), "b".parse().unwrap()]);
        let named = NewToken { ledgers: Some(some.clone()), ..user("dan") };
        assert_eq!(admitted(named).ledgers, some);
        let mine = admitted(NewToken::default());
        assert_eq!((mine.roots, mine.here, mine.ledgers), (own.roots, own.here, Ledgers::All));
    }

    #[test]
    fn a_file_that_was_broken_lets_nobody_in() {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path());
        let (_, secret) = tokens.add(user("ada")).unwrap();
        let gate = FileGate::new(tokens.clone(), own());
        let whole = fs::read_to_string(tokens.path()).unwrap();
        for broken in [whole.replace("\"user\",", "\"root\","), whole.replace('}', "")] {
            assert_ne!(broken, whole);
            replace(&tokens.path(), broken.as_bytes()).unwrap();
            assert!(matches!(gate.admit(secret.as_bytes()), Err(Refusal::Unknown)));
        }
        replace(&tokens.path(), whole.as_bytes()).unwrap();
        assert!(gate.admit(secret.as_bytes()).is_ok());
    }

    #[test]
    fn the_token_that_was_said_is_compared_as_a_whole() {
        let gate = SaidGate::new("open sesame", own());
        assert_eq!(gate.admit(b"open sesame").unwrap().caller, own());
        for wrong in [&b"open"[..], b"", b"open sesame "] {
            assert!(matches!(gate.admit(wrong), Err(Refusal::Unknown)));
        }
    }
}
