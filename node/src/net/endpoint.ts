import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { IrohEnd } from "./iroh-end.ts"
import type { QuicEnd } from "./quic-end.ts"

/** Address and port at which a node can be reached. */
export interface Endpoint {
  /** The address. A host that only a proxy may resolve has an address of no network, made of `name`. */
  readonly address: NetworkAddress
  readonly port: number
  readonly name?: string
  /** Set if the node is reached over QUIC, at a UDP port. */
  readonly quic?: QuicEnd
  /** Set if the node is reached over Iroh, at a UDP port. */
  readonly iroh?: IrohEnd
}

/** A way to other nodes. */
export type TransportName = "tcp" | "quic" | "iroh"

/** The transport by which a node is reached. */
export const transportNameOf = ({ iroh, quic }: Pick<Endpoint, "iroh" | "quic">): TransportName => {
  if (iroh !== undefined) return "iroh"
  return quic === undefined ? "tcp" : "quic"
}

/** Reports whether a node is reached at a TCP port. QUIC and Iroh use UDP ports, encrypt, and prove an identity. */
export const isOverTcp = (endpoint: Pick<Endpoint, "iroh" | "quic">): boolean => transportNameOf(endpoint) === "tcp"
