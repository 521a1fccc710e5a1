//! Who shares a store: groups of people that have nothing in common, and within a group people who
//! share some layers and not others.

use model::{Identity, Layer, Ledgers, Role};

use super::chance::Chance;

/// Somebody.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) name: &'static str,
    /// Whose group it is of.
    pub(super) group: usize,
    pub(super) identity: Identity,
    pub(super) role: Role,
    /// The namespaces of the ledger that their token names; none means that of their project.
    pub(super) named: Option<Vec<&'static str>>,
    /// Whether their project lies on this machine.
    pub(super) is_here: bool,
}

impl Person {
    /// Where the files of the person's project lie, if it is on this machine.
    pub(super) fn project_dir(&self) -> Option<String> {
        let project = self.identity.id(Layer::Project).filter(|_| self.is_here)?;
        Some(format!("projects/{}", project.as_str()))
    }

    /// The namespaces of the ledger that are open to them.
    pub(super) fn ledgers(&self) -> Ledgers {
        let Some(named) = &self.named else { return Ledgers::of_project(&self.identity) };
        Ledgers::Only(named.iter().map(|name| name.parse().expect("a namespace")).collect())
    }
}

/// A group: what its layers are called, and its namespaces in the ledger.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) people: [&'static str; 3],
    pub(super) company: &'static str,
    pub(super) orgs: [&'static str; 2],
    pub(super) teams: [&'static str; 2],
    pub(super) projects: [&'static str; 2],
    pub(super) ledgers: [&'static str; 2],
}

/// Two groups. Ids are of one layer: that a team of the one is called like a project of the other
/// must not open anything. No layer of the one is called like the same layer of the other: that
/// *would* be the same place, because an id is all that a place is known by.
pub(super) const GROUPS: [Group; 2] = [
    Group {
        people: ["ada", "alan", "agnes"],
        company: "acme",
        orgs: ["acme-north", "blue"],
        teams: ["acme-tools", "globex-web"],
        projects: ["acme-web", "globex"],
        ledgers: ["acme-api", "acme-ui"],
    },
    Group {
        people: ["bob", "betty", "brian"],
        company: "globex",
        orgs: ["globex-west", "acme"],
        teams: ["globex-core", "blue"],
        projects: ["globex-web", "acme-tools"],
        ledgers: ["globex-api", "globex-ui"],
    },
];

/// Everybody.
#[derive(Debug, Clone)]
pub(super) struct People {
    pub(super) all: Vec<Person>,
}

impl People {
    /// People by chance: each has a user, and some of the other layers. The first of a group is an
    /// admin, and one of them all may see every project, if `has_visitor` says so.
    pub(super) fn by(chance: &mut Chance, has_visitor: bool) -> Self {
        let mut all = Vec::new();
        for (number, group) in GROUPS.iter().enumerate() {
            for (at, name) in group.people.iter().enumerate() {
                let roles = [Role::Admin, Role::User, Role::Guest];
                let role = if at == 0 { Role::Admin } else { *chance.pick(&roles) };
                let identity = identity(chance, group, name);
                let [first, second] = group.ledgers;
                let some = [Some(vec![first, second]), Some(vec![second]), Some(vec![]), None];
                let named = if at == 0 { some[0].clone() } else { chance.pick(&some).clone() };
                let is_here = chance.one_in(2);
                all.push(Person { name, group: number, identity, role, named, is_here });
            }
        }
        if has_visitor {
            let last = all.last_mut().expect("somebody");
            last.identity = last.identity.clone().with_all_projects();
        }
        Self { all }
    }

    /// Two admins of two groups, with an id in every layer.
    pub(super) fn two() -> Self {
        let whole = |number: usize| {
            let group = &GROUPS[number];
            let identity = [
                (Layer::Company, group.company),
                (Layer::Org, group.orgs[0]),
                (Layer::Team, group.teams[0]),
                (Layer::Project, group.projects[0]),
                (Layer::User, group.people[0]),
                (Layer::Agent, "agent"),
                (Layer::Session, "session"),
            ]
            .into_iter()
            .fold(Identity::default(), |identity, (layer, id)| with(identity, layer, id));
            let (name, role, named) =
                (group.people[0], Role::Admin, Some(vec![group.ledgers[0], group.ledgers[1]]));
            Person { name, group: number, identity, role, named, is_here: true }
        };
        Self { all: vec![whole(0), whole(1)] }
    }

    /// Links of the people of those groups: each has one below the own root to a file of somebody of
    /// the other group, whether or not that is there.
    pub(super) fn links(&self, present: impl Fn(usize) -> bool) -> Vec<(String, String)> {
        let link = |person: &Person| {
            let other = GROUPS[1 - person.group].people[0];
            (format!("work/{}/link.md", person.name), format!("../{other}/notes.md"))
        };
        self.all.iter().filter(|person| present(person.group)).map(link).collect()
    }

    /// The files of the groups that are present, by their paths: what each works on, and knowledge.
    /// Every text says in one word whose it is; see [`file_word`] and [`item_word`].
    pub(super) fn files(&self, present: impl Fn(usize) -> bool) -> Vec<(String, String)> {
        // What has no owner is shared by whoever has an id in its layer. It cannot be followed, so that no
        // memory points to it: one would tell of whoever asked for it.
        let shared = [("company", "company/adrs"), ("org", "orgs/adrs")].map(|(name, folder)| {
            let text = item(&item_word("shared", name));
            let text = text.replace("pattern: mysql2", &flawed("shared", name));
            (format!("data/knowledge/{folder}/common-{}.md", name.len()), text)
        });
        let mut files = shared.to_vec();
        for (number, group) in GROUPS.iter().enumerate().filter(|(number, _)| present(*number)) {
            for person in self.all.iter().filter(|person| person.group == number) {
                let word = file_word(person.name);
                let text = format!("# Notes\n\nstaging database deploys {word}\n");
                files.push((format!("work/{}/notes.md", person.name), text.clone()));
                files.push((format!("work/{}/docs/guide.md", person.name), text));
            }
            let owners = [("orgs", group.orgs), ("teams", group.teams)];
            for (folder, owner) in owners.map(|(folder, all)| all.map(|one| (folder, one))).concat()
            {
                let item = |id: &str, kind: &str| {
                    let path = format!("data/knowledge/{folder}/{owner}/{kind}/{id}.md");
                    (path, item(&item_word(folder, owner)))
                };
                files.push(item(&format!("adr-{folder}-{owner}"), "adrs"));
                // The same name in every folder: each owner numbers its own.
                files.push(item("adr-001-style", "adrs"));
                // One that cannot be followed, and what is wrong with it has its owner's word.
                let (path, text) = item("adr-002-flawed", "adrs");
                files.push((path, text.replace("pattern: mysql2", &flawed(folder, owner))));
            }
            for project in group.projects {
                let path = format!("projects/{project}/.lorekeep/knowledge/specs/spec-here.md");
                files.push((path, item(&item_word("projects", project))));
            }
        }
        files
    }
}

/// A pattern that cannot be followed.
fn flawed(folder: &str, owner: &str) -> String {
    format!("pattern: '{}('", item_word(folder, owner))
}

/// The word that only the files of this person have.
pub(super) fn file_word(name: &str) -> String {
    format!("qfile{name}")
}

/// The word that only the knowledge of this owner has.
pub(super) fn item_word(folder: &str, owner: &str) -> String {
    format!("qitem{folder}{}z", owner.replace('-', ""))
}

fn item(word: &str) -> String {
    format!(
        "---\nstatus: accepted\nseverity: warn\ntags: [style, {word}]\n\
         createdAt: 2025-01-07T10:00:00Z\nupdatedAt: 2025-02-01T10:00:00Z\n\
         constraints:\n  - {{operator: must_not_use, target: dependency, pattern: mysql2, \
         message: not with {word}}}\n---\n# Database style {word}\n\nUse the staging database.\n"
    )
}

fn with(identity: Identity, layer: Layer, id: &str) -> Identity {
    identity.with(layer, id.parse().expect("a legal id"))
}

fn identity(chance: &mut Chance, group: &Group, name: &str) -> Identity {
    let mut identity = with(Identity::default(), Layer::User, name);
    let some = [
        (Layer::Agent, "agent"),
        (Layer::Session, "session"),
        (Layer::Project, *chance.pick(&group.projects)),
        (Layer::Team, *chance.pick(&group.teams)),
        (Layer::Org, *chance.pick(&group.orgs)),
        (Layer::Company, group.company),
    ];
    for (layer, id) in some {
        if chance.one_in(4) {
            continue;
        }
        identity = with(identity, layer, id);
    }
    identity
}
