import { nobleCrypto } from "@lockstep/kernel/noble"
import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { MAINNET } from "../../src/networks/mainnet.ts"
import { REGTEST } from "../../src/networks/regtest.ts"
import { commandField, commandOf } from "../../src/wire/command-field.ts"
import { frameConsequence } from "../../src/wire/consequence.ts"
import { endsConnection, faultText } from "../../src/wire/fault.ts"
import { encodeFrame, frameHeader, frameOf } from "../../src/wire/frame.ts"
import { feed, type FrameReader, frameReader, heldBytes, readFrame } from "../../src/wire/frame-reader.ts"
import { encodeMessage } from "../../src/wire/message.ts"
import { anyMessage } from "./arbitraries.ts"
import { check } from "./check.ts"
import { fromHex, toHex } from "./hex.ts"

const MAGIC = REGTEST.magic
const frame = (command: string, payload: Uint8Array) => encodeFrame(MAGIC, command, payload, nobleCrypto)

const opened = (): FrameReader => frameReader(MAGIC, nobleCrypto)

/** A header that declares `length` bytes, without them. */
const announcing = (command: string, length: number): Uint8Array => {
  const header = frameHeader(MAGIC, command, new Uint8Array(0), nobleCrypto)
  new DataView(header.buffer).setUint32(16, length, true)
  return header
}

/** Everything that comes of `bytes`, fed in the pieces given: one line per answer. */
const received = (reader: FrameReader, bytes: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    feed(reader, bytes.subarray(start, end))
    start = end
    for (;;) {
      const answer = readFrame(reader)
      if (Result.isSuccess(answer) && answer.success === undefined) break
      lines.push(
        Result.isFailure(answer)
          ? faultText(answer.failure)
          : answer.success?._tag === "Known"
          ? `${answer.success.command} ${toHex(answer.success.payload)}`
          : `unknown ${answer.success?.command} ${answer.success?.length}`
      )
      if (Result.isFailure(answer) && endsConnection(answer.failure)) return lines
    }
  }
  return lines
}

describe("the command of a frame", () => {
  it("is ASCII padded with zeros to twelve bytes, and may fill all twelve", () => {
    for (const name of ["ping", "getcfcheckpt", "", "a b~"]) {
      assert.strictEqual(commandOf(commandField(name)), name)
    }
  })

  it.each([
    ["bytes behind the first zero (bcoin a878ff07)", "70696e670078000000000000"],
    ["a last byte behind zeros", "70696e670000000000000001"],
    ["a byte above ASCII", "7069ff670000000000000000"],
    ["a control character", "70691f670000000000000000"],
    ["the delete character", "70697f670000000000000000"],
    ["a first zero with a name behind it", "0070696e6700000000000000"]
  ])("is none with %s", (_, hex) => assert.isUndefined(commandOf(fromHex(hex))))

  it("is read from the field alone, without running on into the length (bcoin a878ff07)", () => {
    const answer = received(opened(), frame("getcfcheckpt", new Uint8Array(33)), [])
    assert.deepStrictEqual(answer, [`getcfcheckpt ${"00".repeat(33)}`])
  })
})

describe("frames in a stream", () => {
  it("are the same wherever the stream is cut", () => {
    const piece = fc.oneof(
      anyMessage.map((message) => frameOf(MAGIC, message, nobleCrypto)),
      fc.uint8Array({ maxLength: 60 }).map((payload) => frame("what", payload)),
      fc.uint8Array({ maxLength: 60 }).map((payload) => {
        const broken = frame("ping", payload)
        broken[20]! ^= 1
        return broken
      }),
      fc.uint8Array({ maxLength: 60 }).map((payload) => {
        const broken = frame("ping", payload)
        broken[15] = 1
        return broken
      }),
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 40 }) }
    )
    check(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 20 }), (pieces, cuts) => {
        const stream = Buffer.concat(pieces)
        assert.deepStrictEqual(received(opened(), stream, cuts), received(opened(), stream, []))
      }),
      150
    )
  })

  it("carry messages", () => {
    check(
      fc.property(fc.array(anyMessage, { maxLength: 5 }), (messages) => {
        const stream = Buffer.concat(messages.map((message) => frameOf(MAGIC, message, nobleCrypto)))
        assert.deepStrictEqual(
          received(opened(), stream, []),
          messages.map((message) => `${message.command} ${toHex(encodeMessage(message))}`)
        )
      }),
      50
    )
  })

  it("give the bytes of a payload of their own, so that a buffer may be used again", () => {
    const reader = opened()
    const buffer = frame("ping", new Uint8Array(8).fill(7))
    feed(reader, buffer)
    const answer = Result.getOrThrow(readFrame(reader))
    buffer.fill(0)
    assert(answer?._tag === "Known")
    assert.strictEqual(toHex(answer.payload), "07".repeat(8))
  })

  it("of any bytes at all end in an answer", () => {
    check(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, begun) => {
        received(opened(), begun ? Uint8Array.of(...MAGIC, ...bytes) : bytes, [3])
      }),
      500
    )
  })
})

