// A consumer in Go: handles every event of a site's tables once, in order, whatever is restarted.
//
//	go run . mqtt://mqtt-host:1883 dealer/v1/studio-1 settler settled.sqlite3 [station-public.pem ...]
//
// TABLES=r1,r2 in the environment where the broker refuses a subscription for all tables at once, as ejabberd does.
// What an event means to you and how far you are go into one transaction (settle): that is all of the secret. Whatever
// else comes on these topics is left, with a line that says so.
package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/eclipse/paho.golang/autopaho"
	"github.com/eclipse/paho.golang/paho"
	_ "modernc.org/sqlite"
)

const stale = 2 * time.Second // without progress for so long, what is missing is asked for

type event struct {
	ID, Source, Type, Subject string
	Sequence                  int64
	Data                      json.RawMessage
}

const largest = int64(1)<<53 - 1 // a sequence is a whole number that every language holds

// notOurs is what is said of a body that no station sends: anybody may publish anything.
type notOurs string

func (n notOurs) Error() string { return string(n) }

// read takes an object apart. A list, a text or nothing is none, and so is what has values of other kinds.
func read(body []byte, into any) error {
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return notOurs("is no object in JSON")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return notOurs("cannot be read: " + err.Error())
	}
	return nil
}

// settle is yours to write: all that the event means, through tx and nowhere else. No commit here.
func settle(tx *sql.Tx, e event) error {
	if e.Type != "round.outcome" && e.Type != "outcome.corrected" && e.Type != "round.voided" {
		return nil
	}
	_, err := tx.Exec("INSERT INTO settled VALUES (?, ?, ?, ?)", e.ID, e.Type, e.Subject, string(e.Data))
	return err
}

type table struct {
	handled, newest, told int64
	moved                 time.Time
}

type consumer struct {
	base, name string
	runID      string // begins the ids of our commands; what others asked is not our business
	db         *sql.DB
	keys       map[string]ed25519.PublicKey
	mutex      sync.Mutex // messages come in paho's goroutine, lookAfter runs in ours
	tables     map[string]*table
}

var signature = regexp.MustCompile(`,"signature":"([A-Za-z0-9_-]{86})"\}$`)
var signkey = regexp.MustCompile(`"signkey":"([0-9a-f]{16})"`)

func (c *consumer) verified(body []byte) bool {
	if len(c.keys) == 0 {
		return true
	}
	at, named := signature.FindSubmatchIndex(body), signkey.FindSubmatch(body)
	if at == nil || named == nil || c.keys[string(named[1])] == nil {
		return false
	}
	seal, err := base64.RawURLEncoding.DecodeString(string(body[at[2]:at[3]]))
	signed := "dealer-station event v1\n" + string(body[:at[0]]) + "}"
	return err == nil && ed25519.Verify(c.keys[string(named[1])], []byte(signed), seal)
}

func (c *consumer) message(m *paho.Publish) error {
	err := c.take(m)
	var left notOurs
	if errors.As(err, &left) {
		log.Printf("%s: left, it %v: %.200q", m.Topic, left, m.Payload)
		return nil
	}
	return err
}

func (c *consumer) take(m *paho.Publish) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	words := strings.Split(strings.TrimPrefix(m.Topic, c.base+"/"), "/")
	name, kind := words[0], words[1]
	t := c.tables[name]
	if t == nil {
		t = &table{told: -1, moved: time.Now()}
		c.tables[name] = t
		row := c.db.QueryRow("SELECT sequence FROM handled WHERE dealer_table = ?", name)
		if err := row.Scan(&t.handled); err != nil && err != sql.ErrNoRows {
			return err
		}
	}
	var body struct {
		event
		LastSequence *int64 `json:"last_sequence"`
	}
	if kind == "events" && !c.verified(m.Payload) {
		log.Printf("%s: an event that no station signed: %.200s", name, m.Payload)
		return nil
	}
	if err := read(m.Payload, &body); err != nil {
		return err
	}
	switch kind {
	case "events":
		return c.handle(name, t, body.event)
	case "state":
		if body.LastSequence == nil || *body.LastSequence < 0 || *body.LastSequence > largest {
			return notOurs("has no last_sequence")
		}
		t.newest = max(t.newest, *body.LastSequence)
	default: // the answer to events.resend
		var reply struct{ Command, Error, Message string }
		if err := read(body.Data, &reply); err != nil {
			return err
		}
		if reply.Error == "" || !strings.HasPrefix(reply.Command, c.runID) {
			return nil // anybody can have answers sent to our topic: those are left
		}
		if reply.Error == "bad_argument" { // what we miss is not kept any more: a person must look
			return fmt.Errorf("%s: %s", name, reply.Message)
		}
		log.Printf("%s: the station does not resend: %s: %s", name, reply.Error, reply.Message)
	}
	return nil
}

