import type { UnixMilliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { secondsOf, type UnixSeconds } from "../../quantities.ts"
import type { SeedingHappening } from "../../runtime/seeding-happening.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { addressOfName, namedEndpoint } from "../../net/named-endpoint.ts"
import type { Random } from "../basics/environment.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Resolve } from "./find-endpoints.ts"
import { SECONDS } from "../../units.ts"

/** Sources of the first addresses. */
export interface Seeding {
  /** DNS seeds, which answer with addresses of nodes. If empty, no seed is queried. */
  readonly names: ReadonlyArray<string>
  /** Addresses built into the release; `undefined` if they are not used. */
  readonly built: ReadonlyArray<Endpoint> | undefined
  /** Nodes to fetch addresses from, as the operator wrote them. */
  readonly nodes?: ReadonlyArray<string>
  /** True if the seeds are queried even if addresses are known; the default is false. */
  readonly isForced?: boolean
}

/** Queries DNS seeds for addresses while peers are missing. */
export interface Seeds {
  readonly tick: (now: UnixMilliseconds) => void
}

export interface SeedsOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  readonly resolve: Resolve
  readonly seeding: Seeding
  /** Returns the number of lasting outbound connections. */
  readonly outboundCount: () => number
  /** True if the proxy resolves names. */
  readonly namesToProxy: boolean
  /** Connects to a node to request addresses (an addr-fetch connection). */
  readonly fetchFrom: (endpoint: Endpoint) => void
}

const shuffled = <A>(things: ReadonlyArray<A>, random: Random): ReadonlyArray<A> =>
  things.map((thing) => ({ thing, place: random.below(2 ** 32) })).toSorted((a, b) => a.place - b.place).map((
    { thing }
  ) => thing)

/** The service bits that Core looks for; DNS seeds filter their answers by them. */
const WANTED = ServiceFlag.NETWORK | ServiceFlag.WITNESS

const ENOUGH_PEERS = 2
const MOST_PER_SEED = 32

const AT_ONCE = 3

const { seedWait, seedWaitOfMany, seedsOfMany } = CONNECTION_LIMITS

/** Queries one seed and returns the number of addresses it sent. */
const asking = (
  { book, context, fetchFrom, resolve }: Pick<SeedsOptions, "book" | "context" | "fetchFrom" | "resolve">
) => {
  const { environment: { random }, network, notify } = context
  const clock = nodeClock(context)
  const seconds = (): UnixSeconds => secondsOf(clock())

  // The trailing dot prevents a lookup within the machine's own domain.
  const find = (name: string): ReturnType<Resolve> => resolve(name.endsWith(".") ? name : `${name}.`)

  /** Fetches addresses from a node behind the seed's own name, for a seed that does not filter by services. */
  const askNodeOf = (name: string): Effect.Effect<number> =>
    Effect.map(find(name), (addresses) => {
      const address = addresses[random.below(addresses.length)]
      if (address !== undefined) fetchFrom({ address, port: network.port })
      return 0
    })

  return (name: string): Effect.Effect<number> =>
    Effect.flatMap(find(`x${WANTED.toString(16)}.${name}`), (addresses) => {
      if (addresses.length === 0) return askNodeOf(name)
      const known = addresses.slice(0, MOST_PER_SEED).map((address) => ({
        address,
        port: network.port,
        services: WANTED,
        time: seconds() - 3 * SECONDS.day - random.below(4 * SECONDS.day)
      }))
      // Addresses of one seed count as one network group.
      const added = book.add(known, addressOfName(name))
      notify.log("info", "a DNS seed sent addresses", { seed: name, received: addresses.length, new: added })
      return Effect.succeed(known.length)
    })
}

export const makeSeeds = Effect.fnUntraced(function*(
  options: SeedsOptions
): Effect.fn.Return<Seeds, never, Scope.Scope> {
  const { book, context, fetchFrom, namesToProxy, outboundCount, seeding } = options
  const { environment: { random }, network, notify } = context
  const ask = asking(options)
  const fork = yield* FiberSet.makeRuntime()
  /** DNS seeds still to be queried, in random order. */
  let names = shuffled(seeding.names, random)
  /** Time at which the next seeds are queried, and at which peers are counted; `undefined` means now. */
  let wait: { readonly ends: number; readonly looks: number } | undefined
  /** Number of addresses received. */
  let found = 0
  let isOver = names.length === 0

  const say = (happening: SeedingHappening): void => notify.trace?.(happening)

  const endOnce = (): void => {
    if (!isOver) say({ _tag: "DnsSeedingEnded" })
    isOver = true
  }

  /** Skips the remaining seeds. */
  const stop = (why: SeedingHappening): void => {
    say(why)
    names = []
    endOnce()
  }

  const sayFound = (): void => say({ _tag: "DnsSeedsAnswered", addresses: found })

  const askCounting = (name: string): Effect.Effect<void> => Effect.map(ask(name), (count) => void (found += count))

  const askSome = (count: number): void => {
    const asked = names.slice(0, count)
    names = names.slice(count)
    for (const name of asked) say({ _tag: "DnsSeedAsked", name })
    if (namesToProxy) { for (const name of asked) fetchFrom(namedEndpoint(name, network.port)) }
    const isLast = names.length === 0
    fork(Effect.map(namesToProxy ? Effect.succeed([]) : Effect.forEach(asked, askCounting), () => {
      if (!isLast) return
      sayFound()
      endOnce()
    }))
  }

  const beginWait = (at: UnixMilliseconds): void => {
    const length = (book.size() >= seedsOfMany.most ? seedWaitOfMany : seedWait).most
    wait = { ends: at + length, looks: at + seedWait.most }
    say({ _tag: "DnsSeedingWaits", seconds: length / 1_000 })
  }

  /** True if enough peers are connected, which ends the queries. */
  const hasPeers = (): boolean => {
    if (outboundCount() < ENOUGH_PEERS) return false
    if (found > 0) sayFound()
    stop({ _tag: "DnsSeedingSufficed", hasAddresses: found > 0 })
    return true
  }

  /** True if nodes that an operator named have led to enough peers. */
  const hasPeersOfSeedNodes = (): boolean => {
    if ((seeding.nodes ?? []).length === 0 || outboundCount() < ENOUGH_PEERS) return false
    stop({ _tag: "DnsSeedsNotNeeded" })
    return true
  }

  /** True if the wait is over. While it lasts, peers are counted periodically. */
  const hasWaited = (at: UnixMilliseconds): boolean => {
    if (wait === undefined || at < wait.looks) return wait === undefined
    if (hasPeers()) return false
    wait = at < wait.ends ? { ...wait, looks: Math.min(wait.ends, at + seedWait.most) } : undefined
    return wait === undefined
  }

  if (names.length === 0) say({ _tag: "DnsSeedingDisabled" })
  else {
    say({ _tag: "DnsSeedingBegun" })
    yield* addFinalizer(() => Effect.sync(endOnce))
  }
  let isFirst = true

  return {
    tick: (at) => {
      if (names.length === 0) return
      if (isFirst) {
        isFirst = false
        if (seeding.isForced === true || book.size() === 0) askSome(names.length)
        else if (!hasPeersOfSeedNodes()) beginWait(at)
      } else if (hasWaited(at)) {
        askSome(AT_ONCE)
        if (names.length > 0) beginWait(at)
      }
    }
  }
})
