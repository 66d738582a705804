import { assert, describe, it } from "@effect/vitest"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { COMMANDS } from "@lockstep/protocol/wire/codecs.ts"
import { frameConsequence } from "@lockstep/protocol/wire/consequence.ts"
import { endsConnection, faultText, passedOver } from "@lockstep/protocol/wire/fault.ts"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import type { PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import { typeBytes, typeOf, typeSize } from "@lockstep/protocol/wire/v2-transport/message-type.ts"
import { v2Transport } from "@lockstep/protocol/wire/v2-transport/v2-transport.ts"
import * as Result from "effect/Result"
import fc from "fast-check"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { type RawEnd, rawEnd } from "./raw-end.ts"
import { bytesOf, hexOf } from "./transcripts.ts"
import { testTransportCrypto } from "./transport-crypto.ts"

const MAGIC = REGTEST.magic

interface Side {
  readonly transport: PeerTransport
  /** What it has sent and is not read yet. */
  readonly out: Array<Uint8Array>
  readonly counted: Array<string>
  /** What it came to, a line for each. */
  readonly received: Array<string>
}

const side = (isInitiator: boolean, seed: number): Side => {
  const out: Array<Uint8Array> = []
  const counted: Array<string> = []
  const transport = v2Transport({
    magic: MAGIC,
    crypto: testCrypto,
    limits: DEFAULT_LIMITS,
    transportCrypto: testTransportCrypto,
    random: seededRandom(seed),
    isInitiator,
    output: {
      bytes: (bytes) => void out.push(new Uint8Array(bytes)),
      message: (command, bytes) => void counted.push(`${command} ${bytes}`)
    }
  })
  transport.begin()
  return { transport, out, counted, received: [] }
}

/** Gives it bytes, each piece with memory that is taken away as soon as it is read. */
const give = ({ received, transport }: Side, bytes: Uint8Array, size = bytes.length): void => {
  for (let at = 0; at < bytes.length; at += size) {
    const piece = new Uint8Array(bytes.subarray(at, at + size))
    transport.feed(piece)
    for (;;) {
      const answer = transport.read()
      if (Result.isFailure(answer)) {
        received.push(faultText(answer.failure))
        if (endsConnection(answer.failure)) return
      } else if (answer.success === undefined) break
      else {
        const { bytes: taken, frame } = answer.success
        received.push(`${frame.command} ${frame._tag === "Known" ? hexOf(frame.payload) : frame.length} ${taken}`)
      }
    }
    piece.buffer.transfer(0)
  }
}

/** Carries what both have sent, in pieces, until neither has more. */
const carry = (one: Side, other: Side, size = 1_000_000): void => {
  while (one.out.length + other.out.length > 0) {
    give(other, Buffer.concat(one.out.splice(0)), size)
    give(one, Buffer.concat(other.out.splice(0)), size)
  }
}

const PRIVATE_KEY = new Uint8Array(32).fill(9)
const ENCODED = testTransportCrypto.encodePublicKey(PRIVATE_KEY, new Uint8Array(32))

/** A responder, and a raw end that has sent its key and this garbage. */
const responder = (garbage: Uint8Array = new Uint8Array(0)): { readonly node: Side; readonly end: RawEnd } => {
  const node = side(false, 5)
  const end = rawEnd({
    crypto: testTransportCrypto,
    magic: MAGIC,
    privateKey: PRIVATE_KEY,
    encoded: ENCODED,
    isInitiator: true
  })
  give(node, Uint8Array.of(...ENCODED, ...garbage))
  end.receive(Buffer.concat(node.out.splice(0)))
  return { node, end }
}

/** The same, ready for messages. */
const ready = (): { readonly node: Side; readonly end: RawEnd } => {
  const both = responder()
  give(both.node, both.end.keys()!.ownTerminator)
  give(both.node, both.end.seal(new Uint8Array(0)))
  assert.strictEqual(both.node.transport.kind(), "v2")
  return both
}

/** Contents with a short type and zeros. */
const contentsOf = (type: number, length: number): Uint8Array => {
  const contents = new Uint8Array(1 + length)
  contents[0] = type
  return contents
}

const ping = (nonce: number): Uint8Array => Uint8Array.of(18, nonce, 0, 0, 0, 0, 0, 0, 0)

describe("two ends of the v2 transport", () => {
  it("agree, and read each other's messages, whatever pieces they come in", () => {
    const message = fc.record({
      command: fc.constantFrom("ping", "inv", "tx", "verack", "sendaddrv2"),
      payload: fc.uint8Array({ maxLength: 300 }),
      isInitiators: fc.boolean()
    })
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.integer({ min: 1, max: 700 }),
        fc.nat(),
        (all, size, seed) => {
          const [initiator, answerer] = [side(true, seed), side(false, seed + 1)]
          assert.strictEqual(initiator.transport.kind(), "detecting")
          carry(initiator, answerer, size)
          for (const { command, isInitiators, payload } of all) {
            ;(isInitiators ? initiator : answerer).transport.send(command, payload, false)
            if (payload.length % 3 === 0) carry(initiator, answerer, size)
          }
          carry(initiator, answerer, size)
          assert.deepStrictEqual([initiator.transport.kind(), answerer.transport.kind()], ["v2", "v2"])
          assert.strictEqual(hexOf(initiator.transport.sessionId()!), hexOf(answerer.transport.sessionId()!))
          for (const [listener, isInitiators] of [[answerer, true], [initiator, false]] as const) {
            const wanted = all.filter((each) => each.isInitiators === isInitiators)
            assert.deepStrictEqual(
              listener.received.map((line) => line.replace(/ \d+$/, "")),
              wanted.map(({ command, payload }) => `${command} ${hexOf(payload)}`)
            )
          }
          // Both count the same for each message.
          assert.deepStrictEqual(
            answerer.received.map((line) => line.replace(/ [^ ]* /, " ")),
            initiator.counted
          )
        }
      ),
      { numRuns: 25 }
    )
  })

  it("change their keys every 224 packets without losing step", () => {
    const [initiator, answerer] = [side(true, 1), side(false, 2)]
    for (let i = 0; i < 700; i++) initiator.transport.send("ping", Uint8Array.of(i, i >> 8, 0, 0, 0, 0, 0, 0), false)
    carry(initiator, answerer)
    assert.strictEqual(answerer.received.length, 700)
    assert.strictEqual(answerer.received[699], "ping bb02000000000000 29")
  })

  it("send a large message in pieces, one of which is theirs to give away", () => {
    const [initiator, answerer] = [side(true, 1), side(false, 2)]
    carry(initiator, answerer)
    answerer.transport.send("block", new Uint8Array(70_000).fill(3), false)
    assert.strictEqual(answerer.out.length, 3)
    carry(initiator, answerer, 9_999)
    assert.deepStrictEqual(initiator.received, [`block ${"03".repeat(70_000)} 70021`])
  })

  it("send a key and at most 4,095 bytes of garbage first, of many lengths, and messages only once keys are agreed on", () => {
    const lengths = Array.from({ length: 40 }, (_, seed) => {
      const { out, transport } = side(true, seed)
      transport.send("ping", new Uint8Array(8), false)
      assert.strictEqual(out.length, 1)
      return out[0]!.length
    })
    assert.isTrue(lengths.every((length) => length >= 64 && length <= 64 + 4_095))
    assert.isAbove(new Set(lengths).size, 30)
  })
})

