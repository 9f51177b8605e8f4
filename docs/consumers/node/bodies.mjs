// From the bytes of a message to what a station says with them. Anybody may publish anything: NotOurs for the rest.

const DEEPEST = 60 // of objects and arrays in each other; a station stays far below

// A body that no station sends. The message goes on after "it ...".
export class NotOurs extends Error {}

// The event: what every one has, and `first`, its own sequence or the first of those that are lost.
export function readEvent (body) {
  const found = object(body)
  const [sequence, data, type] = [number(found, 'sequence', 1), get(found, 'data', 'object'), get(found, 'type', 'string')]
  const first = type === 'events.lost' ? number(data, 'from_sequence', 1) : sequence
  const subject = own(found, 'subject') == null ? undefined : get(found, 'subject', 'string')
  return { id: get(found, 'id', 'string'), source: get(found, 'source', 'string'), type, subject, sequence, first, data }
}

// The sequence of a table's newest event, in the body of its state; 0 before the first.
export const readNewest = (body) => number(object(body), 'last_sequence', 0)

// The answer to a command; `error` is null where all went well.
export function readReply (body) {
  const data = get(object(body), 'data', 'object')
  const command = get(data, 'command', 'string')
  if (get(data, 'ok', 'boolean')) return { command, error: null, message: '' }
  return { command, error: get(data, 'error', 'string'), message: get(data, 'message', 'string') }
}

function object (body) {
  let found
  try {
    found = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch (error) {
    throw new NotOurs(`is no JSON: ${error.message}`)
  }
  if (kindOf(found) !== 'object') throw new NotOurs(`is a ${kindOf(found)} and no object`)
  if (deeper(found, DEEPEST)) throw new NotOurs('is nested too deeply')
  return found
}

const kindOf = (value) => Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value
const own = (found, key) => Object.hasOwn(found, key) ? found[key] : undefined
const deeper = (value, left) =>
  typeof value === 'object' && value !== null && (left === 0 || Object.values(value).some((each) => deeper(each, left - 1)))

function get (found, key, kind) {
  const value = own(found, key)
  if (kindOf(value) !== kind) throw new NotOurs(`has ${kindOf(value)} as ${key}`)
  return value
}

function number (found, key, least) {
  const value = get(found, key, 'number')
  if (!Number.isSafeInteger(value) || value < least) throw new NotOurs(`has ${key} ${value}`)
  return value
}
