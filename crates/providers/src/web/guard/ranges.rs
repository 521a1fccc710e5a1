//! IANA's registries of special-purpose addresses, row by row, and addresses at the edges of every row
//! and within it, in every spelling that a URL has for them.

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

use super::*;

/// The registry of IPv4, multicast (RFC 1112), and the address of Azure's host.
const V4: &[(&str, &str)] = &[
    ("0.0.0.0/8", "this network"),
    ("0.0.0.0/32", "this host on this network"),
    ("10.0.0.0/8", "private use"),
    ("100.64.0.0/10", "shared address space"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "Azure's host"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private use"),
    ("192.0.0.0/24", "IETF protocol assignments"),
    ("192.0.0.0/29", "IPv4 service continuity prefix"),
    ("192.0.0.8/32", "IPv4 dummy address"),
    ("192.0.0.9/32", "port control protocol anycast"),
    ("192.0.0.10/32", "TURN anycast"),
    ("192.0.0.170/32", "NAT64/DNS64 discovery"),
    ("192.0.0.171/32", "NAT64/DNS64 discovery"),
    ("192.0.2.0/24", "documentation (TEST-NET-1)"),
    ("192.31.196.0/24", "AS112-v4"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "6to4 relay anycast, deprecated"),
    ("192.88.99.2/32", "6a44 relay anycast"),
    ("192.168.0.0/16", "private use"),
    ("192.175.48.0/24", "direct delegation AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation (TEST-NET-2)"),
    ("203.0.113.0/24", "documentation (TEST-NET-3)"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("255.255.255.255/32", "limited broadcast"),
];

/// The registry of IPv6, without the rows that carry an IPv4 address, which is judged instead
/// ([`CARRIERS`]); then what is no global unicast (RFC 4291).
const V6: &[(&str, &str)] = &[
    ("::1/128", "loopback"),
    ("::/128", "unspecified"),
    ("64:ff9b:1::/48", "IPv4-IPv6 translation, local use"),
    ("100::/64", "discard only"),
    ("100:0:0:1::/64", "dummy prefix"),
    ("2001::/23", "IETF protocol assignments"),
    ("2001::/32", "Teredo"),
    ("2001:1::1/128", "port control protocol anycast"),
    ("2001:1::2/128", "TURN anycast"),
    ("2001:1::3/128", "DNS-SD registration anycast"),
    ("2001:2::/48", "benchmarking"),
    ("2001:3::/32", "AMT"),
    ("2001:4:112::/48", "AS112-v6"),
    ("2001:10::/28", "ORCHID, deprecated"),
    ("2001:20::/28", "ORCHIDv2"),
    ("2001:30::/28", "drone remote ID"),
    ("2001:db8::/32", "documentation"),
    ("2620:4f:8000::/48", "direct delegation AS112"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing SIDs"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local, deprecated"),
    ("ff00::/8", "multicast"),
    ("::/8", "reserved, with IPv4-compatible addresses"),
    ("100::/8", "reserved"),
    ("200::/7", "reserved"),
    ("400::/6", "reserved"),
    ("800::/5", "reserved"),
    ("1000::/4", "reserved"),
    ("4000::/2", "reserved"),
    ("8000::/2", "reserved"),
    ("c000::/3", "reserved"),
    ("e000::/4", "reserved"),
    ("f000::/5", "reserved"),
    ("f800::/6", "reserved"),
    ("fe00::/9", "reserved"),
];

/// Prefixes that carry an IPv4 address: its bits stand so many bits from the right.
const CARRIERS: &[(&str, u32)] = &[
    ("::ffff:0:0/96", 0),
    ("::ffff:0:0:0/96", 0),
    ("64:ff9b::/96", 0),
    ("2002::/16", 80),
    ("2606:4700:0:0:0:5efe::/96", 0),
    ("2606:4700:0:0:200:5efe::/96", 0),
];

/// So many addresses are taken from within each row, beside its edges.
const WITHIN: u128 = 24;

/// First and last address of a row, as numbers of so many bits.
fn edges(row: &str, bits: u32) -> (u128, u128) {
    let (address, length) = row.split_once('/').unwrap();
    let first = match address.parse().unwrap() {
        IpAddr::V4(ip) => u128::from(u32::from(ip)),
        IpAddr::V6(ip) => u128::from(ip),
    };
    let free = bits - length.parse::<u32>().unwrap();
    let mask = if free == 128 { u128::MAX } else { (1 << free) - 1 };
    assert_eq!(first & mask, 0, "{row}");
    (first, first | mask)
}

/// The edges of a row, their neighbours outside, and addresses spread over it.
fn samples(row: &str, bits: u32) -> Vec<u128> {
    let (first, last) = edges(row, bits);
    let highest = if bits == 32 { u128::from(u32::MAX) } else { u128::MAX };
    let mut all = vec![first, last, first.saturating_sub(1), last.saturating_add(1).min(highest)];
    // A stride without a pattern in its bits.
    let step = ((last - first) / (WITHIN + 1)).max(1) | 1;
    all.extend((1..=WITHIN).map(|n| first + n * step).take_while(|at| *at < last));
    all
}

fn is_special(address: u128, bits: u32, rows: &[(&str, &str)]) -> bool {
    rows.iter().any(|(row, _)| {
        let (first, last) = edges(row, bits);
        (first..=last).contains(&address)
    })
}

/// An IPv4 address as URLs spell it.
fn spelled_v4(ip: u32) -> Vec<String> {
    let [a, b, c, d] = ip.to_be_bytes();
    let dotted = Ipv4Addr::from(ip).to_string();
    let coded = dotted.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02x}");
        text
    });
    let wide = |c: char| match c {
        '.' => '\u{3002}',
        digit => char::from_u32(digit as u32 + 0xfee0).unwrap(),
    };
    vec![
        dotted.clone(),
        format!("{dotted}."),
        ip.to_string(),
        format!("{ip:#x}"),
        format!("0X{ip:08X}"),
        format!("0{ip:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("{a}.{:#x}", ip & 0xff_ffff),
        format!("0{a:o}.{b}.{}", ip & 0xffff),
        format!("000{a:o}.{b}.{c}.{d}"),
        coded,
        dotted.chars().map(wide).collect(),
        format!("{dotted}:8080"),
    ]
}

/// An IPv6 address as URLs spell it.
fn spelled_v6(ip: u128) -> Vec<String> {
    let address = Ipv6Addr::from(ip);
    let s = address.segments();
    let full = s.map(|part| format!("{part:04x}")).join(":");
    let (head, tail) = (s[..6].iter().map(|part| format!("{part:x}:")), Ipv4Addr::from(ip as u32));
    let dotted: String = head.collect();
    vec![
        format!("[{address}]"),
        format!("[{full}]"),
        format!("[{}]:8080", full.to_uppercase()),
        format!("[{dotted}{tail}]"),
    ]
}

/// Checks each spelling, and counts.
fn each(guard: &Guard, spellings: Vec<String>, is_special: bool, tried: &mut [usize; 2]) {
    let whole = Duration::from_secs(30);
    for host in spellings {
        let url = parse(&format!("http://{host}/")).unwrap_or_else(|e| panic!("{host}: {e}"));
        assert!(!matches!(url.host(), Some(Host::Domain(_))), "{host} is a name");
        let checked = guard.check(&url, Deadline { at: Instant::now() + whole, whole });
        match checked {
            Err(error) => assert!(
                is_special && error.kind == ErrorKind::Forbidden,
                "{host} is public and was refused: {error}"
            ),
            Ok(_) => assert!(!is_special, "{host} is special and was let through"),
        }
        tried[usize::from(is_special)] += 1;
    }
}

#[test]
fn every_row_of_the_registries_is_refused_and_its_neighbours_are_not() {
    let guard = Guard::new(false, Arc::new(SystemNames));
    let mut tried = [0, 0];
    for (row, _) in V4 {
        for address in samples(row, 32) {
            let special = is_special(address, 32, V4);
            each(&guard, spelled_v4(address as u32), special, &mut tried);
            for (carrier, shift) in CARRIERS {
                let (first, _) = edges(carrier, 128);
                each(&guard, spelled_v6(first | address << shift), special, &mut tried);
            }
        }
    }
    for (row, _) in V6 {
        for address in samples(row, 128) {
            let carrier = CARRIERS.iter().find(|(carrier, _)| {
                let (first, last) = edges(carrier, 128);
                (first..=last).contains(&address)
            });
            let special = match carrier {
                Some((_, shift)) => is_special(address >> shift & 0xffff_ffff, 32, V4),
                None => is_special(address, 128, V6),
            };
            each(&guard, spelled_v6(address), special, &mut tried);
        }
    }
    let [public, special] = tried;
    assert!(public > 1_000 && special > 20_000, "{public} public, {special} special addresses");
}
