import { isDeepStrictEqual } from "node:util"
import { plain } from "../../src/plain.ts"

const shown = (value: unknown): string => {
  const text = JSON.stringify(plain(value), (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ??
    "undefined"
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** How `actual` is not `expected`, in words; undefined when it is. */
export const difference = (what: string, actual: unknown, expected: unknown): string | undefined =>
  isDeepStrictEqual(plain(actual), plain(expected))
    ? undefined
    : `${what}: ${shown(actual)}, expected ${shown(expected)}`
