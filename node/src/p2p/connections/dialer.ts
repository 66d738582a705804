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

/** An attempt that is under way. */
export interface Attempt {
  readonly endpoint: Endpoint
  readonly kind: PeerKind
  /** The name the operator gave for the node to connect to. */
  readonly writtenAs?: string
  /** When addrman last saw the address; none: the operator or another program gave it. */
  readonly lastSeen?: UnixSeconds | undefined
  /** Whether to begin with the v2 transport. A node that does not answer it is dialed once more, for v1. */
  readonly isV2: boolean
}

/** Opens connections, each attempt on its own. */
export interface Dialer {
  /** Attempts under way, by endpoint. */
  readonly underWay: ReadonlyMap<string, Attempt>
  /**
   * Starts an attempt unless the network is off, there are too many, or one to the same endpoint. `done` receives the
   * result.
   */
  readonly dial: (attempt: Attempt, done?: (error: DialError | undefined) => void) => boolean
  /** Nodes to be dialed for v1 that could not be dialed at once. */
  readonly retries: () => ReadonlyArray<Attempt>
  /** Dials them. */
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
  /** Whether a node may be dialed once more, for v1. */
  mayRetry: (attempt: Attempt) => boolean
): Effect.fn.Return<Dialer, never, Scope.Scope> {
  const underWay = new Map<string, Attempt>()
  const fork = yield* FiberSet.makeRuntime()
  const ways = routes(notify)
  /** Nodes to dial for v1. */
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
      // QUIC and Iroh encrypt by themselves: there is no v1 to fall back to.
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

  /** Dials what waits, unless it is being dialed already, and keeps what has to wait on. */
  const dialAgain = (): void => {
    const left = again.filter((attempt) => !underWay.has(endpointKey(attempt.endpoint)) && !dial(attempt))
    again = mayConnect() ? left : []
  }

  return { underWay, dial, retries: () => again, tick: dialAgain }
})
