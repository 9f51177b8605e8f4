// Package autopaho has what the consumer takes of the real one, as github.com/eclipse/paho.golang v0.22.0 declares it.
package autopaho

import (
	"context"
	"net/url"

	"github.com/eclipse/paho.golang/paho"
)

type ClientConfig struct {
	ServerUrls            []*url.URL
	KeepAlive             uint16
	SessionExpiryInterval uint32
	OnConnectionUp        func(*ConnectionManager, *paho.Connack)
	OnConnectError        func(error)
	paho.ClientConfig
}

type ConnectionManager struct{}

func NewConnection(ctx context.Context, cfg ClientConfig) (*ConnectionManager, error) {
	return nil, nil
}

func (c *ConnectionManager) Subscribe(ctx context.Context, s *paho.Subscribe) (*paho.Suback, error) {
	return nil, nil
}

func (c *ConnectionManager) Publish(ctx context.Context, p *paho.Publish) (*paho.PublishResponse, error) {
	return nil, nil
}
