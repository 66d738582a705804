import { concatBytes } from "@lockstep/kernel/bytes"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { type ByteReader, writtenNumber } from "./byte-reader.ts"

/** Core's serialization version of an address on disk: the form of BIP155, and the client that wrote it. */
const DISK_VERSION = 0x2000_0000 + 220_000

/** No address of BIP155 is longer. */
const LONGEST = 512

/** Network and sized address, as BIP155 has them. */
export const encodePlace = ({ bytes, network }: NetworkAddress): Uint8Array =>
  concatBytes([Uint8Array.of(network), writtenNumber.compact(BigInt(bytes.length)), bytes])

export const decodePlace = (from: ByteReader): NetworkAddress => {
  const network = from.uint8()
  const length = Number(from.compact())
  if (length > LONGEST) throw new Error(`Address too long: ${length} > ${LONGEST}`)
  return { network, bytes: from.bytes(length) }
}

/** An address as Core keeps it in files (`CAddress::V2_DISK`): version, time, services, place, port. */
export const encodeCoreRecord = ({ address, port, services, time }: KnownAddress): Uint8Array =>
  concatBytes([
    writtenNumber.int32(DISK_VERSION),
    writtenNumber.int32(time),
    writtenNumber.compact(services),
    encodePlace(address),
    writtenNumber.uint16be(port)
  ])

export const decodeCoreRecord = (from: ByteReader): KnownAddress => {
  from.uint32()
  const time = from.uint32()
  const services = from.compact()
  const address = decodePlace(from)
  return { time, services, address, port: from.uint16be() }
}
