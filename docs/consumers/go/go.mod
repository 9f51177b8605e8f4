module consumer

go 1.23

require (
	github.com/eclipse/paho.golang v0.22.0
	modernc.org/sqlite v1.34.4
)
