import { nobleCrypto } from "@lockstep/kernel/noble"
import { decodeBlock } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { MAINNET } from "../../src/networks/mainnet.ts"
import { REGTEST } from "../../src/networks/regtest.ts"
import { type Command, isCommand } from "../../src/wire/codecs.ts"
import { frameConsequence, payloadConsequence } from "../../src/wire/consequence.ts"
import { encodeFrame } from "../../src/wire/frame.ts"
import { feed, type Frame, frameReader, readFrame } from "../../src/wire/frame-reader.ts"
import { decodeMessage, encodeMessage } from "../../src/wire/message.ts"
import { toHex } from "./hex.ts"
import { bytesAt, conversation, frames, recorded } from "./recorded-messages.ts"

const CONVERSATIONS = ["oracle/p2p/transcripts.jsonl.gz", "oracle/p2p/outbound.jsonl.gz"]
const REAL = ["p2p/messages_bitcore.json", "p2p/messages_bitcore_p2p.json.gz"]
const there = [...CONVERSATIONS, ...REAL].every((path) => recorded(path) !== undefined)

/** Payloads that Bitcoin Core could not read, or held against the peer, and what it did. */
const REFUSED: ReadonlyArray<readonly [string, Command, string, string]> = [
  ["handshake_31800", "pong", "Malformed", "ignore"],
  ["cfilters_bad:truncated:getcfilters", "getcfilters", "Malformed", "ignore"],
  ["bad:version truncated", "version", "Malformed", "ignore"],
  ["bad:inv 50001", "inv", "TooMany", "discourage"],
  ["bad:getdata 50001", "getdata", "TooMany", "discourage"],
  ["bad:addr 1001", "addr", "TooMany", "discourage"],
  ["bad:addrv2 address 513 bytes", "addrv2", "TooLong", "ignore"],
  ["bad:addrv2 ipv4 wrong length", "addrv2", "WrongAddressLength", "ignore"],
  ["bad:getheaders locator 102", "getheaders", "TooMany", "disconnect"],
  ["bad:getblocks locator 102", "getblocks", "TooMany", "disconnect"],
  ["bad:headers truncated", "headers", "Malformed", "ignore"],
  ["bad:tx truncated", "tx", "Malformed", "ignore"],
  ["bad:tx empty payload", "tx", "Malformed", "ignore"],
  ["bad:tx superfluous witness flag", "tx", "Malformed", "ignore"],
  ["bad:inv huge compactsize", "inv", "Malformed", "ignore"],
  ["bad:sendcmpct bool 2", "sendcmpct", "NotAFlag", "discourage"],
  ["bad:getblocktxn overflow", "getblocktxn", "Malformed", "ignore"],
  ["bad:pong short", "pong", "Malformed", "ignore"]
]

/** Bytes that are no frame, and what Bitcoin Core did about them. */
const NO_FRAMES: Readonly<Record<string, readonly [string, string]>> = {
  "bad:declared size 4000001": ["TooLarge", "disconnect"],
  "bad:command with bytes after NUL": ["BadCommand", "ignore"],
  "bad:command non-ascii": ["BadCommand", "ignore"],
  "bad:garbage first bytes": ["BadMagic", "disconnect"]
}

/** Commands that are not answered any more, and a frame that ends before its last byte. */
const NOT_UNDERSTOOD = [
  "version.messagenofrelay",
  ...["alert", "reject"].map((command) => `${command}.message`)
]

/** Payloads with bytes that no one reads behind them. */
const LONGER = ["bad:getaddr extra bytes getaddr", "bad:trailing bytes in getheaders getheaders", "ping ping"]

const framesIn = (stream: Uint8Array, magic: Uint8Array, step: number): ReadonlyArray<Frame> => {
  const reader = frameReader(magic, nobleCrypto)
  const found: Array<Frame> = []
  for (let at = 0; at < stream.length; at += step) {
    feed(reader, stream.subarray(at, at + step))
    for (
      let frame = Result.getOrThrow(readFrame(reader));
      frame !== undefined;
      frame = Result.getOrThrow(readFrame(reader))
    ) {
      found.push(frame)
    }
  }
  return found
}

