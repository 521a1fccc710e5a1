//! The times as a picture: SVG, both axes by powers of ten, readable on light and on dark.

use std::fmt::Write;

use super::searching::Searched;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;

/// The edges of the field that is drawn in.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 380.0;

/// Colours by what they are for; those of a dark page come second.
const STYLE: &str = "\
    text { font: 13px system-ui, sans-serif; fill: #24292f; }\n\
    .title { font-size: 15px; font-weight: 600; }\n\
    .grid { stroke: #d0d7de; stroke-width: 1; }\n\
    .axis { stroke: #57606a; stroke-width: 1; }\n\
    .p50 { stroke: #0969da; } .p95 { stroke: #bc4c00; }\n\
    .line { fill: none; stroke-width: 2.5; }\n\
    .dot50 { fill: #0969da; } .dot95 { fill: #bc4c00; }\n\
    .wanted { fill: none; stroke: #1a7f37; stroke-width: 2; }\n\
    @media (prefers-color-scheme: dark) {\n\
      text { fill: #e6edf3; }\n\
      .grid { stroke: #30363d; }\n\
      .axis { stroke: #8d96a0; }\n\
      .p50 { stroke: #58a6ff; } .p95 { stroke: #f0883e; }\n\
      .dot50 { fill: #58a6ff; } .dot95 { fill: #f0883e; }\n\
      .wanted { stroke: #3fb950; }\n\
    }";

/// From which power of ten to which.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Decades {
    from: i32,
    to: i32,
}

impl Decades {
    /// Those that hold all of the values.
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let logs = values.filter(|value| *value > 0.0).map(f64::log10);
        let (least, most) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), log| {
            (least.min(log), most.max(log))
        });
        if least > most {
            return Self { from: 0, to: 1 };
        }
        let from = least.floor() as i32;
        Self { from, to: (most.ceil() as i32).max(from + 1) }
    }

    /// Where a value lies, 0..1.
    fn part(self, value: f64) -> f64 {
        (value.log10() - f64::from(self.from)) / f64::from(self.to - self.from)
    }

    fn powers(self) -> impl Iterator<Item = f64> {
        (self.from..=self.to).map(|power| 10_f64.powi(power))
    }
}

/// Where things are in the picture.
struct Field {
    sizes: Decades,
    times: Decades,
}

impl Field {
    fn x(&self, size: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * self.sizes.part(size)
    }

    fn y(&self, time: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.times.part(time)
    }
}

/// The picture of these measurements, with what is wanted at which size.
pub(super) fn picture(seen: &[Searched], wanted: &[(u64, f64)]) -> String {
    let reached = seen.iter().map(|searched| searched.memories).max().unwrap_or(0);
    let wanted: Vec<_> = wanted.iter().filter(|(size, _)| *size <= reached).collect();
    let times = seen.iter().flat_map(|searched| [searched.p50, searched.p95]);
    let field = Field {
        sizes: Decades::of(seen.iter().map(|searched| searched.memories as f64)),
        times: Decades::of(times.chain(wanted.iter().map(|(_, time)| *time))),
    };
    let mut parts = vec![format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>Search time by the number of memories</title>\n<style>\n{STYLE}\n</style>"
    )];
    parts.push(text(
        LEFT,
        24.0,
        "title",
        "start",
        "memory_search, 10 best, filters on, one client",
    ));
    parts.extend(axes(&field));
    parts.push(curve(&field, seen, "50", |searched| searched.p50));
    parts.push(curve(&field, seen, "95", |searched| searched.p95));
    for (size, time) in wanted {
        let (x, y) = (field.x(*size as f64), field.y(*time));
        parts.push(format!(
            "<path class=\"wanted\" d=\"M{:.1} {y:.1}h20M{x:.1} {y:.1}v7\"/>",
            x - 10.0
        ));
    }
    parts.extend(legend());
    parts.push("</svg>\n".to_owned());
    parts.join("\n")
}

fn axes(field: &Field) -> Vec<String> {
    let mut parts = Vec::new();
    for size in field.sizes.powers() {
        let x = field.x(size);
        parts.push(line("grid", [x, TOP, x, BOTTOM]));
        parts.push(text(x, BOTTOM + 20.0, "tick", "middle", &grouped(size)));
    }
    for time in field.times.powers() {
        let y = field.y(time);
        parts.push(line("grid", [LEFT, y, RIGHT, y]));
        parts.push(text(LEFT - 8.0, y + 4.0, "tick", "end", &format!("{time} ms")));
    }
    parts.push(line("axis", [LEFT, BOTTOM, RIGHT, BOTTOM]));
    parts.push(line("axis", [LEFT, TOP, LEFT, BOTTOM]));
    parts.push(text(
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 44.0,
        "tick",
        "middle",
        "memories in the store",
    ));
    parts
}

/// A line through the times of one kind, with a dot at each.
fn curve(field: &Field, seen: &[Searched], kind: &str, time: fn(&Searched) -> f64) -> String {
    let place = |searched: &Searched| (field.x(searched.memories as f64), field.y(time(searched)));
    let (mut points, mut dots) = (String::new(), String::new());
    for (x, y) in seen.iter().map(place) {
        // Writing to a string cannot fail.
        let _ = write!(points, "{x:.1},{y:.1} ");
        let _ =
            write!(dots, "\n<circle class=\"dot{kind}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>");
    }
    format!("<polyline class=\"line p{kind}\" points=\"{}\"/>{dots}", points.trim_end())
}

fn legend() -> Vec<String> {
    let y = 44.0;
    let entry = |x: f64, class: &str, name: &str| {
        let bar = format!(
            "<path class=\"{class}\" d=\"M{x} {}h18\" style=\"stroke-width: 2.5\"/>",
            y - 4.0
        );
        [bar, text(x + 24.0, y, "tick", "start", name)]
    };
    [
        entry(LEFT, "p50", "half of the searches"),
        entry(LEFT + 180.0, "p95", "95 of 100"),
        entry(LEFT + 300.0, "wanted", "wanted of half: no more"),
    ]
    .concat()
}

fn line(class: &str, [x1, y1, x2, y2]: [f64; 4]) -> String {
    format!("<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>")
}

fn text(x: f64, y: f64, class: &str, anchor: &str, text: &str) -> String {
    format!(
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    )
}

/// A whole number with commas between the thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_what_is_drawn() {
        let decades = Decades::of([0.2, 7.0, 40.0].into_iter());
        assert_eq!(decades, Decades { from: -1, to: 2 });
        assert_eq!(decades.powers().collect::<Vec<_>>(), [0.1, 1.0, 10.0, 100.0]);
        assert_eq!((decades.part(0.1), decades.part(100.0)), (0.0, 1.0));
        assert_eq!(Decades::of(std::iter::empty()), Decades { from: 0, to: 1 });
        assert_eq!(Decades::of([10.0].into_iter()), Decades { from: 1, to: 2 });
    }

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!(
            ["1", "1,000", "1,000,000"],
            [1.0, 1e3, 1e6].map(grouped).each_ref().map(|s| s.as_str())
        );
    }
}
