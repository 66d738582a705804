import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { KeptFields, KeyOrigin, MusigParticipants, MusigPart, OriginatedKey, Sorted, TaprootKey } from "./psbt.ts"
import { inOrder } from "./sort-keys.ts"

/** List of encoded fields. */
export type Parts = Array<Uint8Array>

const NOTHING = new Uint8Array(0)

export const putSized = (parts: Parts, bytes: Uint8Array): void => {
  parts.push(encodeCompactSize(bytes.length), bytes)
}

/** Appends a field of a type below 253. */
export const putField = (parts: Parts, type: number, value: Uint8Array, key: Uint8Array = NOTHING): void => {
  parts.push(encodeCompactSize(1 + key.length), Uint8Array.of(type), key)
  putSized(parts, value)
}

/** Appends a field unless it is missing or empty. */
export const putOptional = (parts: Parts, type: number, value: Uint8Array | undefined): void => {
  if (value !== undefined && value.length > 0) putField(parts, type, value)
}

/** Encodes 4 bytes, little-endian. */
export const uint32Bytes = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

export const putWord = (parts: Parts, type: number, value: number | undefined): void => {
  if (value !== undefined) putField(parts, type, uint32Bytes(value))
}

export const originBytes = ({ fingerprint, path }: KeyOrigin): Uint8Array =>
  concatBytes([fingerprint, ...path.map(uint32Bytes)])

export const putOrigins = (parts: Parts, type: number, origins: Sorted<OriginatedKey>): void => {
  for (const { key, origin } of inOrder(origins)) putField(parts, type, originBytes(origin), key)
}

export const putTaprootOrigins = (parts: Parts, type: number, origins: Sorted<TaprootKey>): void => {
  for (const { key, leafHashes, origin } of inOrder(origins)) {
    const value = concatBytes([encodeCompactSize(leafHashes.length), ...leafHashes, originBytes(origin)])
    putField(parts, type, value, key)
  }
}

export const putParticipants = (parts: Parts, type: number, all: Sorted<MusigParticipants>): void => {
  for (const { aggregate, participants } of inOrder(all)) putField(parts, type, concatBytes(participants), aggregate)
}

export const putMusigParts = (parts: Parts, type: number, all: Sorted<MusigPart>): void => {
  for (const { aggregate, leafHash = NOTHING, participant, value } of inOrder(all)) {
    putField(parts, type, value, concatBytes([participant, aggregate, leafHash]))
  }
}

const putKept = (parts: Parts, fields: KeptFields["unknown"]): void => {
  for (const { key, value } of inOrder(fields)) {
    putSized(parts, key)
    putSized(parts, value)
  }
}

export const putProprietary = (parts: Parts, { proprietary }: KeptFields): void =>
  putKept(parts, proprietary as KeptFields["unknown"])

/** Appends the fields of unknown types, and the empty key that ends the map. */
export const putEnd = (parts: Parts, { unknown }: KeptFields): void => {
  putKept(parts, unknown)
  parts.push(Uint8Array.of(0))
}
