import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLan, isLocal } from "../endpoint/address-place.ts"
import { endpointKey, parseEndpoint, splitPort } from "../endpoint/endpoint-text.ts"
import { isHostName, namedEndpoint } from "../endpoint/named-endpoint.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { Endpoint } from "../transport/transport.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Dialer } from "./dialer.ts"
import type { Standing } from "./standing.ts"

/** Finds the addresses of a name. */
export type Resolve = (name: string) => Effect.Effect<ReadonlyArray<NetworkAddress>>

/** A node that an operator wants to be connected to. */
export interface AddedNode {
  /** As it was written. */
  readonly text: string
  /** Where it was last looked for; none: its name was not found yet. */
  readonly endpoint: Endpoint | undefined
  readonly peer: Peer | undefined
}

/** Connections that an operator asks for; they have their own places. */
export interface Manual {
  readonly list: () => ReadonlyArray<AddedNode>
  /** Stays connected to it. Otherwise answers why not: it is on the list already, or the list is full. */
  readonly add: (text: string) => "known" | "full" | undefined
  readonly remove: (text: string) => boolean
  /** Tries once. */
  readonly once: (text: string) => void
  readonly tick: (now: number) => void
}

interface Wanted {
  readonly text: string
  endpoint: Endpoint | undefined
  nextTry: number
  wait: number
  isBusy: boolean
}

const NOT_FOUND = "no address was found for it"

const { added, manual: most, retryLeast, retryMost } = CONNECTION_LIMITS

export interface ManualOptions {
  readonly context: P2pContext
  readonly dialer: Dialer
  readonly standing: Standing
  readonly resolve: Resolve
  /** Whether nobody but the proxy learns of names. */
  readonly namesToProxy: boolean
}

const isNear = ({ endpoint }: Wanted): boolean => endpoint !== undefined && (isLan(endpoint.address) || isLocal(endpoint.address))

/** The same in an order by chance. */
const shuffled = <A>(all: ReadonlyArray<A>, below: (bound: number) => number): ReadonlyArray<A> => {
  const left = [...all]
  return all.map(() => left.splice(below(left.length), 1)[0]!)
}

export const makeManual = Effect.fnUntraced(function*(
  { context, dialer, namesToProxy, resolve, standing }: ManualOptions
): Effect.fn.Return<Manual, never, Scope.Scope> {
  const { environment: { chance, now }, network, peers, tell } = context
  const wanted = new Map<string, Wanted>()
  const fork = yield* FiberSet.makeRuntime()

  const byEndpoint = (): ReadonlyMap<string, Peer> =>
    new Map([...peers.values()].filter(({ isGone }) => !isGone).map((peer) => [endpointKey(peer.endpoint), peer]))

  /** Where it may be, in the order to try; none: no such place is known. */
  const find = (text: string): Effect.Effect<ReadonlyArray<Endpoint>> => {
    const given = parseEndpoint(text, network.port)
    if (given !== undefined) return Effect.succeed([given])
    const split = splitPort(text, network.port)
    if (split === undefined || !isHostName(split.host)) return Effect.succeed([])
    if (namesToProxy) return Effect.succeed([namedEndpoint(split.host, split.port)])
    return Effect.map(resolve(split.host), (addresses) =>
      shuffled(addresses, chance.below).map((address) => ({ address, port: split.port })))
  }

  const later = (entry: Wanted): void => {
    entry.isBusy = false
    entry.nextTry = now() + entry.wait
    entry.wait = Math.min(retryMost.most, entry.wait * 2)
  }

  /** Connects to the first of these places that answers. */
  const connect = (entry: Wanted, [endpoint, ...others]: ReadonlyArray<Endpoint>): void => {
    if (endpoint === undefined) return later(entry)
    entry.endpoint = endpoint
    const isStarted = dialer.dial({ endpoint, kind: "manual", writtenAs: entry.text }, (error) =>
      error === undefined ? later(entry) : connect(entry, others))
    return isStarted ? undefined : later(entry)
  }

  const notFound = ({ text }: Wanted): void => {
    tell.event("ConnectionAttempt", { peer: text, success: false, error: NOT_FOUND })
    tell.log("debug", "could not connect to another node", { peer: text, kind: "manual", reason: NOT_FOUND })
  }

  const attempt = (entry: Wanted): void => {
    entry.isBusy = true
    fork(Effect.map(find(entry.text), (endpoints) => {
      if (endpoints.length === 0) notFound(entry)
      const there = endpoints.find((endpoint) => standing.isConnectedTo(endpoint))
      if (there === undefined) return connect(entry, endpoints)
      entry.endpoint = there
      return later(entry)
    }))
  }

  const check = (entry: Wanted, at: number, connected: ReadonlyMap<string, Peer>): void => {
    if (entry.isBusy) return
    const peer = entry.endpoint === undefined ? undefined : connected.get(endpointKey(entry.endpoint))
    // A connection that lasts starts the waiting times anew.
    if (peer?.isReady === true) entry.wait = retryLeast.most
    else if (peer === undefined && at >= entry.nextTry && standing.count("manual") < most.most) attempt(entry)
  }

  const entryOf = (text: string): Wanted =>
    ({ text, endpoint: parseEndpoint(text, network.port), nextTry: 0, wait: retryLeast.most, isBusy: false })

  /** Whether it is on the list, maybe written in another way. */
  const isKnown = ({ endpoint, text }: Wanted): boolean => {
    if (wanted.has(text)) return true
    const key = endpoint === undefined ? undefined : endpointKey(endpoint)
    return key !== undefined && [...wanted.values()].some((other) => other.endpoint !== undefined && endpointKey(other.endpoint) === key)
  }

  return {
    list: () => {
      const connected = byEndpoint()
      return [...wanted.values()].map(({ endpoint, text }) =>
        ({ text, endpoint, peer: endpoint === undefined ? undefined : connected.get(endpointKey(endpoint)) }))
    },
    add: (text) => {
      const entry = entryOf(text)
      if (isKnown(entry)) return "known"
      if (wanted.size >= added.most) return "full"
      wanted.set(text, entry)
      return undefined
    },
    remove: (text) => wanted.delete(text),
    once: (text) => attempt(entryOf(text)),
    tick: (at) => {
      if (wanted.size === 0) return
      const connected = byEndpoint()
      // Nodes in the own network come first where there are more than places.
      const [near, far] = [[...wanted.values()].filter(isNear), [...wanted.values()].filter((entry) => !isNear(entry))]
      for (const entry of [...near, ...far]) check(entry, at, connected)
    }
  }
})
