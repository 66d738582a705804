import { FIELD, number } from "./signing.ts"

/** A made-up key: few of them differ, and most of those lie in one place of a table that goes by the last bytes. */
export const bytesOfKey = (
  { first, last, middle }: { readonly first: number; readonly middle: number; readonly last: number }
): Uint8Array => {
  const key = new Uint8Array(33)
  key[0] = first
  key[16] = middle
  key[32] = last
  return key
}

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (let b = base, e = exponent; e > 0n; e >>= 1n, b = b * b % FIELD) if (e & 1n) result = result * b % FIELD
  return result
}

const isPoint = (x: bigint): boolean => power((x * x % FIELD * x + 7n) % FIELD, (FIELD - 1n) / 2n) === 1n

/** A compressed key that is no point and ends as `key` does. */
export const noPointLike = (key: Uint8Array): Uint8Array => {
  const changed = Uint8Array.from(key)
  for (changed[5] = 0; isPoint(number(changed.subarray(1))); changed[5]!++) { /* every second x has a point */ }
  return changed
}
