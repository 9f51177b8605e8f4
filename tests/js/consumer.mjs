// A consumer that others wrote the client of: mqtt.js receives a table's messages, ajv holds them against the
// published schemas. Arguments: URL, base topic, schema folder, how many outcomes to wait for, protocol version.
// Prints one JSON object: counts by type, sequences in order, the newest retained outcome, and what did not validate.
import { readFileSync } from 'node:fs'
import mqtt from 'mqtt'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const [url, base, schemas, outcomes, version] = process.argv.slice(2)
const name = `mqtt-js-${version}`
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats(ajv)
const validate = ajv.compile(JSON.parse(readFileSync(`${schemas}/events.json`, 'utf8')))

const seen = { types: {}, sequences: [], invalid: [], retained: {}, reply: null }
const client = mqtt.connect(url, { clientId: name, protocolVersion: Number(version), clean: true })
client.on('connect', () => client.subscribe([`${base}/#`], { qos: 1 }))
client.on('message', (topic, payload) => {
  const leaf = topic.slice(base.length + 1)
  const body = JSON.parse(payload.toString())
  if (leaf.startsWith('events/')) {
    if (!validate(body)) seen.invalid.push({ topic, errors: validate.errors })
    if (leaf !== `events/${body.type}`) seen.invalid.push({ topic, errors: [`type ${body.type}`] })
    seen.types[body.type] = (seen.types[body.type] ?? 0) + 1
    seen.sequences.push(body.sequence)
  } else if (leaf === 'outcome') {
    if (!validate(body)) seen.invalid.push({ topic, errors: validate.errors })
    seen.retained.outcome = body
  } else if (leaf === `replies/${name}`) {
    seen.reply = body
  } else {
    seen.retained[leaf] = body
  }
  if ((seen.types['round.outcome'] ?? 0) >= Number(outcomes) && seen.reply && seen.retained.outcome) finish(0)
})
client.on('error', (error) => { seen.error = String(error); finish(1) })
setTimeout(() => {
  client.publish(`${base}/commands`, JSON.stringify({
    specversion: '1.0', id: 'js-1', source: `/${name}`, type: 'events.resend',
    data: { by: 'lobby', role: 'server', from: 1 },
  }), { qos: 1 })
}, 1000)
setTimeout(() => finish(2), 60_000).unref()

let finished = false
function finish (code) {
  if (finished) return
  finished = true
  console.log(JSON.stringify(seen))
  client.end(true, {}, () => process.exit(code))
}
