import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { secondsOf, type UnixSeconds } from "../../quantities.ts"
import type { Environment } from "../basics/environment.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { addAddress, type AddressObserver, type AddressTable, emptyTable, knownAt } from "./table/address-table.ts"
import {
  chooseAddress,
  chooseRival,
  markAttempt,
  markGood,
  resolveCollisions,
  sampleAddresses,
  type AddressFilter
} from "./table/choose.ts"
import type { KnownNode } from "./table/known-node.ts"

/**
 * The addrman (Core: `AddrMan`): addresses of nodes in new and tried buckets, with the outcome of connections to them.
 * Times come from the environment.
 */
export interface AddressBook {
  readonly table: AddressTable
  /** Subscribes to nodes that enter and leave the table. Returns the function that unsubscribes. */
  readonly observe: (observer: AddressObserver) => () => void
  readonly size: () => number
  /**
   * Adds addresses that a peer or seed sent. Returns the number of new ones. `penalty` is subtracted from their times,
   * in seconds.
   */
  readonly add: (addresses: ReadonlyArray<KnownAddress>, source: NetworkAddress, penalty?: number) => number
  readonly choose: (wanted: AddressFilter) => KnownNode | undefined
  /** Returns the node in a tried slot that a collision is waiting for, to be tested by a feeler. */
  readonly chooseRival: () => KnownNode | undefined
  readonly resolveCollisions: () => void
  readonly attempted: (endpoint: Endpoint, counts: boolean) => void
  /** Records that a node answered with its `version`. */
  readonly good: (endpoint: Endpoint) => void
  /** Records that a connection to it has just ended. */
  readonly seen: (endpoint: Endpoint) => void
  readonly services: (endpoint: Endpoint, services: bigint) => void
  /** Returns the services that the address is known to offer; 0 if it is unknown. */
  readonly servicesOf: (endpoint: Endpoint) => bigint
  /** Time at which a node was last seen at this address; `undefined` if the address is unknown. */
  readonly lastSeenOf: (endpoint: Endpoint) => UnixSeconds | undefined
  /** Returns a random selection. 0 means no limit. */
  readonly sample: (
    most: number,
    share: number,
    kinds?: ReadonlySet<AddressKind>,
    unfiltered?: boolean
  ) => ReadonlyArray<KnownNode>
}

const ADDRMAN_KEY_BYTES = 32

const SEEN_INTERVAL = 20 * 60

export const addressBook = (
  { random, now }: Environment,
  given?: AddressTable,
  groups?: NetGroups
): AddressBook => {
  const table = given ?? emptyTable(random.bytes(ADDRMAN_KEY_BYTES), groups)
  const seconds = (): UnixSeconds => secondsOf(now())
  const ofKnown = (endpoint: Endpoint, change: (node: KnownNode) => void): void => {
    const node = knownAt(table, endpoint)
    if (node !== undefined) change(node)
  }
  return {
    table,
    observe: (observer) => {
      table.observers.add(observer)
      return () => void table.observers.delete(observer)
    },
    servicesOf: (endpoint) => knownAt(table, endpoint)?.services ?? 0n,
    lastSeenOf: (endpoint) => knownAt(table, endpoint)?.time,
    size: () => table.list.length,
    add: (addresses, source, penalty = 0) => {
      const at = { now: seconds(), penalty, random }
      let added = 0
      for (const address of addresses) if (addAddress(table, address, source, at)) added++
      return added
    },
    choose: (wanted) => chooseAddress(table, wanted, seconds(), random),
    chooseRival: () => chooseRival(table, random),
    resolveCollisions: () => resolveCollisions(table, seconds()),
    attempted: (endpoint, counts) => ofKnown(endpoint, (node) => markAttempt(table, node, seconds(), counts)),
    good: (endpoint) => ofKnown(endpoint, (node) => markGood(table, node, seconds(), true)),
    seen: (endpoint) =>
      ofKnown(endpoint, (node) => {
        if (seconds() - node.time > SEEN_INTERVAL) node.time = seconds()
      }),
    services: (endpoint, services) =>
      ofKnown(endpoint, (node) => {
        node.services = services
      }),
    sample: (most, share, kinds, unfiltered = false) =>
      sampleAddresses(table, { most, share, unfiltered, ...kinds === undefined ? {} : { kinds } }, seconds(), random)
  }
}
