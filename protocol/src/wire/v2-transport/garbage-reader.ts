import { bytesEqual } from "@lockstep/kernel/bytes"
import { type PacketInput, putBack, takePacketBytes } from "./packet-input.ts"
import { MOST_GARBAGE, TERMINATOR_SIZE } from "./packet-layout.ts"

const MOST = MOST_GARBAGE + TERMINATOR_SIZE

/** The garbage of a peer while it arrives, up to the terminator. */
export interface GarbageReader {
  readonly terminator: Uint8Array
  bytes: Uint8Array
  received: number
}

export const garbageReader = (terminator: Uint8Array): GarbageReader => ({
  terminator,
  bytes: new Uint8Array(TERMINATOR_SIZE),
  received: 0
})

const append = (reader: GarbageReader, part: Uint8Array): void => {
  const needed = reader.received + part.length
  if (needed > reader.bytes.length) {
    const grown = new Uint8Array(Math.min(MOST, Math.max(needed, 2 * reader.bytes.length)))
    grown.set(reader.bytes.subarray(0, reader.received))
    reader.bytes = grown
  }
  reader.bytes.set(part, reader.received)
  reader.received = needed
}

/**
 * Returns the garbage once its terminator has arrived, and returns later bytes to the input. Returns "missing" if too
 * many bytes have arrived without a terminator, or `undefined` if more must arrive.
 */
export const readGarbage = (reader: GarbageReader, input: PacketInput): Uint8Array | "missing" | undefined => {
  const before = reader.received
  append(reader, takePacketBytes(input, MOST - before))
  const { bytes, received, terminator } = reader
  for (let end = Math.max(before + 1, TERMINATOR_SIZE); end <= received; end++) {
    const start = end - TERMINATOR_SIZE
    if (bytes[start] !== terminator[0] || !bytesEqual(bytes.subarray(start, end), terminator)) continue
    putBack(input, received - end)
    return bytes.subarray(0, start)
  }
  return received === MOST ? "missing" : undefined
}
