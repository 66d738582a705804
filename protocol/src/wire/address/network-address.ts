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

/** Network ids of addresses. */
export const AddressNetwork = { IPV4: 1, IPV6: 2, TORV2: 3, TORV3: 4, I2P: 5, CJDNS: 6 } as const

/** Bytes of an address by network. Unlisted networks are tolerated with any length. */
const LENGTHS: Readonly<Record<number, number>> = {
  [AddressNetwork.IPV4]: 4,
  [AddressNetwork.IPV6]: 16,
  [AddressNetwork.TORV3]: 32,
  [AddressNetwork.I2P]: 32,
  [AddressNetwork.CJDNS]: 16
}

/** The address of a node, without its port. `network` is any byte, which `addressKind` interprets. */
export interface NetworkAddress {
  readonly network: number
  readonly bytes: Uint8Array
}

const MAPPED_IPV4 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)

/** Reports whether `bytes` begin with `prefix`. */
export const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  bytes.length >= prefix.length && prefix.every((byte, i) => bytes[i] === byte)

/** Reports whether 16 bytes are an IPv4-mapped IPv6 address. */
export const isMappedIpv4 = (bytes: Uint8Array): boolean => startsWith(bytes, MAPPED_IPV4)

/** Reads an address of 16 bytes as in `version` and `addr`: IPv6, or IPv4 mapped into it. */
export const readIpAddress = (cursor: Cursor): NetworkAddress => {
  const bytes = readBytes(cursor, 16)
  return isMappedIpv4(bytes)
    ? { network: AddressNetwork.IPV4, bytes: bytes.subarray(12) }
    : { network: AddressNetwork.IPV6, bytes }
}

/** Writes an address in 16 bytes; zeros if the format cannot carry it, as for Tor. */
export const writeIpAddress = (writer: Writer, { bytes, network }: NetworkAddress): void => {
  if (network === AddressNetwork.IPV4) {
    writeBytes(writer, MAPPED_IPV4)
    writeBytes(writer, bytes)
    return
  }
  writeBytes(writer, network === AddressNetwork.IPV6 || network === AddressNetwork.CJDNS ? bytes : new Uint8Array(16))
}

/**
 * Reads an address as in `addrv2`: network, length, bytes. An address of an unknown network is kept unchanged. A known
 * network with a wrong length makes the whole message invalid.
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

/** Returns the bytes that {@link writeNetworkAddress} needs. */
export const networkAddressLength = ({ bytes }: NetworkAddress): number => 1 + sizedLength(bytes)

/** Writes network, length and bytes. */
export const writeNetworkAddress = (writer: Writer, { bytes, network }: NetworkAddress): void => {
  writeUint8(writer, network)
  writeSized(writer, bytes)
}
