//! TLS, where a certificate is set up.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustls_pki_types::pem::{self, PemObject};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

use super::private::{self, Stamp, stamp};

/// The state of the two files.
type Stamps = [Option<Stamp>; 2];

/// A certificate and its key, ready to shake hands. New files are taken up without a restart.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    current: Mutex<Current>,
}

struct Current {
    stamps: Stamps,
    acceptor: TlsAcceptor,
    /// Why newer files are not taken up, which is said once.
    trouble: Option<String>,
}

impl Tls {
    /// Reads a certificate (with those that vouch for it) and its key, both PEM.
    pub fn load(certificate: &Path, key: &Path) -> io::Result<Self> {
        let stamps = stamps(certificate, key);
        let acceptor = acceptor(certificate, key)?;
        if private::is_shown(key) {
            let key = key.display();
            tracing::warn!(
                "{key} can be read by others, and with it what is said here; chmod 600 it"
            );
        }
        let current = Mutex::new(Current { stamps, acceptor, trouble: None });
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    /// Shakes hands.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let acceptor = self.now();
        acceptor.accept(stream).await
    }

    /// The certificate as it is now. Until the two files fit each other the one before serves.
    fn now(&self) -> TlsAcceptor {
        let stamps = stamps(&self.certificate, &self.key);
        let mut current = self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if current.stamps != stamps {
            match acceptor(&self.certificate, &self.key) {
                Ok(acceptor) => *current = Current { stamps, acceptor, trouble: None },
                // It is tried again: what is in the way may not be in the files.
                Err(why) => {
                    let why = why.to_string();
                    if current.trouble.as_ref() != Some(&why) {
                        tracing::warn!("the certificate before goes on to serve: {why}");
                        current.trouble = Some(why);
                    }
                }
            }
        }
        current.acceptor.clone()
    }
}

fn stamps(certificate: &Path, key: &Path) -> Stamps {
    [certificate, key].map(stamp)
}

/// Whether a file has a key that is encrypted, in either of the two ways.
fn is_encrypted(key: &Path) -> bool {
    fs::read_to_string(key).is_ok_and(|text| {
        text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
    })
}

fn acceptor(certificate: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    let wrong = |path: &Path, why: pem::Error| {
        let text = format!("{}: {why}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let read = CertificateDer::pem_file_iter(certificate);
    let chain = read.and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|why| wrong(certificate, why))?;
    if chain.is_empty() {
        let text = format!("{}: there is no certificate in it", certificate.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| match is_encrypted(key) {
        true => {
            let key = key.display();
            let text =
                format!("{key}: it is encrypted; openssl pkey -in {key} -out PLAIN decrypts it");
            io::Error::new(io::ErrorKind::InvalidData, text)
        }
        false if matches!(why, pem::Error::NoItemsFound) => {
            let text = format!("{}: there is no private key in it", key.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        }
        false => wrong(key, why),
    })?;
    let unfit = |why| {
        let why = match why {
            rustls::Error::InconsistentKeys(_) => "the key is not this certificate's".to_owned(),
            why => why.to_string(),
        };
        let text = format!("{} and {}: {why}", certificate.display(), key.display());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unfit)?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(unfit)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
