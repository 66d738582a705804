import { assert } from "vitest"
import { plain } from "./plain.ts"

/** `actual` is `expected`, bytes compared as bytes whatever buffer they are in. */
export const agree = (actual: unknown, expected: unknown): void =>
  assert.deepStrictEqual(plain(actual), plain(expected))
