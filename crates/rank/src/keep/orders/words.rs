//! The word orders that tell an order: what stands in a rule, in this order and near each other.

/// What makes a text read like an order to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// It takes earlier instructions away.
    Overrides,
    /// It makes the reader somebody else.
    Recasts,
    /// It speaks to the model that reads it.
    Addresses,
    /// It hides something from people.
    Conceals,
    /// It carries something off.
    Exfiltrates,
    /// It runs what nobody has seen.
    Executes,
    /// It asks for powers.
    Empowers,
    /// It wants to hold in all later sessions.
    Persists,
    /// It has the marks that separate roles in a prompt.
    Marks,
    /// It has characters that nobody sees.
    Hides,
}

impl Order {
    /// What to tell a person.
    pub const fn told(self) -> &'static str {
        match self {
            Self::Overrides => "it tells the reader to drop earlier instructions",
            Self::Recasts => "it tells the reader to be somebody else",
            Self::Addresses => "it speaks to the model that reads it",
            Self::Conceals => "it asks to hide something from people",
            Self::Exfiltrates => "it asks to send secrets or private data away",
            Self::Executes => "it asks to run code that nobody has seen",
            Self::Empowers => "it asks to let everything through",
            Self::Persists => "it asks to be obeyed in later sessions",
            Self::Marks => "it imitates the marks of a prompt",
            Self::Hides => "it has characters that cannot be seen",
        }
    }
}

/// Words near each other, in this order: each part may be any of its words, `*` stands for an ending,
/// and between two parts stand at most so many words of the same sentence.
pub(super) struct Rule {
    pub(super) order: Order,
    pub(super) parts: &'static [&'static str],
    pub(super) gap: usize,
}

const fn rule(order: Order, gap: usize, parts: &'static [&'static str]) -> Rule {
    Rule { order, parts, gap }
}

const DROP: &str = "ignore|ignoring|disregard|disregarding|forget|override|overrule|bypass|discard|\
    neglect|dismiss|abandon|unlearn|erase|violate|break|circumvent";
const ORDERS: &str = "instruction*|prompt|prompts|directive*|guideline*|guidance|programming|training|guardrail*|\
     safeguard*|restriction*|orders";
const EARLIER: &str = "previous|previously|prior|above|earlier|preceding|foregoing|your|initial|\
    original|existing|system";
const MODEL: &str = "ai|ais|assistant|assistants|agent|agents|llm|llms|claude|chatgpt|gpt|copilot|\
    gemini|cursor|codex|chatbot|model|models";
const PEOPLE: &str = "user|users|human|humans|operator|owner|anyone|anybody|maintainer*|reviewer*|\
    developer|developers|them|him|her";
const NOT: &str = "not|never|dont|without|avoid|nor|cannot";
const TAKE: &str = "send|post|upload|forward|email|mail|exfiltrate|leak|transmit|submit|paste|copy|\
    append|encode|include|share|embed|put|report|dump|curl|attach|publish|push";
const PRIVATE: &str = "secret|secrets|key|keys|apikey|api_key|token|tokens|password|passwords|\
    credential|credentials|env|environment|ssh|id_rsa|cookies|cookie|conversation|transcript|\
    history|memories|prompt|wallet|seed|keychain|variables";
const AWAY: &str = "http|https|webhook|endpoint|url|server|mailto|gist|pastebin|domain|address|\
    dns|query|image|parameter|ftp|com|net|io";

const FILES: &str = "id_rsa|id_ed25519|npmrc|netrc|credentials|pypirc|gnupg|github_token|\
    oauth_token|aws_secret_access_key|keychain|kubeconfig|customers|private|hosts";
const WHENEVER: &str = "every|each|whenever|before|after|always|on|session|first|start|time|\
    startup|démarrage|once|soon|begin";
const SETTINGS: &str = "bypasspermissions|autoapprove|permissions|allow|allowlist|whitelist|\
    defaultmode|bash|dangerously|disable_auth|skipverify|trustall";

