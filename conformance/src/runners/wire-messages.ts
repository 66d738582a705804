import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { type Command, isCommand } from "@lockstep/protocol/wire/codecs.ts"
import { frameConsequence, payloadConsequence } from "@lockstep/protocol/wire/consequence.ts"
import { faultText, type FrameFault, type PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import { feed, type Frame, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage, encodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Result from "effect/Result"
import type { Field } from "../formats/field.ts"
import { hexOf } from "../formats/hex.ts"
import { parseJson, readJson, readText } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

/** Pieces of a stream that end in the middle of everything. */
const STEP = 1_021

/** The first frame of `bytes` as it arrives in pieces; nothing when it is not complete. */
const frameIn = (
  bytes: Uint8Array,
  magic: Uint8Array,
  crypto: Crypto
): Result.Result<Frame | undefined, FrameFault> => {
  const reader = frameReader(magic, crypto)
  for (let at = 0; at < bytes.length; at += STEP) {
    feed(reader, bytes.subarray(at, at + STEP))
    const answer = readFrame(reader)
    if (Result.isFailure(answer) || answer.success !== undefined) return answer
  }
  return Result.succeed(undefined)
}

/** A payload back from the message it is; the fault where it is none. */
const again = (command: Command, payload: Uint8Array): Result.Result<string, PayloadFault> =>
  Result.map(
    decodeMessage(command, payload),
    ({ message, trailing }) => hexOf(encodeMessage(message)) + hexOf(trailing)
  )

const judgePayload = (command: Command, payload: Uint8Array): Outcome => {
  const written = again(command, payload)
  return Result.isFailure(written)
    ? { expected: "a message", actual: faultText(written.failure) }
    : same("bytes", hexOf(payload), written.success)
}

const judgeFrame = (bytes: Uint8Array, crypto: Crypto): Outcome => {
  const magic = bytes.subarray(0, 4)
  const declared = new DataView(bytes.buffer, bytes.byteOffset).getUint32(16, true)
  const answer = frameIn(bytes, magic, crypto)
  if (Result.isFailure(answer)) return { expected: "a frame", actual: faultText(answer.failure) }
  const frame = answer.success
  // One recorded frame is a shortened copy: its header announces a byte more than there is.
  if (frame === undefined) return same("bytes there", bytes.length < 24 + declared, true)
  if (frame._tag === "Unknown") return same("length", bytes.length - 24, frame.length)
  return same("frame", hexOf(bytes), hexOf(encodeFrame(magic, frame.command, frame.payload, crypto))) ??
    judgePayload(frame.command, frame.payload)
}

/** Objects of frames `{message, …}` by name. */
export const framedMessages: Runner = function*(file) {
  const all = readJson(file)
  for (const name of all.names) {
    for (const form of all.get(name).names.filter((each) => each.startsWith("message"))) {
      const field = all.get(name).get(form)
      yield {
        index: `${name}.${form}`,
        name: `${name} ${form}`,
        judge: ({ crypto }) => judgeFrame(field.bytes, crypto)
      }
    }
  }
}

/** What a fault would have meant for the peer, and whether it was sent away. */
const judgeConsequence = (fault: FrameFault | PayloadFault, consequence: string, sentAway: boolean): Outcome =>
  same(`sent away for "${faultText(fault)}"`, sentAway, consequence !== "ignore")

const judgeRaw = (bytes: Uint8Array, magic: Uint8Array, sentAway: boolean, crypto: Crypto): Outcome => {
  const answer = frameIn(bytes, magic, crypto)
  if (Result.isFailure(answer)) return judgeConsequence(answer.failure, frameConsequence(answer.failure), sentAway)
  return same("sent away", sentAway, false)
}

const judgeSent = (command: string, payload: Uint8Array, sentAway: boolean): Outcome => {
  if (!isCommand(command)) return undefined
  const written = again(command, payload)
  return Result.isFailure(written)
    ? judgeConsequence(written.failure, payloadConsequence(command, written.failure), sentAway)
    : same("bytes", hexOf(payload), written.success)
}

/** The scenarios in which the recorded node ended a connection. */
const endedIn = (rows: ReadonlyArray<Field>): ReadonlySet<string> =>
  new Set(rows.filter((row) => row.find("d")?.text === "closed-by-node").map((row) => row.get("s").text))

/**
 * Conversations with Bitcoin Core: every message decodes and encodes to the same bytes, or is refused, and
 * then it was the reason for ending the connection where we would end it.
 */
export const conversations: Runner = function*(file) {
  const [head, ...rows] = readText(file).split("\n").filter((line) => line !== "").map((line, i) =>
    parseJson(line, file, `row ${i}`)
  )
  if (head === undefined) return
  const magic = head.get("magic").bytes
  const ended = endedIn(rows)
  for (const [i, row] of rows.entries()) {
    const index = String(i + 1)
    const raw = row.find("raw")
    const payload = row.find("p")
    const sentAway = ended.has(row.get("s").text)
    if (raw !== undefined) {
      yield { index, name: row.get("s").text, judge: ({ crypto }) => judgeRaw(raw.bytes, magic, sentAway, crypto) }
    } else if (payload !== undefined) {
      const command = row.get("t").text
      yield {
        index,
        name: `${row.get("s").text}: ${command}`,
        judge: () => judgeSent(command, payload.bytes, sentAway)
      }
    }
  }
}
