//! The hook that checks what is staged before each commit.
//!
//! A hook that a person has is kept: ours is a marked block in it, that runs first.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use ledger::plain::Plain;

use crate::cli::PreCommitArgs;
use crate::output;

const BEGIN: &str = "# >>> lorekeep >>>";
const END: &str = "# <<< lorekeep <<<";

/// Shells that understand our block.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

pub(crate) fn run(args: &PreCommitArgs) -> Result<ExitCode> {
    let here = std::env::current_dir()?;
    let git = Plain::around(&here)?.with_context(|| {
        let here = here.display();
        format!("{here} lies in no git repository, or git is not installed: `git init` makes one")
    })?;
    let path = git.hooks_dir()?.join("pre-commit");
    let program = std::env::current_exe()?;
    let block = block(&program.to_string_lossy());
    let shown = path.display();
    let old = present(&path)?;
    let new = match &old {
        None => format!("#!/bin/sh\n{block}"),
        Some(old) => with_block(old, &block).map_err(|why| {
            anyhow::anyhow!("{shown} {why}, and was not changed. To add by hand:\n\n{block}")
        })?,
    };
    if args.dry_run {
        output::note(format!("{shown} would be:"));
        output::line(new.trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    if old.as_ref() == Some(&new) {
        output::line(format!("{shown} checks what is staged already"));
        return Ok(ExitCode::SUCCESS);
    }
    save(&path, &new).with_context(|| format!("{shown} cannot be written"))?;
    output::line(format!("{shown} checks what is staged from now on"));
    Ok(ExitCode::SUCCESS)
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

/// Our part of a hook.
fn block(program: &str) -> String {
    let program = format!("'{}'", program.replace('\'', r"'\''"));
    format!(
        "\
{BEGIN}
# Checks what is staged against the knowledge. LOREKEEP_HOOKS=off skips it.
if [ \"${{LOREKEEP_HOOKS:-}}\" != off ]; then
    if command -v lorekeep >/dev/null 2>&1; then
        lorekeep check --staged || exit 1
    elif [ -x {program} ]; then
        {program} check --staged || exit 1
    else
        echo 'lorekeep is not installed any more: nothing was checked' >&2
    fi
fi
{END}
"
    )
}

/// A hook with our block in it; an error says why that cannot be.
fn with_block(hook: &str, block: &str) -> Result<String, String> {
    let lines: Vec<&str> = hook.split_inclusive('\n').collect();
    let places = |mark: &str| {
        let is_mark = |(at, line): (usize, &&str)| (line.trim() == mark).then_some(at);
        lines.iter().enumerate().filter_map(is_mark).collect::<Vec<usize>>()
    };
    if !is_shell(lines.first().copied().unwrap_or_default()) {
        return Err("is no script of a shell that we know".to_owned());
    }
    let (before, after) = match (&places(BEGIN)[..], &places(END)[..]) {
        ([], []) => {
            let is_head = |line: &&&str| line.starts_with('#') || line.trim().is_empty();
            let head = lines.iter().take_while(is_head).count();
            (head, head)
        }
        ([begin], [end]) if begin < end => (*begin, end + 1),
        _ => return Err(format!("has `{BEGIN}` without one `{END}`")),
    };
    let mut new = lines[..before].concat();
    if !new.ends_with('\n') {
        new.push('\n');
    }
    Ok(new + block + &lines[after..].concat())
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
        let block = block("/opt/it's/lorekeep");
        let one = with_block("#!/usr/bin/env -S bash -e\nmake lint", &block).unwrap();
        assert!(one.starts_with("#!/usr/bin/env -S bash -e\n# >>> lore"), "{one}");
        assert!(one.ends_with("# <<< lorekeep <<<\nmake lint"), "{one}");
        assert_eq!(with_block(&one, &block).unwrap(), one);
        let moved = with_block(&one, &super::block("/usr/bin/lorekeep")).unwrap();
        assert_eq!(moved.matches(BEGIN).count(), 1);
        assert!(moved.contains("'/usr/bin/lorekeep'") && !moved.contains("/opt/"), "{moved}");
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