/// All of them.
pub(super) const RULES: &[Rule] = &[
    rule(Order::Overrides, 4, &[DROP, ORDERS]),
    rule(
        Order::Overrides,
        3,
        &[DROP, EARLIER, "rule|rules|polic*|command*|constraint*|context|order|limitation*"],
    ),
    rule(
        Order::Overrides,
        2,
        &[DROP, "everything|anything|all", "above|before|earlier|previously|prior|told|said"],
    ),
    rule(
        Order::Overrides,
        5,
        &[
            "supersede|supersedes|superseding|overrides|overrule|overrules|outrank*|precedence|priority|replaces|replace",
            "all|any|your|other|every|previous|prior|earlier|system",
            "instruction*|prompt|prompts|directive*|guideline*|rules",
        ],
    ),
    rule(
        Order::Overrides,
        3,
        &[
            "your|the",
            "new|real|true|actual|only|updated|primary|current",
            "instruction*|objective|directive*|persona|orders|mission",
        ],
    ),
    rule(
        Order::Overrides,
        3,
        &[
            "do|dont|not|stop",
            "follow*|obey*|comply*",
            EARLIER,
            "instruction*|rules|guideline*|prompt",
        ],
    ),
    rule(
        Order::Overrides,
        4,
        &[
            EARLIER,
            "instruction*|rules|guideline*|directions|directive*|guidance|prompt",
            "void|expired|invalid|obsolete|longer|cancelled|canceled|revoked|suspended|lifted|gone",
        ],
    ),
    rule(
        Order::Overrides,
        4,
        &[
            "pay|set|put|leave",
            "no|aside|away",
            "attention|any|your|all|earlier|previous|rules|directions|instruction*",
            "rules|directions|instruction*|guideline*|directive*|prompt",
        ],
    ),
    rule(
        Order::Overrides,
        3,
        &[
            "forget|ignore|disregard",
            "what|everything|anything|all",
            "told|said|before|instructed|learned",
        ],
    ),
    rule(
        Order::Overrides,
        3,
        &[
            "new|actual|real|true",
            "instruction*|task|assignment|orders|objective|goal",
            "is|are|from|:|follow",
            ":|to|the|build|server|below|system|now|follow",
        ],
    ),
    rule(
        Order::Overrides,
        5,
        &[
            "memory|note|entry|instruction*",
            "replaces|outranks|overrides|trumps|beats|outweighs|more|priority|precedence|first",
            "than|over|them|weight|whenever|user|rules|instruction*|other|everything|developer*|whatever",
        ],
    ),
    rule(Order::Overrides, 3, &["as|highest|top", "your", "highest|top|first|only", "priority"]),
    rule(
        Order::Recasts,
        3,
        &[
            "no|without|zero",
            "restrictions|limits|limitations|rules|einschränkungen|restricciones",
            "in|apply|here|answer|now|anymore|you|.",
        ],
    ),
    rule(Order::Recasts, 3, &["adopt|assume|take", "the|a|an", "identity|persona|role", "of|as"]),
    rule(
        Order::Recasts,
        3,
        &["du|sie", "bist|sind|ein", "agent|assistent|modell|ki", "ohne|jetzt|nun"],
    ),
    rule(Order::Recasts, 0, &["you", "are", "no", "longer"]),
    rule(
        Order::Recasts,
        2,
        &[
            "you",
            "are",
            "now",
            "a|an|the|in|free|unrestricted|allowed|authorized|root|admin*|operating|running|acting",
        ],
    ),
    rule(Order::Recasts, 1, &["pretend|roleplay|imagine", "you|to|as", "are|be|have|an|a|the"]),
    rule(
        Order::Recasts,
        3,
        &[
            "act|behave|respond|answer|operate",
            "as",
            "unrestricted|root|uncensored|jailbroken|dan|malicious|unfiltered|evil|superuser",
        ],
    ),
    rule(
        Order::Recasts,
        3,
        &[
            "enter|enable|activate|engage|switch|in",
            "god|dan|jailbreak|unrestricted|unfiltered",
            "mode",
        ],
    ),
    rule(Order::Recasts, 1, &["your", "role|persona|identity|name", "is|becomes|changes", "now"]),
    rule(Order::Addresses, 2, &["attention|dear|hey|hello", MODEL]),
    rule(
        Order::Addresses,
        3,
        &[
            "note|message|instruction*|notice|reminder|memo|directive*|important|urgent",
            "to|for",
            MODEL,
            ":",
        ],
    ),
    rule(
        Order::Addresses,
        3,
        &[
            MODEL,
            "reading|processing|parsing|viewing|summarizing|summarising|loading|ingesting|that",
            "this|these|read|reads",
        ],
    ),
    rule(
        Order::Addresses,
        3,
        &[
            "if|when|whenever|once|upon|after",
            "you|agent|assistant|ai|llm|model",
            "read|reads|recall|recalls|process|load|loads|retrieve|parse|summarize|ingest",
            "this|these|it",
        ],
    ),
    rule(
        Order::Addresses,
        1,
        &["if", "you", "are", "ai|llm|language|agent|assistant|automated|bot|model|coding"],
    ),
    rule(Order::Addresses, 2, &["as", "an|a", "ai|llm|language|coding", "you"]),
    rule(
        Order::Addresses,
        2,
        &[
            "ai|assistant|assistants|llm|llms|claude|chatgpt|gpt|copilot|gemini|codex",
            "must|shall|should|need|needs|will|please|is|are|has|have",
            "run|execute|send|always|never|now|immediately|instructed|required|ignore|obey|first|read|to|call|add|include|approve",
        ],
    ),
    rule(
        Order::Addresses,
        2,
        &[
            "you",
            "must|should|will|shall|need|have",
            "now|immediately|first|secretly|silently|obey|comply",
        ],
    ),
    rule(
        Order::Addresses,
        3,
        &[
            "before|after|prior",
            "using|calling|answering|responding|replying",
            "this|any|other|the",
            "tool*|user|question*",
            "read|send|call|run|pass|include|fetch",
        ],
    ),
    rule(
        Order::Addresses,
        4,
        &[
            "message|instruction*|order*|directive*|update|notice|word",
            "from",
            "anthropic|openai|administrator|developers|operator",
        ],
    ),
    rule(
        Order::Addresses,
        2,
        &[
            "your",
            "next|first|only|final",
            "action|task|step|response|reply|job",
            "is|must|should|will|:",
        ],
    ),
    rule(
        Order::Addresses,
        3,
        &[
            "agents|assistants|ais|llms|reviewers|bots",
            "must|shall|should|are|now|may",
            "required|execute|run|confirm|output|treat|supply|skip|stop|send|fetch|trust|insert|obliged|expected|instructed|disregard|ignore|approve|merge|verify|not",
        ],
    ),
    rule(
        Order::Addresses,
        3,
        &[
            "agent|assistant|model",
            "is",
            "to|expected|required|asked",
            "merge|decode|run|execute|carry|send|approve|obey|ignore|skip|delete",
        ],
    ),
    rule(
        Order::Addresses,
        2,
        &[
            "language|coding|ai|automated",
            "models|agents|assistants|reviewers",
            ":|the|disregard|ignore|must|shall|should|obliges|now",
        ],
    ),
    rule(Order::Addresses, 1, &["llm|ai|agent|bot|assistant", "detected"]),
    rule(
        Order::Addresses,
        3,
        &[
            "obliges|requires|instructs|commands|orders|authorizes|authorises",
            "you|agents|assistants|models",
            "to",
        ],
    ),
    rule(
        Order::Addresses,
        2,
        &["next|first|only", "action|step|task", "must|should|has|is", "be|to|a|call|run"],
    ),
    rule(
        Order::Addresses,
        3,
        &[
            "i|this",
            "am|is",
            "administrator|authorised|authorized|developer|owner",
            "to|of|speaking|change|your|.",
        ],
    ),
    rule(
        Order::Conceals,
        5,
        &[
            "so|and",
            "user|nobody|no|they|developer|reviewer|reviewers",
            "see|sees|notice|notices|wonder|wonders|know|knows|find|finds",
            ".",
        ],
    ),
    rule(
        Order::Conceals,
        5,
        &[
            "so|that|and",
            "user|nobody|they|anyone|developer|reviewers",
            "not|never|nobody|cannot|wont",
            "see|notice|know|find|wonder|suspect",
        ],
    ),
    rule(Order::Conceals, 2, &["leave|leaves|leaving", "no", "trace|traces|record|evidence|log"]),
    rule(
        Order::Conceals,
        4,
        &[
            "remove|delete|clear|erase|wipe",
            "entry|line|trace|record|history|log",
            "history|this|so|about|it|shell|.",
        ],
    ),
    rule(
        Order::Conceals,
        3,
        &[
            "not|never",
            "to|be",
            "be|reported|mentioned|shown|disclosed|logged|told",
            "to|user|users|.",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "no|not|without",
            "need|point|pointing|reason|worth",
            "mention|bring|ask|it|out|list|reading|reviewing|report|show",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "describe|label|present|call",
            "change|it|this|commit|edit",
            "as|a",
            "formatting|cleanup|refactoring|typo|whitespace|docs|documentation|routine|chore",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "tell|say|claim|pretend|answer",
            "them|it|user|that|him|her",
            "is|was|came|are",
            "part|normal|from|expected|compiler|routine|because",
        ],
    ),
    rule(
        Order::Conceals,
        3,
        &[
            "keep|leave",
            "it|this|that|them",
            "out|off",
            "of",
            "summary|your|plan|log|report|transcript|list|answer",
        ],
    ),
    rule(
        Order::Conceals,
        3,
        &[
            "hide|omit|conceal",
            "this|the|it",
            "step|from|change|line|command",
            "plan|from|you|summary|user|diff",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            NOT,
            "describe|show|explain|list|display|report",
            "this|it|these",
            "step|result|to|command|change|instruction*",
            "human|user|to|.|anyone|result|it",
        ],
    ),
    rule(
        Order::Conceals,
        3,
        &[NOT, "mention*", "that|the|how|why", "was|were|script|run|change|request|sent"],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "doesnt|not|nor",
            "like|want|wish|need",
            "to",
            "reminded|asked|told|warned|bothered|informed",
        ],
    ),
    rule(Order::Exfiltrates, 8, &[TAKE, FILES]),
    rule(
        Order::Exfiltrates,
        8,
        &[
            "read|open|print|cat|collect|copy|gather|subir|sube|отправь|poste|include|place|needs",
            FILES,
            "paste|include|into|add|append|commit|put|to|send|http|https|на|y|each",
        ],
    ),
    rule(
        Order::Exfiltrates,
        6,
        &[
            "collect|gather|print|dump|read|list",
            "env|environment|secret|secrets|credentials|keys|tokens",
            "variables|file|files|every|add|comment|issue|find|them",
            "them|you|find|comment|issue|public|and|.",
        ],
    ),
    rule(
        Order::Exfiltrates,
        8,
        &[
            "sending|supply|provide|give|disclose|confirm|sent",
            "full|bearer|their|your|its|own",
            "instruction*|token|configuration|prompt|credentials|key",
        ],
    ),
    rule(
        Order::Exfiltrates,
        6,
        &[
            "append|add|put|include|encode|place|write|embed",
            "value|contents|characters|token|key|message|copy",
            "of|in|to|into|as|token",
            "commit|body|query|comment|hex|url|encoded|dns|key|description|sample",
        ],
    ),
    rule(
        Order::Executes,
        6,
        &[
            WHENEVER,
            "run|execute|fetch|download|install|open|reading|read|exécute|npx|pipe",
            "http|https|npx|script|gist|remote",
        ],
    ),
    rule(
        Order::Executes,
        8,
        &[
            "run|execute|fetch|download|install|register|open|reading|exécute|sube|resolve|push|downloads",
            "http|https|npx|attacker|remote|gist",
            "on|every|each|whenever|before|after|session|trust|first|do|as|in",
            WHENEVER,
        ],
    ),
    rule(
        Order::Executes,
        5,
        &["fetch|fetches|download|downloads", "and", "run|runs|execute|executes|do"],
    ),
    rule(
        Order::Executes,
        6,
        &[
            "reading|fetching|opening|open|fetch|read",
            "http|https|gist|page|link|url",
            "do|follow|obey|execute|apply",
            "as|it|what|its|whatever",
            "says|instruction*|it|steps|tells",
        ],
    ),
    rule(
        Order::Executes,
        6,
        &[
            "install|use|register|add|point|replace",
            "http|https",
            "trust|instead|patched|rather|whenever|each|without|log",
        ],
    ),
    rule(
        Order::Executes,
        6,
        &[
            "trust|use|point|treat|register",
            "http|https|urls|server|domain",
            "trusted|instead|existing|token|as",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            NOT,
            "tell|telling|inform*|mention*|reveal*|notify|notifying|disclos*|alert|alerting|warn|warning",
            PEOPLE,
        ],
    ),
    rule(
        Order::Conceals,
        3,
        &[
            NOT,
            "mention*|reveal*|disclos*|acknowledg*|talk|discuss",
            "this|it|these",
            "note|instruction*|rule|message|memory|to|in|step|.",
        ],
    ),
    rule(
        Order::Conceals,
        3,
        &["hide|conceal|hidden|hiding", "this|it|that|them|change*|fact", "from", PEOPLE],
    ),
    rule(
        Order::Conceals,
        2,
        &["keep|keeping", "this|it|that", "secret|hidden|quiet|confidential|between"],
    ),
    rule(
        Order::Conceals,
        2,
        &[
            "secretly|silently|covertly|quietly|discreetly|invisibly|stealthily",
            "send|post|upload|add|insert|run|execute|copy|forward|email|install|include|append|transmit|embed|inject|call|push|create|read",
        ],
    ),
    rule(
        Order::Conceals,
        6,
        &[
            "run|execute|approve|send|delete|install|push|do|act|proceed|accept|call|apply|perform|go",
            "without",
            "asking|confirmation|confirming|prompting|permission|telling|mentioning|notifying",
        ],
    ),
    rule(Order::Exfiltrates, 9, &[TAKE, PRIVATE, AWAY]),
    rule(Order::Exfiltrates, 9, &[TAKE, AWAY, PRIVATE]),
    rule(
        Order::Exfiltrates,
        3,
        &[
            "reveal|print|output|repeat|show|leak|disclose|echo",
            "your|the",
            "system|hidden|initial|developer",
            "prompt|instruction*|message",
        ],
    ),
    rule(
        Order::Empowers,
        3,
        &[
            "approve|accept|allow|grant|authorize|authorise|confirm|autoapprove",
            "all|any|every|everything",
            "request*|permission*|tool|tools|command*|call|calls|access|future|edits",
        ],
    ),
    rule(
        Order::Empowers,
        3,
        &[
            "disable|bypass|circumvent|deactivate|turn|remove|lift",
            "off|all|any|the|your|safety|sandbox|content|every",
            "safety|sandbox|guardrail*|safeguard*|confirmation*|restriction*|filters",
        ],
    ),
    rule(
        Order::Empowers,
        4,
        &[
            "approve|accept|merge|answer|confirm|sign",
            "whatever|any|all|pending|every|automatically|straight|once|at",
            "pending|transfer|change|changes|contract|confirmation*|terms|requests|once|away|they|prs",
        ],
    ),
    rule(Order::Empowers, 4, &["add|set|put|turn|switch|enable", SETTINGS]),
    rule(
        Order::Empowers,
        4,
        &[
            "disable|remove|skip|suspend|turn|stop|weaken",
            "branch|signature|code|required|auth|authentication|verification|review|login|rate",
            "protection|verification|reviewers|review|check|checks|limits|reviews",
        ],
    ),
    rule(
        Order::Empowers,
        5,
        &[
            "create|add|grant|give",
            "owner|admin|administrator|root|collaborator|superuser|key|rights|role",
            "role|rights|access|key|privileges|collaborator",
            "store|admin|owner|:|and|with|.",
        ],
    ),
    rule(Order::Empowers, 4, &["on", "user|users|owner|owners", "behalf"]),
    rule(
        Order::Empowers,
        4,
        &[NOT, "ask|asking|request|wait|seek", "confirmation|permission|approval|consent"],
    ),
    rule(
        Order::Empowers,
        3,
        &[
            "you",
            "have|hold|are",
            "full|been|unlimited|root|granted",
            "permission*|access|authority|authorized|authorised|authorization|privileges|admin*",
        ],
    ),
    rule(
        Order::Empowers,
        3,
        &[
            "user|operator|owner|admin*",
            "already|has|have|pre",
            "approved|authorized|authorised|consented|agreed|granted|preapproved",
            "all|this|any|everything|every",
        ],
    ),
    rule(
        Order::Persists,
        2,
        &[
            "from",
            "now",
            "on",
            "you|assistant|claude|ai|respond|reply|answer|ignore|obey|treat|trust",
        ],
    ),
    rule(
        Order::Persists,
        4,
        &[
            "in|during|for|across|at",
            "future|all|every|next|later|each|subsequent",
            "session*|conversation*|chat|chats|interaction*|response*|repl*",
            "you|ignore|send|run|must|include|append|insert|recommend|execute|obey",
        ],
    ),
    rule(
        Order::Persists,
        3,
        &[
            "in|include|add|append|insert|begin|start|end|to",
            "your",
            "every|next|each|all|future|final|response*|repl*|answer*|output*",
            "with|the|this|a|link|:|must",
        ],
    ),
    rule(
        Order::Persists,
        4,
        &[
            "once|after|when|as|next|whenever|if",
            "you|session|word|date|user|time",
            "next|have|asks|tenth|soon|comes|later|open|display",
            "change|replace|create|publish|start|first|run|use|tell|subir|sube|add",
            "and|account|in|the|url|from|key|rather|adding|!|script|constant|dependency|package",
        ],
    ),
    rule(
        Order::Persists,
        3,
        &[
            "execute|obey|follow|treat",
            "its|their|his|these|this",
            "message*|commands|order*|instruction*|memory|note",
            "as|if|first|whenever|exactly|.",
        ],
    ),
    rule(
        Order::Persists,
        3,
        &[
            "remember|store|save|memorize|memorise|persist",
            "this|following",
            "instruction*|rule|directive*|forever|permanently|order",
        ],
    ),
    rule(
        Order::Persists,
        4,
        &[
            "every|each",
            "time",
            "you|agent|assistant",
            "run|send|call|execute|add|include|append|fetch|must|should",
        ],
    ),
    rule(
        Order::Overrides,
        4,
        &[
            "ignorier*|vergiss|vergesst|missachte*|übergeh*|verwirf",
            "anweisung*|regeln|instruktion*|vorgaben|befehl*|anordnung*|systemprompt",
        ],
    ),
    rule(
        Order::Conceals,
        5,
        &[
            "nutzer|benutzer|anwender|nutzerin|entwickler|niemand*|menschen",
            "nichts|nicht|nie|niemals|davon",
            "sag*|mitteil*|erwähn*|informier*|verrat*|davon|erzähl*",
        ],
    ),
    rule(
        Order::Conceals,
        5,
        &[
            "sag*|erzähl*|verrat*|informier*|teile|erwähn*",
            "nutzer|benutzer|anwender|niemand*|gegenüber",
            "nichts|nicht|nie|davon",
        ],
    ),
    rule(
        Order::Conceals,
        5,
        &[
            "ohne|nicht|nie|niemals",
            "nutzer|benutzer|anwender",
            "fragen|informieren|zu|mitteilen|sagen|wissen|erwähnen",
        ],
    ),
    rule(
        Order::Exfiltrates,
        9,
        &[
            "sende|schicke|schick|übermittle|lade|poste",
            "schlüssel|geheim*|passw*|token*|umgebungsvariablen|zugangsdaten|env",
            "an|zu|http|https|hoch",
        ],
    ),
    rule(
        Order::Overrides,
        4,
        &[
            "ignor*|oubli*|néglig*|dimentic*|olvid*|omit*|esqueç*|desconsider*|desobede*|trascur*",
            "instruc*|instruç*|istruzion*|consigne*|règles|directives|reglas|órdenes|regras|orientaç*|indicacion*|indicazion*|regole|ordini",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "ne|sans|jamais",
            "dis|dites|informe*|mentionne*|prévenir|prévenez|dire|informer|parle*|révéle*|révèle*|avert*|demander",
            "utilisateur*|personne|développeur*|humain*",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "no|nunca|sin",
            "digas|diga|informes|menciones|reveles|informar|mencionar|decir|avises|avisar|decirle|decírselo|preguntar",
            "usuario*|nadie|humano*",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "não|nunca|sem",
            "diga|informe|conte|mencione|avise|revele|informar|avisar|contar|dizer|perguntar",
            "usuário*|utilizador*|ninguém|humano*",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "non|mai|senza",
            "dire|informare|menzionare|dirlo|avvisare|rivelare|dica|chiedere",
            "utente|nessuno|utenti",
        ],
    ),
    rule(
        Order::Exfiltrates,
        9,
        &[
            "envía|envia|envie|envoie|envoyez|invia|manda|mande|enviar|subir|poste",
            "clave*|clé|clés|token*|contraseña*|senha*|chave*|chiavi|chiave|password|secret*|segreto|variables|mot|credencia*|credenzial*",
            "http|https|a|à|para|al|ao|vers|servidor|serveur|server",
        ],
    ),
    rule(
        Order::Overrides,
        4,
        &[
            "игнорир*|проигнорир*|забудь*|пренебрег*|отмени*",
            "инструкц*|указани*|правил*|команд*|промпт*",
        ],
    ),
    rule(
        Order::Conceals,
        4,
        &[
            "не|без|никогда",
            "сообща*|говор*|упомина*|рассказыва*|уведомл*|спрашива*|раскрыва*",
            "пользовател*|никому|человек*",
        ],
    ),
    rule(
        Order::Exfiltrates,
        9,
        &[
            "отправ*|пошли*|загрузи*|передай*",
            "ключ*|токен*|парол*|секрет*|переменн*",
            "на|http|https|серв*",
        ],
    ),
];

