import type { Milliseconds, Moment, UnixMilliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { isLan, isLocal } from "../../net/address-place.ts"
import { endpointKey, parseNode } from "../../net/endpoint-text.ts"
import { machineClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Dialer } from "./dialer.ts"
import type { ConnectionCensus } from "./connection-census.ts"
import type { FindEndpoints } from "./find-endpoints.ts"

/** A node that an operator wants to be connected to. */
export interface AddedNode {
  /** The operator's text. */
  readonly text: string
  /** Its last endpoint; `undefined` until its name is resolved. */
  readonly endpoint: Endpoint | undefined
  readonly peer: Peer | undefined
  /** The reason why it cannot be reached; `undefined` if it can, or before the first attempt. */
  readonly failure: string | undefined
}

/** Manual connections, which have their own slots. */
export interface Manual {
  readonly list: () => ReadonlyArray<AddedNode>
  /**
   * Adds a node to stay connected to. Returns the objection if it is on the list already, or the list is full. `isV2`
   * begins with the v2 transport; the default is true if this node has it.
   */
  readonly add: (text: string, isV2?: boolean) => "known" | "full" | undefined
  readonly remove: (text: string) => boolean
  /** Connects without keeping the connection. */
  readonly once: (text: string, isV2?: boolean) => void
  readonly tick: (now: UnixMilliseconds) => void
}

interface Wanted {
  readonly text: string
  readonly isV2: boolean
  /** True if the next attempt begins with the v2 transport. After a failed handshake, every other attempt does. */
  beginsWithV2: boolean
  endpoint: Endpoint | undefined
  nextTry: Moment
  wait: Milliseconds
  isBusy: boolean
  /** The reason why the last attempt failed; `undefined` without a failure. */
  failure: string | undefined
  /** True if a connection was made whose handshake is incomplete. */
  isOpened: boolean
}

const NO_HANDSHAKE = "it ended the connection before the handshake was complete"
const NOT_FOUND = "no address was found for it"

const { added, manual: most, retryLeast, retryMost } = CONNECTION_LIMITS

export interface ManualOptions {
  readonly context: P2pContext
  readonly dialer: Dialer
  readonly census: ConnectionCensus
  readonly find: FindEndpoints
}

const isLanPeer = ({ endpoint }: Wanted): boolean =>
  endpoint !== undefined && (isLan(endpoint.address) || isLocal(endpoint.address))

export const makeManual = Effect.fnUntraced(function*(
  { census, context, dialer, find }: ManualOptions
): Effect.fn.Return<Manual, never, Scope.Scope> {
  const { environment, network, peers, notify } = context
  const now = machineClock(environment)
  const wanted = new Map<string, Wanted>()
  const fork = yield* FiberSet.makeRuntime()

  const byEndpoint = (): ReadonlyMap<string, Peer> =>
    new Map([...peers.values()].filter(({ isGone }) => !isGone).map((peer) => [endpointKey(peer.endpoint), peer]))

  /**
   * Records a failed attempt. For a node to stay connected to, it is logged once each time the node becomes
   * unreachable.
   */
  const failed = (entry: Wanted, reason: string): void => {
    const isNew = entry.failure === undefined
    entry.failure = reason
    if (isNew && wanted.get(entry.text) === entry) {
      notify.log("warn", "a node to stay connected to cannot be reached: it is tried again and again", {
        peer: entry.text,
        reason
      })
    }
  }

  const reached = (entry: Wanted): void => {
    if (entry.failure !== undefined) {
      notify.log("info", "a node to stay connected to is reached again", { peer: entry.text })
    }
    entry.failure = undefined
    entry.isOpened = false
  }

  const later = (entry: Wanted): void => {
    entry.isBusy = false
    entry.nextTry = now() + entry.wait
    entry.wait = Math.min(retryMost.most, entry.wait * 2)
  }

  /** Connects to the first of these endpoints that answers. */
  const connect = (entry: Wanted, [endpoint, ...others]: ReadonlyArray<Endpoint>): void => {
    if (endpoint === undefined) return later(entry)
    entry.endpoint = endpoint
    const isStarted = dialer.dial(
      { endpoint, kind: "manual", writtenAs: entry.text, isV2: entry.beginsWithV2 },
      (error) => {
        if (error !== undefined && others.length > 0) return connect(entry, others)
        if (error === undefined) entry.isOpened = true
        else failed(entry, error.message)
        return later(entry)
      }
    )
    return isStarted ? undefined : later(entry)
  }

  const notFound = (entry: Wanted): void => {
    const { text } = entry
    failed(entry, NOT_FOUND)
    notify.event("ConnectionAttempt", { peer: text, success: false, error: NOT_FOUND })
    notify.log("debug", "could not connect to another node", { peer: text, kind: "manual", reason: NOT_FOUND })
  }

  const attempt = (entry: Wanted): void => {
    entry.isBusy = true
    fork(Effect.map(find(entry.text), (endpoints) => {
      if (endpoints.length === 0) notFound(entry)
      const there = endpoints.find((endpoint) => census.isConnectedTo(endpoint))
      if (there === undefined) return connect(entry, endpoints)
      entry.endpoint = there
      return later(entry)
    }))
  }

  /** True while the dialer is busy with it, for example with a retry over v1. */
  const isDialed = ({ endpoint }: Wanted): boolean =>
    endpoint !== undefined && dialer.underWay.has(endpointKey(endpoint))

  const check = (entry: Wanted, at: Moment, connected: ReadonlyMap<string, Peer>): void => {
    if (entry.isBusy || isDialed(entry)) return
    const peer = entry.endpoint === undefined ? undefined : connected.get(endpointKey(entry.endpoint))
    // A ready connection resets the retry interval.
    if (peer?.isReady === true) {
      entry.wait = retryLeast.most
      reached(entry)
    } else if (peer === undefined && entry.isOpened) {
      entry.isOpened = false
      // It may know only v1, and have sent something before it ended the connection.
      if (entry.isV2) entry.beginsWithV2 = !entry.beginsWithV2
      failed(entry, NO_HANDSHAKE)
    } else if (peer === undefined && at >= entry.nextTry && census.count("manual") < most.most) attempt(entry)
  }

  const entryOf = (text: string, isV2 = context.transportCrypto !== undefined): Wanted => ({
    text,
    isV2,
    beginsWithV2: isV2,
    endpoint: parseNode(text, network.port),
    nextTry: 0,
    wait: retryLeast.most,
    isBusy: false,
    failure: undefined,
    isOpened: false
  })

  /** True if it is on the list, maybe in another spelling. */
  const isKnown = ({ endpoint, text }: Wanted): boolean => {
    if (wanted.has(text)) return true
    const key = endpoint === undefined ? undefined : endpointKey(endpoint)
    return key !== undefined &&
      [...wanted.values()].some((other) => other.endpoint !== undefined && endpointKey(other.endpoint) === key)
  }

  return {
    list: () => {
      const connected = byEndpoint()
      return [...wanted.values()].map(({ endpoint, failure, text }) => {
        const peer = endpoint === undefined ? undefined : connected.get(endpointKey(endpoint))
        return { text, endpoint, peer, failure: peer?.isReady === true ? undefined : failure }
      })
    },
    add: (text, isV2) => {
      const entry = entryOf(text, isV2)
      if (isKnown(entry)) return "known"
      if (wanted.size >= added.most) return "full"
      wanted.set(text, entry)
      return undefined
    },
    remove: (text) => wanted.delete(text),
    once: (text, isV2) => attempt(entryOf(text, isV2)),
    tick: (at) => {
      if (wanted.size === 0) return
      const connected = byEndpoint()
      // LAN nodes come first if there are more nodes than slots.
      const [near, far] = [
        [...wanted.values()].filter(isLanPeer),
        [...wanted.values()].filter((entry) => !isLanPeer(entry))
      ]
      for (const entry of [...near, ...far]) check(entry, at, connected)
    }
  }
})
