import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { Coin } from "@lockstep/kernel/utxo"

/**
 * Encodes a number as in Bitcoin Core's own files: seven bits per byte, the highest first. Each byte but the last has
 * its top bit set, and its value is one more than its lower bits. Precondition: not negative.
 */
export const varInt = (value: bigint): Uint8Array => {
  const bytes = [Number(value & 0x7fn)]
  for (let rest = value; rest > 0x7fn;) {
    rest = (rest >> 7n) - 1n
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
  return Uint8Array.from(bytes.reverse())
}

const MOST_ZEROS = 9n

/** Compresses an amount in satoshis: removes its trailing zeros (at most nine) and encodes their number. */
export const compressedAmount = (value: bigint): bigint => {
  if (value === 0n) return 0n
  let [rest, zeros] = [value, 0n]
  while (rest % 10n === 0n && zeros < MOST_ZEROS) {
    rest /= 10n
    zeros++
  }
  if (zeros === MOST_ZEROS) return 1n + (rest - 1n) * 10n + MOST_ZEROS
  return 1n + (rest / 10n * 9n + rest % 10n - 1n) * 10n + zeros
}

const CHECKSIG = 0xac

const isKeyHash = (script: Uint8Array): boolean =>
  script.length === 25 && script[0] === 0x76 && script[1] === 0xa9 && script[2] === 20 && script[23] === 0x88 &&
  script[24] === CHECKSIG

const isScriptHash = (script: Uint8Array): boolean =>
  script.length === 23 && script[0] === 0xa9 && script[1] === 20 && script[22] === 0x87

/** Returns the key of a script that only requires its signature. */
const soleKey = (script: Uint8Array): Uint8Array | undefined =>
  (script.length === 35 || script.length === 67) && script[0] === script.length - 2 && script.at(-1) === CHECKSIG
    ? script.subarray(1, -1)
    : undefined

const SPECIAL = 6

/** Compresses a script of a usual form. `isPublicKey` reports whether 65 bytes are a key on the curve. */
export const compressedScript = (script: Uint8Array, isPublicKey: (key: Uint8Array) => boolean): Uint8Array => {
  if (isKeyHash(script)) return Uint8Array.of(0, ...script.subarray(3, 23))
  if (isScriptHash(script)) return Uint8Array.of(1, ...script.subarray(2, 22))
  const key = soleKey(script)
  if (key?.length === 33 && (key[0] === 2 || key[0] === 3)) return key
  if (key?.length === 65 && key[0] === 4 && isPublicKey(key)) {
    return Uint8Array.of(4 | (key[64]! & 1), ...key.subarray(1, 33))
  }
  return concatBytes([varInt(BigInt(script.length + SPECIAL)), script])
}

/** Encodes a coin as in a snapshot, without its outpoint. */
export const snapshotCoin = (
  { height, isCoinbase, script, value }: Coin,
  isPublicKey: (key: Uint8Array) => boolean
): Uint8Array =>
  concatBytes([
    varInt(BigInt(height) * 2n + (isCoinbase ? 1n : 0n)),
    varInt(compressedAmount(value)),
    compressedScript(script, isPublicKey)
  ])

const MAGIC = Uint8Array.of(0x75, 0x74, 0x78, 0x6f, 0xff)
const VERSION = 2

/** Encodes the head of a snapshot: its network, its block, and the number of coins. */
export const snapshotHead = (network: Uint8Array, block: Uint8Array, coins: number): Uint8Array => {
  const count = new Uint8Array(8)
  new DataView(count.buffer).setBigUint64(0, BigInt(coins), true)
  return concatBytes([MAGIC, Uint8Array.of(VERSION, 0), network, block, count])
}

/** Encodes the prefix of one transaction's coins. */
export const snapshotTransaction = (txid: Uint8Array, coins: number): Uint8Array =>
  concatBytes([txid, encodeCompactSize(coins)])

/** Encodes the prefix of each coin: the number of its output. */
export const snapshotVout = (vout: number): Uint8Array => encodeCompactSize(vout)
