//! Sentences as people write them to agents: those that should be kept, and those that should not.

use super::*;

const PREFERENCE: Option<Kind> = Some(Kind::Preference);
const DECISION: Option<Kind> = Some(Kind::Decision);
const PATTERN: Option<Kind> = Some(Kind::Pattern);
const FACT: Option<Kind> = Some(Kind::Fact);

const TABLE: [(&str, Option<Kind>); 100] = [
    ("I prefer tabs over spaces in Go code.", PREFERENCE),
    ("I like short commit messages with a body that says why", PREFERENCE),
    ("I hate long functions.", PREFERENCE),
    ("I always want tests before the implementation", PREFERENCE),
    ("Please always run the linter before you commit.", PREFERENCE),
    ("please never push to main directly", PREFERENCE),
    ("Never use unwrap in production code.", PREFERENCE),
    ("Always answer in British English.", PREFERENCE),
    ("I'd rather have small pull requests", PREFERENCE),
    ("I don\u{2019}t like abbreviations in names.", PREFERENCE),
    ("My favourite editor is Helix", PREFERENCE),
    ("Also, I prefer composition over inheritance", PREFERENCE),
    ("I can't stand emojis in commit messages", PREFERENCE),
    ("We decided to use Postgres instead of MySQL.", DECISION),
    ("we've decided against microservices", DECISION),
    ("Let's go with SQLite for the local store.", DECISION),
    ("From now on, write the changelog in past tense.", DECISION),
    ("From now on use pnpm", DECISION),
    ("We agreed that the API stays backwards compatible for two releases", DECISION),
    ("We're switching to uv for Python packaging", DECISION),
    ("Going forward all dates are UTC.", DECISION),
    ("We settled on tokio as the runtime", DECISION),
    ("Use conventional commits from now on", DECISION),
    ("We use pnpm, not npm.", PATTERN),
    ("We don't use default exports in this codebase", PATTERN),
    ("Our staging environment is on Hetzner.", PATTERN),
    ("our API follows JSON:API", PATTERN),
    ("This project uses Rust 2024.", PATTERN),
    ("In this repo tests live next to the code.", PATTERN),
    ("All endpoints must be authenticated.", PATTERN),
    ("Every migration has to be reversible", PATTERN),
    ("We deploy on Tuesdays and Thursdays.", PATTERN),
    ("We never log personal data", PATTERN),
    ("The convention is snake_case for columns", PATTERN),
    ("We keep feature flags in LaunchDarkly", PATTERN),
    ("No handler may block for more than 50 ms", PATTERN),
    ("- we target Node 22 and newer", PATTERN),
    ("Remember that the VPN is needed for the registry.", FACT),
    ("remember: Grace owns the billing service", FACT),
    ("Note that the v1 API is frozen until March.", FACT),
    ("FYI the license server needs a restart every month", FACT),
    ("Keep in mind that invoices are immutable", FACT),
    ("For the record, Heinz signed the contract in May", FACT),
    ("The design docs are in docs/design.", FACT),
    ("The production database runs on db-7", FACT),
    ("The CI cache is stored in S3 under ci-cache.", FACT),
    ("My name is Ada and I lead the platform team", FACT),
    ("I'm a backend developer, new to Rust", FACT),
    ("I work from Lisbon", FACT),
    ("The deploy script lives in scripts/deploy", FACT),
    // What is not to be kept.
    ("Fix the failing test in auth.rs", None),
    ("Add a dark mode toggle to the settings page", None),
    ("Can you explain how the parser works?", None),
    ("What database do we use?", None),
    ("We use Postgres here, right?", None),
    ("Do we use pnpm or npm", None),
    ("Please refactor the login handler", None),
    ("Run the tests again", None),
    ("I like it, go on", None),
    ("I like that approach, implement it", None),
    ("I'd like you to add a column to the table", None),
    ("Let's go with option 2", None),
    ("Let's go with your suggestion", None),
    ("let's go with that", None),
    ("We are seeing a lot of timeouts right now", None),
    ("I think we use Redis somewhere", None),
    ("The build is in a broken state", None),
    ("I get an error when I run cargo test", None),
    ("Remember to push", None),
    ("Use the helper from utils for this", None),
    ("yes, do that", None),
    ("It doesn't work, same error as before", None),
    ("Now write the tests for it", None),
    ("The function is in the wrong file, move it", None),
    ("Why is the response empty", None),
    ("Should we use a queue here", None),
    ("Look at src/main.rs and tell me what it does", None),
    ("const x = { a: 1, b: 2 };", None),
    ("If we use Kafka we need more memory", None),
    ("Let me know when you are done with the migration", None),
    ("You did not update the docs", None),
    ("The first one is in the list already", None),
    ("How about we use a hash map", None),
    ("thanks, that looks good to me", None),
    ("Commit this with a good message", None),
    ("We don't need that any more, delete it", None),
    ("Never mind, I found it myself", None),
    ("I want you to look into the memory leak", None),
    ("Always the same error in this test", None),
    ("We run into a deadlock when two workers start", None),
    ("We keep seeing the same warning in the log", None),
    ("We write a file and then it is gone", None),
    ("The cursor is at the end of the line after the paste", None),
    ("No problem, you may go on", None),
    ("All of them should be renamed in one go", None),
    ("I love how fast this is now", None),
    ("We test it later", None),
    ("My team will look at the pull request tomorrow", None),
    ("In this repo there is a file called x.rs, open it", None),
    ("Each of the tests needs to pass before we go on", None),
];

