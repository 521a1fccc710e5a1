//! The hook that checks what is staged before each commit.
//!
//! A hook that a person has is kept: ours is a marked block in it, that runs first. Taking it out leaves the
//! rest.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use ledger::plain::Plain;

use crate::output;

const BEGIN: &str = "# >>> lorekeep >>>";
const END: &str = "# <<< lorekeep <<<";

/// The first line of a hook that we make.
const SHEBANG: &str = "#!/bin/sh\n";

/// Shells that understand our block.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

pub(crate) fn install(is_dry: bool) -> Result<ExitCode> {
    let Hook { path, is_shared } = hook()?;
    let program = std::env::current_exe()?;
    let block = block(Some(program.to_string_lossy().as_ref()).filter(|_| !is_shared));
    let shown = path.display();
    let old = present(&path)?;
    let new = match &old {
        None => format!("{SHEBANG}{block}"),
        Some(old) => with_block(old, &block).map_err(|why| {
            anyhow::anyhow!("{shown} {why}, and was not changed. To add by hand:\n\n{block}")
        })?,
    };
    if is_dry {
        return Ok(print_dry_run(&path, &new));
    }
    if old.as_ref() == Some(&new) {
        output::line(format!("{shown} checks what is staged already"));
        return Ok(ExitCode::SUCCESS);
    }
    save(&path, &new).with_context(|| format!("{shown} cannot be written"))?;
    output::line(format!("{shown} checks what is staged from now on"));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn uninstall(is_dry: bool) -> Result<ExitCode> {
    let path = hook()?.path;
    let shown = path.display();
    // Without a mark of ours, the hook is none of our business.
    let old = fs::read_to_string(&path).ok().filter(|text| text.contains(BEGIN));
    let Some(old) = old else {
        output::line(format!("{shown} has nothing of ours"));
        return Ok(ExitCode::SUCCESS);
    };
    present(&path)?;
    let new =
        without_block(&old).map_err(|why| anyhow::anyhow!("{shown} {why}, and was not changed"))?;
    let is_ours = new == SHEBANG;
    if is_dry && !is_ours {
        return Ok(print_dry_run(&path, &new));
    }
    if is_dry {
        output::note(format!("{shown} would be removed"));
    } else if is_ours {
        fs::remove_file(&path).with_context(|| format!("{shown} cannot be removed"))?;
        output::line(format!("{shown} is removed"));
    } else {
        save(&path, &new).with_context(|| format!("{shown} cannot be written"))?;
        output::line(format!("{shown} checks no more what is staged; the rest of it stays"));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_dry_run(path: &Path, text: &str) -> ExitCode {
    output::note(format!("{} would be:", path.display()));
    output::line(text.trim_end());
    ExitCode::SUCCESS
}

/// The hook of the repository here.
struct Hook {
    path: PathBuf,
    /// Whether it lies in the work tree, where it is committed and others run it.
    is_shared: bool,
}

fn hook() -> Result<Hook> {
    let here = std::env::current_dir()?;
    let git = Plain::around(&here)?.with_context(|| {
        let here = here.display();
        format!("{here} lies in no git repository, or git is not installed: `git init` makes one")
    })?;
    let path = git.hooks_dir()?.join("pre-commit");
    let is_shared = path.strip_prefix(git.top()).is_ok_and(|path| !path.starts_with(".git"));
    Ok(Hook { path, is_shared })
}

/// The hook that is there, if it is one that can be added to.
fn present(path: &Path) -> Result<Option<String>> {
    let shown = path.display();
    let data = match fs::symlink_metadata(path) {
        Ok(data) => data,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be read")),
    };
    if !data.is_file() {
        bail!("{shown} is a link or no file, and was not changed: install into what it points to");
    }
    if data.permissions().mode() & 0o111 == 0 {
        bail!(
            "{shown} cannot be run, so that git leaves it out, and was not changed: remove it, or \
             `chmod +x` it"
        );
    }
    let bytes = fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    // What is no text has no shebang either, and is refused for that.
    Ok(Some(String::from_utf8(bytes).unwrap_or_default()))
}

fn save(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("it has no folder")?;
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(path).map_or(0o755, |data| data.permissions().mode() & 0o777);
    let mut file = tempfile::Builder::new()
        .prefix(".pre-commit")
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    // A new file gets what the person's mask lets through, so that it is said again.
    fs::set_permissions(file.path(), fs::Permissions::from_mode(mode))?;
    file.persist(path)?;
    Ok(())
}

/// Our part of a hook; `program` is tried where a shell finds none by its name.
fn block(program: Option<&str>) -> String {
    let by_path = program.map_or_else(String::new, |program| {
        let program = format!("'{}'", program.replace('\'', r"'\''"));
        format!("    elif [ -x {program} ]; then\n        {program} check --staged || exit 1\n")
    });
    format!(
        "\
{BEGIN}
# Checks what is staged against the knowledge. LOREKEEP_HOOKS=off skips it.
if [ \"${{LOREKEEP_HOOKS:-}}\" != off ]; then
    if command -v lorekeep >/dev/null 2>&1; then
        lorekeep check --staged || exit 1
{by_path}    else
        echo 'lorekeep is not installed: nothing was checked' >&2
    fi
fi
{END}
"
    )
}

/// A hook with our block in it; an error says why that cannot be.
fn with_block(hook: &str, block: &str) -> Result<String, String> {
    if !is_shell(hook.lines().next().unwrap_or_default()) {
        return Err("is no script of a shell that we know".to_owned());
    }
    let (before, after) = around(hook)?.unwrap_or_else(|| {
        let is_head = |line: &&str| line.starts_with('#') || line.trim().is_empty();
        let head = hook.split_inclusive('\n').take_while(is_head).map(str::len).sum();
        hook.split_at(head)
    });
    let end = if before.ends_with('\n') { "" } else { "\n" };
    Ok([before, end, block, after].concat())
}

/// A hook without our block.
fn without_block(hook: &str) -> Result<String, String> {
    Ok(around(hook)?.map_or_else(|| hook.to_owned(), |(before, after)| [before, after].concat()))
}

/// The text before and after our block, if there is one.
fn around(hook: &str) -> Result<Option<(&str, &str)>, String> {
    let mut offset = 0;
    let mut marks = Vec::new();
    for line in hook.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        match line.trim() {
            BEGIN => marks.push((BEGIN, start)),
            END => marks.push((END, offset)),
            _ => {}
        }
    }
    match marks[..] {
        [] => Ok(None),
        [(BEGIN, begin), (END, end)] => Ok(Some((&hook[..begin], &hook[end..]))),
        _ => Err(format!("has `{BEGIN}` without one `{END}`")),
    }
}

/// Whether the first line of a script names a shell: `#!/bin/sh -e`, `#!/usr/bin/env bash`.
fn is_shell(line: &str) -> bool {
    let Some(words) = line.strip_prefix("#!") else { return false };
    let mut names = words.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let name = names.next();
    let name = if name == Some("env") { names.find(|word| !word.starts_with('-')) } else { name };
    name.is_some_and(|name| SHELLS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_goes_before_what_runs_and_is_put_in_its_own_place_again() {
        let one = with_block("#!/bin/sh\n# Mine.\n\nexec make lint\n", "<1>\n").unwrap();
        assert_eq!(one, "#!/bin/sh\n# Mine.\n\n<1>\nexec make lint\n");
        let block = block(Some("/opt/it's/lorekeep"));
        let one = with_block("#!/usr/bin/env -S bash -e\nmake lint", &block).unwrap();
        assert!(one.starts_with("#!/usr/bin/env -S bash -e\n# >>> lore"), "{one}");
        assert!(one.ends_with("# <<< lorekeep <<<\nmake lint"), "{one}");
        assert_eq!(with_block(&one, &block).unwrap(), one);
        let moved = with_block(&one, &super::block(Some("/usr/bin/lorekeep"))).unwrap();
        assert_eq!(moved.matches(BEGIN).count(), 1);
        assert!(moved.contains("'/usr/bin/lorekeep'") && !moved.contains("/opt/"), "{moved}");
        let without = without_block(&one).unwrap();
        assert_eq!(without, "#!/usr/bin/env -S bash -e\nmake lint");
        assert_eq!(without_block(&without).unwrap(), without);
    }

    #[test]
    fn what_is_no_script_of_a_shell_is_refused() {
        for hook in ["", "make lint\n", "#!/usr/bin/env python3\nprint()\n", "#!/usr/bin/perl\n"] {
            let why = with_block(hook, "").unwrap_err();
            assert!(why.contains("no script"), "{hook:?}: {why}");
        }
        for marks in [format!("{BEGIN}\n"), format!("{END}\n{BEGIN}\n")] {
            let why = with_block(&format!("#!/bin/sh\n{marks}"), "").unwrap_err();
            assert!(why.contains("without one"), "{why}");
        }
    }
}
