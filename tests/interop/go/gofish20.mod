module redfish.test/interop

go 1.21

require github.com/stmcginnis/gofish v0.20.0
