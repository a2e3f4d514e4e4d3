//! Two resources of one's own beside the whole service: a thermometer in each chassis.
//!
//! ```text
//! cargo run -p redfish-server --example beside
//! curl -s -u admin:Warm-and-c0sy http://127.0.0.1:8000/redfish/v1/Chassis/vm-1/Sensors/Room
//! ```
//!
//! The chassis links to its sensors as soon as somebody serves them: links to what is not there are
//! taken out of every answer, so nothing else has to be told.

use std::sync::Arc;

use redfish_backend::MachineBackend;
use redfish_backend::MachineId;
use redfish_backend::mock::{MockBackend, MockConfig};
use redfish_model::sensor::{ReadingType, SensorPatch};
use redfish_model::{Number, Ref, Sensor, SensorCollection, SensorCollectionUri, SensorUri};
use redfish_server::api::sensor::{
    SensorApi, SensorCollectionApi, mount_sensor, mount_sensor_collection,
};
use redfish_server::assembly::Builder;
use redfish_server::operation::Kind;
use redfish_server::{Context, Error, Reply, Result, Scope};

/// The thermometers.
struct Thermometers(Arc<dyn MachineBackend>);

impl Thermometers {
    fn has(&self, scope: &Scope, chassis: &str) -> bool {
        let id = scope.machine(chassis).and_then(|id| MachineId::new(id).ok());
        id.is_some_and(|id| self.0.snapshot().get(&id).is_ok())
    }
}

impl SensorCollectionApi for Thermometers {
    fn exists(&self, scope: &Scope, uri: &SensorCollectionUri) -> bool {
        let SensorCollectionUri::ChassisSensors { chassis_id } = uri;
        self.has(scope, chassis_id)
    }

    async fn get(&self, _: &Context, uri: SensorCollectionUri) -> Result<SensorCollection> {
        let room = Ref::to(format!("{uri}/Room"));
        Ok(SensorCollection::new(&uri, "Sensors", vec![room]))
    }
}

impl SensorApi for Thermometers {
    fn exists(&self, scope: &Scope, uri: &SensorUri) -> bool {
        let SensorUri::ChassisSensors { chassis_id, sensor_id } = uri;
        sensor_id == "Room" && self.has(scope, chassis_id)
    }

    async fn get(&self, _: &Context, uri: SensorUri) -> Result<Sensor> {
        Ok(Sensor {
            reading: Number::from(21_i64).into(),
            reading_type: ReadingType::Temperature.into(),
            reading_units: "Cel".into(),
            ..Sensor::new(&uri, "Room", "Room temperature")
        })
    }

    async fn patch(&self, _: &Context, _: SensorUri, _: SensorPatch) -> Result<Reply<Sensor>> {
        Err(Error::method_not_allowed())
    }
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mock = MockBackend::start(MockConfig::default(), Arc::default()).await?;
    let machines: Arc<dyn MachineBackend> = Arc::new(mock);
    let thermometers = Arc::new(Thermometers(Arc::clone(&machines)));
    let bmc = Builder::new(machines)
        .mount(mount_sensor_collection(Arc::clone(&thermometers)))
        .mount(mount_sensor(thermometers).without(&[Kind::Patch]))
        .build()
        .await?;
    bmc.accounts.bootstrap(Some("Warm-and-c0sy".to_owned().into())).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    println!("http://{}/redfish/v1/", listener.local_addr()?);
    axum::serve(listener, bmc.service.clone().into_axum()).await?;
    Ok(())
}
