//! Which addresses may be read on behalf of a caller: public ones.
//!
//! A name is looked up once, all its addresses are checked, and what is read afterwards connects to
//! these and no others, so that nothing changes between the check and the connection.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use engine::{Error, ErrorKind, Result};
use url::{Host, Url};

use super::Deadline;
use crate::http::excerpt;

/// Looks names up.
pub(super) trait Resolve: Send + Sync {
    /// The addresses of a host.
    fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// Names as the system knows them.
pub(super) struct SystemNames;

impl Resolve for SystemNames {
    fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }
}

/// An address of a page, as a caller gives it or a page sends to.
pub(super) fn parse(text: &str) -> Result<Url> {
    let wrong = || {
        let shown = excerpt(&without_credentials(text));
        let message = format!("url got {shown:?}; it takes an address like https://example.org/a");
        Error::new(ErrorKind::InvalidValue, message)
    };
    let mut url = Url::parse(text.trim()).map_err(|_| wrong())?;
    if !["http", "https"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong());
    }
    if !url.username().is_empty() || url.password().is_some() {
        let host = url.host_str().unwrap_or_default();
        let message = format!("url names a user or a password for {host}; leave them out");
        return Err(Error::new(ErrorKind::InvalidValue, message));
    }
    url.set_fragment(None);
    Ok(url)
}

/// A text that may hold an address, without what stands before its `@` and after its `?`.
fn without_credentials(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = text.split_once(':').unwrap_or(("", text));
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}:***@{place}"),
        None => text.to_owned(),
    }
}

/// Checks where an address leads.
pub(super) struct Guard {
    allow_private: bool,
    names: Arc<dyn Resolve>,
    /// Taken for public, so that a test has something to connect to.
    #[cfg(test)]
    pub(super) exempt: Vec<SocketAddr>,
}

impl Guard {
    pub(super) fn new(allow_private: bool, names: Arc<dyn Resolve>) -> Self {
        Self {
            allow_private,
            names,
            #[cfg(test)]
            exempt: Vec::new(),
        }
    }

    /// The addresses that may be connected to: all that the host has, or an error.
    pub(super) fn check(&self, url: &Url, deadline: Deadline) -> Result<Vec<SocketAddr>> {
        let port = url.port_or_known_default().unwrap_or(80);
        let (shown, addresses) = match url.host() {
            Some(Host::Ipv4(ip)) => (ip.to_string(), vec![SocketAddr::from((ip, port))]),
            Some(Host::Ipv6(ip)) => (ip.to_string(), vec![SocketAddr::from((ip, port))]),
            Some(Host::Domain(name)) if !self.allow_private && is_this_machine(name) => {
                return Err(forbidden(name, "it is this machine"));
            }
            Some(Host::Domain(name)) => (name.to_owned(), self.look_up(name, port, deadline)?),
            None => (String::new(), Vec::new()),
        };
        if addresses.is_empty() {
            return Err(unknown(&shown));
        }
        for address in &addresses {
            if let Some(kind) = self.refuses(address) {
                return Err(forbidden(&shown, &format!("{} is {kind}", address.ip())));
            }
        }
        Ok(addresses)
    }

    fn refuses(&self, address: &SocketAddr) -> Option<&'static str> {
        #[cfg(test)]
        if self.exempt.contains(address) {
            return None;
        }
        if self.allow_private { None } else { not_public(address.ip()) }
    }

    /// Asks once; nobody knows how to end a lookup, so a slow one is left behind.
    fn look_up(&self, name: &str, port: u16, deadline: Deadline) -> Result<Vec<SocketAddr>> {
        let (sender, answer) = channel();
        let (names, host) = (Arc::clone(&self.names), name.to_owned());
        thread::spawn(move || sender.send(names.addresses(&host, port)));
        let found = answer.recv_timeout(deadline.left(name)?);
        let found = found.map_err(|_| deadline.is_over(name))?;
        found.map_err(|_| unknown(name))
    }
}

fn unknown(host: &str) -> Error {
    let message = format!("the host {host} is not known; check the url and the network");
    Error::new(ErrorKind::Outside, message)
}

fn forbidden(host: &str, why: &str) -> Error {
    let message = format!(
        "the host {host} is not read: {why}; only public addresses are, unless the server is \
         started with --allow-private-urls"
    );
    Error::new(ErrorKind::Forbidden, message)
}

