import type { UnixSeconds } from "@lockstep/kernel/quantities"
import {
  compactSizeLength,
  readUint32,
  writeBytes,
  writeCompactSize,
  writeInt64,
  writerOf,
  writeUint32
} from "@lockstep/kernel/bytes"
import {
  type NetworkAddress,
  networkAddressLength,
  readIpAddress,
  readNetworkAddress,
  writeIpAddress,
  writeNetworkAddress
} from "../address/network-address.ts"
import type { Codec } from "../codec.ts"
import { type PayloadCursor, readCompactUint64, readList, readPort, readUint64 } from "../payload-cursor.ts"
import { encodeCompactUint64, writePort } from "../payload-writer.ts"

/** The address of a node. `time` is when it was last seen, in Unix seconds, uint32; `services` is uint64. */
export interface KnownAddress {
  readonly time: UnixSeconds
  readonly services: bigint
  readonly address: NetworkAddress
  readonly port: number
}

export interface AddrMessage {
  readonly command: "addr"
  readonly addresses: ReadonlyArray<KnownAddress>
}

/** Addresses of any network (BIP155). */
export interface AddrV2Message {
  readonly command: "addrv2"
  readonly addresses: ReadonlyArray<KnownAddress>
}

/** Bytes of an entry of `addr`. */
const ENTRY_SIZE = 30

const readOld = (cursor: PayloadCursor): KnownAddress => ({
  time: readUint32(cursor),
  services: readUint64(cursor),
  address: readIpAddress(cursor),
  port: readPort(cursor)
})

const readNew = (cursor: PayloadCursor): KnownAddress => ({
  time: readUint32(cursor),
  services: readCompactUint64(cursor),
  address: readNetworkAddress(cursor),
  port: readPort(cursor)
})

export const addr: Codec<AddrMessage> = {
  read: (cursor, limits) => ({
    command: "addr",
    addresses: readList(cursor, "addresses", limits.addresses, readOld)
  }),
  write: ({ addresses }) => {
    const writer = writerOf(compactSizeLength(addresses.length) + addresses.length * ENTRY_SIZE)
    writeCompactSize(writer, addresses.length)
    for (const { address, port, services, time } of addresses) {
      writeUint32(writer, time)
      writeInt64(writer, services)
      writeIpAddress(writer, address)
      writePort(writer, port)
    }
    return writer.bytes
  }
}

export const addrv2: Codec<AddrV2Message> = {
  read: (cursor, limits) => ({
    command: "addrv2",
    addresses: readList(cursor, "addresses", limits.addresses, readNew)
  }),
  write: ({ addresses }) => {
    const services = addresses.map((each) => encodeCompactUint64(each.services))
    let size = compactSizeLength(addresses.length)
    for (let i = 0; i < addresses.length; i++) {
      size += 6 + services[i]!.length + networkAddressLength(addresses[i]!.address)
    }
    const writer = writerOf(size)
    writeCompactSize(writer, addresses.length)
    for (let i = 0; i < addresses.length; i++) {
      const { address, port, time } = addresses[i]!
      writeUint32(writer, time)
      writeBytes(writer, services[i]!)
      writeNetworkAddress(writer, address)
      writePort(writer, port)
    }
    return writer.bytes
  }
}
