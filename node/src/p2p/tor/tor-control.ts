import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Milliseconds } from "../../quantities.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { Random } from "../basics/environment.ts"
import type { LearnedNetwork } from "../transport/learned-network.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import { authenticate } from "./authenticate.ts"
import { controlClient } from "./control-client.ts"
import { addOnionService, type OnionServiceOptions, socksProxy } from "./onion-service.ts"
import type { TorError } from "./tor-error.ts"

/** Waiting times between attempts; Bitcoin Core's by default. */
export interface TorWaits {
  readonly first: Milliseconds
  readonly most: Milliseconds
  readonly factor: number
}

const WAITS: TorWaits = { first: 1_000, most: 600_000, factor: 1.5 }

export interface TorControlOptions extends Omit<OnionServiceOptions, "warn"> {
  /** Tor's control port. */
  readonly at: Endpoint
  readonly password: string | undefined
  /** True if the proxy that Tor offers is used for onion services; false if an operator chose one. */
  readonly wantsProxy: boolean
  /** True if an operator requested the service; otherwise the absence of Tor is not reported. */
  readonly isAskedFor: boolean
  readonly learned: LearnedNetwork
  readonly notify: Pick<P2pNotifications, "log" | "trace">
  readonly random: Pick<Random, "bytes">
  readonly connectTimeout: Milliseconds
  readonly waits?: TorWaits
}

/** Creates the onion service, and waits until the connection to Tor ends. `begun` is called once the service exists. */
const serve = Effect.fnUntraced(function*(
  options: TorControlOptions,
  begun: () => void
): Effect.fn.Return<never, TorError, Scope.Scope> {
  const { at, connectTimeout, learned, notify, password, random, wantsProxy } = options
  const client = yield* controlClient(at, connectTimeout)
  yield* authenticate(client, password, random)
  if (wantsProxy) learned.learnOnionProxy(yield* socksProxy(client))
  const warn = (message: string): void => notify.log("warn", message)
  const own = yield* addOnionService(client, { ...options, warn })
  yield* acquireRelease(
    Effect.sync(() => learned.addOwn(own)),
    () => Effect.sync(() => learned.removeOwn(own))
  )
  begun()
  const address = endpointText(own)
  notify.trace?.({ _tag: "OnionServiceAdded", address })
  notify.log("info", "other nodes may connect through Tor", { address })
  return yield* client.ended
})

/** Maintains an onion service that forwards to this node, as long as the node runs and whenever Tor does. */
export const keepOnionService = Effect.fn("tor.keepOnionService")(function*(
  options: TorControlOptions
): Effect.fn.Return<never> {
  const { isAskedFor, notify, waits = WAITS } = options
  let wait = waits.first
  let said: string | undefined
  const begun = (): void => {
    wait = waits.first
    said = undefined
  }
  while (true) {
    const { isUnreachable, message } = yield* Effect.flip(Effect.scoped(serve(options, begun)))
    const isNews = message !== said && (isAskedFor || !isUnreachable)
    said = message
    notify.log(isNews ? "warn" : "debug", `${message}; the node tries again`)
    yield* Effect.sleep(wait)
    wait = Math.min(waits.most, wait * waits.factor)
  }
})
