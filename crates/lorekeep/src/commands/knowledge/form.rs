//! The headings of a new item, to be filled in.

use model::ItemKind;

/// The text that a new item of this kind begins with.
pub(super) fn of(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Adr => ADR,
        ItemKind::Policy => POLICY,
        ItemKind::Pattern => PATTERN,
        ItemKind::Spec => SPEC,
    }
}

const ADR: &str = "\
## Context

<!-- What makes a decision necessary? -->

## Decision

<!-- What is decided, and why this and not another way? -->

## Consequences

<!-- What becomes easier by it, and what harder? -->
";

const POLICY: &str = "\
## Why

<!-- What goes wrong without it? -->

## Rule

<!-- What must be done, or must not? -->

## Exceptions

<!-- Who may do otherwise, and who decides on that? -->
";

const PATTERN: &str = "\
## Problem

<!-- What comes up again and again? -->

## Solution

<!-- How is it done well? -->

## Example

<!-- Where is it done like that? -->
";

const SPEC: &str = "\
## Purpose

<!-- What is it for? -->

## Requirements

<!-- How does it have to be? -->

## Verification

<!-- How can anybody see that it is so? -->
";
