import type { Opener, TransportCrypto } from "./transport-crypto.ts"
import { LENGTH_SIZE } from "./packet-layout.ts"

/** Packets between two changes of the keys. */
const REKEY_INTERVAL = 224

const KEY_BYTES = 32
const LENGTHS = REKEY_INTERVAL * LENGTH_SIZE

/** The packet number in the nonce of a key change. */
const REKEY_NUMBER = 0xffff_ffff

/**
 * The ciphers of one direction: one for the lengths and one for the packets. Both change their key after a number of
 * packets, so that a stolen key reveals little, and nothing earlier.
 */
export interface PacketCipher {
  readonly crypto: TransportCrypto
  packetKey: Uint8Array
  lengthKey: Uint8Array
  /**
   * The keystream of the lengths until the next key change, followed by their next key; `undefined` until a length is
   * needed.
   */
  lengths: Uint8Array | undefined
  /** Packets since the last key change, and number of key changes. */
  packets: number
  changes: number
}

const nonceOf = (packets: number, changes: number): Uint8Array => {
  const nonce = new Uint8Array(12)
  const view = new DataView(nonce.buffer)
  view.setUint32(0, packets, true)
  // A count above 2^53 would need more packets than a connection can carry.
  view.setUint32(4, changes >>> 0, true)
  view.setUint32(8, Math.floor(changes / 2 ** 32), true)
  return nonce
}

/** Returns the keystream of the lengths, computed on first use. Most half-open connections never need a length. */
const lengthsOf = (cipher: PacketCipher): Uint8Array => {
  const { changes, crypto, lengthKey } = cipher
  cipher.lengths ??= crypto.keystream(lengthKey, nonceOf(0, changes), 0, LENGTHS + KEY_BYTES)
  return cipher.lengths
}

/** Releases the keystream of the lengths, which is computed again when a length is needed. */
export const releaseLengths = (cipher: PacketCipher): void => {
  cipher.lengths = undefined
}

/** Opens the ciphers at the start of a connection. */
export const packetCipher = (crypto: TransportCrypto, lengthKey: Uint8Array, packetKey: Uint8Array): PacketCipher => ({
  crypto,
  packetKey,
  lengthKey,
  lengths: undefined,
  packets: 0,
  changes: 0
})

/** Encrypts, or decrypts, the length of the current packet. */
export const crypted = (cipher: PacketCipher, length: Uint8Array): Uint8Array => {
  const lengths = lengthsOf(cipher)
  return length.map((byte, i) => byte ^ lengths[cipher.packets * LENGTH_SIZE + i]!)
}

/** Advances to the next packet. */
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

/** Encrypts the current packet: its length, then its encrypted parts, then the tag. Advances to the next packet. */
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

/** Starts to decrypt the current packet, and advances to the next one. */
export const packetOpener = (cipher: PacketCipher, additional: Uint8Array): Opener => {
  const { changes, crypto, packetKey, packets } = cipher
  const opener = crypto.opener(packetKey, nonceOf(packets, changes), additional)
  advance(cipher)
  return opener
}
