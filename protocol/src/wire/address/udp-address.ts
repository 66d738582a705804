import { AddressNetwork, type NetworkAddress } from "./network-address.ts"

/**
 * Network ids of nodes reached over QUIC and Iroh, in `addrv2` between nodes that negotiated them. Other nodes treat
 * them as unknown networks.
 */
export const UdpNetwork = { QUIC: 0xb0, IROH: 0xb1 } as const

/** A node over QUIC or Iroh: its public key, and its IPv4 or IPv6 address. */
export interface UdpAddress {
  readonly network: typeof UdpNetwork.QUIC | typeof UdpNetwork.IROH
  /** 32 bytes of an Ed25519 key. */
  readonly publicKey: Uint8Array
  readonly ip: NetworkAddress
}

const KEY_SIZE = 32

/** Networks of addresses by their number of bytes. */
const FAMILIES: Readonly<Record<number, number>> = { 4: AddressNetwork.IPV4, 16: AddressNetwork.IPV6 }

/** Reports whether an address is understood only by nodes that negotiated it. */
export const isUdpAddress = ({ network }: NetworkAddress): boolean =>
  network === UdpNetwork.QUIC || network === UdpNetwork.IROH

/** Encodes the bytes for `addrv2`: public key, then address. */
export const writeUdpAddress = ({ ip, network, publicKey }: UdpAddress): NetworkAddress => ({
  network,
  bytes: Uint8Array.of(...publicKey, ...ip.bytes)
})

/** Decodes an address of `addrv2`. Returns `undefined` if it is of another network or has an invalid length. */
export const readUdpAddress = ({ bytes, network }: NetworkAddress): UdpAddress | undefined => {
  if (network !== UdpNetwork.QUIC && network !== UdpNetwork.IROH) return undefined
  const family = FAMILIES[bytes.length - KEY_SIZE]
  if (family === undefined) return undefined
  return { network, publicKey: bytes.slice(0, KEY_SIZE), ip: { network: family, bytes: bytes.slice(KEY_SIZE) } }
}
