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

/** Waiting times between attempts, as Bitcoin Core has them. */
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
  /** Whether the proxy that Tor offers becomes the way to onion services: not where an operator chose one. */
  readonly wantsProxy: boolean
  /** Whether an operator asked for the service: else it is no news that there is no Tor. */
  readonly isAskedFor: boolean
  readonly learned: LearnedNetwork
  readonly notify: Pick<P2pNotifications, "log" | "trace">
  readonly random: Pick<Random, "bytes">
  readonly connectTimeout: Milliseconds
  readonly waits?: TorWaits
}

/** Makes the onion service, and stays until the connection to Tor ends. `begun`: it is there. */
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

/** Keeps an onion service that leads to this node, for as long as it runs and whenever Tor does. */
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
