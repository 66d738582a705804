import { concatBytes } from "@lockstep/kernel/bytes"
import { LARGE, type TransportOutput } from "../peer-transport.ts"
import { typeBytes } from "./message-type.ts"
import { type PacketCipher, sealPacket } from "./packet-cipher.ts"
import { HEADER_SIZE, PACKET_OVERHEAD } from "./packet-layout.ts"

const NOTHING = new Uint8Array(0)

/** Sends a message as one packet. */
export const sendPacket = (
  cipher: PacketCipher,
  command: string,
  payload: Uint8Array,
  output: TransportOutput
): void => {
  const type = typeBytes(command)
  const head = new Uint8Array(HEADER_SIZE + type.length)
  head.set(type, HEADER_SIZE)
  const contentsLength = type.length + payload.length
  const sealed = sealPacket(cipher, payload.length === 0 ? [head] : [head, payload], contentsLength, NOTHING)
  if (payload.length < LARGE) output.bytes(concatBytes(sealed), false)
  else {
    const [length, sealedHead, sealedPayload, tag] = sealed
    output.bytes(concatBytes([length!, sealedHead!]), false)
    output.bytes(sealedPayload!, true)
    output.bytes(tag!, false)
  }
  output.message(command, PACKET_OVERHEAD + contentsLength)
}
