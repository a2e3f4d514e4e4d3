//go:build schemas

package main

import (
	"github.com/stmcginnis/gofish"
	"github.com/stmcginnis/gofish/schemas"
)

type (
	system  = schemas.ComputerSystem
	slot    = schemas.VirtualMedia
	account = schemas.ManagerAccount
)

func reset(system *system, kind string) error {
	_, err := system.Reset(schemas.ResetType(kind))
	return err
}

// As this release's own users do it: the whole Boot object goes back, annotations in it included.
func setBoot(system *system, target, enabled string) error {
	boot := system.Boot
	boot.BootSourceOverrideTarget = schemas.BootSource(target)
	boot.BootSourceOverrideEnabled = schemas.BootSourceOverrideEnabled(enabled)
	return system.SetBoot(&schemas.Boot{
		BootSourceOverrideTarget:                boot.BootSourceOverrideTarget,
		BootSourceOverrideEnabled:               boot.BootSourceOverrideEnabled,
		AllowableBootSourceOverrideTargetValues: boot.AllowableBootSourceOverrideTargetValues,
	})
}

func insert(slot *slot, image string) error {
	yes := true
	_, err := slot.InsertMedia(&schemas.VirtualMediaInsertMediaParameters{
		Image: image, Inserted: &yes, WriteProtected: &yes,
	})
	return err
}

func eject(slot *slot) error {
	_, err := slot.EjectMedia()
	return err
}

func readSlot(client *gofish.APIClient, uri string) (*slot, error) {
	return schemas.GetVirtualMedia(client, uri)
}

func simpleStorage(system *system) (int, error) {
	all, err := system.SimpleStorage()
	return len(all), err
}

func memoryMiB(system *system) int {
	if size := system.MemorySummary.TotalSystemMemoryGiB; size != nil {
		return int(*size * 1024)
	}
	return 0
}

func tasks(client *gofish.APIClient) (int, error) {
	service, err := client.Service.Tasks()
	if err != nil {
		return 0, err
	}
	all, err := service.Tasks()
	return len(all), err
}

func subscribe(service *schemas.EventService, sink string) (string, error) {
	return service.CreateEventSubscription(
		sink, []schemas.EventType{schemas.AlertEventType}, map[string]string{"X-Suite": "interop"},
		schemas.RedfishEventDestinationProtocol, "interop", nil)
}
