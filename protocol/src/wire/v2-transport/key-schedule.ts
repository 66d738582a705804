import { packetCipher, type PacketCipher } from "./packet-cipher.ts"
import { TERMINATOR_SIZE } from "./packet-layout.ts"
import type { TransportCrypto } from "./transport-crypto.ts"

/** Keys that both sides derive after they have exchanged public keys. */
export interface SessionKeys {
  readonly sending: PacketCipher
  readonly receiving: PacketCipher
  readonly ownTerminator: Uint8Array
  readonly peerTerminator: Uint8Array
  /** Both operators see the same one, unless an attacker is in between. */
  readonly sessionId: Uint8Array
}

/** Returns the salt: ASCII, followed by the network's magic, so that nodes of different networks cannot communicate. */
const saltOf = (magic: Uint8Array): Uint8Array =>
  Uint8Array.of(...Array.from("bitcoin_v2_shared_secret", (character) => character.charCodeAt(0)), ...magic)

/** Derives all keys from the shared secret. */
export const sessionKeys = (
  crypto: TransportCrypto,
  magic: Uint8Array,
  secret: Uint8Array,
  isInitiator: boolean
): SessionKeys => {
  const salt = saltOf(magic)
  const key = (info: string): Uint8Array => crypto.deriveKey(secret, salt, info)
  const cipher = (side: string): PacketCipher => packetCipher(crypto, key(`${side}_L`), key(`${side}_P`))
  const [own, peer] = isInitiator ? ["initiator", "responder"] : ["responder", "initiator"]
  const terminators = key("garbage_terminators")
  const [first, second] = [terminators.subarray(0, TERMINATOR_SIZE), terminators.subarray(TERMINATOR_SIZE)]
  return {
    sending: cipher(own!),
    receiving: cipher(peer!),
    ownTerminator: isInitiator ? first : second,
    peerTerminator: isInitiator ? second : first,
    sessionId: key("session_id")
  }
}
