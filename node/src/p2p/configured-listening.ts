import * as Effect from "effect/Effect"
import type { PeersConfig } from "../config/config.ts"
import { endpointKey } from "../net/endpoint-text.ts"
import { endpointOf } from "./configured-ways.ts"
import type { P2pOptions } from "./p2p-options.ts"
import type { ListenError } from "./transport/transport.ts"

type Listening = Pick<P2pOptions, "alsoListen" | "listen" | "mustListen" | "onionListen">

/** Where others may connect to. A place for Tor alone may be the only one. */
export const listeningOf = Effect.fnUntraced(function*(
  { isListenGiven, isListening, listen, moreListen, onionListen, quic }: PeersConfig
): Effect.fn.Return<Listening, ListenError> {
  const isGiven = isListenGiven || moreListen.length > 0
  if (!isListening) return { listen: undefined, alsoListen: [], mustListen: isGiven }
  const overQuic = quic === undefined
    ? []
    : [{ ...yield* endpointOf(quic.listen, "quic_listen_addr"), quic: { identity: undefined } }]
  if (quic?.isOnly === true) return { listen: overQuic[0], mustListen: true }
  const onion = yield* Effect.forEach(onionListen, (place) => endpointOf(place, "onion_listen_addrs"))
  const ofOnion = new Set(onion.map(endpointKey))
  const more = yield* Effect.forEach(moreListen, (place) => endpointOf(place, "more_listen_addrs"))
  const [first, ...others] = [yield* endpointOf(listen), ...more].filter((place) => !ofOnion.has(endpointKey(place)))
  return {
    listen: first,
    alsoListen: [...others, ...overQuic],
    onionListen: onion,
    mustListen: isGiven || quic !== undefined || onion.length > 0
  }
})
