import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"

/** Captures a message of a peer, which is named by its address. */
export type CaptureMessage = (
  direction: "received" | "sent",
  peer: string,
  command: string,
  payload: Uint8Array
) => void

/** Directory and clock of the captured messages. */
export interface CaptureOptions {
  readonly directory: string
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Called for the first message that cannot be written; capturing then stops. */
  readonly failed: (reason: string) => void
}

const COMMAND_SIZE = 12
const HEADER_SIZE = 8 + COMMAND_SIZE + 4

const FILES = { received: "msgs_recv.dat", sent: "msgs_sent.dat" } as const

/**
 * Encodes a message as Bitcoin Core records it: time (64 bits) and length (32 bits) little-endian, with the command of
 * 12 bytes between them and the payload at the end.
 */
const recordOf = (time: bigint, command: string, payload: Uint8Array): Uint8Array => {
  const record = Buffer.alloc(HEADER_SIZE + payload.length)
  record.writeBigInt64LE(time)
  record.write(command, 8, COMMAND_SIZE, "latin1")
  record.writeUInt32LE(payload.length, 8 + COMMAND_SIZE)
  record.set(payload, HEADER_SIZE)
  return record
}

/**
 * Appends each message to a file of its peer, as `-capturemessages` of Bitcoin Core does. It does so before a message
 * is handled or sent, so the files of a peer are in the order of events.
 */
export const captureMessages = ({ directory, failed, now }: CaptureOptions): CaptureMessage => {
  let hasFailed = false
  return (direction, peer, command, payload) => {
    if (hasFailed) return
    const place = join(directory, peer.replaceAll(":", "_"))
    try {
      mkdirSync(place, { recursive: true })
      appendFileSync(join(place, FILES[direction]), recordOf(now(), command, payload))
    } catch (error) {
      hasFailed = true
      failed(String(error))
    }
  }
}
