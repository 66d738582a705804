import * as Result from "effect/Result"
import { type Command, isCommand } from "../codecs.ts"
import { COMMAND_SIZE } from "../command-field.ts"
import type { FrameFault } from "../fault.ts"
import { append, type GrowingPayload, growingPayload, releasePayload } from "../growing-payload.ts"
import type { ProtocolLimits } from "../limits.ts"
import { payloadMost } from "../payload-cap.ts"
import type { ArrivedFrame } from "../peer-transport.ts"
import { typeOf, typeSize } from "./message-type.ts"
import { PACKET_OVERHEAD } from "./packet-layout.ts"
import type { ContentsReader } from "./packet-reader.ts"

/** Result of a packet: a message, or the fault that it does not begin with a valid message type. */
export type MessageToRead = Result.Result<ArrivedFrame, FrameFault>

/** Builds messages from contents as they arrive. */
export interface MessageReader extends ContentsReader<MessageToRead> {
  readonly held: () => number
  readonly abandon: () => void
}

/** The payload of a known command is kept; any other is skipped. */
type Kept = { readonly command: Command; readonly payload: GrowingPayload } | "nothing"

/**
 * Opens a reader. The type comes first, and decides on the maximum size of the payload before any of it is kept. It is
 * not authenticated at that time. An attacker who changed it can only end the connection, which is possible in any
 * case.
 */
export const messageReader = (limits: ProtocolLimits): MessageReader => {
  const type = new Uint8Array(1 + COMMAND_SIZE)
  let typeReceived = 0
  let length = 0
  let command: string | undefined
  let kept: Kept | undefined

  const decide = (): FrameFault | undefined => {
    const size = typeSize(type[0]!)
    const payloadLength = length - size
    command = typeOf(type.subarray(0, size))
    kept = "nothing"
    const most = payloadMost(limits)
    if (payloadLength > most) return { _tag: "TooLarge", command: command ?? "", length: payloadLength, most }
    if (command !== undefined && isCommand(command)) kept = { command, payload: growingPayload(payloadLength) }
    return undefined
  }

  /** Reads the bytes of the type, and returns those after it. */
  const takeType = (bytes: Uint8Array): Uint8Array => {
    let at = 0
    while (at < bytes.length && (typeReceived === 0 || typeReceived < typeSize(type[0]!))) {
      type[typeReceived++] = bytes[at++]!
    }
    return bytes.subarray(at)
  }

  const reader: MessageReader = {
    begin: (contentsLength) => {
      length = contentsLength
      typeReceived = 0
      command = undefined
      kept = undefined
    },
    take: (bytes) => {
      let rest = bytes
      if (kept === undefined) {
        rest = takeType(bytes)
        if (typeReceived === 0 || typeReceived < typeSize(type[0]!)) return undefined
        const fault = decide()
        if (fault !== undefined) return fault
      }
      if (kept !== undefined && kept !== "nothing") append(kept.payload, rest)
      return undefined
    },
    finished: () => {
      const done = kept
      kept = undefined
      const bytes = PACKET_OVERHEAD + length
      if (done === undefined || command === undefined) return Result.fail({ _tag: "BadMessageType", length })
      const frame = done === "nothing"
        ? { _tag: "Unknown" as const, command, length: length - typeSize(type[0]!) }
        : { _tag: "Known" as const, command: done.command, payload: done.payload.bytes }
      return Result.succeed({ frame, bytes })
    },
    held: () => kept === undefined || kept === "nothing" ? 0 : kept.payload.bytes.length,
    abandon: () => {
      if (kept !== undefined && kept !== "nothing") releasePayload(kept.payload)
      kept = undefined
    }
  }
  return reader
}
