//! `resources/list`, `resources/templates/list` and `resources/read`.

use mcp_core::protocol::{ReadResourceResult, Resource, ResourceTemplate};

use crate::arguments;
use crate::client::Client;
use crate::error::Error;
use crate::list;
use crate::options::CallOptions;
use crate::session::{Call, Round, Session};

pub(crate) const READ: &str = "resources/read";

impl Client {
    /// All resources of the server, from all pages. One that cannot be read is left out and logged.
    ///
    /// # Errors
    ///
    /// [`Error::EndlessList`] if the pages form a circle; otherwise what went wrong with a request.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, Error> {
        list::items(self, "resources/list", "resources").await
    }

    /// All resource templates of the server, from all pages. [`expand`](crate::expand) makes a URI of
    /// one.
    ///
    /// # Errors
    ///
    /// As [`list_resources`](Self::list_resources).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, Error> {
        list::items(self, "resources/templates/list", "resourceTemplates").await
    }

    /// Reads a resource and goes through all rounds: questions go to the handlers that the builder was
    /// given.
    ///
    /// Contents are text or bytes, as the server sent them: bytes are never taken for text.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for contents in client.read_resource("file:///project/logo").await?.contents {
    ///     match contents.text() {
    ///         Some(text) => println!("{text}"),
    ///         None => println!("{} bytes", contents.bytes()?.len()),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ResourceNotFound`] if there is none of this URI; otherwise every way in which there is no
    /// result.
    pub async fn read_resource(&self, uri: impl Into<String>) -> Result<ReadResourceResult, Error> {
        self.read_resource_with(uri, CallOptions::new()).await
    }

    /// Like [`read_resource`](Self::read_resource), with limits and handlers for this call alone.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn read_resource_with(
        &self,
        uri: impl Into<String>,
        options: CallOptions,
    ) -> Result<ReadResourceResult, Error> {
        self.finish(read(uri.into()), options).await
    }
}

impl Session {
    /// Sends the first request for a resource; see [`Client::read_resource`].
    ///
    /// # Errors
    ///
    /// What went wrong with this one request.
    pub async fn read_resource(
        &self,
        uri: impl Into<String>,
    ) -> Result<Round<ReadResourceResult>, Error> {
        let step = self.first(read(uri.into())).await?;
        self.round(READ, step)
    }
}

fn read(uri: String) -> Call {
    let fields = vec![arguments::text("uri", &uri)];
    Call::new(READ, uri, fields)
}
