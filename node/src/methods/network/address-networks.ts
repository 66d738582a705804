import * as Schema from "effect/Schema"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"

/** Networks of addresses, as RPC names them. */
export const ADDRESS_NETWORKS = ["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const satisfies ReadonlyArray<AddressKind>

export const addressNetworkCalled = (name: string): AddressKind | undefined =>
  ADDRESS_NETWORKS.find((network) => network === name.toLowerCase())

export const AddressNetworkName = Schema.Literals(ADDRESS_NETWORKS)
