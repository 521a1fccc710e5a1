//! The words that the sentences of `bench scale` are made of, the common ones first in each list.

/// What one kind of work or life is talked about with.
pub(super) struct Topic {
    /// What it is about.
    pub(super) things: &'static str,
    /// What is done to things.
    pub(super) deeds: &'static str,
    /// What things are like.
    pub(super) kinds: &'static str,
    /// Why something was done; `|` stands for a space.
    pub(super) reasons: &'static str,
    /// What such memories are tagged with.
    pub(super) tags: &'static str,
}

/// The topics, those that are talked about most first.
pub(super) const TOPICS: [Topic; 8] =
    [CODE, OPERATIONS, MEETINGS, DATA, HOME, TRAVEL, HEALTH, HOBBIES];

const CODE: Topic = Topic {
    things: "parser function module test interface library compiler branch dependency error type \
        struct macro trait lexer formatter linter cache iterator allocator benchmark crate schema \
        serializer callback closure thread mutex deadlock regression snapshot fixture mock assertion \
        coverage refactoring patch commit merge conflict rebase submodule tokenizer debugger symbol \
        stack heap pointer lifetime generic overload exception retry timeout backoff logger config",
    deeds: "fixed changed added removed rewrote tested reviewed renamed moved merged reverted \
        documented simplified optimised deprecated extracted inlined profiled vendored forked \
        rebased bisected patched stubbed fuzzed",
    kinds: "new old broken slow fast generic private public flaky async shared legacy nested typed \
        unsafe recursive lazy incremental experimental redundant circular idempotent",
    reasons: "the|tests|were|flaky it|was|too|slow the|interface|changed nobody|understood|it \
        the|build|broke memory|leaked users|reported|a|crash it|blocked|the|release types|did|not|match \
        the|reviewer|asked|for|it an|edge|case|was|missing it|copied|too|much the|lock|was|held|too|long \
        error|messages|were|useless the|compiler|warned|about|it",
    tags: "rust code testing refactoring bug performance api compiler review build",
};

const OPERATIONS: Topic = Topic {
    things: "server deployment database cluster pipeline container service backup certificate queue \
        gateway dashboard alert firewall proxy replica disk volume node scheduler registry secret \
        rollout rollback migration incident outage latency bandwidth quota subnet balancer probe cron \
        job daemon kernel image manifest namespace ingress endpoint token webhook autoscaler region \
        failover postmortem runbook pager shard partition broker topic consumer",
    deeds: "deployed restarted upgraded migrated configured scaled rotated monitored restored \
        drained throttled patched provisioned decommissioned paged failed|over isolated resized \
        encrypted automated tuned rebooted",
    kinds: "primary staging production nightly internal external expired overloaded encrypted \
        redundant regional read-only unhealthy managed ephemeral canary stale oversized idle",
    reasons: "the|disk|was|full latency|was|too|high the|certificate|expired memory|ran|out \
        a|replica|lagged|behind the|alert|fired|all|night traffic|doubled the|vendor|had|an|outage \
        the|clock|drifted backups|were|missing the|quota|was|reached the|kernel|panicked \
        the|cable|was|cut connections|leaked an|audit|required|it",
    tags: "ops deploy incident database network security monitoring cost kubernetes backup",
};

const MEETINGS: Topic = Topic {
    things: "meeting deadline budget roadmap proposal contract customer invoice review report plan \
        decision milestone presentation agenda estimate scope stakeholder supplier hiring interview \
        offer team onboarding workshop retrospective survey goal quarter priority escalation \
        negotiation partnership licence audit forecast headcount reorganisation strategy brief draft \
        summary minutes approval signature pricing discount renewal complaint refund",
    deeds: "approved postponed discussed scheduled rejected presented agreed|on cancelled signed \
        proposed shortened summarised escalated negotiated delegated drafted prioritised announced \
        circulated revised",
    kinds: "quarterly weekly final first urgent confidential optional internal annual joint informal \
        revised ambitious overdue mandatory preliminary unanimous",
    reasons: "the|customer|complained the|budget|was|cut the|deadline|moved two|people|were|ill \
        legal|objected the|numbers|did|not|add|up the|board|wanted|it nobody|had|prepared \
        the|supplier|went|bankrupt priorities|changed a|competitor|was|faster the|contract|ended \
        sales|had|promised|it the|room|was|double-booked",
    tags: "meeting decision planning customer budget hiring legal sales roadmap team",
};

