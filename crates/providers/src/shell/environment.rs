//! What a command sees of the environment of this process.
//!
//! A variable passes if it is on a list, and neither its name nor its value looks like a secret. All
//! others stay behind, whatever they are: nobody can list the names of all secrets.

use std::ffi::{OsStr, OsString};

/// Names that pass, by what they are for.
const NAMES: [(&str, &str); 9] = [
    ("who and where", "HOME LOGNAME PATH SHELL TEMP TMP TMPDIR TZ USER"),
    ("how to write", "CLICOLOR COLORTERM COLUMNS LANG LANGUAGE NO_COLOR TERM"),
    (
        "the way to the network",
        "ALL_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY all_proxy http_proxy https_proxy no_proxy \
         CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE",
    ),
    (
        "building",
        "AR CC CFLAGS CI CPPFLAGS CXX CXXFLAGS LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH MANPATH \
         PKG_CONFIG_PATH",
    ),
    (
        "Rust and Go",
        "CARGO_HOME CARGO_TARGET_DIR RUSTFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN RUST_BACKTRACE \
         GOBIN GOCACHE GOFLAGS GOMODCACHE GOPATH GOPROXY GOROOT",
    ),
    (
        "the JVM and .NET",
        "ANDROID_HOME ANDROID_SDK_ROOT DOTNET_ROOT GRADLE_HOME GRADLE_USER_HOME JAVA_HOME \
         JDK_HOME M2_HOME MAVEN_HOME SDKMAN_DIR",
    ),
    (
        "JavaScript",
        "BUN_INSTALL DENO_DIR FNM_DIR NODE_ENV NODE_OPTIONS NODE_PATH NVM_BIN NVM_DIR PNPM_HOME \
         VOLTA_HOME",
    ),
    (
        "Python and Ruby",
        "CONDA_DEFAULT_ENV CONDA_PREFIX PYENV_ROOT PYTHONHOME PYTHONPATH UV_CACHE_DIR VIRTUAL_ENV \
         GEM_HOME GEM_PATH RBENV_ROOT",
    ),
    (
        "what brings tools",
        "ASDF_DATA_DIR ASDF_DIR HOMEBREW_PREFIX MISE_DATA_DIR NIX_PATH NIX_PROFILES \
         NIX_SSL_CERT_FILE",
    ),
];

/// Beginnings of names that pass.
const BEGINNINGS: &[&str] = &["LC_", "XDG_"];

/// What a name that passes does not hold: some send secrets along as `LC_…`.
const SECRETS: &[&str] = &["AUTH", "CREDENTIAL", "KEY", "PASS", "PWD", "SECRET", "TOKEN"];

/// The variables that pass, without those that are `hidden` by name.
pub(super) fn harmless(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    hidden: &[String],
) -> Vec<(OsString, OsString)> {
    let passes = |(name, value): &(OsString, OsString)| {
        let is_hidden = hidden.iter().any(|hidden| OsStr::new(hidden) == name);
        !is_hidden && name.to_str().is_some_and(is_harmless) && !has_credentials(value)
    };
    environment.into_iter().filter(passes).collect()
}

fn is_harmless(name: &str) -> bool {
    let mut listed = NAMES.iter().flat_map(|(_, names)| names.split_whitespace());
    let is_listed = listed.any(|listed| listed == name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    is_listed && !SECRETS.iter().any(|secret| name.to_ascii_uppercase().contains(secret))
}

/// Whether a value holds an address in which somebody or something stands before an `@`.
fn has_credentials(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    let is_end = |c: char| c.is_whitespace() || [',', '|', ';', '"', '\''].contains(&c);
    value
        .split("://")
        .skip(1)
        .any(|rest| rest.split(is_end).next().is_some_and(|a| a.contains('@')))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that pass.
    fn passing(environment: &[(&str, &str)], hidden: &[&str]) -> Vec<String> {
        let all = environment.iter().map(|(name, value)| (name.into(), value.into()));
        let hidden: Vec<String> = hidden.iter().map(|name| (*name).to_owned()).collect();
        let passing = harmless(all, &hidden).into_iter();
        passing.map(|(name, _)| name.into_string().unwrap()).collect()
    }

    #[test]
    fn what_tools_need_passes() {
        let names = [
            "PATH",
            "HOME",
            "LANG",
            "LC_ALL",
            "XDG_CONFIG_HOME",
            "CARGO_HOME",
            "GOPATH",
            "JAVA_HOME",
            "NVM_DIR",
            "VIRTUAL_ENV",
            "TZ",
        ];
        let environment: Vec<_> = names.iter().map(|name| (*name, "/some/where:/else")).collect();
        assert_eq!(passing(&environment, &[]), names);
        assert_eq!(passing(&environment, &["HOME", "TZ"]).len(), names.len() - 2);
        assert_eq!(passing(&[("http_proxy", "http://proxy:3128")], &[]), ["http_proxy"]);
    }

    #[test]
    fn secrets_stay_behind() {
        for name in [
            "BRAVE_API_KEY",
            "OPENAI_API_KEY",
            "LOREKEEP_EMBEDDER_KEY",
            "LOREKEEP_DATA_DIR",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_PROFILE",
            "DATABASE_URL",
            "PGPASSWORD",
            "SSH_AUTH_SOCK",
            "MY_OWN_THING",
            "LC_GITHUB_TOKEN",
            "XDG_SECRET",
            "lc_api_key",
            "CARGO_REGISTRY_TOKEN",
            "npm_config__authToken",
            "LD_PRELOAD",
            "",
        ] {
            assert!(passing(&[(name, "x")], &[]).is_empty(), "{name}");
        }
        for value in [
            "http://ada:s3cret@proxy:3128",
            "https://token@proxy",
            "direct,https://ada:s3/cret@proxy",
            "a b://x c://y:z@w",
        ] {
            assert!(passing(&[("GOPROXY", value)], &[]).is_empty(), "{value}");
        }
        for value in ["https://a,b@c", "me@example.org", "https://a b@c"] {
            assert_eq!(passing(&[("GOPROXY", value)], &[]), ["GOPROXY"], "{value}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_does_no_harm() {
        use std::os::unix::ffi::OsStringExt;
        let odd = || OsString::from_vec(vec![b'X', 0xff]);
        let environment = [(odd(), "x".into()), ("PATH".into(), odd())];
        assert_eq!(harmless(environment, &[]), [("PATH".into(), odd())]);
    }
}
