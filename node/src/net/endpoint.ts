import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { QuicEnd } from "./quic-end.ts"

/** Where a node can be reached. */
export interface Endpoint {
  /** For a host that only a proxy may look up: an address of no network that stands for `name`. */
  readonly address: NetworkAddress
  readonly port: number
  readonly name?: string
  /** The node is reached over QUIC, at a port of UDP; none: over TCP. */
  readonly quic?: QuicEnd
}
