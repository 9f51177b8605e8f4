"""The tables of a journal file, as SQL, for each version of the schema.

``entries`` is the log: rows are added at its end, and retention takes them away from its beginning, in order, behind an
``anchor`` row that says so (``anchor``). ``evidence`` holds blobs by hash; every one is named by a row, and ``uses``
says by which last. ``answered`` holds what was answered to commands whose rows are gone, and ``states`` each table's
state as of the last row that is gone: both are what the newest anchor says they are.
``cursors`` and ``snapshots`` change, and neither is a source of truth: a cursor that is lost repeats messages, a
snapshot that is lost costs a longer fold.

The triggers stop a hand at a prompt and an error in a program. Who means to forge drops them: for that is the chain.
"""

from __future__ import annotations

_ABOUT = """
CREATE TABLE about (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  journal_id TEXT NOT NULL,
  created_wall_ns INTEGER NOT NULL
) STRICT;
"""

_ENTRIES_1 = """CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  dealer_table TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'command')),
  sequence INTEGER CHECK ((sequence IS NOT NULL) = (kind = 'event')),
  type TEXT NOT NULL,
  subject TEXT,
  wall_ns INTEGER NOT NULL,
  mono_ns INTEGER NOT NULL,
  boot TEXT NOT NULL,
  client TEXT,
  command_id TEXT CHECK ((command_id IS NOT NULL) = (kind = 'command')),
  body BLOB NOT NULL,
  evidence TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT"""

# In this order a row of version 1 is a row of version 2 whose last column is not there, which SQLite reads as NULL.
ENTRIES_2 = """CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  dealer_table TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'command', 'anchor')),
  sequence INTEGER CHECK ((sequence IS NOT NULL) = (kind = 'event')),
  type TEXT NOT NULL,
  subject TEXT,
  wall_ns INTEGER NOT NULL,
  mono_ns INTEGER NOT NULL,
  boot TEXT NOT NULL,
  client TEXT,
  command_id TEXT CHECK ((command_id IS NOT NULL) = (kind = 'command')),
  body BLOB NOT NULL,
  evidence TEXT NOT NULL,
  hash BLOB NOT NULL,
  signature BLOB
) STRICT"""

# And here again: a row of version 2 is one of version 3 whose last column is not there.
ENTRIES_3 = ENTRIES_2.replace("  signature BLOB\n", "  signature BLOB,\n  signed BLOB\n")

_INDEXES = """;
CREATE UNIQUE INDEX entries_by_sequence ON entries (dealer_table, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX entries_by_type ON entries (dealer_table, type, sequence) WHERE sequence IS NOT NULL;
CREATE UNIQUE INDEX entries_by_command ON entries (dealer_table, client, command_id) WHERE command_id IS NOT NULL;
CREATE TABLE evidence (
  hash TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE TABLE snapshots (
  dealer_table TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  state_version INTEGER NOT NULL,
  row_hash BLOB NOT NULL,
  body BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'rows of a journal are never changed'); END;
CREATE TRIGGER evidence_never_changes BEFORE UPDATE ON evidence
  BEGIN SELECT RAISE(ABORT, 'evidence is never changed'); END;
"""

_ADDED_1 = """
CREATE TABLE cursors (
  dealer_table TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (dealer_table, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'rows of a journal are never deleted'); END;
CREATE TRIGGER evidence_never_goes BEFORE DELETE ON evidence
  BEGIN SELECT RAISE(ABORT, 'evidence is never deleted'); END;
"""

ADDED_2 = """
CREATE TABLE cursors (
  dealer_table TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  mark BLOB NOT NULL,
  PRIMARY KEY (dealer_table, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE uses (
  hash TEXT PRIMARY KEY,
  last_row INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE removed (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last_row INTEGER NOT NULL,
  anchor_row INTEGER NOT NULL
) STRICT;
CREATE TABLE answered (
  number INTEGER PRIMARY KEY,
  dealer_table TEXT NOT NULL,
  client TEXT NOT NULL,
  command_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  reply BLOB NOT NULL,
  mark BLOB NOT NULL,
  UNIQUE (dealer_table, client, command_id)
) STRICT;
CREATE TABLE states (
  dealer_table TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  state_version INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE TRIGGER entries_go_behind_an_anchor BEFORE DELETE ON entries
  WHEN OLD.id > coalesce((SELECT last_row FROM removed), 0)
  BEGIN SELECT RAISE(ABORT, 'rows of a journal go only behind an anchor'); END;
CREATE TRIGGER evidence_goes_with_its_rows BEFORE DELETE ON evidence
  WHEN coalesce((SELECT last_row FROM uses WHERE hash = OLD.hash), 0) > coalesce((SELECT last_row FROM removed), 0)
  BEGIN SELECT RAISE(ABORT, 'evidence goes only with the rows that name it'); END;
"""

SCHEMA_VERSION = 3

SCHEMAS = {
    1: _ABOUT + _ENTRIES_1 + _INDEXES + _ADDED_1,
    2: _ABOUT + ENTRIES_2 + _INDEXES + ADDED_2,
    3: _ABOUT + ENTRIES_3 + _INDEXES + ADDED_2,
}
"""The whole of a file, by version."""
