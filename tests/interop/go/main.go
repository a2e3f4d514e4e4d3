// Drives a Redfish service with one release of gofish and prints one JSON line for each step.
//
// The same source is built against three releases: redfish.go for those before the packages were merged,
// schemas.go for those after. What the steps should give, the Rust test knows.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/stmcginnis/gofish"
)

var (
	url    = flag.String("url", "", "the service")
	ca     = flag.String("ca", "", "file with the certificate of its authority")
	user   = flag.String("user", "admin", "the account; its password is in REDFISH_PASSWORD")
	basic  = flag.Bool("basic", false, "HTTP Basic instead of a session")
	target = flag.String("system", "", "the Id of the system that is worked on")
	image  = flag.String("image", "", "URL of an image to insert")
	sink   = flag.String("sink", "", "URL that events go to; no subscription without")
)

// What a step printed.
type line struct {
	Step  string `json:"step"`
	Error string `json:"error,omitempty"`
	Value any    `json:"value,omitempty"`
}

// Runs a step; a client that panics has failed in it like one that returns an error.
func step(name string, run func() (any, error)) {
	out := line{Step: name}
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				out.Error = fmt.Sprint("panic: ", cause)
			}
		}()
		value, err := run()
		out.Value = value
		if err != nil {
			out.Error = err.Error()
		}
	}()
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func connect() (*gofish.APIClient, error) {
	pem, err := os.ReadFile(*ca)
	if err != nil && *ca != "" {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return gofish.Connect(gofish.ClientConfig{
		Endpoint:         *url,
		Username:         *user,
		Password:         os.Getenv("REDFISH_PASSWORD"),
		BasicAuth:        *basic,
		HTTPClient:       &http.Client{Transport: transport, Timeout: time.Minute},
		ReuseConnections: true,
	})
}

func main() {
	flag.Parse()
	var client *gofish.APIClient
	step("connect", func() (any, error) {
		var err error
		client, err = connect()
		if err != nil {
			return nil, err
		}
		return client.Service.RedfishVersion, nil
	})
	if client == nil {
		return
	}
	lists(client)
	inventory(client)
	power(client)
	boot(client)
	media(client)
	accounts(client)
	if *sink != "" {
		events(client)
	}
	step("logout", func() (any, error) {
		client.Logout()
		return nil, nil
	})
}

// Reads the system anew: what comes back is stale as soon as something is done to it.
func find(client *gofish.APIClient) (*system, error) {
	systems, err := client.Service.Systems()
	for _, each := range systems {
		if each.ID == *target {
			return each, nil
		}
	}
	return nil, fmt.Errorf("no system %q among %d: %v", *target, len(systems), err)
}
