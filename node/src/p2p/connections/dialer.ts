import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { addFinalizer, onExit } from "../../finalizers/finalizers.ts"
import { endpointKey, endpointText } from "../../net/endpoint-text.ts"
import { secondsOf, type UnixSeconds } from "../../quantities.ts"
import type { TraceEvent } from "../../runtime/trace.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PeerHost } from "../peer/peer-host.ts"
import type { PeerKind } from "../peer/peer.ts"
import type { DialError, Transport } from "../transport/transport.ts"
import { type Endpoint, isOverTcp } from "../../net/endpoint.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import { routes } from "./routes.ts"

/** An attempt in progress. */
export interface Attempt {
  readonly endpoint: Endpoint
  readonly kind: PeerKind
  /** The node to connect to, as the operator wrote it. */
  readonly writtenAs?: string
  /** Time at which the addrman last saw the address; `undefined` if the operator or another program gave it. */
  readonly lastSeen?: UnixSeconds | undefined
  /** True to begin with the v2 transport. A node that does not answer it is dialed again with v1. */
  readonly isV2: boolean
}

/** Opens connections. Attempts are independent of each other. */
export interface Dialer {
  /** Attempts in progress, by endpoint. */
  readonly underWay: ReadonlyMap<string, Attempt>
  /**
   * Starts an attempt and returns true, unless the network is off, the limit is reached, or the same endpoint is being
   * dialed. `done` receives the result.
   */
  readonly dial: (attempt: Attempt, done?: (error: DialError | undefined) => void) => boolean
  /** Returns the nodes still to be dialed with v1. */
  readonly retries: () => ReadonlyArray<Attempt>
  /** Dials these nodes. */
  readonly tick: () => void
}

const ignore = (): void => undefined

/** Returns the event of an attempt. An address that the operator gave counts as seen now. */
const dialing = ({ endpoint, isV2, kind, lastSeen, writtenAs }: Attempt, now: UnixSeconds): TraceEvent => ({
  _tag: "Dialing",
  address: writtenAs ?? endpointText(endpoint),
  kind,
  isV2,
  unseen: now - (lastSeen ?? now)
})

export const makeDialer = Effect.fnUntraced(function*(
  { environment, notify }: P2pContext,
  transport: Transport,
  host: PeerHost,
  mayConnect: () => boolean,
  /** True if a node may be dialed again with v1. */
  mayRetry: (attempt: Attempt) => boolean
): Effect.fn.Return<Dialer, never, Scope.Scope> {
  const underWay = new Map<string, Attempt>()
  const fork = yield* FiberSet.makeRuntime()
  const ways = routes(notify)
  /** Nodes to dial with v1. */
  let again: ReadonlyArray<Attempt> = []

  const report = ({ endpoint, kind }: Attempt, error: DialError | undefined): void => {
    if (error !== undefined) ways.failed(endpoint, error)
    const peer = endpointText(endpoint)
    notify.event("ConnectionAttempt", {
      peer,
      success: error === undefined,
      ...error === undefined ? {} : { error: error.message }
    })
    if (error !== undefined) {
      const { fault, isProxy, message: reason } = error
      notify.trace?.({ _tag: "DialFailed", address: peer, reason, fault, isProxy, isManual: kind === "manual" })
      notify.log("debug", "could not connect to another node", { peer, kind, reason })
    }
  }

  let isOver = false
  yield* addFinalizer(() =>
    Effect.sync(() => {
      isOver = true
    })
  )

  const retry = (attempt: Attempt): void => {
    if (isOver || !mayConnect() || !mayRetry(attempt)) return
    notify.log("debug", "retrying with the v1 transport", { peer: endpointText(attempt.endpoint), kind: attempt.kind })
    again = [...again, { ...attempt, isV2: false }]
    dialAgain()
  }

  const attempted = (attempt: Attempt) =>
    transport.dial(attempt.endpoint, (connection) => {
      ways.reached(attempt.endpoint, connection)
      // QUIC and Iroh encrypt themselves, so there is no v1 to fall back to.
      const isV2 = attempt.isV2 && isOverTcp(attempt.endpoint)
      const listener = host.take(connection, { ...attempt, isV2, unanswered: () => retry(attempt) })
      // The network may have been switched off in the meantime.
      if (!mayConnect()) connection.close()
      return listener
    })

  const dial: Dialer["dial"] = (attempt, done = ignore) => {
    const key = endpointKey(attempt.endpoint)
    if (!mayConnect() || underWay.has(key) || underWay.size >= CONNECTION_LIMITS.dialsAtOnce.most) return false
    underWay.set(key, attempt)
    notify.trace?.(dialing(attempt, secondsOf(environment.now())))
    const settle = (error: DialError | undefined) =>
      Effect.sync(() => {
        underWay.delete(key)
        report(attempt, error)
        done(error)
      })
    fork(
      attempted(attempt).pipe(
        Effect.matchEffect({ onFailure: settle, onSuccess: () => settle(undefined) }),
        onExit(() => Effect.sync(() => void underWay.delete(key)))
      )
    )
    return true
  }

  /** Dials the waiting nodes, unless they are being dialed already. Keeps those that could not be dialed. */
  const dialAgain = (): void => {
    const left = again.filter((attempt) => !underWay.has(endpointKey(attempt.endpoint)) && !dial(attempt))
    again = mayConnect() ? left : []
  }

  return { underWay, dial, retries: () => again, tick: dialAgain }
})
