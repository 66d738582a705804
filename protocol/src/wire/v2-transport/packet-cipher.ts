import type { Opener, TransportCrypto } from "./transport-crypto.ts"
import { LENGTH_SIZE } from "./packet-layout.ts"

/** Packets between two changes of the keys. */
const REKEY_INTERVAL = 224

const KEY_BYTES = 32
const LENGTHS = REKEY_INTERVAL * LENGTH_SIZE

/** The packet number that stands for the change of the key in the nonces. */
const REKEY_NUMBER = 0xffff_ffff

/**
 * The ciphers of one direction: one for the lengths and one for the packets. Both change their key after so many packets,
 * so that what a stolen key opens is little and never what came before.
 */
export interface PacketCipher {
  readonly crypto: TransportCrypto
  packetKey: Uint8Array
  lengthKey: Uint8Array
  /** The keystream of the lengths until the next change, and then their next key; none: no length was needed yet. */
  lengths: Uint8Array | undefined
  /** Packets since the last change, and changes. */
  packets: number
  changes: number
}

const nonceOf = (packets: number, changes: number): Uint8Array => {
  const nonce = new Uint8Array(12)
  const view = new DataView(nonce.buffer)
  view.setUint32(0, packets, true)
  // A count above 2^53 would take more packets than a connection can carry.
  view.setUint32(4, changes >>> 0, true)
  view.setUint32(8, Math.floor(changes / 2 ** 32), true)
  return nonce
}

/** Half-open connections are many, and most of them never come to a length. */
const lengthsOf = (cipher: PacketCipher): Uint8Array => {
  const { changes, crypto, lengthKey } = cipher
  cipher.lengths ??= crypto.keystream(lengthKey, nonceOf(0, changes), 0, LENGTHS + KEY_BYTES)
  return cipher.lengths
}

/** Releases the keystream of the lengths, which is made anew when a length is needed. */
export const releaseLengths = (cipher: PacketCipher): void => {
  cipher.lengths = undefined
}

/** The ciphers at the start of a connection. */
export const packetCipher = (crypto: TransportCrypto, lengthKey: Uint8Array, packetKey: Uint8Array): PacketCipher => ({
  crypto,
  packetKey,
  lengthKey,
  lengths: undefined,
  packets: 0,
  changes: 0
})

/** Encrypts, or decrypts, the length of the packet whose turn it is. */
export const crypted = (cipher: PacketCipher, length: Uint8Array): Uint8Array => {
  const lengths = lengthsOf(cipher)
  return length.map((byte, i) => byte ^ lengths[cipher.packets * LENGTH_SIZE + i]!)
}

/** Goes on to the next packet. */
const advance = (cipher: PacketCipher): void => {
  cipher.packets++
  if (cipher.packets < REKEY_INTERVAL) return
  const { changes, crypto, packetKey } = cipher
  cipher.lengthKey = new Uint8Array(lengthsOf(cipher).subarray(LENGTHS))
  cipher.lengths = undefined
  cipher.packetKey = crypto.keystream(packetKey, nonceOf(REKEY_NUMBER, changes), 1, KEY_BYTES)
  cipher.packets = 0
  cipher.changes++
}

/** The packet whose turn it is: its length, then its parts sealed, then the tag. The next one has its turn then. */
export const sealPacket = (
  cipher: PacketCipher,
  parts: ReadonlyArray<Uint8Array>,
  contentsLength: number,
  additional: Uint8Array
): ReadonlyArray<Uint8Array> => {
  const { changes, crypto, packetKey, packets } = cipher
  const length = Uint8Array.of(contentsLength, contentsLength >>> 8, contentsLength >>> 16)
  const sealed = [
    crypted(cipher, length),
    ...crypto.seal(packetKey, nonceOf(packets, changes), additional, parts)
  ]
  advance(cipher)
  return sealed
}

/** Opens the packet whose turn it is; the next one has its turn then. */
export const packetOpener = (cipher: PacketCipher, additional: Uint8Array): Opener => {
  const { changes, crypto, packetKey, packets } = cipher
  const opener = crypto.opener(packetKey, nonceOf(packets, changes), additional)
  advance(cipher)
  return opener
}
