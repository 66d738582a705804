import { AddressNetwork, type NetworkAddress } from "./network-address.ts"

/**
 * Numbers for nodes that are reached over QUIC and Iroh, in `addrv2` between nodes that agreed on them. Others take them
 * for networks of the future.
 */
export const UdpNetwork = { QUIC: 0xb0, IROH: 0xb1 } as const

/** A node over QUIC or Iroh: its public key, and its address of IPv4 or IPv6. */
export interface UdpAddress {
  readonly network: typeof UdpNetwork.QUIC | typeof UdpNetwork.IROH
  /** 32 bytes, of Ed25519. */
  readonly publicKey: Uint8Array
  readonly ip: NetworkAddress
}

const KEY_SIZE = 32

/** Networks of addresses by how many bytes they have. */
const FAMILIES: Readonly<Record<number, number>> = { 4: AddressNetwork.IPV4, 16: AddressNetwork.IPV6 }

/** Whether an address is one that only nodes understand that agreed on it. */
export const isUdpAddress = ({ network }: NetworkAddress): boolean =>
  network === UdpNetwork.QUIC || network === UdpNetwork.IROH

/** The bytes of `addrv2`: public key, then address. */
export const writeUdpAddress = ({ ip, network, publicKey }: UdpAddress): NetworkAddress => ({
  network,
  bytes: Uint8Array.of(...publicKey, ...ip.bytes)
})

/** What an address of `addrv2` says; none: it is of another network, or has a length that none has. */
export const readUdpAddress = ({ bytes, network }: NetworkAddress): UdpAddress | undefined => {
  if (network !== UdpNetwork.QUIC && network !== UdpNetwork.IROH) return undefined
  const family = FAMILIES[bytes.length - KEY_SIZE]
  if (family === undefined) return undefined
  return { network, publicKey: bytes.slice(0, KEY_SIZE), ip: { network: family, bytes: bytes.slice(KEY_SIZE) } }
}
