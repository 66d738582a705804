import type { Crypto } from "@lockstep/kernel/crypto"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { KeyOrigin, MusigParticipants, Sorted } from "@lockstep/protocol/psbt/psbt.ts"
import { inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import { MOST_PARTICIPANTS } from "./musig-work.ts"

const FINGERPRINT_SIZE = 4

/** Known participants of an input or output, indexed by the data that a key of a script has. */
interface Found {
  /** Index by the aggregate key without its first byte, and by its fingerprint. */
  readonly byKey: ReadonlyMap<string, ReadonlyArray<Placed>>
  /** Those whose origins a provider knows, by the provider's origins. */
  readonly originated: WeakMap<
    ReadonlyMap<string, KeyOrigin>,
    { readonly keys: ReadonlyArray<Originated>; readonly size: number }
  >
  /** Size of the source when it was indexed; entries are added, never changed. */
  readonly size: number
}

interface Placed {
  readonly place: number
  readonly given: MusigParticipants
}

const found = new WeakMap<Sorted<MusigParticipants>, Found>()

const put = (into: Map<string, Array<Placed>>, key: string, placed: Placed): void => {
  const there = into.get(key)
  if (there === undefined) into.set(key, [placed])
  else there.push(placed)
}

const foundOf = (all: Sorted<MusigParticipants>, crypto: Crypto): Found => {
  const known = found.get(all)
  if (known?.size === all.size) return known
  const byKey = new Map<string, Array<Placed>>()
  for (const [place, given] of inOrder(all).entries()) {
    const placed = { place, given }
    put(byKey, hexOf(given.aggregate.subarray(1)), placed)
    put(byKey, hexOf(crypto.hash160(given.aggregate).subarray(0, FINGERPRINT_SIZE)), placed)
  }
  const made: Found = { byKey, originated: new WeakMap(), size: all.size }
  found.set(all, made)
  return made
}

/**
 * Returns the participants that may sign for a script's key, in order: it is their aggregate key, or its origin names
 * that.
 */
export const participantsFor = (
  x: Uint8Array,
  origin: KeyOrigin | undefined,
  all: Sorted<MusigParticipants>,
  crypto: Crypto
): ReadonlyArray<MusigParticipants> => {
  if (all.size === 0) return []
  const { byKey } = foundOf(all, crypto)
  const named = origin === undefined ? [] : byKey.get(hexOf(origin.fingerprint)) ?? []
  const placed = new Map([...byKey.get(hexOf(x)) ?? [], ...named].map(({ given, place }) => [place, given]))
  return [...placed].sort(([a], [b]) => a - b).map(([, given]) => given)
}

/** A participant whose origin a provider knows. */
interface Originated {
  readonly key: Uint8Array
  readonly origin: KeyOrigin
}

/** Returns the participants of any key whose origins are known, each once. */
export const originatedOf = (
  all: Sorted<MusigParticipants>,
  origins: ReadonlyMap<string, KeyOrigin>,
  crypto: Crypto
): ReadonlyArray<Originated> => {
  if (all.size === 0 || origins.size === 0) return []
  const index = foundOf(all, crypto)
  const before = index.originated.get(origins)
  if (before?.size === origins.size) return before.keys
  const keys = new Map<string, Originated>()
  for (const { participants } of inOrder(all)) {
    for (const key of participants.length > MOST_PARTICIPANTS ? [] : participants) {
      const id = hexOf(crypto.hash160(key))
      const origin = origins.get(id)
      if (origin !== undefined && !keys.has(id)) keys.set(id, { key, origin })
    }
  }
  index.originated.set(origins, { keys: [...keys.values()], size: origins.size })
  return [...keys.values()]
}
