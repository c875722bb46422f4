//! The line between a client and a server, which the test cuts or leads elsewhere.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// Whoever connects here is connected to a server.
pub(crate) struct Line {
    address: SocketAddr,
    target: Arc<Mutex<SocketAddr>>,
    connections: Arc<Mutex<Vec<AbortHandle>>>,
}

impl Line {
    pub(crate) async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let line = Self {
            address: listener.local_addr().unwrap(),
            target: Arc::new(Mutex::new(target)),
            connections: Arc::default(),
        };
        let (target, connections) = (Arc::clone(&line.target), Arc::clone(&line.connections));
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let target = *target.lock().unwrap();
                let copying = tokio::spawn(async move {
                    if let Ok(mut far) = TcpStream::connect(target).await {
                        let _ = copy_bidirectional(&mut near, &mut far).await;
                    }
                });
                connections.lock().unwrap().push(copying.abort_handle());
            }
        });
        line
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Ends all connections, as a network does.
    pub(crate) fn cut(&self) {
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.abort();
        }
    }

    /// Cuts them, and new ones go to another server.
    pub(crate) fn lead_to(&self, target: SocketAddr) {
        *self.target.lock().unwrap() = target;
        self.cut();
    }
}