const DATA: Topic = Topic {
    things: "model dataset query table index report metric experiment feature column embedding join \
        pipeline notebook chart label sample classifier regression cluster outlier histogram \
        correlation baseline threshold gradient prompt token context benchmark annotation split \
        checkpoint tensor warehouse view aggregate export spreadsheet survey distribution variance \
        bias drift recall precision ranking retrieval vector dictionary taxonomy",
    deeds: "trained measured cleaned queried labelled exported compared indexed evaluated sampled \
        normalised visualised aggregated deduplicated backfilled validated imputed calibrated \
        retrained anonymised",
    kinds: "large noisy sparse final weekly raw balanced skewed synthetic multilingual cached partial \
        quantised distributed labelled missing hourly biased",
    reasons: "accuracy|dropped the|labels|were|wrong two|columns|disagreed the|sample|was|too|small \
        the|join|exploded the|metric|was|misleading the|data|arrived|late duplicates|crept|in \
        the|baseline|was|better nobody|trusted|the|chart units|were|mixed|up it|overfitted",
    tags: "data ml analytics sql experiment report quality search statistics embedding",
};

const HOME: Topic = Topic {
    things: "kitchen garden apartment roof heating fridge oven window door bicycle car sofa lamp shelf \
        balcony boiler basement neighbour rent electricity plumber dishwasher washing|machine curtain \
        fence lawn tomato compost greenhouse attic tile faucet radiator mattress carpet paint hammer \
        drill ladder toolbox mailbox doorbell thermostat chimney gutter hedge",
    deeds: "repaired bought cleaned painted ordered replaced planted sold moved watered installed \
        measured borrowed assembled insulated donated sharpened trimmed",
    kinds: "old wooden red broken heavy small green second-hand leaking dusty cosy noisy rusty sunny \
        crooked folding ceramic",
    reasons: "it|leaked the|rent|doubled winter|was|coming the|children|broke|it it|saves|electricity \
        the|neighbours|complained the|colour|faded guests|were|coming the|landlord|paid|for|it \
        mould|appeared the|old|one|rusted it|was|on|sale",
    tags: "home garden shopping repair furniture energy family",
};

const TRAVEL: Topic = Topic {
    things: "train flight hotel ticket passport visa suitcase airport station ferry hostel museum \
        itinerary reservation conference taxi luggage border beach hike summit guide map tram \
        layover upgrade insurance embassy currency souvenir campsite harbour cathedral market tent \
        rental|car boarding|pass lounge voucher excursion",
    deeds: "booked missed cancelled visited recommended packed lost photographed rescheduled paid|for \
        reached explored compared upgraded refunded",
    kinds: "cheap early direct crowded delayed scenic expensive overnight nearby remote refundable \
        windy historic coastal",
    reasons: "the|flight|was|delayed the|hotel|was|full rain|was|expected the|visa|took|too|long \
        a|friend|lives|there the|strike|went|on it|was|half|the|price the|museum|was|closed \
        the|connection|was|too|short the|children|were|tired",
    tags: "travel conference booking vacation train visa",
};

const HEALTH: Topic = Topic {
    things: "doctor allergy diet sleep medicine appointment prescription exercise headache vaccine \
        dentist insurance breakfast vegetable protein vitamin knee back therapy blood|pressure glasses \
        pollen asthma marathon stretching checkup specialist clinic dose symptom recovery migraine \
        cholesterol yoga physiotherapy ankle sugar caffeine",
    deeds: "started stopped avoided recommended prescribed skipped booked reduced tracked tolerated \
        tried increased renewed monitored",
    kinds: "daily mild severe seasonal vegetarian chronic early strict gentle low-salt gluten-free \
        recurring yearly preventive",
    reasons: "the|doctor|advised|it pollen|was|high sleep|got|worse the|test|came|back|clear it|hurt \
        the|dose|was|too|high the|pharmacy|ran|out energy|was|low the|knee|swelled it|helped|a|friend",
    tags: "health food sport sleep family appointment",
};

