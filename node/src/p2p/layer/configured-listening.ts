import * as Effect from "effect/Effect"
import type { PeersConfig } from "../../config/config.ts"
import { endpointKey } from "../../net/endpoint-text.ts"
import { endpointOf } from "./configured-transports.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { P2pOptions } from "./p2p-options.ts"
import type { ListenError } from "../transport/transport.ts"
import { shortSettingName } from "../../front/setting-name.ts"

type Listening = Pick<P2pOptions, "alsoListen" | "listen" | "mayListen" | "mustListen" | "onionListen">

/** Returns the listening endpoints for QUIC and Iroh. */
const udpPlaces = Effect.fnUntraced(function*(
  { iroh, quic }: Pick<PeersConfig, "iroh" | "quic">
): Effect.fn.Return<ReadonlyArray<Endpoint>, ListenError> {
  const none = { identity: undefined }
  const overQuic = quic === undefined
    ? []
    : [{ ...yield* endpointOf(quic.listen, "quic_listen_addr"), quic: none }]
  const overIroh = iroh === undefined
    ? []
    : [{ ...yield* endpointOf(iroh.listen, "iroh_listen_addr"), iroh: none }]
  return [...overQuic, ...overIroh]
})

/** Returns the listening endpoints. An endpoint for Tor may be the only one. */
export const listeningOf = Effect.fnUntraced(function*(
  { isListenGiven, isListening, listen, mayListen = [], moreListen, onionListen, ...udp }: PeersConfig
): Effect.fn.Return<Listening, ListenError> {
  const isGiven = isListenGiven || moreListen.length > 0
  if (!isListening) return { listen: undefined, alsoListen: [], mustListen: isGiven }
  const overUdp = yield* udpPlaces(udp)
  if (udp.quic?.isOnly === true || udp.iroh?.isOnly === true) return { listen: overUdp[0], mustListen: true }
  const onion = yield* Effect.forEach(
    onionListen,
    (place) => endpointOf(place, shortSettingName("[connections].onion_listen_addrs"))
  )
  const ofOnion = new Set(onion.map(endpointKey))
  const more = yield* Effect.forEach(
    moreListen,
    (place) => endpointOf(place, shortSettingName("[connections].more_listen_addrs"))
  )
  const may = yield* Effect.forEach(mayListen, (place) => endpointOf(place))
  const [first, ...others] = [yield* endpointOf(listen), ...more].filter((place) => !ofOnion.has(endpointKey(place)))
  return {
    listen: first,
    alsoListen: [...others, ...overUdp],
    ...may.length === 0 ? {} : { mayListen: may },
    onionListen: onion,
    mustListen: isGiven || overUdp.length > 0 || onion.length > 0
  }
})
