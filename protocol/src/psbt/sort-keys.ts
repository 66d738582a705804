import { hexOf } from "../hex.ts"
import type { KeyOrigin, Sorted } from "./psbt.ts"

const word = (number: number): string => number.toString(16).padStart(8, "0")

/** Shorter ones first, then by their bytes. */
export const shortestFirst = (bytes: Uint8Array): string => `${word(bytes.length)}${hexOf(bytes)}`

/** Scripts in order, of those that are the same the lower version first; a script before the ones it begins. */
export const leafKey = (script: Uint8Array, version: number): string =>
  `${hexOf(script)}.${hexOf(Uint8Array.of(version))}`

/** By what is signed for: the aggregate key with the leaf; then by participant. */
export const musigKey = (
  aggregate: Uint8Array,
  leafHash: Uint8Array | undefined,
  participant: Uint8Array
): string => `${hexOf(aggregate)}${leafHash === undefined ? "0".repeat(64) : hexOf(leafHash)}${hexOf(participant)}`

/** By origin (the shorter path first), then by public key and chain code. */
export const globalKeyKey = (extendedKey: Uint8Array, { fingerprint, path }: KeyOrigin): string =>
  [
    hexOf(fingerprint),
    word(path.length),
    ...path.map(word),
    hexOf(extendedKey.subarray(45)),
    hexOf(extendedKey.subarray(13, 45))
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
