import { createHash } from "node:crypto"
import { bytesOf, hexOf } from "../formats/hex.ts"

export { bytesOf as fromHex, hexOf as toHex }

/** All parts one after another. */
export const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** The number that `bytes` spell, big-endian. */
export const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x0${hexOf(bytes)}`)

/** `value` in 32 bytes, big-endian. */
export const to32 = (value: bigint): Uint8Array => bytesOf(value.toString(16).padStart(64, "0"))

/** `value` in `size` bytes, little-endian, two's complement where it is negative. */
export const littleEndian = (value: number | bigint, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let rest = BigInt.asUintN(size * 8, BigInt(value))
  for (let i = 0; i < size; i++, rest >>= 8n) bytes[i] = Number(rest & 255n)
  return bytes
}

/** `count` as a compact size. */
export const compactSize = (count: number): Uint8Array =>
  count < 253
    ? Uint8Array.of(count)
    : count < 65536
    ? join(Uint8Array.of(253), littleEndian(count, 2))
    : join(Uint8Array.of(254), littleEndian(count, 4))

/** `bytes` behind their length. */
export const sized = (bytes: Uint8Array): Uint8Array => join(compactSize(bytes.length), bytes)

/** SHA-256 of all parts. */
export const sha256 = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

/** SHA-256 of SHA-256. */
export const sha256d = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => sha256(sha256(...parts))

/** RIPEMD-160 of SHA-256. */
export const hash160 = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash("ripemd160").update(sha256(bytes)).digest())

/** The hash of BIP340. */
export const tagged = (tag: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const prefix = sha256(new TextEncoder().encode(tag))
  return sha256(prefix, prefix, ...parts)
}
