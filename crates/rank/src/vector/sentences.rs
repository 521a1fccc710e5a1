//! Sentences by number, for tests and figures: what an agent might remember, and what it might ask.
//!
//! A sentence is told from facts (who, what, where, why, …) that its number decides; a question is
//! about the facts of one sentence in other words and with some of them left out, so the sentence it
//! asks for is among the nearest but not alone. Not a test itself: the example that measures reads
//! this file too.

const PEOPLE: &str = "Ada Bruno Chidi Dana Elif Farid Greta Hiro Ines Jonas Kamala Lars Mina Noor \
    Otto Priya Quentin Rosa Sven Tomoko Ulrike Viktor Wanda Ximena Yusuf Zoe Amir Beatriz Cheng \
    Dmitri Emeka Fiona Gustav Hannah Ivan Jamila Kofi Leila Marcus Nadia";
const TEAMS: &str = "platform billing security design research support data mobile legal sales \
    infrastructure search payments onboarding compiler finance marketing operations hardware \
    robotics translation localisation accessibility networking storage analytics";
const THINGS: &str = "database compiler dashboard invoice scheduler parser keyboard bicycle garden \
    telescope passport apartment calendar pipeline cluster certificate firewall notebook sensor \
    printer recipe contract backup migration cache queue index schema webhook container kernel \
    driver battery camera headset monitor router satellite greenhouse piano violin novel poem \
    painting sculpture kitchen oven fridge boiler roof balcony fence bridge tunnel railway ferry \
    airport harbour warehouse factory laboratory microscope vaccine prescription allergy diet \
    marathon football chess puzzle newsletter podcast documentary thesis lecture exam scholarship \
    mortgage pension insurance tax receipt budget forecast auction tender licence patent lawsuit \
    shipment pallet crane tractor orchard vineyard beehive sheepdog kitten parrot aquarium terminal \
    editor debugger linter plugin theme font icon tooltip checkbox sidebar tokenizer embedding \
    classifier regression gradient spreadsheet histogram timestamp checksum password token cookie \
    proxy gateway replica shard snapshot transcript playlist lantern umbrella suitcase rucksack";
const ADJECTIVES: &str = "old new broken quiet expensive cheap red blue dark bright wooden digital \
    experimental official temporary permanent shared private encrypted compressed German Japanese \
    Brazilian Nigerian northern southern tiny enormous fragile reliable noisy slow fast incremental \
    nightly weekly monthly annual optional mandatory deprecated hidden public local remote medical \
    musical historic industrial organic synthetic seasonal legacy distributed parallel sparse";
const ACTIONS: &str = "prefers repaired sold documented painted deployed reviewed rejected ordered \
    cancelled borrowed measured translated migrated archived redesigned tested profiled disabled \
    upgraded inherited photographed cleaned installed benchmarked refactored negotiated scheduled \
    approved postponed duplicated encrypted restored compared criticised recommended bought lost \
    found sketched assembled calibrated automated restarted audited renamed insured published \
    donated watered harvested memorised rehearsed";
const PLACES: &str = "Vienna Lagos Osaka Lima Oslo Toronto Nairobi Lisbon Seoul Mumbai Cairo Berlin \
    Santiago Prague Dublin Helsinki Jakarta Warsaw Montreal Istanbul Valencia Hamburg Kyoto Accra \
    Denver Glasgow Marseille Tallinn Bogota Perth staging production basement office library \
    hospital workshop campus attic museum school theatre station market";
const TIMES: &str = "yesterday on|Monday every|Friday last|spring in|March at|noon before|Christmas \
    after|lunch in|2019 next|week during|the|holidays at|midnight on|the|weekend in|early|autumn \
    since|January twice|a|month in|the|morning by|the|deadline on|his|birthday in|winter \
    after|the|release during|the|outage before|the|audit in|the|third|quarter";
const REASONS: &str = "the|rent|doubled the|tests|were|flaky a|customer|complained latency|was|too|high \
    the|licence|expired nobody|understood|the|configuration memory|ran|out the|children|were|asleep \
    the|doctor|advised|it rain|was|expected the|supplier|went|bankrupt it|saves|electricity \
    the|colours|were|hard|to|read the|law|changed the|old|one|leaked an|intern|asked \
    the|disk|was|full the|train|was|late it|tastes|better backups|were|missing the|noise|was|unbearable \
    users|forgot|their|passwords the|index|was|corrupt two|replicas|disagreed the|budget|was|cut \
    the|flight|was|cancelled the|contract|required|it logs|were|unreadable the|battery|overheated \
    a|colleague|recommended|it the|deadline|moved it|was|a|gift the|clock|drifted the|soil|was|dry \
    the|neighbours|objected an|upgrade|broke|it the|judge|decided|so regulators|insisted \
    the|grandmother|wished|so accuracy|dropped the|queue|grew the|key|was|stolen";
