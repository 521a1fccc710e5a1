//! The hooks: commands that a client runs at certain events, so that what is remembered reaches an
//! agent that did not ask.

use serde_json::{Value, json};

use super::edit::Refusal;
use super::edit::jsonc::Jsonc;
use super::edit::value::Step;
use super::part::prune;

/// The hooks of a client and how it writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookSet {
    /// The client, as `lorekeep hook` knows it.
    pub(crate) client: &'static str,
    /// The events, as the client names them.
    pub(crate) events: &'static [&'static str],
    /// Time limit of a hook, in the client's unit. `lorekeep hook` ends by itself before that.
    pub(crate) timeout: u64,
    /// Whether hooks stand in the list of an event themselves, and not in groups.
    pub(crate) is_flat: bool,
    /// Whether the file tells its version.
    pub(crate) has_version: bool,
}

const ROOT: Step<'static> = Step::Key("hooks");
const VERSION: [Step<'static>; 1] = [Step::Key("version")];

impl HookSet {
    /// The text with our hooks.
    pub(crate) fn put(self, text: &str, program: &str) -> Result<String, Refusal> {
        let mut jsonc = Jsonc::read(text)?;
        if self.has_version && jsonc.get(&VERSION).is_none() {
            jsonc.set(&VERSION, &1.into())?;
        }
        for event in self.events {
            let command = format!("{} hook {} {event}", quoted(program), self.client);
            let path = [ROOT, Step::Key(event)];
            let ours = ours_in(&jsonc, event);
            for (at, old) in &ours {
                let field = |name| [&path[..], at, &[Step::Key(name)]].concat();
                if *old != command {
                    jsonc.set(&field("command"), &command.as_str().into())?;
                }
                let limit = jsonc.get(&field("timeout")).and_then(|limit| limit.as_u64());
                if limit.is_some_and(|limit| limit > self.timeout) {
                    jsonc.set(&field("timeout"), &self.timeout.into())?;
                }
            }
            if ours.is_empty() {
                jsonc.push(&path, &self.entry(&command))?;
            }
        }
        Ok(jsonc.into_text())
    }

    /// The text without our hooks, whichever events they are at.
    pub(crate) fn take(self, text: &str, origin: Option<&str>) -> Result<String, Refusal> {
        let mut jsonc = Jsonc::read(text)?;
        let Some(Value::Object(events)) = jsonc.get(&[ROOT]) else { return Ok(text.to_owned()) };
        let mut is_changed = false;
        for event in events.keys() {
            let path = [ROOT, Step::Key(event)];
            let ours = ours_in(&jsonc, event);
            for (at, _) in ours.iter().rev() {
                jsonc.remove(&[&path[..], at].concat())?;
                let [group, list @ ..] = &at[..] else { continue };
                let inner = [path[0], path[1], *group];
                let is_bare = |value: &Value| {
                    value.get("hooks") == Some(&json!([]))
                        && value
                            .as_object()
                            .is_some_and(|group| group.keys().all(|key| is_of_group(key)))
                };
                if !list.is_empty() && jsonc.get(&inner).is_some_and(|value| is_bare(&value)) {
                    jsonc.remove(&inner)?;
                }
            }
            if !ours.is_empty() {
                is_changed = true;
                prune(&mut jsonc, &path, origin)?;
            }
        }
        if !is_changed {
            return Ok(text.to_owned());
        }
        prune(&mut jsonc, &[ROOT], origin)?;
        let had_version = |text: &str| Some(Jsonc::read(text).ok()?.get(&VERSION).is_some());
        let was_there = origin.and_then(had_version).unwrap_or_default();
        if self.has_version && !was_there && jsonc.get(&[ROOT]).is_none() {
            jsonc.remove(&VERSION)?;
        }
        Ok(jsonc.into_text())
    }

    fn entry(self, command: &str) -> Value {
        if self.is_flat {
            return json!({"command": command, "timeout": self.timeout});
        }
        let hook = json!({"type": "command", "command": command, "timeout": self.timeout});
        json!({"hooks": [hook]})
    }
}

/// Whether a group says nothing without its hooks.
fn is_of_group(key: &str) -> bool {
    ["hooks", "matcher"].contains(&key)
}

/// The hooks at an event that are ours: where in its list, and the command.
fn ours_in(jsonc: &Jsonc, event: &str) -> Vec<(Vec<Step<'static>>, String)> {
    let list = jsonc.get(&[ROOT, Step::Key(event)]);
    let list = list.as_ref().and_then(Value::as_array).into_iter().flatten();
    let mut ours = Vec::new();
    for (at, one) in list.enumerate() {
        if let Some(command) = our_command(one) {
            ours.push((vec![Step::At(at)], command));
        }
        let inner = one.get("hooks").and_then(Value::as_array).into_iter().flatten();
        let inner = inner.enumerate().filter_map(|(place, hook)| {
            Some((vec![Step::At(at), ROOT, Step::At(place)], our_command(hook)?))
        });
        ours.extend(inner);
    }
    ours
}

fn our_command(hook: &Value) -> Option<String> {
    let command = hook.get("command")?.as_str()?;
    (command.contains("lorekeep") && command.contains(" hook ")).then(|| command.to_owned())
}

/// A path as a shell takes it for one word.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if path.chars().all(is_plain) {
        return path.to_owned();
    }
    // Backslashes are only folders where a path starts with a drive.
    let special: &[char] =
        if path.get(1..2) == Some(":") { &['"'] } else { &['"', '\\', '$', '`'] };
    let escape = |c: char| if special.contains(&c) { format!("\\{c}") } else { c.to_string() };
    format!("\"{}\"", path.chars().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: HookSet = HookSet {
        client: "claude-code",
        events: &["SessionStart", "Stop"],
        timeout: 5,
        is_flat: false,
        has_version: false,
    };
    const FLAT: HookSet = HookSet {
        client: "cursor",
        events: &["stop"],
        timeout: 5,
        is_flat: true,
        has_version: true,
    };

    const THEIRS: &str = r#"{
  "model": "x", // mine
  "hooks": {
    "Stop": [
      { "matcher": "*", "hooks": [{ "type": "command", "command": "say done" }] },
    ],
    "PreToolUse": []
  }
}
"#;

    #[test]
    fn hooks_of_others_stay_and_ours_come_and_go() {
        let with = SET.put(THEIRS, "/opt/my tools/lorekeep").unwrap();
        let value = Jsonc::read(&with).unwrap().get(&[ROOT]).unwrap();
        assert_eq!(value["Stop"][0]["hooks"][0]["command"], "say done");
        let ours = r#""/opt/my tools/lorekeep" hook claude-code Stop"#;
        assert_eq!(
            value["Stop"][1],
            json!({"hooks": [{"type": "command", "command": ours, "timeout": 5}]})
        );
        assert_eq!(value["SessionStart"].as_array().unwrap().len(), 1);
        assert_eq!(SET.put(&with, "/opt/my tools/lorekeep").unwrap(), with);
        assert_eq!(SET.take(&with, Some(THEIRS)).unwrap(), THEIRS);
        assert_eq!(SET.take(THEIRS, None).unwrap(), THEIRS);
        let longer = with.replace("\"timeout\": 5", "\"timeout\": 30");
        assert_eq!(SET.put(&longer, "/opt/my tools/lorekeep").unwrap(), with);
        let shorter = with.replace("\"timeout\": 5", "\"timeout\": 1");
        assert_eq!(SET.put(&shorter, "/opt/my tools/lorekeep").unwrap(), shorter);
        let moved = SET.put(&with, "/b/lorekeep").unwrap();
        assert!(!moved.contains("/opt/") && moved.lines().count() == with.lines().count());
    }

    #[test]
    fn ours_are_found_in_a_group_of_others() {
        let text = r#"{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "/x/lorekeep hook claude-code Stop"}]}]}}"#;
        let left = r#"{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}]}}"#;
        assert_eq!(SET.take(text, Some(text)).unwrap(), left);
    }

    #[test]
    fn a_flat_list_has_a_version() {
        let with = FLAT.put("", "/b/lorekeep").unwrap();
        let value: Value = serde_json::from_str(&with).unwrap();
        let hook = json!({"command": "/b/lorekeep hook cursor stop", "timeout": 5});
        assert_eq!(value, json!({"version": 1, "hooks": {"stop": [hook]}}));
        assert_eq!(FLAT.take(&with, None).unwrap(), "{}\n");
    }

    #[test]
    fn paths_are_quoted_for_the_shell_where_they_must_be() {
        for (path, word) in [
            ("/usr/bin/lorekeep", "/usr/bin/lorekeep"),
            ("/my $tools/lorekeep", "\"/my \\$tools/lorekeep\""),
            ("C:\\My Tools\\lorekeep.exe", "\"C:\\My Tools\\lorekeep.exe\""),
        ] {
            assert_eq!(quoted(path), word);
        }
    }
}
