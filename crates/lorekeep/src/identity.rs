//! Who calls when nobody says so: the user of this machine, this process, this project.

use std::path::{Path, PathBuf};

use model::scope::OwnerId;
use model::{Identity, Layer};

/// The id of what a single person does not tell apart.
const DEFAULT_ID: &str = "default";

/// The identity of somebody at their own machine: every layer is open, and every project.
pub(crate) fn default_identity() -> Identity {
    let project = here().as_deref().and_then(project_of);
    let default = || OwnerId::nearest(DEFAULT_ID);
    let known = [
        (Layer::Agent, default()),
        (Layer::User, os_user()),
        (Layer::Session, OwnerId::nearest(&uuid::Uuid::new_v4().to_string())),
        (Layer::Project, project.or_else(default)),
        (Layer::Team, default()),
        (Layer::Org, default()),
        (Layer::Company, default()),
    ];
    let open = known.into_iter().filter_map(|(layer, id)| Some((layer, id?)));
    let identity = Identity::default().with_all_projects();
    open.fold(identity, |identity, (layer, id)| identity.assuming(layer, id))
}

/// Where the user works: the client's project, else the working directory, unless a client started us
/// in the folder of the plugin that it found us in.
fn here() -> Option<PathBuf> {
    let told = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let plugin = told("PLUGIN_ROOT").and_then(|root| root.canonicalize().ok());
    let dir = || std::env::current_dir().ok().filter(|dir| plugin.as_ref() != Some(dir));
    told("CLAUDE_PROJECT_DIR").or_else(dir)
}

/// The root of the project that the user works in.
pub(crate) fn project_root() -> Option<PathBuf> {
    here().map(|here| root_of(&here))
}

/// The root of the project that a directory belongs to: its git root, else itself.
pub(crate) fn root_of(dir: &Path) -> PathBuf {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    git_root(&dir).unwrap_or(dir)
}

/// The user of this machine. A client may start us without the usual variables, so the name of the
/// home directory stands in for them: the same person must not become somebody else.
fn os_user() -> Option<OwnerId> {
    let named = ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()));
    let home = || Some(std::env::home_dir()?.file_name()?.to_string_lossy().into_owned());
    OwnerId::nearest(&named.or_else(home).unwrap_or_else(|| DEFAULT_ID.to_owned()))
}

/// The project that a directory belongs to, and its root.
pub(crate) fn project_at(dir: &Path) -> Option<(OwnerId, PathBuf)> {
    Some((project_of(dir)?, root_of(dir)))
}

/// The project that a directory belongs to: the name of its git root, else its own.
pub(crate) fn project_of(dir: &Path) -> Option<OwnerId> {
    OwnerId::nearest(&root_of(dir).file_name()?.to_string_lossy())
}

/// The nearest directory at or above `dir` that has a `.git`.
pub(crate) fn git_root(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_open_at_ones_own_machine() {
        let identity = default_identity();
        assert!(Layer::ALL.into_iter().all(|layer| identity.scope(layer).is_some()));
    }

    #[test]
    fn a_project_is_named_by_its_git_root() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("my app/src/deep");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir(dir.path().join("my app/.git")).unwrap();
        assert_eq!(project_of(&inner).unwrap().as_str(), "my-app");
        let loose = dir.path().join("loose");
        std::fs::create_dir(&loose).unwrap();
        assert_eq!(project_of(&loose).unwrap().as_str(), "loose");
    }
}
