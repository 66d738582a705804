import { concatBytes } from "@lockstep/kernel/bytes"
import * as Result from "effect/Result"
import { endsConnection, type FrameFault, passedOver } from "./fault.ts"
import { FRAME_HEADER_SIZE } from "./frame.ts"
import { limitsToTake } from "./limits.ts"
import type { ArrivedFrame, PeerTransport } from "./peer-transport.ts"
import { v1Transport, type V1TransportOptions } from "./v1-transport.ts"

/** Bytes of the length before each message. */
export const FRAME_LENGTH_SIZE = 4

const NOTHING = new Uint8Array(0)

/** Encodes the length before a message: four bytes, the most significant first. */
export const lengthPrefix = (length: number): Uint8Array => {
  const prefix = new Uint8Array(FRAME_LENGTH_SIZE)
  new DataView(prefix.buffer).setUint32(0, length)
  return prefix
}

/** Unread bytes of a connection. */
interface Framing {
  /** Bytes that were fed and not yet passed to a message. */
  rest: Uint8Array
  /** The incomplete length. */
  readonly prefix: Uint8Array
  prefixReceived: number
  /** The length of the incomplete message, and the bytes of it that were not fed yet. */
  length: number
  left: number
  /** True if that message, or its fault, was read. */
  isRead: boolean
  /** A fault after which nothing more is read. */
  dead: FrameFault | undefined
}

/** Returns the next bytes of the rest, at most `most`. */
const take = (state: Framing, most: number): Uint8Array => {
  const taken = state.rest.subarray(0, most)
  state.rest = state.rest.length > most ? state.rest.subarray(most) : NOTHING
  return taken
}

const die = (state: Framing, fault: FrameFault): Result.Result<never, FrameFault> => {
  state.dead = fault
  state.rest = NOTHING
  return Result.fail(fault)
}

/** Returns the bytes of the message that was read or skipped, or `undefined` after a fault that ends the connection. */
const sizeOf = (answer: Result.Result<ArrivedFrame, FrameFault>): number | undefined => {
  if (Result.isSuccess(answer)) return answer.success.bytes
  return endsConnection(answer.failure) ? undefined : passedOver(answer.failure)
}

/** Reads the length of the next message. Returns whether it is complete; fails if it is invalid. */
const beginMessage = (state: Framing, most: number): Result.Result<boolean, FrameFault> => {
  const part = take(state, FRAME_LENGTH_SIZE - state.prefixReceived)
  state.prefix.set(part, state.prefixReceived)
  state.prefixReceived += part.length
  if (state.prefixReceived < FRAME_LENGTH_SIZE) return Result.succeed(false)
  state.prefixReceived = 0
  const length = new DataView(state.prefix.buffer).getUint32(0)
  if (length < FRAME_HEADER_SIZE || length > most) {
    return die(state, { _tag: "BadLength", length, least: FRAME_HEADER_SIZE, most })
  }
  state.length = length
  state.left = length
  state.isRead = false
  return Result.succeed(true)
}

/**
 * Transports v1 messages, each after its length in four bytes, big-endian, as QUIC and Iroh carry them. A length that
 * no message has, or that differs from the message's, ends the connection. No memory is held for a length that was only
 * declared.
 */
export const lengthFramedTransport = (
  { output, ...options }: V1TransportOptions,
  kind: "quic" | "iroh"
): PeerTransport => {
  const most = FRAME_HEADER_SIZE + limitsToTake(options.limits).messageLength
  let sending = 0
  const inner = v1Transport({
    ...options,
    output: {
      bytes: (bytes, isOwned) => {
        if (sending === 0) return output.bytes(bytes, isOwned)
        const prefix = lengthPrefix(sending)
        sending = 0
        return output.bytes(concatBytes([prefix, bytes]), false)
      },
      message: (command, bytes) => output.message(command, bytes + FRAME_LENGTH_SIZE)
    }
  })
  const state: Framing = {
    rest: NOTHING,
    prefix: new Uint8Array(FRAME_LENGTH_SIZE),
    prefixReceived: 0,
    length: 0,
    left: 0,
    isRead: true,
    dead: undefined
  }

  const checked = (answer: Result.Result<ArrivedFrame, FrameFault>): Result.Result<ArrivedFrame, FrameFault> => {
    const bytes = sizeOf(answer)
    if (bytes === undefined) return answer
    if (state.isRead || bytes !== state.length) return die(state, { _tag: "OtherLength", length: state.length })
    state.isRead = true
    return Result.map(answer, ({ frame }) => ({ frame, bytes: bytes + FRAME_LENGTH_SIZE }))
  }

  const read = (): Result.Result<ArrivedFrame | undefined, FrameFault> => {
    for (;;) {
      if (state.dead !== undefined) return Result.fail(state.dead)
      const answer = inner.read()
      if (Result.isFailure(answer)) return checked(Result.fail(answer.failure))
      if (answer.success !== undefined) return checked(Result.succeed(answer.success))
      if (state.left === 0 && !state.isRead) return die(state, { _tag: "OtherLength", length: state.length })
      if (state.rest.length === 0) return Result.succeed(undefined)
      if (state.left === 0) {
        const begun = beginMessage(state, most)
        if (Result.isFailure(begun)) return Result.fail(begun.failure)
        if (!begun.success) return Result.succeed(undefined)
      }
      const piece = take(state, state.left)
      state.left -= piece.length
      if (piece.length > 0) inner.feed(piece)
    }
  }

  return {
    ...inner,
    kind: () => kind,
    feed: (bytes) => {
      state.rest = state.rest.length === 0 ? bytes : concatBytes([state.rest, bytes])
    },
    read,
    held: () => state.rest.length + inner.held(),
    abandon: () => {
      state.rest = NOTHING
      inner.abandon()
    },
    send: (command, payload, isOwned) => {
      sending = FRAME_HEADER_SIZE + payload.length
      inner.send(command, payload, isOwned)
    }
  }
}
