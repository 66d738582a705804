import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { IrohEnd } from "./iroh-end.ts"
import type { QuicEnd } from "./quic-end.ts"

/** Where a node can be reached. */
export interface Endpoint {
  /** For a host that only a proxy may look up: an address of no network that stands for `name`. */
  readonly address: NetworkAddress
  readonly port: number
  readonly name?: string
  /** The node is reached over QUIC, at a port of UDP; none: over Iroh or TCP. */
  readonly quic?: QuicEnd
  /** The node is reached over Iroh, at a port of UDP; none: over QUIC or TCP. */
  readonly iroh?: IrohEnd
}

/** A way to other nodes. */
export type TransportName = "tcp" | "quic" | "iroh"

/** The transport by which a node is reached. */
export const transportNameOf = ({ iroh, quic }: Pick<Endpoint, "iroh" | "quic">): TransportName => {
  if (iroh !== undefined) return "iroh"
  return quic === undefined ? "tcp" : "quic"
}

/** Whether a node is reached at a port of TCP. QUIC and Iroh are at ports of UDP, encrypt, and prove an identity. */
export const isOverTcp = (endpoint: Pick<Endpoint, "iroh" | "quic">): boolean => transportNameOf(endpoint) === "tcp"