describe("an inbound connection", () => {
  const version = encodeFrame(MAGIC, "version", new Uint8Array(86), testCrypto)

  it("is v1 when it begins with this network's version message, in whatever pieces", () => {
    for (const size of [1, 3, 15, 16, 17, version.length]) {
      const node = side(false, 3)
      give(node, version, size)
      assert.strictEqual(node.transport.kind(), "v1")
      assert.deepStrictEqual(node.received.map((line) => line.split(" ")[0]), ["version"])
      node.transport.send("verack", new Uint8Array(0), false)
      assert.deepStrictEqual(node.out, [encodeFrame(MAGIC, "verack", new Uint8Array(0), testCrypto)])
    }
  })

  it("gets no answer while it may still be v1, and a key as soon as it cannot be", () => {
    const node = side(false, 3)
    give(node, version.subarray(0, 15), 1)
    assert.deepStrictEqual([node.transport.kind(), node.out.length], ["detecting", 0])
    give(node, Uint8Array.of(1))
    assert.isAtLeast(node.out[0]!.length, 64)
  })

  it("of a v1 peer of another network ends, without a key where its magic came at once", () => {
    const other = encodeFrame(MAINNET.magic, "version", new Uint8Array(86), testCrypto)
    for (const [size, sent] of [[other.length, 0], [1, 1]] as const) {
      const node = side(false, 3)
      give(node, other, size)
      assert.deepStrictEqual(node.received, ["wrong magic f9beb4d9, this network's is fabfb5da"])
      assert.strictEqual(node.out.length, sent)
    }
  })
})