fn is_this_machine(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// What an address is, if it is none of a public place.
fn not_public(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => not_public_v4(ip),
        IpAddr::V6(ip) => not_public_v6(ip),
    }
}

/// Every row of IANA's registry of special-purpose IPv4 addresses, multicast, and one cloud's own.
fn not_public_v4(ip: Ipv4Addr) -> Option<&'static str> {
    match ip.octets() {
        [0, ..] => Some("no address of a host"),
        [127, ..] => Some("this machine"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some("private"),
        [100, 64..=127, ..] => Some("shared by a provider's customers"),
        [169, 254, ..] => Some("link-local"),
        // Where every machine in Azure reaches what runs it.
        [168, 63, 129, 16] => Some("of the cloud that runs this machine"),
        [192, 0, 0, _]
        | [192, 31, 196, _]
        | [192, 52, 193, _]
        | [192, 88, 99, _]
        | [192, 175, 48, _] => Some("kept for protocols"),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some("kept for documentation"),
        [198, 18..=19, ..] => Some("kept for benchmarks"),
        [224..=239, ..] => Some("multicast"),
        [255, 255, 255, 255] => Some("broadcast"),
        [240..=255, ..] => Some("reserved"),
        _ => None,
    }
}

/// Every row of IANA's registry of special-purpose IPv6 addresses, and all that is no global unicast.
fn not_public_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let s = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        not_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("no address of a host"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("this machine"),
        // An IPv4 address in other clothes: mapped, translated, through NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0xfc00..=0xfdff, ..] => Some("private"),
        [0xfe80..=0xfebf, ..] => Some("link-local"),
        [0xfec0..=0xfeff, ..] => Some("site-local"),
        [0xff00..=0xffff, ..] => Some("multicast"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("kept for documentation"),
        [0x2001, 2, 0, ..] => Some("kept for benchmarks"),
        // 2001::/23, with Teredo, both ORCHIDs and drones; and the servers of AS112.
        [0x2001, 0..=0x1ff, ..] | [0x2620, 0x4f, 0x8000, ..] => Some("kept for protocols"),
        [0x2002, high, low, ..] if v4(high, low).is_some() => v4(high, low),
        // ISATAP.
        [0x2000..=0x3fff, _, _, _, 0 | 0x200, 0x5efe, high, low] => v4(high, low),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("reserved"),
    }
}