const SYNONYMS: &[(&str, &str)] = &[
    ("prefers", "likes"),
    ("repaired", "fixed"),
    ("bought", "purchased"),
    ("deployed", "rolled out"),
    ("cancelled", "called off"),
    ("postponed", "delayed"),
    ("disabled", "turned off"),
    ("documented", "wrote down"),
    ("benchmarked", "measured the speed of"),
    ("apartment", "flat"),
    ("bicycle", "bike"),
    ("database", "data store"),
    ("invoice", "bill"),
    ("password", "login"),
    ("kitten", "young cat"),
    ("novel", "book"),
    ("cheap", "inexpensive"),
    ("broken", "faulty"),
    ("enormous", "huge"),
    ("fast", "quick"),
];

/// Numbers that look random and are the same everywhere (SplitMix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of `0..sides`.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        (self.roll() % sides as u64) as usize
    }
}

/// The word lists, taken apart once.
pub(crate) struct Sentences {
    words: [Vec<String>; 8],
}

/// What a sentence tells, by number into the word lists.
struct Facts<'a> {
    who: &'a str,
    team: &'a str,
    how: &'a str,
    what: &'a str,
    other: &'a str,
    action: &'a str,
    place: &'a str,
    time: &'a str,
    reason: &'a str,
}

impl Sentences {
    pub(crate) fn new() -> Sentences {
        let lists = [PEOPLE, TEAMS, THINGS, ADJECTIVES, ACTIONS, PLACES, TIMES, REASONS];
        let words = |list: &str| list.split_whitespace().map(|one| one.replace('|', " ")).collect();
        Sentences { words: lists.map(words) }
    }

    fn facts(&self, dice: &mut Dice) -> Facts<'_> {
        let mut pick = |list: usize| -> &str {
            let list = &self.words[list];
            &list[dice.below(list.len())]
        };
        Facts {
            who: pick(0),
            team: pick(1),
            what: pick(2),
            other: pick(2),
            how: pick(3),
            action: pick(4),
            place: pick(5),
            time: pick(6),
            reason: pick(7),
        }
    }

    /// The sentence of a number.
    pub(crate) fn sentence(&self, number: u64) -> String {
        let mut dice = Dice::new(number);
        let Facts { who, team, how, what, other, action, place, time, reason } =
            self.facts(&mut dice);
        match dice.below(10) {
            0 => format!("{who} {action} the {how} {what} {time} because {reason}."),
            1 => format!("The {team} team {action} its {how} {what} in {place}, since {reason}."),
            2 => format!("{time}, {who} of {team} {action} a {how} {what} and a {other}."),
            3 => {
                format!("Decision: the {what} replaces the {other} ({reason}); {who} {action} it.")
            }
            4 => format!("{who} lives near {place} and {action} the {how} {what} there."),
            5 => format!("When {reason}, the {how} {what} in {place} was {action} by {who}."),
            6 => format!("Note from the {team} meeting {time}: the {what} needs a {how} {other}."),
            7 => format!("In {place} nobody {action} the {what}; {who} used the {other} instead."),
            8 => format!("User {action} the {how} {what}. Reason: {reason}."),
            _ => format!("{what} and {other} for {who}: {action} {time}, {how}, {place}."),
        }
    }

    /// A question that the sentence of a number answers.
    pub(crate) fn question(&self, number: u64) -> String {
        let facts = self.facts(&mut Dice::new(number));
        let mut dice = Dice::new(!number);
        let Facts { who, team, how, what, other, action, place, time, reason } = facts;
        let question = match dice.below(6) {
            0 => format!("who {action} the {how} {what}?"),
            1 => format!("what did {who} do with the {what} in {place}"),
            2 => format!("{how} {what} {time}"),
            3 => format!("why was the {what} {action}: {reason}?"),
            4 => format!("did the {team} people with {who} use the {other} or the {how} {what}?"),
            _ => format!("{who} {what} {other} {reason}"),
        };
        SYNONYMS.iter().fold(question, |text, (word, other)| text.replace(word, other))
    }
}
