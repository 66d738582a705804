import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { UnixSeconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import { type AddressTable, makeTried, rivalOf, triedSlotOf } from "./address-table.ts"
import { isTerrible, type KnownNode, likelihood } from "./known-node.ts"
import { SECONDS } from "../../../units.ts"

const { bucketSize, collisions, replacement, testWindow } = ADDRESS_LIMITS

/** Selects nodes by table and network. */
export interface AddressFilter {
  readonly onlyNew?: boolean
  /** Kinds of addresses to choose from; all if absent. */
  readonly kinds?: ReadonlySet<AddressKind>
}

const isOf = (kinds: AddressFilter["kinds"], { address }: KnownNode): boolean => {
  const kind = addressKind(address)
  return kinds === undefined || (kind !== undefined && kinds.has(kind))
}

/** True if the table holds an address of a wanted kind. */
const hasAny = ({ list }: AddressTable, kinds: AddressFilter["kinds"], isTried: boolean): boolean =>
  list.some((node) => node.isTried === isTried && isOf(kinds, node))

const used = (takenIn: Uint8Array): ReadonlyArray<number> => {
  const buckets: Array<number> = []
  for (let bucket = 0; bucket < takenIn.length; bucket++) if (takenIn[bucket] !== 0) buckets.push(bucket)
  return buckets
}

/** Returns the first wanted node of a random bucket, from a random slot on. */
const pick = (
  slots: AddressTable["fresh"],
  buckets: ReadonlyArray<number>,
  kinds: AddressFilter["kinds"],
  random: Random
): KnownNode | undefined => {
  const bucket = buckets[random.below(buckets.length)]! * bucketSize.most
  const start = random.below(bucketSize.most)
  for (let i = 0; i < bucketSize.most; i++) {
    const node = slots[bucket + (start + i) % bucketSize.most]
    if (node !== undefined && isOf(kinds, node)) return node
  }
  return undefined
}

/** Chooses a random node to connect to. Nodes that failed recently are less likely. */
export const chooseAddress = (
  table: AddressTable,
  wanted: AddressFilter,
  now: UnixSeconds,
  random: Random
): KnownNode | undefined => {
  const { kinds, onlyNew = false } = wanted
  const hasNew = hasAny(table, kinds, false)
  const hasTried = !onlyNew && hasAny(table, kinds, true)
  if (!hasNew && !hasTried) return undefined
  const isTried = hasTried && (!hasNew || random.below(2) === 1)
  const [slots, buckets] = isTried ? [table.tried, used(table.triedIn)] : [table.fresh, used(table.freshIn)]
  for (let factor = 1;;) {
    const node = pick(slots, buckets, kinds, random)
    if (node === undefined) continue
    if (random.below(2 ** 30) < factor * likelihood(node, now) * 2 ** 30) return node
    factor *= 1.2
  }
}

/** Returns a random selection of nodes, without terrible ones unless `unfiltered`. */
export const sampleAddresses = (
  table: AddressTable,
  bounds: {
    readonly most: number
    readonly share?: number
    readonly kinds?: ReadonlySet<AddressKind>
    readonly unfiltered?: boolean
  },
  now: UnixSeconds,
  random: Random
): ReadonlyArray<KnownNode> => {
  const { list } = table
  const share = bounds.share === undefined || bounds.share === 0
    ? list.length
    : Math.floor(list.length * bounds.share / 100)
  const most = bounds.most === 0 ? share : Math.min(bounds.most, share)
  const found: Array<KnownNode> = []
  for (let i = 0; i < list.length && found.length < most; i++) {
    const j = i + random.below(list.length - i)
    const [here, there] = [list[i]!, list[j]!]
    list[i] = there
    list[j] = here
    there.position = i
    here.position = j
    if (isOf(bounds.kinds, there) && (bounds.unfiltered === true || !isTerrible(there, now))) found.push(there)
  }
  return found
}

/**
 * Records a successful connection. With `testRival`, a node that already occupies the tried slot keeps it until it was
 * tested.
 */
export const markGood = (table: AddressTable, node: KnownNode, now: UnixSeconds, testRival: boolean): void => {
  table.lastGood = now
  node.lastSuccess = now
  node.lastTry = now
  node.attempts = 0
  if (node.isTried || node.newBuckets.size === 0) return
  if (testRival && rivalOf(table, node) !== undefined) {
    if (table.collisions.size < collisions.most) table.collisions.add(node)
    return
  }
  makeTried(table, node)
}

/**
 * Records an attempt to connect. `counts` means that a failure would be due to the address, since this node has other
 * connections.
 */
export const markAttempt = (table: AddressTable, node: KnownNode, now: UnixSeconds, counts: boolean): void => {
  node.lastTry = now
  if (!counts || node.lastCountedTry >= table.lastGood) return
  node.lastCountedTry = now
  node.attempts++
}

/** Resolves a tried collision: the waiting node gets the slot, is dropped, or continues to wait. */
const resolve = (table: AddressTable, node: KnownNode, now: UnixSeconds): void => {
  const rival = table.tried[triedSlotOf(table, node)]
  if (rival === undefined) return markGood(table, node, now, false)
  if (now - rival.lastSuccess < replacement.most) return void table.collisions.delete(node)
  if (now - rival.lastTry < replacement.most) {
    // It was tried without success so far; a minute is enough for an answer.
    return now - rival.lastTry > SECONDS.minute ? markGood(table, node, now, false) : undefined
  }
  return now - node.lastSuccess > testWindow.most ? markGood(table, node, now, false) : undefined
}

/** Resolves all tried collisions (Core: `ResolveCollisions`). */
export const resolveCollisions = (table: AddressTable, now: UnixSeconds): void => {
  for (const node of table.collisions) resolve(table, node, now)
}

/** Returns the node in a tried slot that a collision is waiting for, to be tested (Core: `SelectTriedCollision`). */
export const chooseRival = (table: AddressTable, random: Random): KnownNode | undefined => {
  const waiting = [...table.collisions]
  const node = waiting[random.below(waiting.length)]
  return node === undefined ? undefined : rivalOf(table, node)
}
