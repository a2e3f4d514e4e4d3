//! Files that changed are taken up while the service runs; what is wrong in them leaves things as
//! they were, and says so.
//!
//! Accounts and certificates are taken up. What needs other listeners, another backend or another
//! state folder needs another start, and the log says that as well.

use std::path::PathBuf;
use std::sync::Arc;

use redfish_server::accounts::Accounts;
use redfish_server::admin::Metrics;
use redfish_server::audit::Audit;
use redfish_server::config::{Cli, Config, Watched};
use redfish_server::tls::{self, Certificates};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::{Failure, accounts};

/// What can be changed while the service runs.
pub(super) struct Reloading {
    pub(super) cli: Cli,
    pub(super) config: Config,
    pub(super) accounts: Arc<Accounts>,
    pub(super) certificates: Option<Arc<Certificates>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) audit: Option<Arc<Audit>>,
}

impl Reloading {
    /// Watches files and SIGHUP until it is dropped.
    pub(super) async fn run(mut self) {
        let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
        let mut watched = Watched::new(self.files());
        loop {
            tokio::select! {
                changed = watched.changed() => {
                    tracing::info!(files = ?changed, "files changed");
                }
                _ = hangup.recv() => {
                    tracing::info!("asked to reload");
                    if let Some(audit) = &self.audit {
                        audit.reopen();
                    }
                }
            }
            let outcome = self.reload().await;
            let ok = outcome.is_ok();
            if let Err(failure) = outcome {
                tracing::error!(error = %failure, "reload refused; everything stays as it was");
                self.metrics.reload_failures.inc();
            }
            if let Some(audit) = &self.audit {
                audit.record("reload", json!({ "ok": ok }));
            }
            watched = Watched::new(self.files());
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        let tls = [&self.config.tls.certificate, &self.config.tls.key].into_iter().flatten();
        let files = self.cli.config.iter().chain(tls).cloned();
        files.chain(accounts::files(&self.config)).collect()
    }

    /// All or nothing: whatever can be wrong is looked at first.
    async fn reload(&mut self) -> Result<(), Failure> {
        let config = Config::load(&self.cli)?;
        let configured = accounts::configured(&config)?;
        self.accounts.check_configured(&configured).map_err(|error| Failure::config(&error))?;
        let key = match (&config.tls.certificate, &config.tls.key) {
            (Some(certificate), Some(key)) => {
                Some(tls::read(certificate, key).map_err(|error| Failure::config(&error))?)
            }
            _ => None,
        };
        self.accounts.configure(configured).await.map_err(|error| Failure::other(&error))?;
        if let (Some(certificates), Some(key)) = (&self.certificates, key) {
            certificates.replace(key.into(), []);
        }
        if config.listen != self.config.listen || config.state_dir != self.config.state_dir {
            tracing::warn!("other listeners and another state folder need another start");
        }
        self.config = config;
        Ok(())
    }
}
