import { concatBytes } from "@lockstep/kernel/bytes"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { cursorOn } from "@lockstep/kernel/bytes"
import { type NetworkAddress, readIpAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { type ByteReader, writtenNumber } from "./byte-reader.ts"

/** Core's flag of an address on disk in the format of BIP155. */
const BIP155_FORM = 0x2000_0000
/** Mask that removes the client version from a serialization version. */
const FORM_MASK = ~0x7_ffff

/** Core's serialization version of an address on disk: the format flag and the client version. */
const DISK_VERSION = BIP155_FORM + 220_000

const IP_BYTES = 16

/** Maximum length of an address in BIP155. */
const LONGEST = 512

/** Encodes the network and the length-prefixed address, as in BIP155. */
export const encodePlace = ({ bytes, network }: NetworkAddress): Uint8Array =>
  concatBytes([Uint8Array.of(network), writtenNumber.compact(BigInt(bytes.length)), bytes])

export const decodePlace = (from: ByteReader): NetworkAddress => {
  const network = from.uint8()
  const length = Number(from.compact())
  if (length > LONGEST) throw new Error(`Address too long: ${length} > ${LONGEST}`)
  return { network, bytes: from.bytes(length) }
}

/** Encodes an address as in Core's files (`CAddress::V2_DISK`): version, time, services, address, port. */
export const encodeCoreRecord = ({ address, port, services, time }: KnownAddress): Uint8Array =>
  concatBytes([
    writtenNumber.int32(DISK_VERSION),
    writtenNumber.int32(time),
    writtenNumber.compact(services),
    encodePlace(address),
    writtenNumber.uint16be(port)
  ])

/** Decodes an address in the 16 bytes used before BIP155 (Core: `CNetAddr` with `V1`). */
export const decodeOldPlace = (from: ByteReader): NetworkAddress => readIpAddress(cursorOn(from.bytes(IP_BYTES)))

/** Decodes an address of a file. `hasOldForm` means that the file was written before BIP155. */
export const decodeCoreRecord = (from: ByteReader, hasOldForm = false): KnownAddress => {
  const form = from.uint32() & FORM_MASK
  if (form !== 0 && (form !== BIP155_FORM || hasOldForm)) throw new Error("Unsupported CAddress disk format version")
  const time = from.uint32()
  const services = form === 0 ? BigInt.asUintN(64, from.int64()) : from.compact()
  const address = form === 0 ? decodeOldPlace(from) : decodePlace(from)
  return { time, services, address, port: from.uint16be() }
}