/// Marks that separate roles in a prompt, or imitate what a client or a tool puts into one.
pub(super) const MARKS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "<system>",
    "</system>",
    "<system-reminder",
    "</system-reminder",
    "<instructions>",
    "</instructions>",
    "<tool_result",
    "</tool_result",
    "<tool_call",
    "<function_call",
    "<function_results",
    "<important>",
    "[system]",
    "[system message]",
    "begin system prompt",
    "end system prompt",
    "end of system prompt",
    "### system",
    "### instruction",
    "###instruction",
    "\nsystem:",
    "\nassistant:",
    "\nhuman:",
    "</lorekeep-notes",
    "<lorekeep-notes",
    "system message:",
    "system override",
    "system notice:",
    "\"role\":\"system\"",
    "\"role\": \"system\"",
    "tool result (",
    "[verified by",
    "instruction: ",
    "ai agents:",
    "ai assistants:",
    "language models:",
    "assistant: your",
    "assistant: before",
    "[end of file]",
    "[admin]",
];

/// What begins a text that plays somebody in a conversation.
pub(super) const SPEAKERS: &[&str] = &["system:", "assistant:", "developer:", "human:"];

/// What fetches something from elsewhere, on a command line.
pub(super) const FETCHERS: &[&str] = &["curl ", "wget ", "iwr ", "invoke-webrequest", "fetch http"];

