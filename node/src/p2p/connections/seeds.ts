import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { addressOfName, namedEndpoint } from "../endpoint/named-endpoint.ts"
import type { Chance } from "../environment.ts"
import { nodeClock } from "../node-clock.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Endpoint } from "../transport/transport.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Resolve } from "./manual.ts"

/** Where first addresses come from. */
export interface Seeding {
  /** Names whose servers tell addresses; none: nobody is asked. */
  readonly names: ReadonlyArray<string>
  /** Addresses that the release has built in. */
  readonly built: ReadonlyArray<Endpoint>
}

/** Asks for first addresses while there are none. */
export interface Seeds {
  readonly tick: (now: number) => void
}

export interface SeedsOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  readonly resolve: Resolve
  readonly seeding: Seeding
  /** How many lasting connections of our own making there are. */
  readonly outboundCount: () => number
  /** Whether names are left to the proxy. */
  readonly namesToProxy: boolean
  /** Connects to a node, to be told addresses. */
  readonly fetchFrom: (endpoint: Endpoint) => void
}

const shuffled = <A>(things: ReadonlyArray<A>, chance: Chance): ReadonlyArray<A> =>
  things.map((thing) => ({ thing, place: chance.below(2 ** 32) })).toSorted((a, b) => a.place - b.place).map(({ thing }) => thing)

/** The reference implementation's own; seeds know whom to tell by it. */
const WANTED = ServiceFlag.NETWORK | ServiceFlag.WITNESS

const DAY = 86_400
const WEEK = 7 * DAY
const ENOUGH_PEERS = 2
const MOST_PER_SEED = 32

const AT_ONCE = 3

const { fixedSeedWait, seedWait, seedWaitOfMany, seedsOfMany } = CONNECTION_LIMITS

export const makeSeeds = Effect.fnUntraced(function*(
  { book, context, fetchFrom, namesToProxy, outboundCount, resolve, seeding }: SeedsOptions
): Effect.fn.Return<Seeds, never, Scope.Scope> {
  const { environment: { chance, now }, network, tell } = context
  const fork = yield* FiberSet.makeRuntime()
  const startedAt = now()
  /** Names that are still to be asked, in an order of chance. */
  let names = shuffled(seeding.names, chance)
  let nextAsk = startedAt + (book.size() >= seedsOfMany.most ? seedWaitOfMany : seedWait).most
  let isBuiltUsed = seeding.built.length === 0

  const clock = nodeClock(context)
  const seconds = (): number => Math.floor(clock() / 1_000)

  // The dot at the end keeps the machine from trying a name within its own domain.
  const find = (name: string): ReturnType<Resolve> => resolve(`${name}.`)

  /** A server that does not tell by services may have a node behind its own name, which tells addresses. */
  const askNodeOf = (name: string): Effect.Effect<void> =>
    Effect.map(find(name), (addresses) => {
      const address = addresses[chance.below(addresses.length)]
      if (address !== undefined) fetchFrom({ address, port: network.port })
    })

  const ask = (name: string): Effect.Effect<void> =>
    Effect.flatMap(find(`x${WANTED.toString(16)}.${name}`), (addresses) => {
      if (addresses.length === 0) return askNodeOf(name)
      const known = addresses.slice(0, MOST_PER_SEED).map((address) => ({
        address,
        port: network.port,
        services: WANTED,
        time: seconds() - 3 * DAY - chance.below(4 * DAY)
      }))
      // Addresses of one seed count as of one network group.
      const added = book.add(known, addressOfName(name))
      tell.log("info", "a name server told addresses of nodes", { seed: name, told: addresses.length, new: added })
      return Effect.void
    })

  const askSome = (count: number): void => {
    const asked = names.slice(0, count)
    names = names.slice(count)
    if (namesToProxy) for (const name of asked) fetchFrom(namedEndpoint(name, network.port))
    else fork(Effect.forEach(asked, ask, { discard: true }))
  }

  const useBuilt = (): void => {
    isBuiltUsed = true
    for (const endpoint of seeding.built) {
      const time = seconds() - chance.below(WEEK) - WEEK
      book.add([{ ...endpoint, services: WANTED, time }], endpoint.address)
    }
    tell.log("info", "no other node is known: starting with the addresses of the release", { addresses: seeding.built.length })
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
      if (!isBuiltUsed && book.size() === 0 && (hasNoNames || at - startedAt >= fixedSeedWait.most)) useBuilt()
    }
  }
})