#[test]
fn sentences_worth_keeping_are_told_from_the_rest() {
    let (mut right, mut found, mut wanted, mut kinds) = (0, 0, 0, 0);
    for (sentence, kind) in TABLE {
        let taken = candidates(sentence).first().map(|candidate| candidate.kind);
        wanted += usize::from(kind.is_some());
        found += usize::from(taken.is_some());
        right += usize::from(kind.is_some() && taken.is_some());
        kinds += usize::from(kind.is_some() && taken == kind);
        if taken.is_some() != kind.is_some() {
            println!("{taken:?} instead of {kind:?}: {sentence}");
        }
    }
    let (precision, recall) = (right as f64 / found as f64, right as f64 / wanted as f64);
    println!("{} sentences: precision {precision:.3}, recall {recall:.3}", TABLE.len());
    println!("{kinds} of {right} have the right kind");
    assert!(precision >= 0.9 && recall >= 0.9, "precision {precision}, recall {recall}");
    assert!(kinds * 20 >= right * 19);
}

fn texts(text: &str) -> Vec<String> {
    candidates(text).into_iter().map(|candidate| candidate.text).collect()
}

#[test]
fn what_only_introduces_a_sentence_goes() {
    assert_eq!(
        texts("FYI, staging is at 10.0.0.5, e.g. for QA."),
        ["Staging is at 10.0.0.5, e.g. for QA."]
    );
    assert_eq!(texts("Also remember that `db-7` is read-only"), ["`db-7` is read-only"]);
}

#[test]
fn a_prompt_of_many_sentences_gives_only_those_worth_keeping() {
    let prompt = "Fix the login. We use pnpm, not npm! Which port is it?\n\n\
                  ```\nwe use x in code\n```\n- I prefer small commits\n- add a test\n\
                  > we use what somebody else wrote\n";
    assert_eq!(texts(prompt), ["We use pnpm, not npm!", "I prefer small commits"]);
    assert_eq!(texts("We use pnpm, not npm. We use pnpm, not npm."), ["We use pnpm, not npm."]);
}

#[test]
fn a_sentence_may_go_over_two_lines() {
    assert_eq!(
        texts("We decided to keep\nthe old importer."),
        ["We decided to keep the old importer."]
    );
}

#[test]
fn secrets_and_long_texts_are_no_candidates() {
    assert!(candidates("Remember that the password is [redacted] for staging").is_empty());
    assert!(candidates(&format!("We use {}.", "very ".repeat(80))).is_empty());
    assert!(candidates("We use x").is_empty());
}

/// Written after the rules were made on the table above; no rule was changed for them, so that they
/// tell how well the rules do on what nobody thought of.
const FRESH: [(&str, bool); 50] = [
    ("I prefer explicit types in public signatures", true),
    ("Please always write the error message in lower case", true),
    ("We decided last week that the old dashboard goes away in June", true),
    ("Our main branch is protected, merges need two approvals", true),
    ("We use feature branches and squash on merge", true),
    ("Remember that Marta is on leave until the 14th", true),
    ("The API keys for the sandbox are in 1Password, vault Engineering", true),
    ("Never call the payment provider from a test", true),
    ("from now on every PR needs a screenshot", true),
    ("All timestamps in the database must be UTC", true),
    ("I work with VS Code on Windows, so give me paths with backslashes", true),
    ("The on-call rota lives in PagerDuty", true),
    ("We don't support Internet Explorer", true),
    ("I really like table-driven tests", true),
    ("Our customers are mostly in Germany and Austria", true),
    ("Note that the importer is single-threaded on purpose", true),
    ("We chose Tailwind because the designers know it", true),
    ("Let's go with Zod for validation", true),
    ("The staging URL is https://staging.example.org", true),
    ("The company standard is Java 21", true),
    ("Don't use mocks for the database, we have a test container", true),
    ("You should always ask before you delete files", true),
    ("We're on Kubernetes 1.31 in all clusters", true),
    ("Commit messages are in English, comments too", true),
    ("I want all answers to be short", true),
    ("Make the button blue", false),
    ("The tests pass locally but not in CI", false),
    ("Could you check whether we use the new client everywhere?", false),
    ("I see two warnings in the output", false),
    ("Please add logging to the worker", false),
    ("ok, now do the same for the other three files", false),
    ("That is not what I meant", false),
    ("Let's look at the profile first", false),
    ("We need to get this done by the end of the sprint", false),
    ("I don't understand why this is async", false),
    ("There is a typo in line 14", false),
    ("Here is the stack trace from production", false),
    ("I tried it with a smaller file and it is fast", false),
    ("Where do we keep the fixtures", false),
    ("We have three hours left, so hurry", false),
    ("The second test is on line 40 of the same file", false),
    ("Before you start, read the README", false),
    ("I like the second version better", false),
    ("We use this function in four places, rename it everywhere", false),
    ("Every time I click the button, it may freeze", false),
    ("My team lead asked for a summary of this thread", false),
    ("Let's go with a simpler approach for this function", false),
    ("The output is in the terminal, scroll up", false),
    ("I prefer the one you had before", false),
    ("We never got an answer from them", false),
];

#[test]
fn sentences_that_no_rule_was_made_for_are_told_apart_too() {
    let (mut right, mut found, mut wanted) = (0, 0, 0);
    for (sentence, is_worth) in FRESH {
        let is_taken = !candidates(sentence).is_empty();
        wanted += usize::from(is_worth);
        found += usize::from(is_taken);
        right += usize::from(is_worth && is_taken);
        if is_taken != is_worth {
            println!("taken {is_taken}: {sentence}");
        }
    }
    let (precision, recall) = (right as f64 / found as f64, right as f64 / wanted as f64);
    println!("{} fresh sentences: precision {precision:.3}, recall {recall:.3}", FRESH.len());
    assert!(precision >= 0.6 && recall >= 0.6, "precision {precision}, recall {recall}");
}