/// What runs what is piped into it.
pub(super) const RUNNERS: &[&str] =
    &["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby", "iex", "php"];

/// Commands that nobody stores for good.
pub(super) const COMMANDS: &[&str] = &[
    "rm -rf /",
    "rm -rf ~",
    "rm -rf $home",
    "rm -fr /",
    "--no-preserve-root",
    "/dev/tcp/",
    "nc -e",
    "mkfifo /tmp",
    "powershell -enc",
    "powershell -e ",
    "eval(atob",
    "exec(base64",
    "eval(base64",
    "invoke-expression",
    "iex (",
    "iex(",
    "dangerously-skip-permissions",
    "chmod 777 /",
    ":(){",
    "authorized_keys",
    "exec(u.urlopen",
    ".urlopen(",
    "core.hookspath",
    "env | curl",
    "printenv |",
    "curl -d @-",
];

/// Pairs of signs that together tell an order, for languages that do not part words.
pub(super) const PAIRS: &[(Order, &[&str], &[&str])] = &[
    (
        Order::Overrides,
        &["忽略", "无视", "無視", "忘记", "忘掉", "忽視", "忘れ", "무시"],
        &[
            "指令",
            "指示",
            "提示词",
            "提示",
            "规则",
            "規則",
            "命令",
            "プロンプト",
            "ルール",
            "지시",
            "명령",
            "프롬프트",
        ],
    ),
    (
        Order::Conceals,
        &["用户", "用戶", "ユーザー", "利用者", "사용자"],
        &[
            "不要告诉",
            "别告诉",
            "不要通知",
            "勿告知",
            "不告知",
            "不得告知",
            "不要提及",
            "伝えない",
            "知らせない",
            "言わない",
            "教えない",
            "伝えず",
            "知らせず",
            "報告しない",
            "알리지",
            "말하지",
        ],
    ),
    (
        Order::Exfiltrates,
        &["发送", "上传", "送信", "アップロード", "전송", "發送"],
        &[
            "密钥",
            "令牌",
            "密码",
            "环境变量",
            "秘密鍵",
            "トークン",
            "パスワード",
            "環境変数",
            "APIキー",
            "api密钥",
        ],
    ),
];
