import * as Result from "effect/Result"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { type Command, COMMANDS, type Message } from "../../src/wire/codecs.ts"
import { faultText } from "../../src/wire/fault.ts"
import { decodeMessage, encodeMessage } from "../../src/wire/message.ts"
import { MESSAGES } from "./arbitraries.ts"
import { check } from "./check.ts"
import { toHex } from "./hex.ts"

const NOTHING = new Uint8Array(0)

/** What must hold of any bytes: an answer, and bytes that are a message are that message's bytes. */
const holdsOf = (command: Command, payload: Uint8Array): void => {
  const answer = decodeMessage(command, payload)
  if (Result.isFailure(answer)) return assert.isNotEmpty(faultText(answer.failure))
  const { message, trailing } = answer.success
  const encoded = encodeMessage(message)
  // The counts of transactions behind headers have no meaning, and are 0 in what is encoded.
  if (command === "headers") {
    const again: unknown = Result.getOrThrow(decodeMessage(command, encoded))
    return assert.deepStrictEqual(again, { message, trailing: NOTHING })
  }
  assert.strictEqual(toHex(encoded) + toHex(trailing), toHex(payload))
}

const EDGES: ReadonlyArray<ReadonlyArray<number>> = [
  [0],
  [1],
  [0x7f],
  [0xff],
  [0xfd, 0xfc, 0],
  [0xfd, 0xff, 0xff],
  [0xfe, 0, 0, 1, 0],
  [0xfe, 0, 0, 0, 2],
  [0xfe, 0xff, 0xff, 0xff, 0xff],
  [0xff, 0, 0, 0, 0, 1, 0, 0, 0],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
]

/** A payload with one to four parts replaced, inserted or taken out. */
const damaged = (payload: Arbitrary<Uint8Array>): Arbitrary<Uint8Array> =>
  fc
    .tuple(payload, fc.array(fc.tuple(fc.nat(), fc.nat(4), fc.constantFrom(...EDGES)), { minLength: 1, maxLength: 4 }))
    .map(([bytes, changes]) =>
      changes.reduce((result, [where, gone, edge]) => {
        const at = where % (result.length + 1)
        return Uint8Array.of(...result.subarray(0, at), ...edge, ...result.subarray(at + gone))
      }, bytes)
    )

describe("any bytes as a message", () => {
  it.each(COMMANDS)("%s: damaged messages are answered, and are what they say they are", (command) => {
    check(
      fc.property(
        damaged((MESSAGES[command] as Arbitrary<Message>).map(encodeMessage)),
        (bytes) => holdsOf(command, bytes)
      ),
      300
    )
  })

  it.each(COMMANDS)("%s: arbitrary bytes are answered, and are what they say they are", (command) => {
    check(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => holdsOf(command, bytes)),
      200
    )
  })
})
