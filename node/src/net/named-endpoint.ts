import { hash } from "node:crypto"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Endpoint } from "./endpoint.ts"

/** No network of BIP155: such an address is never received from peers or sent to them. */
const INTERNAL = 0

/** Maximum number of bytes of a name that a proxy can resolve. */
const LONGEST = 255

/** Names of networks that no name server knows: a lookup would only reveal the name. */
const NO_HOST = /\.(onion|i2p)\.?$/i

/** Makes the address that represents a name. */
export const addressOfName = (name: string): NetworkAddress => ({
  network: INTERNAL,
  bytes: new Uint8Array(hash("sha256", name.toLowerCase(), "buffer").subarray(0, 10))
})

/** Reports whether a name server may be queried for it. */
export const isHostName = (name: string): boolean => !NO_HOST.test(name) && Buffer.byteLength(name) <= LONGEST

/** Makes the endpoint of a host that only a proxy may resolve. */
export const namedEndpoint = (name: string, port: number): Endpoint => ({ address: addressOfName(name), port, name })
