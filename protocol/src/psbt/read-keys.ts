import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type {
  KeyOrigin,
  KeptFields,
  MusigParticipants,
  MusigPart,
  OriginatedKey,
  ProprietaryField,
  Sorted,
  TaprootKey
} from "./psbt.ts"
import { hexOf } from "../hex.ts"
import {
  fail,
  holdKeySize,
  left,
  type PsbtStream,
  streamOn,
  takeBytes,
  takeCompactSize,
  takeExactly,
  takeSized,
  takeUint32
} from "./psbt-stream.ts"
import { musigKey } from "./sort-keys.ts"

/** Dependencies for reading keys. */
export interface KeyReading {
  readonly crypto: Crypto
  /** Reports whether bytes are a public key on the curve, in any form. */
  readonly isPublicKey: (key: Uint8Array) => boolean
}

/** Reading that can pause between any two steps, so that a long text does not block other work. */
export type Steps<A> = Generator<undefined, A>

const COMPRESSED = 33
const UNCOMPRESSED = 65

const takeOrigin = (stream: PsbtStream, length: number): KeyOrigin => {
  if (length % 4 !== 0 || length === 0) fail(stream, "Invalid length for HD key path")
  const fingerprint = takeBytes(stream, 4)
  const path: Array<number> = []
  for (let at = 4; at < length && stream.fault === undefined; at += 4) path.push(takeUint32(stream))
  return { fingerprint, path }
}

/** Reads an origin after its length. */
export const takeSizedOrigin = (stream: PsbtStream): KeyOrigin => takeOrigin(stream, takeCompactSize(stream))

/** Requires the key of a field to be a public key after the type. */
export const publicKeyOf = (
  stream: PsbtStream,
  key: Uint8Array,
  called: string,
  { isPublicKey }: KeyReading
): Uint8Array => {
  const bytes = key.subarray(1)
  if (bytes.length !== UNCOMPRESSED && bytes.length !== COMPRESSED) {
    fail(stream, `Size of key was not the expected size for the type ${called}`)
  } else if (!isPublicKey(bytes)) fail(stream, "Invalid pubkey")
  return bytes
}

export const readOrigin = (
  stream: PsbtStream,
  key: Uint8Array,
  into: Sorted<OriginatedKey>,
  reading: KeyReading
): void => {
  const bytes = publicKeyOf(stream, key, "BIP32 keypath", reading)
  into.set(hexOf(bytes), { key: bytes, origin: takeSizedOrigin(stream) })
}

