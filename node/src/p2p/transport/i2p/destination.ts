import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { hash } from "node:crypto"

/** Offset of the certificate's length in a destination, behind two public keys. */
const CERTIFICATE_LENGTH_AT = 385
const LEAST_SIZE = 387

/** I2P's base 64, in which two digits differ from the standard. */
const BASE64 = /^[A-Za-z0-9~-]+={0,2}$/

/** Decodes I2P's base 64, or returns `undefined` for any other text. */
export const base64Bytes = (text: string): Uint8Array | undefined => {
  if (!BASE64.test(text) || text.length % 4 !== 0) return undefined
  return new Uint8Array(Buffer.from(text.replaceAll("-", "+").replaceAll("~", "/"), "base64"))
}

export const base64Text = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString("base64").replaceAll("+", "-").replaceAll("/", "~")

/** Returns the destination at the start of a private key, or the destination itself; `undefined` for other bytes. */
const destinationOf = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes.length < LEAST_SIZE) return undefined
  const size = LEAST_SIZE + bytes[CERTIFICATE_LENGTH_AT]! * 256 + bytes[CERTIFICATE_LENGTH_AT + 1]!
  return bytes.length < size ? undefined : bytes.subarray(0, size)
}

/** Returns the address of a destination or of a private key; `undefined` for other bytes. */
export const addressOfDestination = (bytes: Uint8Array): NetworkAddress | undefined => {
  const destination = destinationOf(bytes)
  if (destination === undefined) return undefined
  return { network: AddressNetwork.I2P, bytes: new Uint8Array(hash("sha256", destination, "buffer")) }
}
