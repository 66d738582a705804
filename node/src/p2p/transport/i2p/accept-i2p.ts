import * as Effect from "effect/Effect"
import type { Milliseconds } from "../../../quantities.ts"
import { endpointText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import type { LearnedNetwork } from "../learned-network.ts"
import type { P2pNotifications } from "../../basics/p2p-notifications.ts"
import type { Accept } from "../transport.ts"
import type { I2pNetwork } from "./i2p-transport.ts"

/** Waiting times after failures, as in Bitcoin Core: each longer by `step`. */
export interface I2pWaits {
  readonly step: Milliseconds
  readonly most: Milliseconds
}

const WAITS: I2pWaits = { step: 1_000, most: 5 * 60_000 }

export interface AcceptI2pOptions {
  readonly network: Pick<I2pNetwork, "accept">
  readonly accept: Accept
  readonly learned: Pick<LearnedNetwork, "addOwn" | "removeOwn">
  readonly notify: Pick<P2pNotifications, "log">
  readonly waits?: I2pWaits
}

/** Accepts connections of nodes in I2P, one after another, as long as the node runs and whenever the router does. */
export const acceptI2p = Effect.fn("i2p.accept")(function*(
  { accept, learned, network, notify, waits = WAITS }: AcceptI2pOptions
): Effect.fn.Return<never> {
  let own: Endpoint | undefined
  let wait = 0
  let said: string | undefined
  const listening = (at: Endpoint): void => {
    said = undefined
    if (own !== undefined && endpointText(own) === endpointText(at)) return
    own = at
    learned.addOwn(at)
    notify.log("info", "other nodes may connect through I2P", { address: endpointText(at) })
  }
  const failed = (message: string): void => {
    if (own !== undefined) learned.removeOwn(own)
    own = undefined
    notify.log(message === said ? "debug" : "warn", `${message}; the node tries again`)
    said = message
    wait = Math.min(waits.most, wait + waits.step)
  }
  while (true) {
    wait = yield* Effect.match(network.accept(accept, listening), {
      onSuccess: () => 0,
      onFailure: ({ message }) => {
        failed(message)
        return wait
      }
    })
    if (wait > 0) yield* Effect.sleep(wait)
  }
})
