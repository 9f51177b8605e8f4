// Which events a station signed (Ed25519). Keys are given by a person, never taken from the broker.
import { createHash, createPublicKey, verify as ed25519 } from 'node:crypto'
import { readFileSync } from 'node:fs'

// The stations' public keys (PEM files) by id.
export const readKeys = (files) => new Map(files.map((file) => {
  const key = createPublicKey(readFileSync(file))
  const raw = key.export({ type: 'spki', format: 'der' }).subarray(-32)
  return [createHash('sha256').update(raw).digest('hex').slice(0, 16), key]
}))

// Whether one of the keys signed exactly these bytes.
export function verify (body, keys) {
  const text = body.toString('latin1') // a byte is a character: offsets are those of the bytes
  const found = /,"signature":"([A-Za-z0-9_-]{86})"\}$/.exec(text)
  const key = keys.get(/"signkey":"([0-9a-f]{16})"/.exec(text)?.[1])
  if (!found || !key) return false
  const signed = Buffer.concat([Buffer.from('dealer-station event v1\n'), body.subarray(0, found.index), Buffer.from('}')])
  return ed25519(null, signed, key, Buffer.from(found[1], 'base64url'))
}