describe.skipIf(!there)("messages recorded from Bitcoin Core and from the network", () => {
  const rows = there ? CONVERSATIONS.flatMap((path) => conversation(recorded(path)!)) : []
  const messages = rows.flatMap(({ command, payload, scenario }) =>
    command === undefined ? [] : [{ command, payload, scenario }]
  )

  it("decode and encode to the same bytes, or are refused as Bitcoin Core refused them", () => {
    const refused: Array<readonly [string, Command, string, string]> = []
    const longer: Array<string> = []
    let same = 0
    for (const { command, payload, scenario } of messages) {
      if (!isCommand(command)) continue
      const decoded = decodeMessage(command, payload)
      if (Result.isFailure(decoded)) {
        refused.push([scenario, command, decoded.failure._tag, payloadConsequence(command, decoded.failure)])
        continue
      }
      const { message, trailing } = decoded.success
      assert.strictEqual(toHex(encodeMessage(message)) + toHex(trailing), toHex(payload))
      if (trailing.length > 0) longer.push(`${scenario} ${command}`)
      same++
    }
    assert.deepStrictEqual(new Set(refused.map((each) => each.join())), new Set(REFUSED.map((each) => each.join())))
    assert.deepStrictEqual(longer.sort(), LONGER)
    assert.isAbove(same, 2_000)
  })

  it.each([1, 7, 24, 1_000, 65_536])("come out of a stream as they went into it, read %i bytes at a time", (step) => {
    // Read byte by byte a part of them is enough.
    const chosen = step < 24 ? messages.filter(({ payload }) => payload.length < 1_000).slice(0, 300) : messages
    const stream = Buffer.concat(
      chosen.map(({ command, payload }) => encodeFrame(REGTEST.magic, command, payload, nobleCrypto))
    )
    const found = framesIn(stream, REGTEST.magic, step)
    assert.deepStrictEqual(
      found.map((
        frame
      ) => (frame._tag === "Known" ? [frame.command, toHex(frame.payload)] : [frame.command, frame.length])),
      chosen.map(({ command, payload }) => [command, isCommand(command) ? toHex(payload) : payload.length])
    )
  })

  it("that are no frames are refused as Bitcoin Core refused them", () => {
    const answers = rows
      .filter(({ command }) => command === undefined)
      .map(({ payload, scenario }) => {
        const reader = frameReader(REGTEST.magic, nobleCrypto)
        feed(reader, payload)
        const answer = readFrame(reader)
        return [
          scenario,
          Result.isFailure(answer) ? [answer.failure._tag, frameConsequence(answer.failure)] : answer.success?._tag
        ]
      })
    assert.deepStrictEqual(Object.fromEntries(answers), { ...NO_FRAMES, "bad:empty command": "Unknown" })
  })

  it.each(REAL)("of the main network keep every byte of frame and payload (%s)", (path) => {
    const skipped: Array<string> = []
    for (const [name, bytes] of there ? frames(recorded(path)!) : []) {
      const [frame] = framesIn(bytes, MAINNET.magic, bytes.length)
      if (frame?._tag !== "Known") {
        skipped.push(name)
        continue
      }
      const { message, trailing } = Result.getOrThrow(decodeMessage(frame.command, frame.payload))
      assert.lengthOf(trailing, 0)
      assert.strictEqual(
        toHex(encodeFrame(MAINNET.magic, frame.command, encodeMessage(message), nobleCrypto)),
        toHex(bytes),
        name
      )
      if (message.command === "block") assert.isTrue(Result.isSuccess(decodeBlock(message.bytes)))
    }
    assert.deepStrictEqual(skipped, path.includes("_p2p") ? NOT_UNDERSTOOD : [])
  })

  it("of blocks of the recorded chain, which a conversation only names, come through framed", () => {
    const file = recorded("oracle/chain/blocks.dat.gz")
    const stored = file === undefined ? new Uint8Array(0) : bytesAt(file)
    const view = new DataView(stored.buffer, stored.byteOffset)
    let count = 0
    for (let at = 0; at < stored.length; count++) {
      const bytes = stored.subarray(at + 8, at + 8 + view.getUint32(at + 4, true))
      at += 8 + bytes.length
      const [frame] = framesIn(encodeFrame(REGTEST.magic, "block", bytes, nobleCrypto), REGTEST.magic, 4_096)
      assert(frame?._tag === "Known" && frame.command === "block")
      const { message } = Result.getOrThrow(decodeMessage("block", frame.payload))
      assert.strictEqual(Buffer.compare(encodeMessage(message), bytes), 0)
    }
    assert.isAbove(count, 322)
  })
})
