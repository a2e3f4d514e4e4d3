//go:build redfish

package main

import (
	"github.com/stmcginnis/gofish"
	"github.com/stmcginnis/gofish/redfish"
)

type (
	system  = redfish.ComputerSystem
	slot    = redfish.VirtualMedia
	account = redfish.ManagerAccount
)

func reset(system *system, kind string) error {
	return system.Reset(redfish.ResetType(kind))
}

func setBoot(system *system, target, enabled string) error {
	return system.SetBoot(redfish.Boot{
		BootSourceOverrideTarget:  redfish.BootSourceOverrideTarget(target),
		BootSourceOverrideEnabled: redfish.BootSourceOverrideEnabled(enabled),
	})
}

func insert(slot *slot, image string) error { return slot.InsertMedia(image, true, true) }

func eject(slot *slot) error { return slot.EjectMedia() }

func readSlot(client *gofish.APIClient, uri string) (*slot, error) {
	return redfish.GetVirtualMedia(client, uri)
}

func simpleStorage(system *system) (int, error) {
	all, err := system.SimpleStorages()
	return len(all), err
}

func memoryMiB(system *system) int {
	return int(system.MemorySummary.TotalSystemMemoryGiB * 1024)
}

func tasks(client *gofish.APIClient) (int, error) {
	all, err := client.Service.Tasks()
	return len(all), err
}

func subscribe(service *redfish.EventService, sink string) (string, error) {
	return service.CreateEventSubscription(
		sink, []redfish.EventType{redfish.AlertEventType}, map[string]string{"X-Suite": "interop"},
		redfish.RedfishEventDestinationProtocol, "interop", nil)
}
