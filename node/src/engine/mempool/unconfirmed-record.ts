import type { Sats } from "@lockstep/kernel/quantities"

/** A created output: its value in satoshis, and the SHA-256 of its script. */
export interface CreatedRecord {
  readonly vout: number
  readonly value: Sats
  readonly scriptHash: Uint8Array
}

/** The spendable outputs that a transaction creates, and the outputs that it spends. */
export interface UnconfirmedRecord {
  readonly created: ReadonlyArray<CreatedRecord>
  readonly spent: ReadonlyArray<CreatedRecord & { readonly txid: Uint8Array }>
}

const HASH = 32
const CREATED = 8 + HASH + 4
const SPENT = CREATED + HASH
const HEAD = 4

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * Encodes a record outside the V8 heap: the number of outputs; value, hash and index of each; then the same and the
 * txid of each input's outpoint.
 */
export const encodeRecord = ({ created, spent }: UnconfirmedRecord): Uint8Array => {
  const bytes = new Uint8Array(HEAD + CREATED * created.length + SPENT * spent.length)
  const view = viewOf(bytes)
  view.setUint32(0, created.length)
  let at = HEAD
  const write = ({ scriptHash, value, vout }: CreatedRecord): void => {
    view.setBigInt64(at, value)
    bytes.set(scriptHash, at + 8)
    view.setUint32(at + 8 + HASH, vout)
    at += CREATED
  }
  for (const output of created) write(output)
  for (const output of spent) {
    write(output)
    bytes.set(output.txid, at)
    at += HASH
  }
  return bytes
}

/** Offsets and numbers of the output records and of the input records. */
const partsOf = (bytes: Uint8Array) => {
  const count = viewOf(bytes).getUint32(0)
  const spentAt = HEAD + CREATED * count
  return { count, spentAt, spentCount: (bytes.length - spentAt) / SPENT }
}

export const decodeRecord = (bytes: Uint8Array): UnconfirmedRecord => {
  const view = viewOf(bytes)
  const { count, spentAt, spentCount } = partsOf(bytes)
  const outputAt = (at: number): CreatedRecord => ({
    value: view.getBigInt64(at),
    scriptHash: bytes.slice(at + 8, at + 8 + HASH),
    vout: view.getUint32(at + 8 + HASH)
  })
  return {
    created: Array.from({ length: count }, (_, i) => outputAt(HEAD + CREATED * i)),
    spent: Array.from({ length: spentCount }, (_, i) => {
      const at = spentAt + SPENT * i
      return { ...outputAt(at), txid: bytes.slice(at + CREATED, at + SPENT) }
    })
  }
}

/** Reports whether a created output has such a value, without decoding the rest. */
export const createdIn = (bytes: Uint8Array, isIn: (value: Sats) => boolean): boolean => {
  const view = viewOf(bytes)
  const { count } = partsOf(bytes)
  for (let i = 0; i < count; i++) if (isIn(view.getBigInt64(HEAD + CREATED * i))) return true
  return false
}

/** Reports whether a spent output has such a value, without decoding the rest. */
export const spentIn = (bytes: Uint8Array, isIn: (value: Sats) => boolean): boolean => {
  const view = viewOf(bytes)
  const { spentAt, spentCount } = partsOf(bytes)
  for (let i = 0; i < spentCount; i++) if (isIn(view.getBigInt64(spentAt + SPENT * i))) return true
  return false
}
