import { readLargeVarint, type VarintCursor, writeLargeVarint, writeVarint } from "./varint.ts"

/*
 * Amounts whose trailing zeros are counted instead of written. For n = m · 10ᵉ with e as large as possible, up to 9,
 * and d the last digit of m:
 *
 * 0 → 0;  e < 9: 1 + 10 · (9 · ⌊m / 10⌋ + d − 1) + e;  e = 9: 1 + 10 · (m − 1) + 9
 */

/** Nine times this is below 2⁵³, so numbers suffice up to here. */
const EXACT = 900_000_000_000_000

const compressed = (amount: number): number => {
  if (amount === 0) return 0
  let m = amount
  let e = 0
  while (e < 9 && m % 10 === 0) {
    m /= 10
    e++
  }
  if (e === 9) return 10 * m
  const d = m % 10
  return 1 + 10 * (9 * ((m - d) / 10) + d - 1) + e
}

/** Compresses an amount above {@link EXACT} with integers of any size. */
const compressedLarge = (amount: bigint): bigint => {
  let m = amount
  let e = 0n
  while (e < 9n && m % 10n === 0n) {
    m /= 10n
    e++
  }
  return e === 9n ? 10n * m : 1n + 10n * (9n * (m / 10n) + m % 10n - 1n) + e
}

/** Writes an amount. Returns the offset of its end. Precondition: an amount of money. */
export const writeAmount = (bytes: Uint8Array, at: number, amount: bigint): number => {
  const number = Number(amount)
  return number <= EXACT
    ? writeVarint(bytes, at, compressed(number))
    : writeLargeVarint(bytes, at, compressedLarge(amount))
}

const expanded = (compact: bigint): bigint => {
  if (compact === 0n) return 0n
  const rest = (compact - 1n) / 10n
  const e = (compact - 1n) % 10n
  const m = e === 9n ? rest + 1n : (rest / 9n) * 10n + rest % 9n + 1n
  return m * 10n ** e
}

/** Reads the next amount. Returns 0 if the cursor is broken. */
export const readAmount = (cursor: VarintCursor): bigint => {
  const compact = readLargeVarint(cursor)
  if (typeof compact === "bigint") return expanded(compact)
  if (compact === 0) return 0n
  const e = (compact - 1) % 10
  const rest = (compact - 1 - e) / 10
  const m = e === 9 ? rest + 1 : Math.floor(rest / 9) * 10 + rest % 9 + 1
  const amount = m * 10 ** e
  return amount <= Number.MAX_SAFE_INTEGER ? BigInt(amount) : expanded(BigInt(compact))
}
