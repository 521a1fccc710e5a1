//! A part of a page, written as Markdown: words as they come, and between them no more space than
//! there must be.

mod table;

use url::Url;

use super::names::{heading, is_block};
use super::readable::Content;
use super::tree::{Id, Node, Tree};

/// More is not written.
const BYTES_MAX: usize = 10_000_000;

/// Quotes and lists lie no deeper in each other.
const PREFIXES_MAX: usize = 8;

/// What stands between two words; the later is the wider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Block,
}

/// What stands before each line of a quote or an item.
#[derive(Debug)]
struct Prefix {
    /// Before the first, until that is written.
    first: Option<String>,
    rest: &'static str,
}

/// Words that are marked: bold, a link.
#[derive(Debug)]
struct Mark {
    start: &'static str,
    end: String,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No word has been written yet.
    Waiting,
    Open,
    Done,
}

struct Writer<'a> {
    tree: &'a Tree,
    left_out: &'a [bool],
    base: Url,
    out: String,
    gap: Gap,
    prefixes: Vec<Prefix>,
    marks: Vec<Mark>,
    /// Whether all must stand on one line.
    is_line: bool,
    /// How many lists an item lies in.
    lists: usize,
    is_full: bool,
}

/// The Markdown of a page's content; none if it is too much.
pub(super) fn write(tree: &Tree, content: &Content, url: &Url) -> Option<String> {
    let base = tree.named("base").find_map(|id| url.join(tree.node(id).attribute("href")).ok());
    let mut writer = Writer {
        tree,
        left_out: &content.left_out,
        base: base.unwrap_or_else(|| url.clone()),
        out: String::new(),
        gap: Gap::Block,
        prefixes: Vec::new(),
        marks: Vec::new(),
        is_line: false,
        lists: 0,
        is_full: false,
    };
    for root in &content.roots {
        writer.widen(Gap::Block);
        writer.node(*root);
    }
    let Writer { out, is_full, .. } = writer;
    (!is_full).then_some(out)
}