#[cfg(test)]
mod ranges;

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use super::*;

    /// Names and their addresses, which are told once each, in order.
    struct Told(Mutex<Vec<(&'static str, Vec<IpAddr>)>>);

    impl Resolve for Told {
        fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
            let mut told = self.0.lock().unwrap();
            let at = told.iter().position(|(name, _)| *name == host);
            let at = at.ok_or(io::ErrorKind::NotFound)?;
            Ok(told.remove(at).1.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
        }
    }

    fn guard(told: Vec<(&'static str, Vec<&str>)>) -> Guard {
        let ips = |ips: Vec<&str>| ips.into_iter().map(|ip| ip.parse().unwrap()).collect();
        let told = told.into_iter().map(|(name, all)| (name, ips(all))).collect();
        Guard::new(false, Arc::new(Told(Mutex::new(told))))
    }

    fn deadline() -> Deadline {
        let whole = Duration::from_secs(30);
        Deadline { at: Instant::now() + whole, whole }
    }

    /// Hosts that are not public, in every spelling.
    const PRIVATE: &[&str] = &[
        // Spellings of this machine.
        "127.0.0.1",
        "127.0.0.1.",
        "127.255.255.254",
        "127.1",
        "127.0.1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "0x7f.1",
        "0x7f000001",
        "0X7F.0.0.1",
        "0177.1",
        "%31%32%37.0.0.1",
        "127。0。0。1",
        "１２７.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "a.localhost.",
        "0",
        "0.0.0.0",
        "0.1.2.3",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        // Private, shared, link-local and metadata.
        "10.0.0.1",
        "10.255.255.255",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "0xc0a80101",
        "167772161",
        "100.64.0.1",
        "100.127.255.255",
        "169.254.169.254",
        "168.63.129.16",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[febf::1]",
        "[fec0::1]",
        // Kept for something.
        "192.0.0.1",
        "192.0.2.1",
        "198.51.100.7",
        "203.0.113.9",
        "198.18.0.1",
        "198.19.255.255",
        "192.88.99.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "[ff02::1]",
        "[2001:db8::1]",
        "[3fff::1]",
        "[2001:2::1]",
        "[100::1]",
        "[5f00::1]",
        "[4000::1]",
        // IPv4 in IPv6.
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:10.0.0.1]",
        "[::127.0.0.1]",
        "[::10.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::a00:1]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[2002:a00:1::1]",
        "[2002:c0a8:101::1]",
        "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
        "[2001:0:7f00:1::]",
        "[2606:4700::5efe:127.0.0.1]",
        "[2606:4700::200:5efe:10.0.0.1]",
    ];

    #[test]
    fn what_is_not_public_is_refused_in_every_spelling() {
        let guard = guard(Vec::new());
        for host in PRIVATE {
            let url =
                parse(&format!("http://{host}:8080/a")).unwrap_or_else(|e| panic!("{host}: {e}"));
            let error = guard.check(&url, deadline()).expect_err(host);
            assert_eq!(error.kind, ErrorKind::Forbidden, "{host}: {error}");
            assert!(error.message.contains("--allow-private-urls"), "{host}: {error}");
        }
        for host in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "[2606:4700::1111]",
            "[::ffff:8.8.8.8]",
            "[64:ff9b::8.8.8.8]",
            "[2002:808:808::1]",
        ] {
            let url = parse(&format!("https://{host}/")).unwrap();
            assert_eq!(guard.check(&url, deadline()).expect(host)[0].port(), 443);
        }
    }

    #[test]
    fn what_is_no_address_of_a_page_is_refused_without_its_secrets() {
        for text in [
            "",
            "example.org",
            "ftp://u:s3cret@example.org/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "http://",
            "http:///",
            "http://u:s3cret@",
            "gopher://a/?k=s3cret",
            "http://[fe80::1%25eth0]/",
            "http://[fe80::1%eth0]/",
            "http://a b/",
            "http://256.1.1.1/",
            "data:text/html,x",
            "http://u:s3cret@[::1/",
            "http://example.org:99999/",
            "https://ada@example.org/",
            "https://ada:s3cret@example.org/x?y",
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.kind, ErrorKind::InvalidValue, "{text}");
            assert!(error.message.starts_with("url "), "{error}");
            assert!(!error.message.contains("s3cret"), "{error}");
        }
        assert_eq!(
            parse(" https://Example.org/a b?c#d ").unwrap().as_str(),
            "https://example.org/a%20b?c"
        );
    }

    #[test]
    fn one_private_address_of_a_name_is_enough() {
        let guard = guard(vec![
            ("rebind.test", vec!["93.184.216.34", "10.0.0.7"]),
            ("mapped.test", vec!["::ffff:169.254.169.254"]),
            ("empty.test", vec![]),
            ("good.test", vec!["93.184.216.34", "2606:4700::1111"]),
        ]);
        let check = |url: &str| guard.check(&parse(url).unwrap(), deadline());
        let error = check("http://rebind.test/").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Forbidden);
        assert!(
            error.message.contains("rebind.test") && error.message.contains("10.0.0.7 is private"),
            "{error}"
        );
        assert_eq!(check("http://mapped.test/").unwrap_err().kind, ErrorKind::Forbidden);
        for unknown in ["http://empty.test/", "http://nowhere.test/"] {
            let error = check(unknown).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Outside);
            assert!(error.message.contains("is not known"), "{error}");
        }
        assert_eq!(check("http://good.test:81/").unwrap().len(), 2);
    }

    #[test]
    fn private_addresses_can_be_allowed_and_other_schemes_cannot() {
        let guard = Guard::new(true, Arc::new(SystemNames));
        for url in
            ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]/", "http://192.168.0.1/"]
        {
            guard.check(&parse(url).unwrap(), deadline()).expect(url);
        }
        assert!(parse("file:///etc/passwd").is_err());
    }

    #[test]
    fn a_name_that_nobody_answers_for_costs_the_time_of_the_call() {
        struct Stuck;
        impl Resolve for Stuck {
            fn addresses(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
                thread::sleep(Duration::from_secs(60));
                Ok(Vec::new())
            }
        }
        let whole = Duration::from_millis(50);
        let deadline = Deadline { at: Instant::now() + whole, whole };
        let guard = Guard::new(false, Arc::new(Stuck));
        let error = guard.check(&parse("http://slow.test/").unwrap(), deadline).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout);
        assert!(error.message.contains("slow.test"), "{error}");
    }
}