describe("frames that are refused", () => {
  it("have another network's magic, which shows in its four bytes", () => {
    const reader = opened()
    feed(reader, MAINNET.magic)
    const answer = readFrame(reader)
    assert(Result.isFailure(answer) && answer.failure._tag === "BadMagic")
    assert.strictEqual(faultText(answer.failure), "wrong magic f9beb4d9, this network's is fabfb5da")
    assert.strictEqual(frameConsequence(answer.failure), "disconnect")
    feed(reader, frame("ping", new Uint8Array(8)))
    assert.deepStrictEqual(readFrame(reader), answer)
    assert.strictEqual(heldBytes(reader), 24 + 8)
  })

  it("have a wrong checksum, which costs that message only", () => {
    const broken = frame("ping", new Uint8Array(8))
    broken[20]! ^= 1
    const answers = received(opened(), Buffer.concat([broken, frame("verack", new Uint8Array(0))]), [])
    assert.lengthOf(answers, 2)
    assert.match(answers[0]!, /^ping: checksum [0-9a-f]{8}, the payload's is [0-9a-f]{8}$/)
    assert.strictEqual(answers[1], "verack ")
  })

  it("have a wrong checksum under a name that is not understood, or none, while they are short", () => {
    for (const [name, shown] of [["what", "what"], ["wha\u0001t", "what"]] as const) {
      for (const [length, isChecked] of [[4_096, true], [4_097, false]] as const) {
        const broken = frame(name, new Uint8Array(length))
        broken[20]! ^= 1
        const [first] = received(opened(), Buffer.concat([broken, frame("verack", new Uint8Array(0))]), [])
        assert.strictEqual(first?.startsWith(`${shown}: checksum `), isChecked, `${name} ${length}`)
      }
    }
  })

  it("have bytes behind the zero of their command, which costs that message only", () => {
    const broken = frame("ping", new Uint8Array(8))
    broken[10] = 0x78
    const answers = received(opened(), Buffer.concat([broken, frame("verack", new Uint8Array(0))]), [])
    assert.deepStrictEqual(answers, ["command \"ping..x.....\" is not ASCII padded with zeros (8 bytes)", "verack "])
  })

  it("declare more than any message may have, and nothing is read on", () => {
    assert.deepStrictEqual(received(opened(), announcing("ping", 4_000_001), []), [
      "ping: 4000001 bytes declared, at most 4000000 allowed"
    ])
    assert.deepStrictEqual(received(opened(), announcing("what", 4_000_001), []), [
      "what: 4000001 bytes declared, at most 4000000 allowed"
    ])
  })

  it("are kept below what the configuration says, whatever their command", () => {
    const reader = frameReader(MAGIC, nobleCrypto, {
      messageLength: 1_000,
      addresses: 1_000,
      inventory: 50_000,
      headers: 2_000
    })
    assert.deepStrictEqual(received(reader, announcing("block", 1_001), []), [
      "block: 1001 bytes declared, at most 1000 allowed"
    ])
  })
})

describe("what a peer can make a node hold", () => {
  it("is what it has sent, not what it has declared (CVE-2015-3641)", () => {
    const reader = opened()
    feed(reader, announcing("block", 4_000_000))
    assert.deepStrictEqual(readFrame(reader), Result.succeed(undefined))
    assert.strictEqual(heldBytes(reader), 0)
    for (let sent = 100; sent <= 100_000; sent += 100) {
      feed(reader, new Uint8Array(100))
      readFrame(reader)
      assert.isAtMost(heldBytes(reader), 2 * sent)
    }
  })

  it("is not the room that became too small as well: that is given back without waiting for a collection", () => {
    const reader = opened()
    feed(reader, announcing("block", 4_000_000))
    readFrame(reader)
    const rooms = new Set<ArrayBuffer>()
    for (let sent = 0; sent < 100_000; sent += 1_000) {
      feed(reader, new Uint8Array(1_000).fill(7))
      readFrame(reader)
      rooms.add(reader.incoming!.bytes.buffer)
    }
    const [last, ...before] = [...rooms].toReversed()
    assert.isAbove(before.length, 3)
    assert.deepStrictEqual(before.map(({ byteLength }) => byteLength), before.map(() => 0))
    assert.strictEqual(heldBytes(reader), last!.byteLength)
    assert.isTrue(reader.incoming!.bytes.subarray(0, 100_000).every((byte) => byte === 7))
  })

  it("is nothing of a message that is not understood", () => {
    const reader = opened()
    feed(reader, announcing("what", 1_000_000))
    assert.deepStrictEqual(Result.getOrThrow(readFrame(reader)), {
      _tag: "Unknown",
      command: "what",
      length: 1_000_000
    })
    for (let left = 1_000_000; left > 0; left -= 50_000) {
      feed(reader, new Uint8Array(50_000))
      assert.deepStrictEqual(readFrame(reader), Result.succeed(undefined))
      assert.strictEqual(heldBytes(reader), 0)
    }
    assert.deepStrictEqual(received(reader, frame("verack", new Uint8Array(0)), []), ["verack "])
  })
})
