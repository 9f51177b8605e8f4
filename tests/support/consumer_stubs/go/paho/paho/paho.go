// Package paho has what the consumer takes of the real one, as github.com/eclipse/paho.golang v0.22.0 declares it.
package paho

import "context"

type Publish struct {
	PacketID uint16
	QoS      byte
	Retain   bool
	Topic    string
	Payload  []byte
}

type PublishResponse struct{ ReasonCode byte }

type Connack struct{ ReasonCode byte }

type SubscribeOptions struct {
	Topic string
	QoS   byte
}

type Subscribe struct{ Subscriptions []SubscribeOptions }

type Suback struct{ Reasons []byte }

type Client struct{}

func (c *Client) Ack(pb *Publish) error { return nil }

type PublishReceived struct {
	Packet         *Publish
	Client         *Client
	AlreadyHandled bool
	Errs           []error
}

type ClientConfig struct {
	ClientID                   string
	EnableManualAcknowledgment bool
	OnPublishReceived          []func(PublishReceived) (bool, error)
}

var _ = context.Background
