import { hexOf } from "../hex.ts"
import type { KeyOrigin, Sorted } from "./psbt.ts"

/** Digits of bytes: texts of them are in the order of the bytes. */
export const digits = hexOf

const word = (number: number): string => number.toString(16).padStart(8, "0")

/** Shorter ones first, then by their bytes. */
export const shortestFirst = (bytes: Uint8Array): string => `${word(bytes.length)}${digits(bytes)}`

/** Scripts in order, of those that are the same the lower version first; a script before the ones it begins. */
export const leafKey = (script: Uint8Array, version: number): string =>
  `${digits(script)}.${digits(Uint8Array.of(version))}`

/** By what is signed for: the aggregate key with the leaf; then by participant. */
export const musigKey = (
  aggregate: Uint8Array,
  leafHash: Uint8Array | undefined,
  participant: Uint8Array
): string => `${digits(aggregate)}${leafHash === undefined ? "0".repeat(64) : digits(leafHash)}${digits(participant)}`

/** By origin (the shorter path first), then by public key and chain code. */
export const globalKeyKey = (extendedKey: Uint8Array, { fingerprint, path }: KeyOrigin): string =>
  [
    digits(fingerprint),
    word(path.length),
    ...path.map(word),
    digits(extendedKey.subarray(45)),
    digits(extendedKey.subarray(13, 45))
  ].join("")

/** The entries in their order. */
export const inOrder = <A>(entries: Sorted<A>): ReadonlyArray<A> => {
  if (entries.size < 2) return [...entries.values()]
  return [...entries].sort(([a], [b]) => a < b ? -1 : 1).map(([, entry]) => entry)
}

/** Adds the entries that are not there yet. */
export const addMissing = <A>(into: Sorted<A>, from: Sorted<A>): void => {
  for (const [place, entry] of from) if (!into.has(place)) into.set(place, entry)
}
