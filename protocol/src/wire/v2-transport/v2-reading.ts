import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Result from "effect/Result"
import type { FrameFault } from "../fault.ts"
import type { ArrivedFrame } from "../peer-transport.ts"
import { readGarbage } from "./garbage-reader.ts"
import { available, clear, takePacketBytes } from "./packet-input.ts"
import { KEY_SIZE, MOST_GARBAGE, TERMINATOR_SIZE } from "./packet-layout.ts"
import { type ContentsReader, packetReader, readPacket } from "./packet-reader.ts"
import { isOtherNetwork, isV1Answer, V1_BEGINNING_SIZE, v1Beginning } from "./v1-beginning.ts"
import { agree, open, releaseState, speakV1, type V2State } from "./v2-state.ts"

/** A message; `undefined` if the state advanced without a message, or more bytes must arrive. */
type Step = Result.Result<ArrivedFrame | undefined, FrameFault>

const NO_MESSAGE: Step = Result.succeed(undefined)

/** The version packet has no meaning yet, but must be authentic. */
const IGNORED: ContentsReader<true> = { begin: () => undefined, take: () => undefined, finished: () => true }

/** Continues to read the first bytes of the connection. Returns whether `size` bytes have arrived. */
const takeKey = (state: V2State, size: number): boolean => {
  const part = takePacketBytes(state.input, size - state.keyReceived)
  state.key.set(part, state.keyReceived)
  state.keyReceived += part.length
  return state.keyReceived >= size
}

const readBeginning = (state: V2State): Step => {
  const isWhole = takeKey(state, V1_BEGINNING_SIZE)
  const seen = state.key.subarray(0, state.keyReceived)
  if (!bytesEqual(seen, v1Beginning(state.options.magic).subarray(0, seen.length))) {
    state.phase = "key"
    if (!isWhole || !isOtherNetwork(state.key)) open(state)
    return readKey(state)
  }
  if (isWhole) speakV1(state, seen)
  return NO_MESSAGE
}

const readKey = (state: V2State): Step => {
  const { isInitiator, magic } = state.options
  const isWhole = takeKey(state, KEY_SIZE)
  if (isInitiator && isV1Answer(state.key.subarray(0, state.keyReceived), magic)) {
    return Result.fail({ _tag: "AnswersInV1" })
  }
  if (!isInitiator && state.keyReceived >= V1_BEGINNING_SIZE && isOtherNetwork(state.key)) {
    return Result.fail({ _tag: "BadMagic", expected: magic, found: state.key.subarray(0, magic.length), isFirst: true })
  }
  if (isWhole && state.opening !== undefined) agree(state, state.opening)
  return NO_MESSAGE
}

const readToTerminator = (state: V2State): Step => {
  const { garbage: reader, input, keys } = state
  if (reader === undefined || keys === undefined) return NO_MESSAGE
  const garbage = readGarbage(reader, input)
  if (garbage === "missing") return Result.fail({ _tag: "NoTerminator", most: MOST_GARBAGE + TERMINATOR_SIZE })
  if (garbage === undefined) return NO_MESSAGE
  state.packets = packetReader(keys.receiving, garbage)
  state.phase = "version"
  return NO_MESSAGE
}

const readPackets = (state: V2State): Step => {
  const { input, messages, packets } = state
  if (packets === undefined) return NO_MESSAGE
  if (state.phase === "messages") {
    const packet = readPacket(packets, input, messages)
    return Result.isFailure(packet) ? Result.fail(packet.failure) : packet.success ?? NO_MESSAGE
  }
  return Result.map(readPacket(packets, input, IGNORED), (isAuthentic) => {
    if (isAuthentic !== true) return undefined
    state.phase = "messages"
    state.garbage = undefined
    return undefined
  })
}

const STEPS = {
  beginning: readBeginning,
  key: readKey,
  garbage: readToTerminator,
  version: readPackets,
  messages: readPackets
} as const

/** Returns the next message of the bytes that have arrived. If it returns nothing, all of them have been read. */
export const readNext = (state: V2State): Step => {
  if (state.dead !== undefined) return Result.fail(state.dead)
  while (state.phase !== "v1" && available(state.input) > 0) {
    const answer = STEPS[state.phase](state)
    if (Result.isSuccess(answer) && answer.success === undefined) continue
    if (Result.isFailure(answer) && answer.failure._tag !== "BadMessageType") {
      state.dead = answer.failure
      releaseState(state)
    }
    return answer
  }
  // The owner may now reuse the memory of the chunk that was read.
  if (state.phase !== "v1") clear(state.input)
  return state.v1?.read() ?? NO_MESSAGE
}
