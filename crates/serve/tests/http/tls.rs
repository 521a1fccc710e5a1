//! TLS, on real sockets.

use super::*;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Files for a certificate and its key.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn load(&self) -> std::io::Result<Tls> {
        Tls::load(&self.0.path().join("cert.pem"), &self.0.path().join("key.pem"))
    }

    /// Puts a new certificate for this machine there; a client that trusts it alone.
    fn renew(&self) -> TlsConnector {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        self.put("cert.pem", &made.cert.pem());
        self.put("key.pem", &made.signing_key.serialize_pem());
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        TlsConnector::from(Arc::new(config))
    }

    fn put(&self, name: &str, text: &str) {
        let new = tempfile::NamedTempFile::new_in(self.0.path()).unwrap();
        std::fs::write(new.path(), text).unwrap();
        new.persist(self.0.path().join(name)).unwrap();
    }
}

async fn shake(running: &Running, connector: &TlsConnector) -> TlsStream<TcpStream> {
    let name = "localhost".try_into().unwrap();
    connector.connect(name, running.connect().await).await.unwrap()
}

#[tokio::test]
async fn who_speaks_tls_is_answered_and_who_does_not_is_cut_off() {
    let files = Files::new();
    let connector = files.renew();
    let server = server(CallLimits::default(), Mood::Opens);
    let running = start_with(server, short(), Some(files.load().unwrap())).await;
    let mut stream = shake(&running, &connector).await;
    assert_eq!(ask(&mut stream, &posted("ada", "", &list())).await.status, 200);
    let mut plain = running.connect().await;
    plain.write_all(&posted("ada", "", &list())).await.unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said).await;
    assert!(!said.starts_with(b"HTTP"), "nothing is said in plain text");
    closed(&mut running.connect().await).await;
    let mut stream = shake(&running, &connector).await;
    assert_eq!(ask(&mut stream, &posted("ada", "", &list())).await.status, 200);
}

#[tokio::test]
async fn a_new_certificate_is_taken_up_when_it_is_whole() {
    let files = Files::new();
    let old = files.renew();
    let server = server(CallLimits::default(), Mood::Opens);
    let limits = Limits::default();
    let running = start_with(server, limits, Some(files.load().unwrap())).await;
    shake(&running, &old).await;
    let key = std::fs::read_to_string(files.0.path().join("key.pem")).unwrap();
    let new = files.renew();
    shake(&running, &new).await;
    files.put("key.pem", &key);
    assert!(files.load().is_err(), "the key is another certificate's");
    shake(&running, &new).await;
}

#[test]
fn a_key_that_is_encrypted_is_told_from_none() {
    let files = Files::new();
    let _ = files.renew();
    for text in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
    ] {
        files.put("key.pem", text);
        let why = files.load().err().unwrap().to_string();
        assert!(why.contains("it is encrypted"), "{why}");
    }
}
