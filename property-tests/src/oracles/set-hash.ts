import { createCipheriv } from "node:crypto"
import { fromHex, fromLittleEndian, join, littleEndian } from "./byte-string.ts"
import type { NaiveCoin, NaiveCoins } from "./coins.ts"
import { sha256, sha256d } from "./hash.ts"
import { lengthPrefixed } from "./transaction.ts"

/** An outpoint from its text. */
export const outPointOf = (key: string): { readonly txid: Uint8Array; readonly vout: number } => {
  const [txid, vout] = key.split(":")
  return { txid: fromHex(txid!), vout: Number(vout) }
}

const outPointBytes = (key: string): Uint8Array => join(outPointOf(key).txid, littleEndian(outPointOf(key).vout, 4))

/** A coin as the hashes of the set see it. */
export const coinBytes = (key: string, { height, isCoinbase, script, value }: NaiveCoin): Uint8Array =>
  join(
    outPointBytes(key),
    littleEndian(2 * height + (isCoinbase ? 1 : 0), 4),
    littleEndian(value, 8),
    lengthPrefixed(script)
  )

const PRIME = 2n ** 3072n - 1_103_717n

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % PRIME
    if (bit === "1") result = (result * base) % PRIME
  }
  return result
}

/** A byte string as a number below the prime: the first 384 bytes of the ChaCha20 keystream under its hash. */
export const muHashElement = (bytes: Uint8Array): bigint => {
  const keystream = createCipheriv("chacha20", sha256(bytes), new Uint8Array(16)).update(new Uint8Array(384))
  return fromLittleEndian(keystream) % PRIME
}

const product = (strings: ReadonlyArray<Uint8Array>): bigint =>
  strings.reduce((all, each) => (all * muHashElement(each)) % PRIME, 1n)

/** The digest of what was added less what was removed: by Fermat a⁻¹ = aᵖ⁻². */
export const muHash = (added: ReadonlyArray<Uint8Array>, removed: ReadonlyArray<Uint8Array>): Uint8Array => {
  const inverse = removed.length === 0 ? 1n : power(product(removed), PRIME - 2n)
  return sha256(littleEndian((product(added) * inverse) % PRIME, 384))
}

export const coinsMuHash = (coins: NaiveCoins): Uint8Array =>
  muHash(
    [...coins].map(([key, coin]) => coinBytes(key, coin)),
    []
  )

/** By id as text, which sorts as its bytes do, then by number. */
export const sortedCoins = (coins: NaiveCoins): ReadonlyArray<readonly [string, NaiveCoin]> =>
  [...coins].toSorted(([a], [b]) => {
    const [idA, numberA] = a.split(":") as [string, string]
    const [idB, numberB] = b.split(":") as [string, string]
    return idA === idB ? Number(numberA) - Number(numberB) : idA < idB ? -1 : 1
  })

export const serializedHash = (coins: NaiveCoins): Uint8Array =>
  sha256d(join(...sortedCoins(coins).map(([key, coin]) => coinBytes(key, coin))))

export const setStatistics = (coins: NaiveCoins): object => ({
  coins: coins.size,
  transactions: new Set([...coins.keys()].map((key) => key.split(":")[0])).size,
  bogoSize: [...coins.values()].reduce((size, { script }) => size + 50 + script.length, 0),
  total: [...coins.values()].reduce((total, { value }) => total + value, 0n)
})
