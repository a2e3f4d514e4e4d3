//! `Processor`: one for each socket.

use redfish_backend::machine::{Machine, Processors};
use redfish_model::processor::{
    InstructionSet, Links, ProcessorArchitecture, ProcessorPatch, ProcessorType, ResetRequest,
};
use redfish_model::{Processor, ProcessorCollection, ProcessorCollectionUri, ProcessorUri, Ref};

use super::seen::{members, number};
use super::system::known;
use super::{Seen, VirtualBmc, status};
use crate::api::processor::{ProcessorApi, ProcessorCollectionApi};
use crate::context::{Context, Scope};
use crate::error::{Error, Result};
use crate::mount::Reply;

/// How many sockets are shown: the number comes from a VM object.
const MOST: u32 = 512;

/// The processor of a socket, `CPU1` and so on.
fn processor(seen: &Seen<'_>, id: &str) -> Option<Processor> {
    let processors = find(seen.machine, id)?;
    let threads = u64::from(processors.cores) * u64::from(processors.threads);
    let (architecture, instructions) = processors
        .architecture
        .as_ref()
        .map_or((None, None), |architecture| architecture_of(architecture.as_str()));
    Some(Processor {
        instruction_set: instructions.into(),
        links: Links { chassis: Ref::to(seen.chassis()).into(), ..Links::default() }.into(),
        model: known(processors.model.as_ref()),
        processor_architecture: architecture.into(),
        processor_type: ProcessorType::CPU.into(),
        socket: id.into(),
        status: status::enabled().into(),
        total_cores: number(processors.cores).into(),
        total_threads: number(threads).into(),
        ..Processor::new(seen.below_system(&format!("Processors/{id}")), id, id)
    })
}

fn collection(seen: &Seen<'_>) -> Option<ProcessorCollection> {
    let uri = seen.below_system("Processors");
    let sockets = seen.machine.inventory.processors.as_ref()?.sockets;
    let ids = (1..=sockets.min(MOST)).map(|socket| format!("CPU{socket}"));
    Some(ProcessorCollection::new(uri.clone(), "Processors", members(&uri, ids)))
}

fn find<'a>(machine: &'a Machine, id: &str) -> Option<&'a Processors> {
    let processors = machine.inventory.processors.as_ref()?;
    let digits = id.strip_prefix("CPU")?;
    let socket: u32 = digits.parse().ok()?;
    let there = (1..=processors.sockets.min(MOST)).contains(&socket);
    // One URI for each: not CPU01, and not CPU+1.
    (there && socket.to_string() == digits).then_some(processors)
}

/// Architecture and instruction set, from what hypervisors call them.
fn architecture_of(word: &str) -> (Option<ProcessorArchitecture>, Option<InstructionSet>) {
    use ProcessorArchitecture as A;
    let (architecture, instructions) = match word {
        "amd64" | "x86_64" | "x86-64" => (A::X86, Some(InstructionSet::X86_64)),
        "i386" | "i486" | "i586" | "i686" | "x86" => (A::X86, Some(InstructionSet::X86)),
        "arm64" | "aarch64" => (A::ARM, Some(InstructionSet::ARMA64)),
        "arm" | "armv7" | "armv7l" => (A::ARM, Some(InstructionSet::ARMA32)),
        "ppc64" | "ppc64le" => (A::Power, Some(InstructionSet::PowerISA)),
        "riscv64" => (A::RISCV, Some(InstructionSet::RV64)),
        "s390x" => (A::OEM, Some(InstructionSet::OEM)),
        _ => return (None, None),
    };
    (Some(architecture), instructions)
}

impl ProcessorApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ProcessorUri) -> bool {
        let ProcessorUri::SystemsProcessors { computer_system_id, processor_id } = uri;
        self.has(scope, computer_system_id, |machine| find(machine, processor_id).is_some())
    }

    async fn get(&self, cx: &Context, uri: ProcessorUri) -> Result<Processor> {
        let ProcessorUri::SystemsProcessors { computer_system_id, processor_id } = &uri;
        self.look(cx, computer_system_id, &uri, |seen| processor(seen, processor_id))
    }

    /// Not mounted.
    async fn patch(
        &self,
        _: &Context,
        _: ProcessorUri,
        _: ProcessorPatch,
    ) -> Result<Reply<Processor>> {
        Err(Error::method_not_allowed())
    }

    /// Not mounted.
    async fn reset(&self, _: &Context, _: ProcessorUri, _: ResetRequest) -> Result<Reply<()>> {
        Err(Error::method_not_allowed())
    }
}

impl ProcessorCollectionApi for VirtualBmc {
    fn exists(&self, scope: &Scope, uri: &ProcessorCollectionUri) -> bool {
        let ProcessorCollectionUri::SystemsProcessors { computer_system_id } = uri;
        self.has(scope, computer_system_id, |machine| machine.inventory.processors.is_some())
    }

    async fn get(&self, cx: &Context, uri: ProcessorCollectionUri) -> Result<ProcessorCollection> {
        let ProcessorCollectionUri::SystemsProcessors { computer_system_id } = &uri;
        self.look(cx, computer_system_id, &uri, collection)
    }
}