const HOBBIES: Topic = Topic {
    things: "book guitar photograph recipe chess film novel painting podcast concert camera piano song \
        game puzzle football violin poem telescope bread knitting sketch lens chord choir orchestra \
        theatre festival bonsai aquarium pottery origami crossword vinyl synthesizer drone beehive \
        calligraphy sourdough",
    deeds: "read played finished learned baked watched recorded practised recommended collected \
        rehearsed composed edited carved sang",
    kinds: "favourite difficult short beautiful rare funny classical vintage handmade quiet modern \
        Japanese forgotten improvised",
    reasons: "a|friend|recommended|it the|weekend|was|rainy it|tastes|better the|first|one|was|lost \
        a|concert|is|coming it|is|relaxing the|teacher|insisted the|ending|was|moving \
        the|shop|had|it|in|stock the|light|was|perfect",
    tags: "music reading cooking film photography games art",
};

/// First names.
pub(super) const PEOPLE: &str = "Ada Bruno Chidi Dana Elif Farid Greta Hiro Ines Jonas Kamala Lars \
    Mina Noor Otto Priya Quentin Rosa Sven Tomoko Ulrike Viktor Wanda Ximena Yusuf Zoe Amir Beatriz \
    Cheng Dmitri Emeka Fiona Gustav Hannah Ivan Jamila Kofi Leila Marcus Nadia Olu Petra Rafael Salma \
    Tariq Uma Valentina Wei Yara Zoltan Anika Bogdan Carmen Diego Esther Freya Goran Hana";

/// Where things happen.
pub(super) const PLACES: &str = "Vienna Berlin Lagos Osaka Lima Oslo Toronto Nairobi Lisbon Seoul \
    Mumbai Cairo Santiago Prague Dublin Helsinki Jakarta Warsaw Montreal Istanbul Valencia Hamburg \
    Kyoto Accra Denver Glasgow Marseille Tallinn Bogota Perth Zagreb Porto Ghent Basel Turin Gdansk \
    Utrecht Bergen Leeds Malaga Tampere Nantes Cork Graz Riga Quito Hanoi Dakar Tunis Amman";

/// Months.
pub(super) const MONTHS: &str = "January February March April May June July August September October \
    November December";

/// Days.
pub(super) const DAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday";

/// What surnames, products and code names are made of: beginnings, middles and ends.
pub(super) const SYLLABLES: [&str; 3] = [
    "Al Bar Cor Dun El Fen Gar Hol Ist Jan Kel Lor Mar Nor Ol Pel Quin Ros Sal Tor Ul Ver Wal Xan Yor \
     Zim Bren Cal Dray Ever Fal Grim Hart Ing Jor Kran",
    "a e i o u an en in on ar er or al el il ad ed ov ev iv ath eth ish ost und and ing ell ass ett",
    "berg son ley ton ski ova mann dottir wick field stad ford ini escu ez oglu nen sen rud low ham \
     worth bury dale by ner sky vic",
];

/// Words of the sentences, and what else a question may call them.
pub(super) const SYNONYMS: [(&str, &str); 24] = [
    ("fixed", "repaired"),
    ("rewrote", "wrote again"),
    ("deployed", "rolled out"),
    ("postponed", "delayed"),
    ("cancelled", "called off"),
    ("bought", "purchased"),
    ("repaired", "fixed"),
    ("removed", "deleted"),
    ("measured", "timed"),
    ("trained", "taught"),
    ("started", "began"),
    ("recommended", "suggested"),
    ("apartment", "flat"),
    ("bicycle", "bike"),
    ("database", "data store"),
    ("invoice", "bill"),
    ("error", "failure"),
    ("outage", "downtime"),
    ("film", "movie"),
    ("photograph", "picture"),
    ("broken", "faulty"),
    ("slow", "sluggish"),
    ("large", "huge"),
    ("cheap", "inexpensive"),
];