// handle takes the next event; one that we have, or that is too early, is left.
func (c *consumer) handle(name string, t *table, e event) error {
	lost := struct {
		From int64 `json:"from_sequence"`
	}{From: e.Sequence}
	if e.ID == "" || e.Type == "" || e.Sequence < 1 || e.Sequence > largest {
		return notOurs("has no id, no type or no sequence")
	}
	if err := read(e.Data, &lost); err != nil {
		return err
	}
	first := e.Sequence
	if e.Type == "events.lost" {
		first = lost.From
	}
	if first < 1 {
		return notOurs("has no from_sequence")
	}
	if e.Source != "/"+path.Base(c.base)+"/"+name {
		return nil // signed perhaps, and of another table
	}
	t.newest = max(t.newest, e.Sequence)
	if first > t.handled+1 || t.handled+1 > e.Sequence {
		return nil
	}
	tx, err := c.db.Begin() // one transaction: both or neither
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	if err := settle(tx, e); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT OR REPLACE INTO handled VALUES (?, ?)", name, e.Sequence); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	t.handled, t.moved = e.Sequence, time.Now()
	return nil
}

// lookAfter tells the stations how far we are, and asks for what does not come by itself.
func (c *consumer) lookAfter(ctx context.Context, link *autopaho.ConnectionManager) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for name, t := range c.tables {
		base := c.base + "/" + name
		if t.told != t.handled {
			body := fmt.Sprintf(`{"sequence": %d}`, t.handled)
			if publish(ctx, link, &paho.Publish{Topic: base + "/acks/" + c.name, QoS: 1, Retain: true, Payload: []byte(body)}) {
				t.told = t.handled
			}
		}
		if t.newest > t.handled && time.Since(t.moved) > stale {
			t.moved = time.Now()
			c.subscribe(ctx, link) // a node of a cluster may have lost our subscriptions and not said so
			now := time.Now().UTC()
			body, _ := json.Marshal(map[string]any{
				"specversion": "1.0", "id": fmt.Sprintf("%s-%d", c.runID, now.UnixNano()), "source": "/" + c.name,
				"type": "events.resend", "time": now.Format(time.RFC3339Nano),
				"data": map[string]any{"by": c.name, "role": "consumer", "from": t.handled + 1},
			})
			publish(ctx, link, &paho.Publish{Topic: base + "/commands/consumer/" + c.name, QoS: 1, Payload: body})
		}
	}
}

func (c *consumer) subscribe(ctx context.Context, link *autopaho.ConnectionManager) {
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	wanted := &paho.Subscribe{}
	tables := os.Getenv("TABLES")
	if tables == "" {
		tables = "+"
	}
	for _, table := range strings.Split(tables, ",") {
		for _, leaf := range []string{"events/+", "state", "replies/" + c.name} {
			topic := c.base + "/" + table + "/" + leaf
			wanted.Subscriptions = append(wanted.Subscriptions, paho.SubscribeOptions{Topic: topic, QoS: 1})
		}
	}
	if _, err := link.Subscribe(wait, wanted); err != nil { // the broker's refusal too
		log.Printf("subscription: %v", err)
	}
}

func publish(ctx context.Context, link *autopaho.ConnectionManager, message *paho.Publish) bool {
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := link.Publish(wait, message) // not connected: the next round tries again
	if err != nil {
		log.Printf("%s: %v", message.Topic, err)
	}
	return err == nil
}

func readKeys(files []string) map[string]ed25519.PublicKey {
	keys := map[string]ed25519.PublicKey{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		block, _ := pem.Decode(text)
		if block == nil {
			log.Fatalf("%s is no PEM file", file)
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		check(err)
		key, ok := parsed.(ed25519.PublicKey)
		if !ok {
			log.Fatalf("%s holds no Ed25519 key", file)
		}
		id := sha256.Sum256(key)
		keys[hex.EncodeToString(id[:8])] = key
	}
	return keys
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	server, err := url.Parse(os.Args[1])
	check(err)
	db, err := sql.Open("sqlite", os.Args[4])
	check(err)
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS handled (dealer_table TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
		CREATE TABLE IF NOT EXISTS settled (id TEXT, type TEXT, round TEXT, data TEXT)`)
	check(err)
	run := make([]byte, 16)
	_, err = rand.Read(run)
	check(err)
	c := &consumer{
		base: os.Args[2], name: os.Args[3], runID: hex.EncodeToString(run), db: db,
		keys: readKeys(os.Args[5:]), tables: map[string]*table{},
	}
	ctx := context.Background()
	link, err := autopaho.NewConnection(ctx, autopaho.ClientConfig{
		ServerUrls: []*url.URL{server}, KeepAlive: 10, SessionExpiryInterval: 86400,
		OnConnectError: func(err error) { log.Printf("broker: %v", err) },
		OnConnectionUp: func(link *autopaho.ConnectionManager, _ *paho.Connack) {
			c.mutex.Lock()
			for _, t := range c.tables { // the broker may have forgotten us: register anew
				t.told = -1
			}
			c.mutex.Unlock()
			c.subscribe(ctx, link)
		},
		ClientConfig: paho.ClientConfig{
			ClientID: c.name,
			// The broker may forget an event only after our commit.
			EnableManualAcknowledgment: true,
			OnPublishReceived: []func(paho.PublishReceived) (bool, error){func(got paho.PublishReceived) (bool, error) {
				check(c.message(got.Packet)) // ends the process; it is started again and goes on where it was
				return true, got.Client.Ack(got.Packet)
			}},
		},
	})
	check(err)
	for {
		c.lookAfter(ctx, link)
		time.Sleep(100 * time.Millisecond)
	}
}
