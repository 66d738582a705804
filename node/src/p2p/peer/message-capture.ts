import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"

/** Keeps a message of a peer, which its address names. */
export type CaptureMessage = (
  direction: "received" | "sent",
  peer: string,
  command: string,
  payload: Uint8Array
) => void

/** Where messages are kept. */
export interface CaptureOptions {
  readonly directory: string
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** The first message that could not be kept; those after it are not either. */
  readonly failed: (reason: string) => void
}

const COMMAND_SIZE = 12
const HEADER_SIZE = 8 + COMMAND_SIZE + 4

const FILES = { received: "msgs_recv.dat", sent: "msgs_sent.dat" } as const

/** A message as Bitcoin Core writes it down: the time, the command, the length and the payload. */
const recordOf = (time: bigint, command: string, payload: Uint8Array): Uint8Array => {
  const record = Buffer.alloc(HEADER_SIZE + payload.length)
  record.writeBigInt64LE(time)
  record.write(command, 8, COMMAND_SIZE, "latin1")
  record.writeUInt32LE(payload.length, 8 + COMMAND_SIZE)
  record.set(payload, HEADER_SIZE)
  return record
}

/**
 * Appends each message to a file of its peer, as `-capturemessages` of Bitcoin Core does: before it is handled, and
 * before it goes out. So the files of a peer are in the order of what happened.
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
