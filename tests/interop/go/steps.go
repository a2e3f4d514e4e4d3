package main

import (
	"errors"
	"fmt"

	"github.com/stmcginnis/gofish"
)

func lists(client *gofish.APIClient) {
	step("systems", func() (any, error) {
		systems, err := client.Service.Systems()
		found := map[string]string{}
		for _, each := range systems {
			found[each.ID] = fmt.Sprint(each.PowerState)
		}
		return found, err
	})
	step("managers", func() (any, error) {
		managers, err := client.Service.Managers()
		found := []string{}
		for _, each := range managers {
			found = append(found, each.ID)
		}
		return found, err
	})
	step("chassis", func() (any, error) {
		chassis, err := client.Service.Chassis()
		found := []string{}
		for _, each := range chassis {
			found = append(found, each.ID)
		}
		return found, err
	})
	step("sessions", func() (any, error) {
		service, err := client.Service.SessionService()
		if err != nil {
			return nil, err
		}
		sessions, err := service.Sessions()
		return len(sessions), err
	})
	step("registries", func() (any, error) {
		registries, err := client.Service.Registries()
		return len(registries), err
	})
	step("tasks", func() (any, error) { return tasks(client) })
}

func inventory(client *gofish.APIClient) {
	step("inventory", func() (any, error) {
		system, err := find(client)
		if err != nil {
			return nil, err
		}
		counts := map[string]int{"memory MiB": memoryMiB(system)}
		var all []error
		count := func(name string, number int, err error) {
			counts[name] = number
			if err != nil {
				all = append(all, fmt.Errorf("%s: %w", name, err))
			}
		}
		processors, err := system.Processors()
		count("processors", len(processors), err)
		memory, err := system.Memory()
		count("memory", len(memory), err)
		interfaces, err := system.EthernetInterfaces()
		count("interfaces", len(interfaces), err)
		simple, err := simpleStorage(system)
		count("simple storage", simple, err)
		storage, err := system.Storage()
		count("storage", len(storage), err)
		for _, each := range storage {
			drives, err := each.Drives()
			count("drives of "+each.ID, len(drives), err)
			volumes, err := each.Volumes()
			count("volumes of "+each.ID, len(volumes), err)
		}
		logs, err := system.LogServices()
		count("logs", len(logs), err)
		for _, each := range logs {
			entries, err := each.Entries()
			count("entries of "+each.ID, len(entries), err)
		}
		bios, err := system.Bios()
		if err == nil && bios != nil {
			counts["attributes"] = len(bios.Attributes)
		}
		count("bios", 0, err)
		return counts, errors.Join(all...)
	})
}

// Seven resets on an object that was read before the first of them: its ETag is stale from then on.
func power(client *gofish.APIClient) {
	var stale *system
	for _, kind := range []string{
		"On", "ForceOff", "On", "ForceRestart", "PowerCycle", "ForceOff", "On",
	} {
		step("reset "+kind, func() (any, error) {
			if stale == nil {
				var err error
				if stale, err = find(client); err != nil {
					return nil, err
				}
			}
			return nil, reset(stale, kind)
		})
	}
	step("reset PushPowerButton", func() (any, error) { return nil, reset(stale, "PushPowerButton") })
}

// A boot override on an object that was read before a power change, and another on the same object.
func boot(client *gofish.APIClient) {
	stale, err := find(client)
	if err != nil {
		step("boot", func() (any, error) { return nil, err })
		return
	}
	step("boot after a power change", func() (any, error) {
		if err := reset(stale, "ForceOff"); err != nil {
			return nil, err
		}
		return nil, setBoot(stale, "Pxe", "Once")
	})
	step("boot read back", func() (any, error) {
		system, err := find(client)
		if err != nil {
			return nil, err
		}
		return []string{
			fmt.Sprint(system.Boot.BootSourceOverrideTarget),
			fmt.Sprint(system.Boot.BootSourceOverrideEnabled),
		}, nil
	})
	step("boot again on the stale object", func() (any, error) {
		return nil, setBoot(stale, "Cd", "Once")
	})
}

func media(client *gofish.APIClient) {
	step("media of the system", func() (any, error) {
		system, err := find(client)
		if err != nil {
			return nil, err
		}
		slots, err := system.VirtualMedia()
		if err != nil {
			return nil, err
		}
		return insertAndEject(client, slots)
	})
	step("media of the manager", func() (any, error) {
		managers, err := client.Service.Managers()
		if err != nil {
			return nil, err
		}
		for _, each := range managers {
			if each.ID == *target {
				slots, err := each.VirtualMedia()
				if err != nil {
					return nil, err
				}
				return insertAndEject(client, slots)
			}
		}
		return nil, fmt.Errorf("no manager %q", *target)
	})
}

// Inserts and ejects on one object, stale for the second; reports what was in the slot between.
func insertAndEject(client *gofish.APIClient, slots []*slot) (any, error) {
	if len(slots) == 0 {
		return nil, errors.New("no slot")
	}
	stale := slots[0]
	if err := insert(stale, *image); err != nil {
		return nil, err
	}
	inserted, err := readSlot(client, stale.ODataID)
	if err != nil {
		return nil, err
	}
	if err := eject(stale); err != nil {
		return nil, err
	}
	ejected, err := readSlot(client, stale.ODataID)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"image": inserted.Image, "inserted": inserted.Inserted, "left": ejected.Inserted,
	}, nil
}

func accounts(client *gofish.APIClient) {
	name := "made-for-" + *target
	service, err := client.Service.AccountService()
	if err != nil {
		step("accounts", func() (any, error) { return nil, err })
		return
	}
	read := func() (*account, error) {
		all, err := service.Accounts()
		for _, each := range all {
			if each.UserName == name {
				return each, nil
			}
		}
		return nil, err
	}
	step("account create", func() (any, error) {
		_, err := service.CreateAccount(name, "Gofish-Secret.42", "Operator")
		return nil, err
	})
	step("account update", func() (any, error) {
		made, err := read()
		if err != nil || made == nil {
			return nil, fmt.Errorf("not among the accounts: %v", err)
		}
		made.RoleID = "ReadOnly"
		if err := made.Update(); err != nil {
			return nil, err
		}
		again, err := read()
		if err != nil || again == nil {
			return nil, fmt.Errorf("gone after the update: %v", err)
		}
		return again.RoleID, nil
	})
	step("account delete", func() (any, error) {
		made, err := read()
		if err != nil || made == nil {
			return nil, fmt.Errorf("not among the accounts: %v", err)
		}
		response, err := client.Delete(made.ODataID)
		if err != nil {
			return nil, err
		}
		response.Body.Close()
		left, err := read()
		return left != nil, err
	})
}

func events(client *gofish.APIClient) {
	step("events", func() (any, error) {
		service, err := client.Service.EventService()
		if err != nil {
			return nil, err
		}
		uri, err := subscribe(service, *sink)
		if err != nil {
			return nil, err
		}
		return uri, service.DeleteEventSubscription(uri)
	})
}
