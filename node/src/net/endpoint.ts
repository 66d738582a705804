import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"

/** Where a node can be reached. */
export interface Endpoint {
  /** For a host that only a proxy may look up: an address of no network that stands for `name`. */
  readonly address: NetworkAddress
  readonly port: number
  readonly name?: string
}
