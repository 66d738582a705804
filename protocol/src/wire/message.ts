import * as Result from "effect/Result"
import type { Codec } from "./codec.ts"
import { CODECS, type Command, type Message, type MessageOf } from "./codecs.ts"
import { EXCESS } from "./excess.ts"
import type { PayloadFault } from "./fault.ts"
import { DEFAULT_LIMITS, type ProtocolLimits } from "./limits.ts"
import { faultOf, type PayloadCursor, payloadCursor } from "./payload-cursor.ts"

/** A message, and the bytes of its payload after it: empty, or the fields of a later version of the message. */
export interface Decoded<M> {
  readonly message: M
  readonly trailing: Uint8Array
}

// The table has each command's own codec, which a type cannot express for a command known only at run time.
const codecOf = <C extends Command>(command: C): Codec<MessageOf<C>> =>
  CODECS[command] as unknown as Codec<MessageOf<C>>

/** Returns the fault in the part of a payload up to the cursor. */
const faultAfter = (command: Command, cursor: PayloadCursor): PayloadFault | undefined => {
  const fault = faultOf(cursor)
  if (fault !== undefined || EXCESS[command].behind === "unread") return fault
  return cursor.offset === cursor.bytes.length
    ? undefined
    : { _tag: "Malformed", rule: "SER-004", offset: cursor.offset }
}

/**
 * Decodes a payload. Encoding the message again gives the payload without the trailing bytes. Byte fields of the
 * message are views of the payload.
 */
export const decodeMessage = <C extends Command>(
  command: C,
  payload: Uint8Array,
  limits: ProtocolLimits = DEFAULT_LIMITS
): Result.Result<Decoded<MessageOf<C>>, PayloadFault> => {
  const cursor = payloadCursor(payload)
  const message = codecOf(command).read(cursor, limits)
  const fault = faultAfter(command, cursor)
  return fault === undefined
    ? Result.succeed({ message, trailing: payload.subarray(cursor.offset) })
    : Result.fail(fault)
}

/**
 * Returns the bytes of a payload without trailing bytes. Fails if {@link decodeMessage} fails, and needs less memory.
 */
export const messageBytes = (
  command: Command,
  payload: Uint8Array,
  limits: ProtocolLimits = DEFAULT_LIMITS
): Result.Result<Uint8Array, PayloadFault> => {
  const cursor = payloadCursor(payload)
  const { pass, read } = codecOf(command)
  if (pass === undefined) read(cursor, limits)
  else pass(cursor, limits)
  const fault = faultAfter(command, cursor)
  return fault === undefined ? Result.succeed(payload.subarray(0, cursor.offset)) : Result.fail(fault)
}

/** Encodes the payload of a message. Precondition: its numbers are in the ranges that its type states. */
export const encodeMessage = (message: Message): Uint8Array => codecOf(message.command).write(message as never)
