import type { Sats } from "@lockstep/kernel/quantities"

/** An output that a transaction makes: its value in satoshis, and the SHA-256 of its script. */
export interface CreatedRecord {
  readonly vout: number
  readonly value: Sats
  readonly scriptHash: Uint8Array
}

/** What a transaction makes, without what nothing can spend, and what it spends. */
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
 * As bytes, outside the V8 heap: the number of outputs, then value, hash and number of each, then the same and the txid
 * of what each input spends.
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

/** Where the records of outputs and of inputs begin, and how many there are. */
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

/** Whether an output that is made has such a value, without decoding the rest. */
export const createdIn = (bytes: Uint8Array, isIn: (value: Sats) => boolean): boolean => {
  const view = viewOf(bytes)
  const { count } = partsOf(bytes)
  for (let i = 0; i < count; i++) if (isIn(view.getBigInt64(HEAD + CREATED * i))) return true
  return false
}

/** Whether an output that is spent has such a value, without decoding the rest. */
export const spentIn = (bytes: Uint8Array, isIn: (value: Sats) => boolean): boolean => {
  const view = viewOf(bytes)
  const { spentAt, spentCount } = partsOf(bytes)
  for (let i = 0; i < spentCount; i++) if (isIn(view.getBigInt64(spentAt + SPENT * i))) return true
  return false
}
