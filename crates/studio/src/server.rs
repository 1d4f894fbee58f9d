//! The server: one thread for each connection, and a limit on their number.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::http::Client;
use crate::jobs::Jobs;
use crate::named::{Named, OpenError};
use crate::routes::{self, Session};
use crate::token::Token;

/// The number of connections that are served at the same time; others are closed at once.
const CONNECTIONS: usize = 32;
/// The pause after an error of the system, so that a lasting one does not keep a processor busy.
const PAUSE: Duration = Duration::from_millis(50);

/// The reason why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// The file cannot be opened.
    #[error(transparent)]
    File(#[from] OpenError),
    /// The port is not free.
    #[error("cannot listen on port {port} of 127.0.0.1: {cause}")]
    Port {
        /// The port; 0 stands for any.
        port: u16,
        /// The system's error.
        cause: std::io::Error,
    },
    /// There is no random number, or no folder for temporary files.
    #[error("cannot set up: {0}")]
    Setup(std::io::Error),
}

/// A server that listens, and answers from [`Studio::serve`] on.
pub struct Studio {
    listener: TcpListener,
    session: Arc<Session>,
    stopper: Stopper,
}

/// Ends a server from another thread.
#[derive(Clone)]
pub struct Stopper {
    address: SocketAddr,
    is_stopped: Arc<AtomicBool>,
}

impl Studio {
    /// Opens a file and listens on a port of 127.0.0.1, or on a free one for 0. `program` is the
    /// `halidom` binary, which runs the proofs.
    pub fn open(file: &Path, program: PathBuf, port: u16) -> Result<Self, StudioError> {
        let file = Named::open(file)?;
        let bound = |cause| StudioError::Port { port, cause };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        let session = Session {
            token: Token::new().map_err(StudioError::Setup)?,
            port: address.port(),
            file,
            jobs: Jobs::new(program).map_err(StudioError::Setup)?,
            saving: Mutex::new(()),
            looking: Mutex::new(()),
        };
        let stopper = Stopper { address, is_stopped: Arc::default() };
        Ok(Self { listener, session: Arc::new(session), stopper })
    }

    /// The address of the page, with the token.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.session.port, self.session.token.text())
    }

    /// A handle that ends the server.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Answers until the server is stopped. Then ends the proofs with all their processes.
    pub fn serve(self) {
        let active = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            if self.stopper.is_stopped.load(Ordering::SeqCst) {
                break;
            }
            match stream {
                Ok(stream) => self.connected(stream, &active),
                Err(_) => thread::sleep(PAUSE),
            }
        }
        self.session.jobs.end();
    }

    fn connected(&self, stream: TcpStream, active: &Arc<AtomicUsize>) {
        let place = Place::take(active);
        let Some(place) = place else { return };
        let session = Arc::clone(&self.session);
        // If there is no thread, the connection is closed.
        let _ = thread::Builder::new().spawn(move || {
            let mut client = Client::new(stream);
            let answer = routes::answer(&session, &mut client);
            client.answer(&answer);
            drop(place);
        });
    }
}

impl Stopper {
    /// Ends the server.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        // A connection wakes the server, which waits for one.
        let _ = TcpStream::connect(self.address);
    }
}

/// One of the places for connections, which is free again when this is dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(active: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(active));
        (active.fetch_add(1, Ordering::SeqCst) < CONNECTIONS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
