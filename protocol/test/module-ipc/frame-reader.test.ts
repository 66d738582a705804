import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  abandonModuleFrames,
  encodeModuleFrame,
  encodeModuleMessage,
  feedModuleFrames,
  heldModuleBytes,
  MAX_HANDSHAKE_BYTES,
  MAX_MODULE_MESSAGE_BYTES,
  moduleFrameReader,
  moduleIpcFaultText,
  readModuleFrame
} from "../../src/module-ipc/index.ts"
import { check } from "../wire/check.ts"
import { fromHex, toHex } from "../wire/hex.ts"
import { anyModuleMessage } from "./arbitraries.ts"

/** What a reader answers to pieces, in hex, up to the first fault. */
const framesIn = (most: number, pieces: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => {
  const reader = moduleFrameReader(most)
  const found: Array<string> = []
  for (const piece of pieces) {
    feedModuleFrames(reader, piece)
    for (;;) {
      const answer = readModuleFrame(reader)
      if (Result.isFailure(answer)) return [...found, moduleIpcFaultText(answer.failure)]
      if (answer.success === undefined) break
      found.push(toHex(answer.success))
    }
  }
  return found
}

describe("frames of a module's connection", () => {
  it("are the same however they arrive", () => {
    check(
      fc.property(
        fc.array(anyModuleMessage, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(2_000), { maxLength: 8 }),
        (messages, cuts) => {
          const stream = Uint8Array.from(messages.flatMap((message) => [...encodeModuleFrame(message)]))
          const ends = [...cuts.map((cut) => cut % (stream.length + 1)), stream.length].toSorted((a, b) => a - b)
          const pieces = ends.map((end, i) => stream.subarray(ends[i - 1] ?? 0, end))
          assert.deepStrictEqual(
            framesIn(MAX_MODULE_MESSAGE_BYTES, pieces),
            messages.map((message) => toHex(encodeModuleMessage(message)))
          )
        }
      ),
      60
    )
  })

  it("above the limit end the connection before anything of them is kept, for good", () => {
    const reader = moduleFrameReader(MAX_HANDSHAKE_BYTES)
    feedModuleFrames(reader, fromHex("0110000000"))
    for (let i = 0; i < 2; i++) {
      assert.deepStrictEqual(
        readModuleFrame(reader),
        Result.fail({ _tag: "FrameTooLarge", length: 4_097, most: 4_096 } as const)
      )
    }
    assert.strictEqual(heldModuleBytes(reader), 0)
    assert.deepStrictEqual(framesIn(10, [fromHex("ffffffff")]), [
      "a frame of 4294967295 bytes is declared, at most 10 are allowed"
    ])
  })

  it("hold at most twice what arrived, and nothing once they are abandoned", () => {
    const reader = moduleFrameReader(MAX_MODULE_MESSAGE_BYTES)
    feedModuleFrames(reader, fromHex("00008000"))
    assert.deepStrictEqual(readModuleFrame(reader), Result.succeed(undefined))
    assert.strictEqual(heldModuleBytes(reader), 0)
    feedModuleFrames(reader, new Uint8Array(1_000))
    assert.deepStrictEqual(readModuleFrame(reader), Result.succeed(undefined))
    assert.isAtMost(heldModuleBytes(reader), 2_000)
    abandonModuleFrames(reader)
    assert.strictEqual(heldModuleBytes(reader), 0)
  })

  it("may be larger once the limit is raised between two of them", () => {
    const reader = moduleFrameReader(1)
    feedModuleFrames(reader, fromHex("0100000007020000000808"))
    assert.deepStrictEqual(readModuleFrame(reader), Result.succeed(Uint8Array.of(7)))
    reader.most = 2
    assert.deepStrictEqual(readModuleFrame(reader), Result.succeed(Uint8Array.of(8, 8)))
  })
})