impl Writer<'_> {
    fn node(&mut self, id: Id) {
        let node = self.tree.node(id);
        if self.left_out[id] || self.is_full {
            return;
        }
        match node.name {
            "" if !node.text.is_empty() => return self.words(&node.text),
            "head" | "title" | "col" | "colgroup" => return,
            "br" => return self.widen(Gap::Line),
            "hr" => return self.rule(),
            "img" => return self.image(node),
            "wbr" => return,
            "code" | "kbd" | "samp" | "tt" => return self.code(id),
            "math" if !node.attribute("alttext").is_empty() => {
                return self.code_text(node.attribute("alttext"));
            }
            "pre" | "xmp" | "listing" | "plaintext" => return self.pre(id),
            "table" => return self.table(id),
            "a" => return self.link(id),
            "b" | "strong" => return self.marked(id, "**"),
            "i" | "em" => return self.marked(id, "*"),
            "s" | "del" | "strike" => return self.marked(id, "~~"),
            "q" => {
                self.push_word("\"");
                self.gap = Gap::None;
                self.children(id);
                self.gap = Gap::None;
                return self.push_word("\"");
            }
            "blockquote" => return self.prefixed(id, Gap::Block, Some("> ".to_owned()), "> "),
            "ul" | "ol" | "menu" | "dir" => return self.list(id),
            "li" => return self.prefixed(id, Gap::Line, Some("- ".to_owned()), "  "),
            "dd" => return self.prefixed(id, Gap::Line, Some(": ".to_owned()), "  "),
            _ => {}
        }
        if let Some(level) = heading(node.name) {
            return self.heading(id, level);
        }
        let gap = match node.name {
            "dt" => {
                self.widen(Gap::Block);
                self.children(id);
                return self.widen(Gap::Line);
            }
            "tr" | "td" | "th" | "thead" | "tbody" | "tfoot" => Gap::Line,
            name if is_block(name) => Gap::Block,
            _ => Gap::None,
        };
        self.widen(gap);
        self.children(id);
        self.widen(gap);
    }

    fn children(&mut self, id: Id) {
        let tree = self.tree;
        tree.children(id).for_each(|child| self.node(child));
    }

    fn widen(&mut self, gap: Gap) {
        // What begins an item stands behind its sign, whatever it is.
        if self.prefixes.last().is_none_or(|prefix| prefix.first.is_none()) {
            self.gap = self.gap.max(gap);
        }
    }

    /// Writes what stands between the last word and the next, and starts the marks that wait.
    fn space(&mut self) {
        let gap = if self.is_line { self.gap.min(Gap::Space) } else { self.gap };
        self.gap = Gap::None;
        let is_start = self.out.is_empty();
        match gap {
            Gap::None => {}
            Gap::Space if is_start => {}
            Gap::Space => self.out.push(' '),
            Gap::Line | Gap::Block => {
                self.end_marks();
                if !is_start {
                    self.out.push('\n');
                    if gap == Gap::Block {
                        self.blank();
                    }
                }
                self.begin_line();
            }
        }
        for mark in &mut self.marks {
            if mark.state == State::Waiting {
                self.out.push_str(mark.start);
                mark.state = State::Open;
            }
        }
        self.is_full |= self.out.len() > BYTES_MAX;
    }

    /// No mark goes on over the end of a line. A link has been there then; bold goes on.
    fn end_marks(&mut self) {
        for mark in self.marks.iter_mut().rev().filter(|mark| mark.state == State::Open) {
            self.out.push_str(&mark.end);
            mark.state = if mark.start == "[" { State::Done } else { State::Waiting };
        }
    }

    /// An empty line, between what has been written and what begins.
    fn blank(&mut self) {
        let begun = self.prefixes.iter().take_while(|prefix| prefix.first.is_none());
        let line: String = begun.map(|prefix| prefix.rest).collect();
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    fn begin_line(&mut self) {
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.out.push_str(&first),
                None => self.out.push_str(prefix.rest),
            }
        }
    }

    /// Words of a text.
    fn words(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.widen(Gap::Space);
        }
        for (index, word) in text.split_whitespace().enumerate() {
            if index > 0 {
                self.widen(Gap::Space);
            }
            let is_first = self.gap >= Gap::Line;
            self.space();
            escape(word, is_first && !self.is_line, &mut self.out);
        }
        if text.ends_with(char::is_whitespace) {
            self.widen(Gap::Space);
        }
    }

    /// Something that is written as it is.
    fn push_word(&mut self, word: &str) {
        self.space();
        self.out.push_str(word);
    }

    fn rule(&mut self) {
        if self.is_line || self.out.is_empty() {
            return;
        }
        self.widen(Gap::Block);
        self.push_word("---");
        self.widen(Gap::Block);
    }

    fn heading(&mut self, id: Id, level: usize) {
        self.widen(Gap::Block);
        if self.is_line {
            self.children(id);
        } else {
            let text = self.on_one_line(id);
            if !text.is_empty() {
                self.prefixes.push(Prefix { first: Some("#".repeat(level) + " "), rest: "" });
                self.push_word(&text);
                self.prefixes.pop();
            }
        }
        self.widen(Gap::Block);
    }

    /// What lies in a node, on one line and apart from what has been written.
    fn on_one_line(&mut self, id: Id) -> String {
        let out = std::mem::take(&mut self.out);
        let around = (std::mem::take(&mut self.marks), std::mem::take(&mut self.prefixes));
        let (gap, is_line) = (self.gap, self.is_line);
        (self.gap, self.is_line) = (Gap::None, true);
        self.children(id);
        (self.gap, self.is_line) = (gap, is_line);
        (self.marks, self.prefixes) = around;
        std::mem::replace(&mut self.out, out)
    }

    fn prefixed(&mut self, id: Id, gap: Gap, first: Option<String>, rest: &'static str) {
        if self.is_line || self.prefixes.len() >= PREFIXES_MAX {
            self.widen(gap);
            self.children(id);
            return self.widen(gap);
        }
        self.widen(gap);
        self.prefixes.push(Prefix { first, rest });
        self.children(id);
        self.prefixes.pop();
        self.widen(gap);
    }

    fn list(&mut self, id: Id) {
        let gap = if self.lists > 0 { Gap::Line } else { Gap::Block };
        let list = self.tree.node(id);
        let mut number = list.attribute("start").parse::<u32>().unwrap_or(1);
        self.widen(gap);
        self.lists += 1;
        for child in self.tree.children(id) {
            if list.name == "ol" && self.tree.node(child).name == "li" && !self.left_out[child] {
                self.prefixed(child, Gap::Line, Some(format!("{number}. ")), "   ");
                number = number.saturating_add(1);
            } else {
                self.node(child);
            }
        }
        self.lists -= 1;
        self.widen(gap);
    }

    /// Marks what lies in a node, unless it is marked so already.
    fn marked(&mut self, id: Id, sign: &'static str) {
        if self.marks.iter().any(|mark| mark.start == sign) {
            return self.children(id);
        }
        self.marks.push(Mark { start: sign, end: sign.to_owned(), state: State::Waiting });
        self.children(id);
        self.unmark();
    }

    fn unmark(&mut self) {
        if let Some(mark) = self.marks.pop()
            && mark.state == State::Open
        {
            self.out.push_str(&mark.end);
        }
    }

    fn link(&mut self, id: Id) {
        let node = self.tree.node(id);
        let is_anchor = || {
            let text: String =
                self.tree.within(id).map(|id| self.tree.node(id).text.trim()).collect();
            matches!(text.as_str(), "#" | "¶" | "§" | "🔗")
        };
        let href = node.attribute("href").trim();
        let in_link = self.marks.iter().any(|mark| mark.start == "[");
        if href.starts_with('#') && is_anchor() {
            return;
        }
        let Some(url) = self.absolute(href).filter(|_| !in_link && !href.starts_with('#')) else {
            return self.children(id);
        };
        self.marks.push(Mark { start: "[", end: format!("]({url})"), state: State::Waiting });
        self.children(id);
        self.unmark();
    }

    /// An address that can be followed.
    fn absolute(&self, href: &str) -> Option<String> {
        let url = if href.is_empty() { None } else { self.base.join(href).ok() };
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "tel"))?;
        Some(url.as_str().replace('(', "%28").replace(')', "%29"))
    }

    fn image(&mut self, node: &Node) {
        let alt = node.attribute("alt").split_whitespace().collect::<Vec<_>>().join(" ");
        let sources = ["src", "data-src"].map(|name| self.absolute(node.attribute(name)));
        let Some(url) = sources.into_iter().flatten().next().filter(|_| !alt.is_empty()) else {
            return;
        };
        let alt = alt.replace('[', "\\[").replace(']', "\\]");
        self.push_word(&format!("![{alt}]({url})"));
    }

    /// The text in a node as it is.
    fn raw(&self, id: Id) -> String {
        let mut text = String::new();
        for id in self.tree.within(id).filter(|id| !self.left_out[*id]) {
            let node = self.tree.node(id);
            text.push_str(if node.name == "br" { "\n" } else { &node.text });
        }
        text
    }

    fn code(&mut self, id: Id) {
        self.code_text(&self.raw(id));
    }

    fn code_text(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.widen(Gap::Space);
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(&words) + 1);
        let pad = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
        self.push_word(&format!("{fence}{pad}{words}{pad}{fence}"));
        if text.ends_with(char::is_whitespace) {
            self.widen(Gap::Space);
        }
    }

    fn pre(&mut self, id: Id) {
        let text = self.raw(id).replace("\r\n", "\n");
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
        if self.is_line {
            return self.code_text(text);
        }
        if text.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.widen(Gap::Block);
        self.push_word(&format!("{fence}{}", self.language(id)));
        for line in text.split('\n').chain([fence.as_str()]) {
            self.out.push('\n');
            self.begin_line();
            self.out.push_str(line);
            self.is_full |= self.out.len() > BYTES_MAX;
        }
        self.widen(Gap::Block);
    }

    /// The language that code is written in, as its class or that of what it lies in says.
    fn language(&self, id: Id) -> String {
        let starts = ["language-", "lang-", "highlight-source-", "brush:", "sourceCode "];
        let parent = self.tree.node(id).parent;
        let places = [Some(id), self.tree.children(id).next(), Some(parent)];
        let classes = places.into_iter().flatten().map(|id| self.tree.node(id).attribute("class"));
        let word = |class: &str| {
            let (at, start) =
                starts.iter().find_map(|start| class.find(start).map(|at| (at, *start)))?;
            class[at + start.len()..]
                .split([' ', ';'])
                .find(|word| !word.is_empty())
                .map(str::to_owned)
        };
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
        let mut words = classes.filter_map(word);
        words.find(|word| word.len() < 20 && word.chars().all(is_plain)).unwrap_or_default()
    }
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Writes a word so that it is no Markdown.
fn escape(word: &str, is_first: bool, out: &mut String) {
    let is_number = || {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < word.len() && matches!(digits, "." | ")")
    };
    if is_first && is_number() {
        let (digits, end) = word.split_at(word.len() - 1);
        out.push_str(&format!("{digits}\\{end}"));
        return;
    }
    let is_sign = matches!(word, "-" | "+" | "---" | "===") || word.starts_with('>');
    if is_first && (is_sign || word.trim_start_matches('#').is_empty() || word.starts_with("```")) {
        out.push('\\');
    }
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_edge = at == 0 || next.is_none();
        let is_markup = match c {
            '*' | '`' => true,
            '_' => is_edge && word.len() > 1,
            '<' => next
                .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
    }
}
