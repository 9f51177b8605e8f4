package main

import (
	"bufio"
	"encoding/base64"
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/eclipse/paho.golang/paho"
)

// Bodies in base64, a line each, in a file: none may be an error, which would end the program.
func TestAnyBytesAreLeft(t *testing.T) {
	log.SetOutput(io.Discard)
	// So far on that no event of the input is the next: a database is not here.
	far := &table{handled: 1 << 60}
	c := &consumer{base: "dealer/v1/studio-1", name: "settler", runID: "not in the input", tables: map[string]*table{"r1": far}}
	file, err := os.Open("bodies.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines, count := bufio.NewScanner(file), 0
	lines.Buffer(nil, 1<<24)
	for ; lines.Scan(); count++ {
		body, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines.Text(), "="))
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range []string{"events/round.outcome", "state", "replies/settler"} {
			if err := c.message(&paho.Publish{Topic: "dealer/v1/studio-1/r1/" + leaf, Payload: body}); err != nil {
				t.Fatalf("%s: %v: %.300q", leaf, err, body)
			}
		}
	}
	if count < 1000 || far.newest == 0 || far.newest > largest || far.handled != 1<<60 {
		t.Fatalf("%d bodies, newest %d, handled %d", count, far.newest, far.handled)
	}
}
