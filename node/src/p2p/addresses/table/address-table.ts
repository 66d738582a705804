import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { type UnixSeconds, unixSeconds } from "../../../quantities.ts"
import { addressKey, endpointKey } from "../../../net/endpoint-text.ts"
import type { NetGroups } from "../../../net/net-groups.ts"
import type { Random } from "../../basics/environment.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import { type BucketPlaces, bucketPlaces } from "./bucket-places.ts"
import { isTerrible, type KnownNode } from "./known-node.ts"
import { SECONDS } from "../../../units.ts"

const { bucketSize, newBuckets, newBucketsPerAddress, triedBuckets } = ADDRESS_LIMITS

type Slots = Array<KnownNode | undefined>

/** Called for each node that enters or leaves the table. */
export interface AddressObserver {
  readonly found: (node: KnownNode) => void
  readonly forgotten: (node: KnownNode) => void
}

/**
 * Addrman: the addresses of nodes, organized as in Bitcoin Core's `AddrMan`. Addresses that were never connected to are
 * in "new" buckets, which their source's network group selects. Those connected to are in "tried" buckets of their own
 * network group. An attacker needs addresses in many network groups to fill it.
 */
export interface AddressTable {
  readonly key: Uint8Array
  /** Version of the asmap that groups the buckets; `undefined` if they are grouped by address prefix. */
  readonly asmap: string | undefined
  readonly places: BucketPlaces
  readonly all: Map<string, KnownNode>
  /** The same nodes as a list, for random choice. */
  readonly list: Array<KnownNode>
  readonly fresh: Slots
  readonly tried: Slots
  /** Number of used slots in each bucket, so that empty buckets are skipped. */
  readonly freshIn: Uint8Array
  readonly triedIn: Uint8Array
  /** Tried collisions: nodes whose tried slot is occupied until its node was tested (Core: `m_tried_collisions`). */
  readonly collisions: Set<KnownNode>
  /** Time of the last successful connection. A node's attempts count only once between two of them. */
  lastGood: UnixSeconds
  freshCount: number
  triedCount: number
  readonly observers: Set<AddressObserver>
}

export const emptyTable = (key: Uint8Array, groups?: NetGroups): AddressTable => ({
  key,
  asmap: groups?.version,
  places: bucketPlaces(key, groups),
  all: new Map(),
  list: [],
  fresh: Array.from({ length: newBuckets.most * bucketSize.most }, () => undefined),
  tried: Array.from({ length: triedBuckets.most * bucketSize.most }, () => undefined),
  freshIn: new Uint8Array(newBuckets.most),
  triedIn: new Uint8Array(triedBuckets.most),
  collisions: new Set(),
  lastGood: unixSeconds(1),
  freshCount: 0,
  triedCount: 0,
  observers: new Set()
})

/** Returns the slot of a node in a bucket, as an index into all slots. */
export const slotOf = ({ places }: AddressTable, node: KnownNode, isTried: boolean, bucket: number): number =>
  bucket * bucketSize.most + places.within(node, isTried, bucket)

export const triedSlotOf = (table: AddressTable, node: KnownNode): number =>
  slotOf(table, node, true, table.places.tried(node))

const NEVER = unixSeconds(0)

/** Adds a node to the list of all nodes, without a bucket. */
export const addNode = (table: AddressTable, given: KnownAddress, source: NetworkAddress): KnownNode => {
  const node: KnownNode = {
    key: endpointKey(given),
    address: { network: given.address.network, bytes: given.address.bytes.slice() },
    port: given.port,
    source,
    services: given.services,
    time: unixSeconds(given.time),
    lastTry: NEVER,
    lastCountedTry: NEVER,
    lastSuccess: NEVER,
    attempts: 0,
    isTried: false,
    newBuckets: new Set(),
    position: table.list.length
  }
  table.all.set(node.key, node)
  table.list.push(node)
  table.freshCount++
  return node
}

const forget = (table: AddressTable, node: KnownNode): void => {
  const last = table.list.pop()!
  if (last !== node) {
    table.list[node.position] = last
    last.position = node.position
  }
  table.all.delete(node.key)
  table.collisions.delete(node)
  table.freshCount--
}

/** Removes the node in a slot of a new bucket, and forgets it if that was its last slot. */
const clearFresh = (table: AddressTable, slot: number): void => {
  const node = table.fresh[slot]
  if (node === undefined) return
  const bucket = Math.floor(slot / bucketSize.most)
  table.fresh[slot] = undefined
  table.freshIn[bucket]!--
  node.newBuckets.delete(bucket)
  if (node.newBuckets.size > 0) return
  forget(table, node)
  for (const { forgotten } of table.observers) forgotten(node)
}

