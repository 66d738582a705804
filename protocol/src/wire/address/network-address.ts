import {
  type Cursor,
  readBytes,
  readCompactSize,
  readUint8,
  sizedLength,
  writeBytes,
  type Writer,
  writeSized,
  writeUint8
} from "@lockstep/kernel/bytes"
import { LIMITS } from "../limits.ts"
import { isIntact, type PayloadCursor, refuse } from "../payload-cursor.ts"

/** Numbers of the networks that addresses can be of. */
export const AddressNetwork = { IPV4: 1, IPV6: 2, TORV2: 3, TORV3: 4, I2P: 5, CJDNS: 6 } as const

/** Bytes an address of a network has; networks that are not here are tolerated with any length. */
const LENGTHS: Readonly<Record<number, number>> = {
  [AddressNetwork.IPV4]: 4,
  [AddressNetwork.IPV6]: 16,
  [AddressNetwork.TORV3]: 32,
  [AddressNetwork.I2P]: 32,
  [AddressNetwork.CJDNS]: 16
}

/**
 * Where a node may be found, without its port. `network` is any byte: what it means to us is for `addressKind` to say.
 */
export interface NetworkAddress {
  readonly network: number
  readonly bytes: Uint8Array
}

const MAPPED_IPV4 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)

/** Whether `bytes` begin with `prefix`. */
export const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  bytes.length >= prefix.length && prefix.every((byte, i) => bytes[i] === byte)

/** Whether 16 bytes are an IPv4 address in the clothes of an IPv6 one. */
export const isMappedIpv4 = (bytes: Uint8Array): boolean => startsWith(bytes, MAPPED_IPV4)

/** The address of 16 bytes as `version` and `addr` have them: IPv6, or IPv4 mapped into it. */
export const readIpAddress = (cursor: Cursor): NetworkAddress => {
  const bytes = readBytes(cursor, 16)
  return isMappedIpv4(bytes)
    ? { network: AddressNetwork.IPV4, bytes: bytes.subarray(12) }
    : { network: AddressNetwork.IPV6, bytes }
}

/** An address in 16 bytes; zeros where the form has no room for it, as for Tor. */
export const writeIpAddress = (writer: Writer, { bytes, network }: NetworkAddress): void => {
  if (network === AddressNetwork.IPV4) {
    writeBytes(writer, MAPPED_IPV4)
    writeBytes(writer, bytes)
    return
  }
  writeBytes(writer, network === AddressNetwork.IPV6 || network === AddressNetwork.CJDNS ? bytes : new Uint8Array(16))
}

/**
 * An address as `addrv2` has it: network, length, bytes. A network of the future is read over, and its address kept as
 * it is. A network we know with a length that is not its own makes the whole message unreadable.
 */
export const readNetworkAddress = (cursor: PayloadCursor): NetworkAddress => {
  const network = readUint8(cursor)
  const length = readCompactSize(cursor)
  const most = LIMITS.addressLength.most
  const wanted = LENGTHS[network]
  if (length > most) refuse(cursor, { _tag: "TooLong", what: "address", length, most })
  if (wanted !== undefined && length !== wanted) refuse(cursor, { _tag: "WrongAddressLength", network, length, wanted })
  return { network, bytes: readBytes(cursor, isIntact(cursor) ? length : 0) }
}

/** Bytes that {@link writeNetworkAddress} needs. */
export const networkAddressLength = ({ bytes }: NetworkAddress): number => 1 + sizedLength(bytes)

/** Network, length, bytes. */
export const writeNetworkAddress = (writer: Writer, { bytes, network }: NetworkAddress): void => {
  writeUint8(writer, network)
  writeSized(writer, bytes)
}
