import { MAX_SCRIPT_SIZE } from "@lockstep/kernel/constants"
import { ECDH } from "node:crypto"
import { readVarint, type VarintCursor, writeVarint } from "./varint.ts"

/*
 * Scripts in the format of Bitcoin Core's undo files: one number, then bytes.
 *
 * - 0: pay to public key hash, 1: pay to script hash (20 bytes each).
 * - 2, 3: pay to a compressed public key of that first byte (32 bytes).
 * - 4, 5: pay to an uncompressed public key whose y is even or odd (32 bytes).
 * - From 6 on: any script, of six bytes less than the number.
 */

const SPECIAL = 6

const DUP = 0x76
const HASH160 = 0xa9
const EQUAL = 0x87
const EQUALVERIFY = 0x88
const CHECKSIG = 0xac

/** Maximum number of bytes that {@link writeScript} needs beyond those of the script. */
export const SCRIPT_OVERHEAD = 3

const isPayToPublicKeyHash = (script: Uint8Array): boolean =>
  script[0] === DUP && script[1] === HASH160 && script[2] === 20 && script[23] === EQUALVERIFY &&
  script[24] === CHECKSIG

const isPayToScriptHash = (script: Uint8Array): boolean =>
  script[0] === HASH160 && script[1] === 20 && script[22] === EQUAL

const isPayToCompressedKey = (script: Uint8Array): boolean =>
  script[0] === 33 && (script[1] === 2 || script[1] === 3) && script[34] === CHECKSIG

/**
 * Writes a script. Returns the offset of its end. Forms 4 and 5 are never written: they need proof that the key is a
 * point, and save 33 bytes of an obsolete output type.
 */
export const writeScript = (bytes: Uint8Array, at: number, script: Uint8Array): number => {
  const { length } = script
  if (length === 25 && isPayToPublicKeyHash(script)) return writeSpecial(bytes, at, 0, script, 3, 20)
  if (length === 23 && isPayToScriptHash(script)) return writeSpecial(bytes, at, 1, script, 2, 20)
  if (length === 35 && isPayToCompressedKey(script)) return writeSpecial(bytes, at, script[1]!, script, 2, 32)
  const start = writeVarint(bytes, at, length + SPECIAL)
  copy(bytes, start, script, 0, length)
  return start + length
}

const writeSpecial = (
  bytes: Uint8Array,
  at: number,
  form: number,
  script: Uint8Array,
  from: number,
  size: number
): number => {
  bytes[at] = form
  copy(bytes, at + 1, script, from, size)
  return at + 1 + size
}

/** Copies a few bytes with a loop, which is faster than a view and `set`. */
const copy = (target: Uint8Array, at: number, source: Uint8Array, from: number, size: number): void => {
  if (size > 64) target.set(source.subarray(from, from + size), at)
  else for (let i = 0; i < size; i++) target[at + i] = source[from + i]!
}

const framed = (before: ReadonlyArray<number>, middle: Uint8Array, after: ReadonlyArray<number>): Uint8Array => {
  const script = new Uint8Array(before.length + middle.length + after.length)
  script.set(before, 0)
  script.set(middle, before.length)
  script.set(after, before.length + middle.length)
  return script
}

/** Returns the script that pays to the uncompressed key with this x, or `undefined` if no point has it. */
const payToUncompressedKey = (form: number, x: Uint8Array): Uint8Array | undefined => {
  try {
    const key = ECDH.convertKey(
      framed([form - 2], x, []),
      "secp256k1",
      undefined,
      undefined,
      "uncompressed"
    ) as unknown as Buffer
    return framed([65], key, [CHECKSIG])
  } catch {
    return undefined
  }
}

const special = (form: number, data: Uint8Array): Uint8Array | undefined => {
  if (form === 0) return framed([DUP, HASH160, 20], data, [EQUALVERIFY, CHECKSIG])
  if (form === 1) return framed([HASH160, 20], data, [EQUAL])
  if (form < 4) return framed([33, form], data, [CHECKSIG])
  return payToUncompressedKey(form, data)
}

/**
 * Reads the next script; a general one is a view. Returns `undefined` and breaks the cursor if it is missing or too
 * long for a coin.
 */
export const readScript = (cursor: VarintCursor): Uint8Array | undefined => {
  const code = readVarint(cursor)
  const { at, bytes } = cursor
  const size = code >= SPECIAL ? code - SPECIAL : code < 2 ? 20 : 32
  if (at < 0 || size > MAX_SCRIPT_SIZE || at + size > bytes.length) {
    cursor.at = -1
    return undefined
  }
  const data = bytes.subarray(at, at + size)
  const script = code >= SPECIAL ? data : special(code, data)
  cursor.at = script === undefined ? -1 : at + size
  return script
}
