//! What tells an order: words in their order and near each other, marks, commands.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::LazyLock;

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

/// Words near each other, in this order.
pub(super) struct Rule {
    pub(super) order: Order,
    /// Each is any of its words; `*` stands for an ending.
    pub(super) parts: Vec<Vec<&'static str>>,
    /// So many words of the same sentence may stand between two of them.
    pub(super) gap: usize,
    /// One of these in the same sentence takes it back.
    pub(super) without: Vec<&'static str>,
}

/// All rules, as `rules.txt` has them.
pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| rules(include_str!("rules.txt")));

/// Where a rule may begin: which rules begin with a word, and which with a beginning of one.
pub(super) struct Starts {
    words: HashMap<&'static str, Vec<usize>>,
    stems: Vec<(&'static str, usize)>,
}

/// Where the rules may begin.
pub(super) static STARTS: LazyLock<Starts> = LazyLock::new(|| {
    let mut starts = Starts { words: HashMap::new(), stems: Vec::new() };
    for (number, rule) in RULES.iter().enumerate() {
        for word in rule.parts.first().into_iter().flatten() {
            match word.strip_suffix('*') {
                Some(stem) => starts.stems.push((stem, number)),
                None => starts.words.entry(word).or_default().push(number),
            }
        }
    }
    starts
});

impl Starts {
    /// The rules that may begin with this word.
    pub(super) fn of(&self, word: &str) -> impl Iterator<Item = &'static Rule> {
        let plain = if matches!(word, "don't" | "don\u{2019}t") { "dont" } else { word };
        let exact = self.words.get(plain).into_iter().flatten().copied();
        let begun = self.stems.iter().filter(move |(stem, _)| word.starts_with(stem));
        exact.chain(begun.map(|(_, number)| *number)).map(|number| &RULES[number])
    }
}

/// Marks that separate roles in a prompt, or imitate what a client or a tool puts into one. One that
/// begins a line has the end of the line before it.
pub(super) static MARKS: LazyLock<Vec<String>> = LazyLock::new(|| {
    include_str!("marks.txt").lines().map(|mark| mark.replace("\\n", "\n")).collect()
});

/// Commands that nobody keeps for good.
pub(super) fn commands() -> impl Iterator<Item = &'static str> {
    include_str!("commands.txt").lines()
}

/// The rules of a table. A line that is none is left out, and a test counts them.
fn rules(table: &'static str) -> Vec<Rule> {
    let mut sets: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut rules = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((name, words)) = line.split_once(" = ") {
            sets.insert(name, words.split('|').collect());
            continue;
        }
        let (line, without) = line.split_once(" !").unwrap_or((line, ""));
        let without = without.split('|').filter(|word| !word.is_empty()).collect();
        let mut words = line.split(' ');
        let order = words.next().and_then(|word| word.parse().ok());
        let gap = words.next().and_then(|word| word.parse().ok());
        let part = |part: &'static str| {
            let named = part.strip_prefix('<').and_then(|part| part.strip_suffix('>'));
            let set = named.and_then(|name| sets.get(name));
            set.cloned().unwrap_or_else(|| part.split('|').collect())
        };
        if let (Some(order), Some(gap)) = (order, gap) {
            rules.push(Rule { order, parts: words.map(part).collect(), gap, without });
        }
    }
    rules
}

impl FromStr for Order {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Ok(match name {
            "overrides" => Self::Overrides,
            "recasts" => Self::Recasts,
            "addresses" => Self::Addresses,
            "conceals" => Self::Conceals,
            "exfiltrates" => Self::Exfiltrates,
            "executes" => Self::Executes,
            "empowers" => Self::Empowers,
            "persists" => Self::Persists,
            _ => return Err(()),
        })
    }
}

/// What begins a text that plays somebody in a conversation.
pub(super) const SPEAKERS: &[&str] = &["system:", "assistant:", "developer:", "human:"];

/// What fetches something from elsewhere, on a command line.
pub(super) const FETCHERS: &[&str] = &["curl ", "wget ", "iwr ", "invoke-webrequest", "fetch http"];

/// Where installers come from that are made to be piped into a shell, and that notes are full of.
pub(super) const INSTALLERS: &[&str] = &[
    "apt.llvm.org",
    "astral.sh",
    "bun.sh",
    "deb.nodesource.com",
    "deno.land",
    "fnm.vercel.app",
    "get.docker.com",
    "get.helm.sh",
    "get.k3s.io",
    "get.pnpm.io",
    "get.sdkman.io",
    "install.python-poetry.org",
    "mise.run",
    "rpm.nodesource.com",
    "sh.rustup.rs",
    "starship.rs",
];

/// What runs what is piped into it.
pub(super) const RUNNERS: &[&str] =
    &["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby", "iex", "php"];

/// What says before a verb that something is not to be done.
pub(super) const DENIALS: &[&str] = &[
    "not",
    "never",
    "dont",
    "не",
    "нельзя",
    "nicht",
    "niemals",
    "nie",
    "nunca",
    "ne",
    "non",
    "niet",
];

/// What of the reader's is carried off in the address of a picture.
pub(super) const READERS: &[&str] = &[
    "conversation*",
    "chat*",
    "message*",
    "last_message",
    "history",
    "transcript",
    "prompt*",
    "secret*",
    "key*",
    "token*",
    "password*",
    "env",
    "context",
    "memor*",
    "data",
    "answer*",
    "response*",
    "user*",
    "session*",
    "system*",
    "insert",
    "api_key",
];

/// Pairs of signs that together tell an order, for languages that do not part words.
pub(super) const PAIRS: &[(Order, &[&str], &[&str])] = &[
    (
        Order::Overrides,
        &[
            "忽略",
            "无视",
            "無視",
            "忘记",
            "忘掉",
            "忽視",
            "忘れ",
            "무시",
            "अनदेखा",
            "अनदेखी",
            "नज\u{93c}रअंदाज\u{93c}",
            "नजरअंदाज",
            "भूल जा",
            "잊고",
            "잊어",
        ],
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
            "निर्देश",
            "आदेश",
        ],
    ),
    (
        Order::Overrides,
        &["忘记", "忘掉", "すべて忘れ", "全て忘れ", "모두 잊", "모두 무시"],
        &["之前", "以上", "上面", "これまで", "前に", "以前", "上記", "이전", "지금까지"],
    ),
    (
        Order::Conceals,
        &["用户", "用戶", "ユーザー", "利用者", "사용자", "उपयोगकर्ता"],
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
            "मत बता",
            "न बता",
            "बिना बता",
        ],
    ),
    (
        Order::Exfiltrates,
        &["发送", "发到", "发给", "上传", "送信", "送って", "アップロード", "전송", "보내", "發送"],
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
            ".env",
            "비밀번호",
            "비밀 키",
            "토큰",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_rule_or_a_set() {
        let table = include_str!("rules.txt").lines();
        let lines = table.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let count = lines.filter(|line| !line.contains(" = ")).count();
        assert_eq!(RULES.len(), count);
        assert!(RULES.iter().all(|rule| rule.parts.len() > 1), "a rule has two parts or more");
        let is_named = |word: &&str| word.starts_with('<');
        assert!(!RULES.iter().any(|rule| rule.parts.iter().flatten().any(is_named)));
    }
}
