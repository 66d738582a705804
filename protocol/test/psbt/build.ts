import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { nobleCrypto } from "@lockstep/kernel/noble"
import * as Result from "effect/Result"
import { ECDH } from "node:crypto"
import { decodePsbt } from "../../src/psbt/decode-psbt.ts"
import type { Psbt } from "../../src/psbt/psbt.ts"

/** A field: the key with its type, and the value. */
export type Field = readonly [key: Uint8Array, value: Uint8Array]

export const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

export const hex = (of: Uint8Array): string => Buffer.from(of).toString("hex")

export const field = (type: number, value: string, key = ""): Field => [
  Uint8Array.of(type, ...bytes(key)),
  bytes(value)
]

const sized = (of: Uint8Array): Uint8Array => concatBytes([encodeCompactSize(of.length), of])

/** A serialization of maps in this order: the whole, inputs, outputs. */
export const serialized = (...maps: ReadonlyArray<ReadonlyArray<Field>>): Uint8Array =>
  concatBytes([
    bytes("70736274ff"),
    ...maps.flatMap((fields) => [...fields.flat().map(sized), Uint8Array.of(0)])
  ])

const isPublicKey = (key: Uint8Array): boolean => {
  try {
    ECDH.convertKey(key, "secp256k1")
    return true
  } catch {
    return false
  }
}

const reading = { crypto: nobleCrypto, isPublicKey }

export const decoded = (of: Uint8Array): Result.Result<Psbt, string> => decodePsbt(of, reading)

export const faultOf = (of: Uint8Array): string | undefined => {
  const result = decoded(of)
  return Result.isFailure(result) ? result.failure : undefined
}