const putFresh = (table: AddressTable, node: KnownNode, bucket: number, slot: number): void => {
  clearFresh(table, slot)
  table.fresh[slot] = node
  table.freshIn[bucket]!++
  node.newBuckets.add(bucket)
}

/** Updates a known node from an announcement. Returns true if it may get one more bucket. */
const refresh = (node: KnownNode, given: KnownAddress, now: UnixSeconds, penalty: number, random: Random): boolean => {
  const interval = now - given.time < SECONDS.day ? SECONDS.hour : SECONDS.day
  if (node.time < given.time - interval - penalty) node.time = unixSeconds(Math.max(0, given.time - penalty))
  node.services |= given.services
  // The time may just have been set from the announcement, so a node that announces itself gets no further bucket.
  if (given.time <= node.time || node.isTried || node.newBuckets.size >= newBucketsPerAddress.most) return false
  // Each further bucket is half as likely.
  return random.below(2 ** node.newBuckets.size) === 0
}

/**
 * Puts a node into the new bucket that its source selects, if the slot is free or its node replaceable. Returns true if
 * it did. Forgets a node without any bucket.
 */
const placeFresh = (table: AddressTable, node: KnownNode, source: NetworkAddress, now: UnixSeconds): boolean => {
  const bucket = table.places.fresh(node, source)
  const slot = slotOf(table, node, false, bucket)
  const holder = table.fresh[slot]
  if (holder === node) return false
  const isFree = holder === undefined || isTerrible(holder, now) ||
    (holder.newBuckets.size > 1 && node.newBuckets.size === 0)
  if (isFree) putFresh(table, node, bucket, slot)
  else if (node.newBuckets.size === 0) forget(table, node)
  return isFree
}

/** True if nodes can have this port: nodes in I2P have port 0, and all others have another. */
const isPort = ({ address, port }: Endpoint): boolean => port !== 0 || address.network === AddressNetwork.I2P

/** Adds an address that a peer sent. Returns true if it entered a new bucket. */
export const addAddress = (
  table: AddressTable,
  given: KnownAddress,
  source: NetworkAddress,
  at: { readonly now: UnixSeconds; readonly penalty: number; readonly random: Random }
): boolean => {
  if (!isRoutable(given.address) || !isPort(given)) return false
  // A node knows its own address best.
  const penalty = addressKey(given.address) === addressKey(source) ? 0 : at.penalty
  const known = table.all.get(endpointKey(given))
  if (known !== undefined && !refresh(known, given, at.now, penalty, at.random)) return false
  const node = known ?? addNode(table, { ...given, time: Math.max(0, given.time - penalty) }, source)
  const isPlaced = placeFresh(table, node, source, at.now)
  if (isPlaced && known === undefined) { for (const { found } of table.observers) found(node) }
  return isPlaced
}

/** Returns the node that occupies the tried slot of this node. */
export const rivalOf = (table: AddressTable, node: KnownNode): KnownNode | undefined =>
  table.tried[triedSlotOf(table, node)]

/** Moves a node from new to tried, and the node that occupied the slot back to new. */
export const makeTried = (table: AddressTable, node: KnownNode): void => {
  for (const bucket of node.newBuckets) {
    table.fresh[slotOf(table, node, false, bucket)] = undefined
    table.freshIn[bucket]!--
  }
  node.newBuckets.clear()
  table.freshCount--
  const slot = triedSlotOf(table, node)
  const rival = table.tried[slot]
  if (rival === undefined) table.triedIn[Math.floor(slot / bucketSize.most)]!++
  else {
    rival.isTried = false
    table.triedCount--
    table.freshCount++
    const bucket = table.places.fresh(rival, rival.source)
    putFresh(table, rival, bucket, slotOf(table, rival, false, bucket))
  }
  table.tried[slot] = node
  node.isTried = true
  table.triedCount++
  table.collisions.delete(node)
}

export const knownAt = (table: AddressTable, endpoint: Endpoint): KnownNode | undefined =>
  table.all.get(endpointKey(endpoint))

/** Puts a saved node back into one of its buckets if the slot is free. Only for loading. */
export const restoreFresh = (table: AddressTable, node: KnownNode, bucket: number): void => {
  const slot = slotOf(table, node, false, bucket)
  if (table.fresh[slot] === undefined) putFresh(table, node, bucket, slot)
}

/** Forgets a node that found no slot. Only for loading. */
export const dropIfHomeless = (table: AddressTable, node: KnownNode): void => {
  if (!node.isTried && node.newBuckets.size === 0) forget(table, node)
}
