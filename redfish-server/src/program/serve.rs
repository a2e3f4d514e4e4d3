//! Serving: everything that is configured, until a signal says to stop.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use redfish_server::accounts::{self as domain, Bootstrap};
use redfish_server::admin::{self, Metrics, Ready};
use redfish_server::assembly::{self, Bmc, Builder};
use redfish_server::audit::Audit;
use redfish_server::bmc;
use redfish_server::config::{Cli, Config, ConfigError};
use redfish_server::listen::{self, Limits, Listener, Settings};
use redfish_server::services::network_protocol::{self, Network};
use redfish_server::services::root::Identity;
use redfish_server::services::{registries, tasks};
use redfish_server::ssdp;
use redfish_server::tls::{self, Certificates, self_signed};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::backends::{self, Started};
use super::endpoints::Endpoints;
use super::{Failure, accounts, causes, commands, endpoints, interfaces, logs, reload, state};

/// Serves until SIGTERM or SIGINT.
pub(super) async fn run(cli: &Cli, config: Config) -> Result<ExitCode, Failure> {
    logs::begin(&config.log)?;
    let (folder, store) = state::open(&config).await?;
    let metrics = Arc::new(Metrics::new());
    let audit = config.audit.file.as_deref().map(audit).transpose()?;
    let addresses = endpoints::addresses(&config);
    let listeners = listen::bind(&addresses).map_err(|error| Failure::other(&error))?;
    let bound: Vec<_> = listeners.iter().map(Listener::address).collect();
    let certificates = match config.http {
        true => None,
        false => Some(certificates(&config, &folder, &bound)?),
    };
    let Started { backend, control } = backends::start(&config).await?;

    let mut accounts_config = domain::Config::default();
    accounts_config.max_sessions = config.limits.sessions;
    accounts_config.max_sessions_per_account = config.limits.sessions_per_account;
    let mut machines = bmc::Settings::default();
    machines.media_wait = config.media.wait.get();
    machines.vendor.clone_from(&config.service.vendor);
    machines.network.host_name = self_signed::machine_name();
    machines.network.interfaces = interfaces::reaching(&bound);
    let uuid = match &config.service.uuid {
        Some(uuid) => uuid.clone(),
        None => assembly::service_uuid(&*store).await.map_err(|error| Failure::other(&error))?,
    };
    let switches = network_protocol::Options { ssdp: config.ssdp.enabled };
    let network = network_protocol::Settings::open(Arc::clone(&store), switches).await;
    let network = network.map_err(|error| Failure::other(&error))?;
    tokio::spawn(discovery(&config, uuid.clone(), &bound, &network));
    let (vendor, product) = (config.service.vendor.clone(), config.service.product.clone());
    let mut builder = Builder::new(Arc::clone(&backend))
        .store(store)
        .accounts(accounts_config)
        .machines(machines)
        .outbound(backends::outbound(&config))
        .tasks(task_limits(&config))
        .identity(Identity { uuid, vendor, product })
        .listeners(presented(certificates.clone()), reached(&config, &bound))
        .network_settings(network)
        .observer(Arc::clone(&metrics) as _);
    if let Some(path) = &config.registries.path {
        let files = registries::load(path).map_err(|error| Failure::config(&error))?;
        builder = builder.registries(files);
    }
    #[cfg(feature = "swagger-ui")]
    {
        let pages = redfish_server::services::documents::swagger_ui();
        let pages = pages.map_err(|error| Failure::other(&error))?;
        builder = pages.into_iter().fold(builder, Builder::page);
    }
    if let Some(audit) = &audit {
        builder = builder.observer(Arc::clone(audit) as _);
    }
    let bmc = builder.build().await.map_err(|error| Failure::other(&error))?;
    first_account(&bmc, &config).await?;

    let (stop, stopped) = watch::channel(false);
    let ready: Ready = {
        let backend = Arc::clone(&backend);
        Arc::new(move || assembly::readiness(&*backend))
    };
    let (admin, admin_at) = admin_listeners(&config).await?;
    let mut app = admin::app(Arc::clone(&metrics), ready);
    if let Some(control) = control {
        app = app.merge(control);
    }
    for listener in admin {
        let (app, stopped) = (app.clone(), stopped.clone());
        tokio::spawn(async move {
            if let Err(error) = admin::serve(listener, app, ended(stopped)).await {
                tracing::error!(%error, "the admin listener ended");
            }
        });
    }

    let announcement = announcement(&config, &bound, folder.path(), &admin_at);
    println!("{announcement}");
    if let Some(file) = config.ready_file.clone() {
        let backend = Arc::clone(&backend);
        tokio::spawn(async move {
            if commands::known(&*backend).await.is_ok()
                && let Err(error) = std::fs::write(&file, format!("{announcement}\n"))
            {
                tracing::error!(%error, file = %file.display(), "the ready file can't be written");
            }
        });
    }
    tracing::info!(listeners = ?bound, "serving");
    let reloading = reload::Reloading {
        cli: cli.clone(),
        config: config.clone(),
        accounts: Arc::clone(&bmc.accounts),
        certificates: certificates.clone(),
        metrics: Arc::clone(&metrics),
        audit: audit.clone(),
    };
    tokio::spawn(reloading.run());
    tokio::spawn(async move {
        signalled().await;
        let _ = stop.send(true);
    });

    let listeners = match &certificates {
        None => listeners,
        Some(certificates) => {
            let tls = tls::server_config(Arc::clone(certificates));
            let tls = tls.map_err(|error| Failure::other(&error))?;
            listeners.into_iter().map(|listener| listener.with_tls(Arc::clone(&tls))).collect()
        }
    };
    let service = Arc::new(Endpoints::new(Arc::clone(&bmc.service), &config));
    let cut = listen::serve(listeners, service, settings(&config, metrics), ended(stopped)).await;
    if cut > 0 {
        tracing::warn!(connections = cut, "closed while they were still in use");
    }
    bmc.close().await;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn task_limits(config: &Config) -> tasks::Limits {
    let minutes = config.limits.task_expiry.get().as_secs().div_ceil(60);
    tasks::Limits {
        tasks: config.limits.tasks,
        tasks_per_account: config.limits.tasks_per_account,
        minutes: u32::try_from(minutes).unwrap_or(u32::MAX),
        ..tasks::Limits::default()
    }
}

fn settings(config: &Config, metrics: Arc<Metrics>) -> Settings {
    let mut limits = Limits::default();
    limits.connections = config.limits.connections;
    limits.connections_per_address = config.limits.connections_per_address;
    limits.requests = config.limits.requests;
    limits.header_bytes = usize::try_from(config.limits.head.get()).unwrap_or(usize::MAX);
    limits.headers = config.limits.headers;
    limits.write = config.limits.write_timeout.get();
    limits.handshake = config.limits.head_timeout.get();
    limits.header = config.limits.head_timeout.get();
    limits.idle = config.limits.idle_timeout.get();
    limits.drain = config.limits.drain.get();
    let mut settings = Settings::default();
    settings.limits = limits;
    settings.trusted_proxies = config.trusted_proxies.iter().map(|network| network.0).collect();
    settings.metrics = metrics;
    settings
}

fn audit(path: &Path) -> Result<Arc<Audit>, Failure> {
    let opened = Audit::to(path).map(Arc::new);
    let named = |error| ConfigError::of("audit.file", format!("{}: {error}", path.display()));
    Ok(opened.map_err(named)?)
}

/// The certificate of the operator, or one of our own.
fn certificates(
    config: &Config,
    folder: &redfish_server::store::Folder,
    bound: &[std::net::SocketAddr],
) -> Result<Arc<Certificates>, Failure> {
    let key = match (&config.tls.certificate, &config.tls.key) {
        (Some(certificate), Some(key)) => {
            tls::read(certificate, key).map_err(|error| Failure::config(&error))?.into()
        }
        _ => {
            let names = self_signed::names(bound, &config.tls.hosts);
            self_signed::ensure(folder.path(), &names, jiff::Timestamp::now())
                .map_err(|error| Failure::other(&error))?
        }
    };
    Ok(Arc::new(Certificates::new(key)))
}

/// The certificate that the listeners present, as the service shows it.
fn presented(
    certificates: Option<Arc<Certificates>>,
) -> redfish_server::services::certificates::Current {
    Arc::new(move || {
        let key = certificates.as_ref()?.default_certificate();
        tls::CertificateDetails::of(key.cert.first()?).ok().map(Arc::new)
    })
}

/// How the service is reached.
fn reached(
    config: &Config,
    bound: &[std::net::SocketAddr],
) -> redfish_server::services::network_protocol::Current {
    let port = bound.first().map(std::net::SocketAddr::port);
    let mut network = Network::default();
    match config.http {
        true => network.http = port,
        false => network.https = port,
    }
    network.host_name = tls::self_signed::machine_name();
    network.fqdn = qualified(&config.tls.hosts, network.host_name.as_deref());
    Arc::new(move || network.clone())
}

/// The first name with a domain among those that the certificate is for, else the host's if it has one.
fn qualified(hosts: &[String], host_name: Option<&str>) -> Option<String> {
    let is_name = |name: &&str| {
        let wild = name.contains('*');
        name.contains('.') && !wild && name.parse::<std::net::IpAddr>().is_err()
    };
    hosts.iter().map(String::as_str).chain(host_name).find(is_name).map(str::to_owned)
}

/// Answers searches while that is switched on.
fn discovery(
    config: &Config,
    uuid: String,
    bound: &[std::net::SocketAddr],
    settings: &network_protocol::Settings,
) -> impl Future<Output = ()> + use<> {
    let scheme = if config.http { "http" } else { "https" };
    let listeners = bound.to_vec();
    let found = ssdp::Found { uuid, scheme, listeners, networks: interfaces::networks() };
    ssdp::Responder::new(found).run(settings.watch())
}

/// Accounts of the configuration, and the first one where there is none.
async fn first_account(bmc: &Bmc, config: &Config) -> Result<(), Failure> {
    let configured = accounts::configured(config)?;
    bmc.accounts.check_configured(&configured).map_err(|error| Failure::config(&error))?;
    bmc.accounts.configure(configured).await.map_err(|error| Failure::other(&error))?;
    let given = std::env::var("REDFISH_ADMIN_PASSWORD").ok().filter(|given| !given.is_empty());
    let made =
        bmc.accounts.bootstrap(given.map(Into::into)).await.map_err(|error| {
            Failure::Config(format!("REDFISH_ADMIN_PASSWORD: {}", causes(&error)))
        })?;
    if let Bootstrap::Created { user_name, password: Some(password) } = made {
        // The only time that it is known.
        eprintln!("Account {user_name}, password {}", password.expose());
    }
    Ok(())
}

async fn admin_listeners(
    config: &Config,
) -> Result<(Vec<tokio::net::TcpListener>, Vec<String>), Failure> {
    let (mut listeners, mut urls) = (Vec::new(), Vec::new());
    for address in &config.admin.listen {
        let bound = tokio::net::TcpListener::bind(address).await;
        let named = |error| Failure::Other(format!("Can't listen on {address}: {error}"));
        let listener = bound.map_err(named)?;
        urls.extend(listener.local_addr().ok().map(|address| format!("http://{address}")));
        listeners.push(listener);
    }
    Ok((listeners, urls))
}

/// One line of JSON about where the service is.
fn announcement(
    config: &Config,
    bound: &[std::net::SocketAddr],
    folder: &Path,
    admin: &[String],
) -> serde_json::Value {
    let scheme = if config.http { "http" } else { "https" };
    let urls: Vec<_> =
        bound.iter().map(|address| format!("{scheme}://{address}/redfish/v1/")).collect();
    let ca: Option<PathBuf> = match (config.http, &config.tls.certificate) {
        (true, _) => None,
        (false, Some(certificate)) => Some(certificate.clone()),
        (false, None) => Some(self_signed::certificate_file(folder)),
    };
    json!({ "url": urls.first(), "urls": urls, "ca": ca, "admin": admin.first() })
}

/// Waits for a signal to end.
async fn signalled() {
    let (Ok(mut term), Ok(mut int)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

async fn ended(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
