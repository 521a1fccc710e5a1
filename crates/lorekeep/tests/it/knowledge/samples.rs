//! Folders of decisions as other tools leave them, in words of our own.

use std::path::Path;

/// Files of a folder.
pub(super) type Folder = &'static [(&'static str, &'static str)];

/// Writes a folder.
pub(super) fn write(dir: &Path, folder: Folder) {
    for (path, text) in folder {
        let file = dir.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

/// MADR 2: a list below the title.
pub(super) const MADR_2: Folder = &[
    ("index.md", "# Architectural Decision Log\n\n* [ADR-0000](0000-keep-records.md)\n"),
    (
        "template.md",
        "# [short title]\n\n* Status: [proposed | rejected | accepted]\n* Date: [YYYY-MM-DD]\n\n\
         ## Context and Problem Statement\n",
    ),
    (
        "0000-keep-records.md",
        "# Keep records of what we decide\n\n* Status: accepted\n* Date: 2019-03-05\n\
         * Deciders: Ada, Grace\n\n## Context and Problem Statement\n\nNobody remembers why.\n\n\
         ## Considered Options\n\n* MADR\n* None\n\n## Decision Outcome\n\nChosen option: \"MADR\".\n",
    ),
    (
        "0001-queue.md",
        "# Use a queue: \"RabbitMQ\" & friends\n\n\
         * Status: superseded by [ADR-0002](0002-log.md)\n* Date: 2019-04-01\n\n\
         ## Context and Problem Statement\n\nJobs get lost.\n\n## Decision Outcome\n\nA queue.\n",
    ),
    (
        "0002-log.md",
        "# Use a log\n\n* Status: accepted\n* Date: 2020-04-01\n\n\
         ## Context and Problem Statement\n\nJobs should be read twice.\n",
    ),
];

/// MADR 3: a front matter.
pub(super) const MADR_3: Folder = &[
    (
        "decisions/0003-cache.md",
        "---\nstatus: accepted\ndate: 2022-05-06\ndeciders: Ada Lovelace, Grace Hopper\n\
         consulted: all\n---\n# Cache at the edge\n\n## Context and Problem Statement\n\n\
         Pages are slow.\n",
    ),
    (
        "decisions/0004-tokens.md",
        "---\nstatus: \"proposed\"\ndate: 2022-06-01\n---\n# Short tokens\n\n\
         ## Context and Problem Statement\n\nTokens leak.\n",
    ),
];

/// MADR 4: other names in the front matter.
pub(super) const MADR_4: Folder = &[
    (
        "decisions/0010-regions.md",
        "---\nstatus: \"rejected\"\ndate: 2024-09-01\ndecision-makers: [Ada, Edsger]\n---\n\n\
         # Two regions\n\n## Context and Problem Statement\n\nOne region fails.\n\n\
         ## Decision Outcome\n\nNot now.\n\n### Consequences\n\n* Good, because cheap\n",
    ),
    (
        "decisions/0011-frozen.md",
        "---\nstatus: \"on ice\"\n---\n\n# A frozen thought\n\n## Context and Problem Statement\n\nHm.\n",
    ),
];

/// adr-tools: a section for the status.
pub(super) const ADR_TOOLS: Folder = &[
    (
        "0001-record-architecture-decisions.md",
        "# 1. Record architecture decisions\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\n\
         ## Context\n\nWe have to remember.\n\n## Decision\n\nWe write it down.\n\n\
         ## Consequences\n\nSee the records.\n",
    ),
    (
        "0002-use-mysql.md",
        "# 2. Use MySQL\n\nDate: 2016-03-01\n\n## Status\n\n\
         Superseded by [3. Use PostgreSQL](0003-use-postgresql.md)\n\n## Context\n\nRows.\n\n\
         ## Decision\n\nMySQL.\n\n## Consequences\n\nNone yet.\n",
    ),
    (
        "0003-use-postgresql.md",
        "# 3. Use PostgreSQL\n\nDate: 2017-03-01\n\n## Status\n\nAccepted\n\n\
         Supercedes [2. Use MySQL](0002-use-mysql.md)\n\n## Context\n\nMore rows.\n\n\
         ## Decision\n\nPostgreSQL.\n\n## Consequences\n\nBetter sorts.\n",
    ),
];

/// Log4brains: the day in the names of files.
pub(super) const LOG4BRAINS: Folder = &[
    ("README.md", "# Architecture knowledge base\n\nWelcome.\n"),
    (
        "20210104-split-the-monolith.md",
        "# Split the monolith\n\n- Status: accepted\n- Date: 2021-01-05\n- Tags: backend, teams\n\n\
         ## Context and Problem Statement\n\nReleases wait for each other.\n",
    ),
    (
        "backend/adr/20210201-one-queue.md",
        "# One queue\n\n- Status: draft\n- Tags: backend\n\n## Context and Problem Statement\n\n\
         Two queues are one too many.\n",
    ),
];
