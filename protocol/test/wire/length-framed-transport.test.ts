import { nobleCrypto } from "@lockstep/kernel/noble"
import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { REGTEST } from "../../src/networks/regtest.ts"
import { endsConnection, faultText } from "../../src/wire/fault.ts"
import { encodeFrame } from "../../src/wire/frame.ts"
import { lengthFramedTransport, lengthPrefix } from "../../src/wire/length-framed-transport.ts"
import { DEFAULT_LIMITS } from "../../src/wire/limits.ts"
import { encodeMessage } from "../../src/wire/message.ts"
import type { PeerTransport } from "../../src/wire/peer-transport.ts"
import { anyMessage } from "./arbitraries.ts"
import { check } from "./check.ts"
import { toHex } from "./hex.ts"

const side = (limits = DEFAULT_LIMITS) => {
  const sent: Array<Uint8Array> = []
  const counted: Array<number> = []
  const output = {
    bytes: (bytes: Uint8Array) => void sent.push(new Uint8Array(bytes)),
    message: (_: string, bytes: number) => void counted.push(bytes)
  }
  const transport = lengthFramedTransport({ magic: REGTEST.magic, crypto: nobleCrypto, limits, output }, "iroh")
  return { transport, sent, counted }
}

const message = (payload: Uint8Array = new Uint8Array(8)): Uint8Array =>
  encodeFrame(REGTEST.magic, "ping", payload, nobleCrypto)

/** Every answer to bytes that are fed in pieces: a line each, until a fault that ends the connection. */
const heard = (transport: PeerTransport, bytes: Uint8Array, piece = bytes.length): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let at = 0; at < bytes.length; at += piece) {
    transport.feed(bytes.subarray(at, at + piece))
    for (;;) {
      const answer = transport.read()
      if (Result.isFailure(answer)) lines.push(faultText(answer.failure))
      if (Result.isFailure(answer) && endsConnection(answer.failure)) return lines
      if (Result.isFailure(answer)) continue
      if (answer.success === undefined) break
      const { bytes: taken, frame } = answer.success
      lines.push(`${frame.command} ${taken} ${frame._tag === "Known" ? toHex(frame.payload) : ""}`)
    }
  }
  return lines
}

describe("messages behind their length", () => {
  it("are the length of the message of v1 in four bytes, the most significant first, and the message", () => {
    const { counted, sent, transport } = side()
    transport.send("ping", new Uint8Array(8), false)
    transport.send("block", new Uint8Array(70_000), true)
    assert.strictEqual(transport.kind(), "iroh")
    assert.strictEqual(toHex(sent[0]!), `00000020${toHex(message())}`)
    assert.strictEqual(toHex(sent[1]!.subarray(0, 8)), `00011188${toHex(REGTEST.magic)}`)
    assert.deepStrictEqual([sent.length, sent[1]!.length, sent[2]!.length], [3, 28, 70_000])
    assert.deepStrictEqual(counted, [36, 70_028])
  })

  it("arrive as they were sent, however they are cut", () =>
    check(
      fc.property(
        fc.array(anyMessage, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 200 }),
        (all, piece) => {
          const { sent, transport } = side()
          for (const each of all) transport.send(each.command, encodeMessage(each), false)
          const lines = heard(side().transport, Buffer.concat(sent), piece)
          assert.deepStrictEqual(
            lines.map((line) => line.replace(/ \d+ /, " ")),
            all.map((each) => `${each.command} ${toHex(encodeMessage(each))}`)
          )
        }
      )
    ))

  it("end the connection where the length is none of a message, before anything behind it is held", () => {
    const most = 24 + DEFAULT_LIMITS.messageLength
    for (const length of [0, 23, most + 1, 0xff_ff_ff_ff]) {
      const { transport } = side()
      const bytes = Buffer.concat([lengthPrefix(length), new Uint8Array(50_000)])
      assert.deepStrictEqual(heard(transport, bytes), [
        `${length} bytes announced before a message, 24 to ${most} allowed`
      ])
      assert.strictEqual(transport.held(), 0)
      assert.isTrue(Result.isFailure(transport.read()))
    }
  })

  it("end the connection where the message is shorter or longer than its length says", () => {
    const ping = message()
    for (const length of [ping.length - 1, ping.length + 1]) {
      const bytes = Buffer.concat([lengthPrefix(length), ping, lengthPrefix(ping.length), ping])
      for (const piece of [1, 7, bytes.length]) {
        assert.deepStrictEqual(heard(side().transport, bytes, piece), [
          `${length} bytes announced before a message that has another length`
        ])
      }
    }
  })

  it("go on behind one whose checksum is wrong", () => {
    const [bad, good] = [message(), message()]
    bad[bad.length - 1]! ^= 1
    const bytes = Buffer.concat([bad, good].flatMap((each) => [lengthPrefix(each.length), each]))
    const lines = heard(side().transport, bytes)
    assert.strictEqual(lines.length, 2)
    assert.include(lines[0], "checksum")
    assert.strictEqual(lines[1], "ping 36 0000000000000000")
  })
})
