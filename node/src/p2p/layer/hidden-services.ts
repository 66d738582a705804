import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { NodeConfig } from "../../config/config.ts"
import { endpointOf } from "./configured-transports.ts"
import type { P2p } from "./assemble.ts"
import { ONION_KEY } from "../tor/onion-key.ts"
import { keepOnionService, type TorControlOptions } from "../tor/tor-control.ts"
import { acceptI2p } from "../transport/i2p/accept-i2p.ts"
import type { I2pNetwork } from "../transport/i2p/i2p-transport.ts"
import { DIAL_TIMEOUT_MS } from "../transport/tcp/tcp-transport.ts"
import type { ListenError } from "../transport/transport.ts"
import { shortSettingName } from "../../front/setting-name.ts"

interface HiddenServicesOptions extends Pick<TorControlOptions, "learned" | "notify" | "random"> {
  readonly config: NodeConfig
  readonly network: Pick<Network, "port">
  readonly i2p: I2pNetwork | undefined
  readonly p2p: P2p
}

const forkOnionService = Effect.fnUntraced(function*(
  { config, network, p2p, ...rest }: Omit<HiddenServicesOptions, "i2p">
): Effect.fn.Return<void, ListenError, Scope.Scope> {
  const { dataDirectory, peers: { onionProxy, torControl }, standIn } = config
  const target = p2p.service.onionListening[0] ?? p2p.service.listening[0]
  if (torControl === undefined || target === undefined) return
  yield* Effect.forkScoped(keepOnionService({
    ...rest,
    at: yield* endpointOf(torControl.at, shortSettingName("[connections].tor_control")),
    password: torControl.password,
    wantsProxy: standIn?.network.learnsOnionProxy ?? onionProxy === undefined,
    isAskedFor: standIn === undefined,
    keyFile: join(dataDirectory, ONION_KEY),
    target,
    port: network.port,
    connectTimeout: standIn?.network.connectTimeout ?? DIAL_TIMEOUT_MS
  }))
})

/** Accepts connections through Tor and I2P until the scope ends, as far as the configuration enables them. */
export const forkHiddenServices = Effect.fnUntraced(function*(
  { i2p, ...options }: HiddenServicesOptions
): Effect.fn.Return<void, ListenError, Scope.Scope> {
  const { config: { peers }, learned, notify, p2p } = options
  if (i2p !== undefined && peers.isListening && peers.i2p?.acceptsIncoming === true) {
    yield* Effect.forkScoped(acceptI2p({ network: i2p, accept: p2p.connections.accept, learned, notify }))
  }
  yield* forkOnionService(options)
})
