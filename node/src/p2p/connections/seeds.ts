import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { secondsOf, type UnixSeconds } from "../../quantities.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { addressOfName, namedEndpoint } from "../../net/named-endpoint.ts"
import { type Random, machineClock } from "../environment.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Resolve } from "./find-endpoints.ts"

/** Where first addresses come from. */
export interface Seeding {
  /** DNS seeds, which answer with addresses of nodes; none: no seed is queried. */
  readonly names: ReadonlyArray<string>
  /** Addresses that the release has built in. */
  readonly built: ReadonlyArray<Endpoint>
}

/** Requests first addresses while there are none. */
export interface Seeds {
  readonly tick: (now: number) => void
}

export interface SeedsOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  /** Kinds of addresses in which peers are chosen. */
  readonly reachable: ReadonlySet<AddressKind>
  readonly resolve: Resolve
  readonly seeding: Seeding
  /** How many lasting outbound connections there are. */
  readonly outboundCount: () => number
  /** Whether the proxy resolves names. */
  readonly namesToProxy: boolean
  /** Connects to a node, to request addresses (an addr-fetch connection). */
  readonly fetchFrom: (endpoint: Endpoint) => void
}

const shuffled = <A>(things: ReadonlyArray<A>, random: Random): ReadonlyArray<A> =>
  things.map((thing) => ({ thing, place: random.below(2 ** 32) })).toSorted((a, b) => a.place - b.place).map((
    { thing }
  ) => thing)

/** Core's own service bits; DNS seeds filter their answers by them. */
const WANTED = ServiceFlag.NETWORK | ServiceFlag.WITNESS

const DAY = 86_400
const WEEK = 7 * DAY
const ENOUGH_PEERS = 2
const MOST_PER_SEED = 32

const AT_ONCE = 3

const { fixedSeedWait, seedWait, seedWaitOfMany, seedsOfMany } = CONNECTION_LIMITS

export const makeSeeds = Effect.fnUntraced(function*(
  { book, context, fetchFrom, namesToProxy, outboundCount, reachable, resolve, seeding }: SeedsOptions
): Effect.fn.Return<Seeds, never, Scope.Scope> {
  const { environment, environment: { random }, network, notify } = context
  const fork = yield* FiberSet.makeRuntime()
  const startedAt = machineClock(environment)()
  /** DNS seeds that are still to be queried, in random order. */
  let names = shuffled(seeding.names, random)
  let nextAsk = startedAt + (book.size() >= seedsOfMany.most ? seedWaitOfMany : seedWait).most
  let isBuiltUsed = seeding.built.length === 0

  const clock = nodeClock(context)
  const seconds = (): UnixSeconds => secondsOf(clock())

  // The dot at the end keeps the machine from trying a name within its own domain.
  const find = (name: string): ReturnType<Resolve> => resolve(`${name}.`)

  /** A seed that does not filter by services may have a node behind its own name, which answers with addresses. */
  const askNodeOf = (name: string): Effect.Effect<void> =>
    Effect.map(find(name), (addresses) => {
      const address = addresses[random.below(addresses.length)]
      if (address !== undefined) fetchFrom({ address, port: network.port })
    })

  const ask = (name: string): Effect.Effect<void> =>
    Effect.flatMap(find(`x${WANTED.toString(16)}.${name}`), (addresses) => {
      if (addresses.length === 0) return askNodeOf(name)
      const known = addresses.slice(0, MOST_PER_SEED).map((address) => ({
        address,
        port: network.port,
        services: WANTED,
        time: seconds() - 3 * DAY - random.below(4 * DAY)
      }))
      // Addresses of one seed count as of one network group.
      const added = book.add(known, addressOfName(name))
      notify.log("info", "a DNS seed sent addresses", { seed: name, received: addresses.length, new: added })
      return Effect.void
    })

  const askSome = (count: number): void => {
    const asked = names.slice(0, count)
    names = names.slice(count)
    if (namesToProxy) { for (const name of asked) fetchFrom(namedEndpoint(name, network.port)) }
    else fork(Effect.forEach(asked, ask, { discard: true }))
  }

  /** Networks in which peers are chosen and of which addrman has no address. */
  const emptyNetworks = (): ReadonlyArray<AddressKind> =>
    [...reachable].filter((kind) => !book.table.list.some(({ address }) => addressKind(address) === kind))

  const useBuilt = (networks: ReadonlyArray<AddressKind>): void => {
    isBuiltUsed = true
    const wanted = seeding.built.filter(({ address }) => networks.some((kind) => addressKind(address) === kind))
    for (const endpoint of wanted) {
      const time = seconds() - random.below(WEEK) - WEEK
      book.add([{ ...endpoint, services: WANTED, time }], endpoint.address)
    }
    if (wanted.length === 0) return
    notify.log("info", "no node is known in some networks: starting with the addresses of the release", {
      addresses: wanted.length,
      networks: networks.join(", ")
    })
  }

  return {
    tick: (at) => {
      if (names.length > 0 && book.size() === 0) askSome(names.length)
      if (names.length > 0 && at >= nextAsk) {
        nextAsk = at + seedWait.most
        if (outboundCount() >= ENOUGH_PEERS) names = []
        else askSome(AT_ONCE)
      }
      const hasNoNames = seeding.names.length === 0
      if (isBuiltUsed || (!hasNoNames && at - startedAt < fixedSeedWait.most)) return
      const empty = emptyNetworks()
      if (empty.length > 0) useBuilt(empty)
    }
  }
})
