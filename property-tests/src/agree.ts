import { assert } from "vitest"

type Plain = string | number | bigint | boolean | null | undefined | ReadonlyArray<Plain> | { readonly [key: string]: Plain }

/** Bytes as hex, so that a difference can be read and compared quickly. */
const plain = (value: unknown): Plain => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
  }
  return value as Plain
}

/** `actual` is `expected`, bytes compared as bytes whatever buffer they are in. */
export const agree = (actual: unknown, expected: unknown): void => assert.deepStrictEqual(plain(actual), plain(expected))
