// A consumer in Node: handles every event of a site's tables once, in order, whatever is restarted.
//
//   npm install mqtt
//   node consumer.mjs mqtt://mqtt-host:1883 dealer/v1/studio-1 settler settled.jsonl [station-public.pem ...]
//
// TABLES=r1,r2 in the environment where the broker refuses a subscription for all tables at once, as ejabberd does.
// One line of the file is what an event means to you and how far you are, in one write: a line is there or it is not.
// Whatever else comes on these topics is left, with a line that says so.
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import mqtt from 'mqtt'
import { NotOurs, readEvent, readNewest, readReply } from './bodies.mjs'
import { readKeys, verify } from './signature.mjs'

const STALE_MS = 2000 // without progress for so long, what is missing is asked for; and what was refused is tried again
const [url, base, name, file, ...keyFiles] = process.argv.slice(2)
const site = base.split('/').pop()
const runId = randomUUID() // begins the ids of our commands; what others asked is not our business
let commands = 0
let refused = null // when the broker last refused something

const keys = readKeys(keyFiles)

// Yours to write: what of the event you keep. It and its sequence become durable in the same moment.
const settle = ({ id, type, subject, data }) =>
  ['round.outcome', 'outcome.corrected', 'round.voided'].includes(type) ? { id, type, round: subject, data } : {}

const tables = new Map() // by name: { handled, newest, told, moved }
const table = (key) => {
  if (!tables.has(key)) tables.set(key, { handled: 0, newest: 0, told: null, moved: Date.now() })
  return tables.get(key)
}

// What was kept before. Half a line at the end was being written when the power went: it never happened.
const log = openSync(file, 'a+')
const kept = readFileSync(file)
const whole = kept.lastIndexOf('\n') + 1
truncateSync(file, whole)
syncFolder()
for (const line of kept.toString('utf8', 0, whole).split('\n').filter(Boolean)) {
  const { table: key, sequence } = JSON.parse(line)
  table(key).handled = sequence
}

function syncFolder () { // so that the file's own name is durable too
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function handle (key, body) {
  if (keys.size > 0 && !verify(body, keys)) {
    console.error(`${key}: an event that no station signed: ${body.subarray(0, 200)}`)
    return
  }
  const event = readEvent(body)
  const at = table(key)
  const { first, sequence: last } = event
  if (event.source !== `/${site}/${key}`) return // signed perhaps, and of another table
  at.newest = Math.max(at.newest, last)
  // We have it, or it is too early.
  if (first > at.handled + 1 || at.handled + 1 > last) return
  const line = Buffer.from(JSON.stringify({ table: key, sequence: last, ...settle(event) }) + '\n')
  if (writeSync(log, line) !== line.length) throw new Error(`${file}: the disk is full`)
  fsyncSync(log)
  at.handled = last
  at.moved = Date.now()
}

const client = mqtt.connect(url, {
  clientId: name, protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 86400 }, reconnectPeriod: 1000
})
client.on('error', (error) => console.error(`broker: ${error.message}`))
const leaves = ['events/+', 'state', `replies/${name}`]
const filters = (process.env.TABLES ?? '+').split(',').flatMap((key) => leaves.map((leaf) => `${base}/${key}/${leaf}`))
const wanted = Object.fromEntries(filters.map((topic) => [topic, { qos: 1 }]))
const subscribe = () => { // without resubscribe only the first time
  client.subscribe({ ...wanted, resubscribe: true }, {}, (_error, asked, answer) => {
    answer?.granted.forEach((code, at) => { if (code >= 0x80) sayRefused(`reading ${asked[at].topic}`, code) })
  })
}
const publish = (topic, body, retain) => { // MQTT 3.1.1 and some brokers cannot say no
  client.publish(topic, JSON.stringify(body), { qos: 1, retain }, (error) => {
    if (error?.code >= 0x80) sayRefused(`publishing to ${topic}`, error.code)
  })
}
const sayRefused = (what, code) => { // and try again a little later: a person can mend it meanwhile
  console.error(`the broker refuses ${what}: reason 0x${code.toString(16)}; allow it to ${name} in its access list`)
  refused = Date.now()
}
const beginAnew = () => {
  refused = null
  subscribe()
  for (const at of tables.values()) at.told = null // the broker may have forgotten us: register anew
}
client.on('connect', beginAnew)

// Not on('message'): the broker may forget an event only after it is kept, and ``done`` is what tells it.
client.handleMessage = (packet, done) => {
  const [key, kind] = packet.topic.slice(base.length + 1).split('/')
  try {
    if (kind === 'events') handle(key, packet.payload)
    else if (kind === 'state') table(key).newest = Math.max(table(key).newest, readNewest(packet.payload))
    else answered(key, readReply(packet.payload))
  } catch (wrong) {
    if (!(wrong instanceof NotOurs)) throw wrong
    console.error(`${packet.topic}: left, it ${wrong.message}: ${JSON.stringify(packet.payload.toString('latin1', 0, 200))}`)
  }
  done()
}

// The answer to a command of ours. Anybody can have answers sent to our topic: those are left.
function answered (key, { command, error, message }) {
  if (error === null || !command.startsWith(runId)) return
  console.error(`${key}: the station does not resend: ${error}: ${message}`)
  if (error === 'bad_argument') process.exit(1) // what we miss is not kept any more: a person must look
}

// Tell the stations how far we are, and ask for what does not come by itself.
setInterval(() => {
  if (!client.connected) return
  if (refused !== null && Date.now() - refused > STALE_MS) beginAnew()
  for (const [key, at] of tables) {
    if (at.told !== at.handled) {
      at.told = at.handled
      publish(`${base}/${key}/acks/${name}`, { sequence: at.handled }, true)
    }
    if (at.newest <= at.handled || Date.now() - at.moved < STALE_MS) continue
    at.moved = Date.now()
    subscribe() // a node of a cluster may have lost our subscriptions and not said so
    publish(`${base}/${key}/commands/consumer/${name}`, {
      specversion: '1.0', id: `${runId}-${++commands}`, source: `/${name}`, type: 'events.resend',
      time: new Date().toISOString(), data: { by: name, role: 'consumer', from: at.handled + 1 }
    }, false)
  }
}, 100)