describe("a peer of the v2 transport", () => {
  it("may send 4,095 bytes of garbage, and not one more", () => {
    for (const [length, isWelcome] of [[0, true], [1, true], [4_095, true], [4_096, false]] as const) {
      const garbage = seededRandom(length).bytes(length)
      const { end, node } = responder(garbage)
      give(node, end.keys()!.ownTerminator, 5)
      give(node, end.seal(new Uint8Array(0), { aad: garbage }))
      assert.strictEqual(node.transport.kind(), isWelcome ? "v2" : "detecting")
      assert.deepStrictEqual(node.received.slice(0, 1), isWelcome ? [] : ["no end of the garbage in 4111 bytes"])
    }
  })

  it("is not authenticated by a version packet with other garbage, or a changed bit anywhere", () => {
    const garbage = Uint8Array.of(1, 2, 3)
    const { end, node } = responder(garbage)
    give(node, end.keys()!.ownTerminator)
    give(node, end.seal(new Uint8Array(0), { aad: Uint8Array.of(1, 2, 4) }))
    assert.deepStrictEqual(node.received, ["packet with 0 bytes of contents is not authentic"])
    for (let at = 3; at < 20; at++) {
      const fresh = responder()
      give(fresh.node, fresh.end.keys()!.ownTerminator)
      give(fresh.node, fresh.end.seal(new Uint8Array(0)).map((byte, i) => i === at ? byte ^ 16 : byte))
      assert.deepStrictEqual(fresh.node.received, ["packet with 0 bytes of contents is not authentic"])
      give(fresh.node, Uint8Array.of(1))
      assert.strictEqual(fresh.node.received.length, 2, "the fault is the answer for good")
    }
  })

  it("makes nothing of decoys, of any number and size, even before its version packet", () => {
    const { end, node } = responder(Uint8Array.of(7))
    give(node, end.keys()!.ownTerminator)
    give(node, end.seal(new Uint8Array(10), { isDecoy: true, aad: Uint8Array.of(7) }), 3)
    for (let i = 0; i < 300; i++) give(node, end.seal(new Uint8Array(i), { isDecoy: true }))
    assert.strictEqual(node.transport.kind(), "detecting")
    give(node, end.seal(Uint8Array.of(1, 2, 3)))
    give(node, end.seal(new Uint8Array(0), { isDecoy: true }))
    give(node, end.seal(ping(1)))
    assert.deepStrictEqual([node.transport.kind(), ...node.received], ["v2", "ping 0100000000000000 29"])
  })

  it("makes this side hold a few kilobytes at most before it is authenticated, whatever it sends", () => {
    const garbage = new Uint8Array(4_000)
    const { end, node } = responder(garbage)
    assert.isAtMost(node.transport.held(), 4_111)
    give(node, end.keys()!.ownTerminator)
    const huge: Uint8Array = end.seal(new Uint8Array(4_000_013), { aad: garbage })
    for (let at = 0; at < huge.length - 1; at += 65_536) {
      give(node, huge.subarray(at, Math.min(at + 65_536, huge.length - 1)))
      assert.isAtMost(node.transport.held(), 4_111)
    }
    give(node, huge.subarray(-1))
    assert.strictEqual(node.transport.kind(), "v2")
    assert.strictEqual(node.transport.held(), 0)
  })

  it("is disconnected for more contents than any message has, at once", () => {
    const { end, node } = ready()
    give(node, end.seal(new Uint8Array(4_000_014)).subarray(0, 3))
    assert.deepStrictEqual(node.received, ["packet with 4000014 bytes of contents declared, at most 4000013 allowed"])
  })

  it("may send as much in a message of any type as a block has, and no more", () => {
    const { end, node } = ready()
    give(node, end.seal(contentsOf(21, 4_000_000)))
    assert.match(node.received[0]!, /^tx /)
    give(node, end.seal(contentsOf(18, 4_000_001)).subarray(0, 3 + 3))
    assert.strictEqual(node.received[1], "ping: 4000001 bytes declared, at most 4000000 allowed")
  })

  it("holds no payload of an unknown type, and no more of a known one than twice what has come", () => {
    const { end, node } = ready()
    const long = new Uint8Array(1_000_013)
    long.set(Buffer.from("unknowntype!"), 1)
    give(node, end.seal(long).subarray(0, 900_000))
    assert.strictEqual(node.transport.held(), 0)
    const known = ready()
    const sealed = known.end.seal(contentsOf(2, 1_000_000))
    let given = 0
    for (const size of [10, 1_000, 100_000]) {
      give(known.node, sealed.subarray(given, given + size))
      given += size
      assert.isAtMost(known.node.transport.held(), 2 * given)
    }
  })

  it("loses a message without a valid type, and nothing else", () => {
    for (
      const [contents, line] of [
        ["", "packet with 0 bytes of contents has no message type"],
        ["ff", "packet with 1 bytes of contents has no message type"],
        ["26", "packet with 1 bytes of contents has no message type"],
        ["0070696e67", "packet with 5 bytes of contents has no message type"],
        ["0070696e670000000001000000", "packet with 13 bytes of contents has no message type"],
        ["1d616263", " 3 24"],
        ["25aa", "feature aa 22"],
        ["006e6f6e65000000000000000041", "none 1 34"],
        ["0070696e6700000000000000000700000000000000", "ping 0700000000000000 41"]
      ] as const
    ) {
      const { end, node } = ready()
      give(node, end.seal(bytesOf(contents)), 7)
      give(node, end.seal(ping(2)))
      assert.deepStrictEqual(node.received, [line, "ping 0200000000000000 29"])
    }
  })

  it("is disconnected for what leaves no way to go on, and never discouraged", () => {
    const most = 1
    for (const fault of [{ _tag: "NoTerminator", most }, { _tag: "NotAuthentic", length: 1 }] as const) {
      assert.strictEqual(frameConsequence(fault), "disconnect")
    }
    assert.strictEqual(frameConsequence({ _tag: "PacketTooLarge", length: 2, most }), "disconnect")
    assert.strictEqual(frameConsequence({ _tag: "BadMessageType", length: 5 }), "ignore")
    assert.strictEqual(passedOver({ _tag: "BadMessageType", length: 5 }), 25)
    assert.strictEqual(passedOver({ _tag: "BadCommand", field: new Uint8Array(12), length: 5 }), 29)
  })
})

describe("message types", () => {
  it("of one byte are those of the specification; all others take thirteen", () => {
    const short = { addr: 1, block: 2, inv: 14, ping: 18, pong: 19, tx: 21, cfcheckpt: 27, addrv2: 28, feature: 37 }
    for (const [command, id] of Object.entries(short)) assert.deepStrictEqual([...typeBytes(command)], [id])
    const long = COMMANDS.filter((command) => typeBytes(command).length === 13)
    assert.deepStrictEqual(long.toSorted(), [
      "ancpkginfo",
      "dandeliontx",
      "getaddr",
      "getpkgtxns",
      "pkgtxns",
      "sendaddrv2",
      "sendheaders",
      "sendpackages",
      "sendtxrcncl",
      "verack",
      "version",
      "wtxidrelay"
    ])
  })

  it("come back from their bytes", () => {
    for (const command of [...COMMANDS, "x"]) {
      const bytes = typeBytes(command)
      assert.strictEqual(bytes.length, typeSize(bytes[0]!))
      assert.strictEqual(typeOf(bytes), command)
    }
  })
})
