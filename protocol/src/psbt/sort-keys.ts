import { hexOf } from "../hex.ts"
import type { KeyOrigin, Sorted } from "./psbt.ts"

const word = (number: number): string => number.toString(16).padStart(8, "0")

/** Returns a key that sorts shorter bytes first, then by value. */
export const shortestFirst = (bytes: Uint8Array): string => `${word(bytes.length)}${hexOf(bytes)}`

/** Returns a key that sorts by script, then by version. A script precedes those that it is a prefix of. */
export const leafKey = (script: Uint8Array, version: number): string =>
  `${hexOf(script)}.${hexOf(Uint8Array.of(version))}`

/** Returns a key that sorts by aggregate key and leaf, then by participant. */
export const musigKey = (
  aggregate: Uint8Array,
  leafHash: Uint8Array | undefined,
  participant: Uint8Array
): string => `${hexOf(aggregate)}${leafHash === undefined ? "0".repeat(64) : hexOf(leafHash)}${hexOf(participant)}`

/** Returns a key that sorts by origin (the shorter path first), then by public key and chain code. */
export const globalKeyKey = (extendedKey: Uint8Array, { fingerprint, path }: KeyOrigin): string =>
  [
    hexOf(fingerprint),
    word(path.length),
    ...path.map(word),
    hexOf(extendedKey.subarray(45)),
    hexOf(extendedKey.subarray(13, 45))
  ].join("")

/** Returns the entries in order. */
export const inOrder = <A>(entries: Sorted<A>): ReadonlyArray<A> => {
  if (entries.size < 2) return [...entries.values()]
  return [...entries].sort(([a], [b]) => a < b ? -1 : 1).map(([, entry]) => entry)
}

/** Adds the entries whose keys are missing. */
export const addMissing = <A>(into: Sorted<A>, from: Sorted<A>): void => {
  for (const [place, entry] of from) if (!into.has(place)) into.set(place, entry)
}
