//! TLS, where a certificate is set up.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::pem::{self, PemObject};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::server::TlsStream;

/// A certificate and its key, ready to shake hands.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl Tls {
    /// Reads a certificate (with those that vouch for it) and its key, both PEM.
    pub fn load(certificate: &Path, key: &Path) -> io::Result<Self> {
        let wrong = |path: &Path, why: pem::Error| {
            let text = format!("{}: {why}", path.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        let read = CertificateDer::pem_file_iter(certificate);
        let chain = read.and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let chain = chain.map_err(|why| wrong(certificate, why))?;
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| wrong(key, why))?;
        let unfit = |why| {
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
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Shakes hands.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}
