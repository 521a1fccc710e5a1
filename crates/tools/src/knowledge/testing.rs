//! Items that several transcripts begin with.

/// The item of the contract's own example.
pub(super) const DATABASE: &str = "
@ file orgs/me/adrs/adr-042-database-selection.md
| ---
| id: adr-042-database-selection
| type: adr
| layer: org
| title: Database Selection for New Services
| summary: Use PostgreSQL for all new services requiring relational data
| status: accepted
| severity: block
| tags: [database, infrastructure]
| metadata: {reviewers: [ada]}
| createdAt: 2025-01-07T10:00:00Z
| updatedAt: 2025-02-01T10:00:00Z
| constraints:
|   - operator: must_not_use
|     target: dependency
|     pattern: mysql|mysql2|mariadb
|     message: MySQL not allowed for new services per ADR-042. Use PostgreSQL instead.
| ---
| # Database Selection for New Services
|
| We run PostgreSQL everywhere else.
";

/// An item with this id, kind, status and title in the folder of the company.
pub(super) fn item(kind: &str, id: &str, status: &str, title: &str) -> String {
    format!(
        "@ file company/{id}.md\n| ---\n| type: {kind}\n| status: {status}\n| ---\n| # {title}\n|\n| About it.\n"
    )
}

/// A policy of the company with one constraint, given as YAML in one line.
pub(super) fn policy(id: &str, severity: &str, constraint: &str) -> String {
    format!(
        "@ file company/policies/{id}.md\n| ---\n| status: accepted\n| severity: {severity}\n\
         | constraints:\n|   - {constraint}\n| ---\n| # Policy {id}\n"
    )
}
