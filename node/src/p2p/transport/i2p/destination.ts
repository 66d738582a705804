import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { hash } from "node:crypto"

/** Of a destination: two public keys, and then a certificate with its length. */
const CERTIFICATE_LENGTH_AT = 385
const LEAST_SIZE = 387

/** I2P's base 64: two digits differ. */
const BASE64 = /^[A-Za-z0-9~-]+={0,2}$/

/** The bytes of a text in I2P's base 64; none for anything else. */
export const base64Bytes = (text: string): Uint8Array | undefined => {
  if (!BASE64.test(text) || text.length % 4 !== 0) return undefined
  return new Uint8Array(Buffer.from(text.replaceAll("-", "+").replaceAll("~", "/"), "base64"))
}

export const base64Text = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString("base64").replaceAll("+", "-").replaceAll("/", "~")

/** The destination that a private key begins with, or that the bytes are; none: they are neither. */
const destinationOf = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes.length < LEAST_SIZE) return undefined
  const size = LEAST_SIZE + bytes[CERTIFICATE_LENGTH_AT]! * 256 + bytes[CERTIFICATE_LENGTH_AT + 1]!
  return bytes.length < size ? undefined : bytes.subarray(0, size)
}

/** The address of a destination, or of a private key; none where the bytes are neither. */
export const addressOfDestination = (bytes: Uint8Array): NetworkAddress | undefined => {
  const destination = destinationOf(bytes)
  if (destination === undefined) return undefined
  return { network: AddressNetwork.I2P, bytes: new Uint8Array(hash("sha256", destination, "buffer")) }
}
