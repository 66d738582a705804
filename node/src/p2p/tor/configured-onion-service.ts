import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { NodeConfig } from "../../config/config.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { endpointOf } from "../configured-ways.ts"
import type { ListenError } from "../transport/transport.ts"
import { DIAL_TIMEOUT_MS } from "../transport/tcp/tcp-transport.ts"
import { ONION_KEY } from "./onion-key.ts"
import { keepOnionService, type TorControlOptions } from "./tor-control.ts"

interface ConfiguredOnionService extends Pick<TorControlOptions, "learned" | "notify" | "random"> {
  readonly config: NodeConfig
  readonly network: Pick<Network, "port">
  /** Where the service leads. */
  readonly target: Endpoint
}

/** Keeps an onion service until the scope ends, if the configuration wants one. */
export const forkOnionService = Effect.fnUntraced(function*(
  { config, network, target, ...rest }: ConfiguredOnionService
): Effect.fn.Return<void, ListenError, Scope.Scope> {
  const { dataDirectory, peers: { onionProxy, torControl }, standIn } = config
  if (torControl === undefined) return
  yield* Effect.forkScoped(keepOnionService({
    ...rest,
    at: yield* endpointOf(torControl.at, "tor_control"),
    password: torControl.password,
    wantsProxy: standIn?.network.learnsOnionProxy ?? onionProxy === undefined,
    isAskedFor: standIn === undefined,
    keyFile: join(dataDirectory, ONION_KEY),
    target,
    port: network.port,
    connectTimeout: standIn?.network.connectTimeout ?? DIAL_TIMEOUT_MS
  }))
})
