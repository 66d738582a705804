import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import { endpointText } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { DialError, ListenError, type Transport } from "../transport/transport.ts"

/** The transports that hide the origin of a connection. */
export interface PrivateTransports {
  /** Returns the transport through Tor; `undefined` until its proxy is known. */
  readonly tor: () => Transport | undefined
  /** Transport into I2P, from a single-use address. */
  readonly i2p: Transport | undefined
}

const transportTo = ({ i2p, tor }: PrivateTransports, { address }: Endpoint): Transport | undefined => {
  const kind = addressKind(address)
  if (kind === "i2p") return i2p
  return kind === "onion" || kind === "ipv4" || kind === "ipv6" ? tor() : undefined
}

/** Dials nodes only through Tor or I2P: never from this node's own address, nor through another proxy. */
export const privateTransport = (transports: PrivateTransports): Transport => ({
  name: "private",
  dial: (target, accept) => {
    const transport = transportTo(transports, target)
    if (transport !== undefined) return transport.dial(target, accept)
    const message = `neither Tor nor I2P reaches ${endpointText(target)}`
    return Effect.fail(new DialError({ message, isProxy: true }))
  },
  listen: () => Effect.fail(new ListenError({ message: "private connections are made, and never accepted" }))
})