/** Sorts hashes and removes repetitions. */
const orderedHashes = (hashes: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  [...new Map(hashes.map((hash) => [hexOf(hash), hash]))].sort(([a], [b]) => a < b ? -1 : 1).map(([, hash]) => hash)

export const readTaprootOrigin = (
  stream: PsbtStream,
  key: Uint8Array,
  into: Sorted<TaprootKey>,
  called: "Input" | "Output"
): void => {
  holdKeySize(stream, key, 33, `${called} Taproot BIP32 Keypath`)
  const length = takeCompactSize(stream)
  const start = stream.offset
  const count = takeCompactSize(stream)
  const hashes: Array<Uint8Array> = []
  while (hashes.length < count && stream.fault === undefined) hashes.push(takeBytes(stream, 32))
  const taken = stream.offset - start
  if (taken > length) fail(stream, `${called} Taproot BIP32 keypath has an invalid length`)
  if (stream.fault !== undefined) return
  const origin = takeOrigin(stream, length - taken)
  into.set(hexOf(key.subarray(1)), { key: key.subarray(1), origin, leafHashes: orderedHashes(hashes) })
}

export const readMusigParticipants = function*(
  stream: PsbtStream,
  key: Uint8Array,
  into: Sorted<MusigParticipants>,
  called: "Input" | "Output",
  { isPublicKey }: KeyReading
): Steps<void> {
  holdKeySize(stream, key, 34, `${called} MuSig2 Participants Pubkeys`)
  const aggregate = key.subarray(1)
  if (!isPublicKey(aggregate)) fail(stream, `${called} musig2 aggregate pubkey is invalid`)
  const value = takeSized(stream)
  const participants: Array<Uint8Array> = []
  for (let at = 0; at + COMPRESSED <= value.length; at += COMPRESSED) {
    const participant = value.subarray(at, at + COMPRESSED)
    if (!isPublicKey(participant)) fail(stream, `${called} musig2 participant pubkey is invalid`)
    participants.push(participant)
    yield
  }
  if (value.length % COMPRESSED !== 0) {
    fail(stream, `${called} musig2 participants pubkeys value size is not a multiple of 33`)
  }
  into.set(hexOf(aggregate), { aggregate, participants })
}

const NO_LEAF = new Uint8Array(32)

export const readMusigPart = (
  stream: PsbtStream,
  key: Uint8Array,
  into: Sorted<MusigPart>,
  what: "pubnonce" | "partial sig",
  { isPublicKey }: KeyReading
): void => {
  if (key.length !== 67 && key.length !== 99) {
    fail(stream, `Input musig2 ${what} key is not expected size of 67 or 99 bytes`)
    return
  }
  const participant = key.subarray(1, 34)
  const aggregate = key.subarray(34, 67)
  if (!isPublicKey(aggregate)) fail(stream, "musig2 aggregate pubkey is invalid")
  if (!isPublicKey(participant)) fail(stream, "musig2 participant pubkey is invalid")
  const given = key.subarray(67)
  const leafHash = given.length === 0 || bytesEqual(given, NO_LEAF) ? undefined : given
  const value = what === "pubnonce" ? takeSized(stream) : takeExactly(stream, (at) => takeBytes(at, 32))
  if (what === "pubnonce" && value.length !== 66) fail(stream, "Input musig2 pubnonce value is not 66 bytes")
  const place = musigKey(aggregate, leafHash, participant)
  if (!into.has(place)) into.set(place, { aggregate, participant, leafHash, value })
}

const proprietaryOf = (stream: PsbtStream, key: Uint8Array): Pick<ProprietaryField, "identifier" | "subtype"> => {
  const inside = streamOn(key)
  takeCompactSize(inside)
  const identifier = takeSized(inside)
  const subtype = takeCompactSize(inside)
  if (inside.fault !== undefined) fail(stream, inside.fault)
  return { identifier, subtype }
}

/** Reads a field that is kept unchanged. */
export const readKept = (stream: PsbtStream, key: Uint8Array, isProprietary: boolean, into: KeptFields): void => {
  const about = isProprietary ? proprietaryOf(stream, key) : undefined
  const value = takeSized(stream)
  if (about === undefined) into.unknown.set(hexOf(key), { key, value })
  else into.proprietary.set(hexOf(key), { ...about, key, value })
}

/** Reads fields up to the empty key that ends them. `read` reads a field's value, given its key including the type. */
export const readFields = function*(
  stream: PsbtStream,
  called: "global" | "input" | "output",
  end: string,
  read: (type: number, key: Uint8Array) => Steps<void> | void
): Steps<void> {
  const seen = new Set<string>()
  while (left(stream) > 0) {
    const key = takeSized(stream)
    if (stream.fault !== undefined) return
    if (key.length === 0) return
    const name = hexOf(key)
    if (seen.has(name)) fail(stream, `Duplicate Key, ${called} key "${name}" already provided`)
    seen.add(name)
    const inside = streamOn(key)
    const type = takeCompactSize(inside)
    if (inside.fault !== undefined) fail(stream, inside.fault)
    const steps = stream.fault === undefined ? read(type, key) : undefined
    if (steps !== undefined) yield* steps
    yield
  }
  fail(stream, end)
}

/** Reads the value of a field into an input or an output, in steps if it may be long. */
export type ReadField<Into> = (
  stream: PsbtStream,
  key: Uint8Array,
  into: Into,
  reading: KeyReading
) => Steps<void> | void

/** The fields of an input or an output by their types. */
export interface VersionedFields<Into> {
  readonly always: Readonly<Record<number, ReadField<Into>>>
  /** Fields that version 0 stores in its transaction. */
  readonly version2: Readonly<Record<number, readonly [called: string, name: string, read: ReadField<Into>]>>
  /** The type of proprietary ones. */
  readonly proprietary: number
}

/** Reads all fields of an input or an output into it. Returns the types found. */
export const readVersioned = function*<Into extends KeptFields>(
  stream: PsbtStream,
  called: "input" | "output",
  { always, proprietary, version2 }: VersionedFields<Into>,
  isVersion0: boolean,
  into: Into,
  reading: KeyReading
): Steps<ReadonlySet<number>> {
  const found = new Set<number>()
  yield* readFields(stream, called, `Separator is missing at the end of an ${called} map`, (type, key) => {
    found.add(type)
    const later = version2[type]
    if (later !== undefined) {
      const [text, name, read] = later
      holdKeySize(stream, key, 1, text)
      if (!isVersion0) return read(stream, key, into, reading)
      return fail(stream, `${name} is not allowed in PSBTv0`)
    }
    const read = always[type]
    if (read !== undefined) return read(stream, key, into, reading)
    return readKept(stream, key, type === proprietary, into)
  })
  return found
}
