import { assert, describe, it } from "@effect/vitest"
import { frameOf } from "@lockstep/protocol/wire/frame.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { v1Transport } from "@lockstep/protocol/wire/v1-transport.ts"
import * as Result from "effect/Result"
import { discard, heldFor, type Inbox, inbox, nextMessage, put } from "../../../src/p2p/peer/inbox.ts"
import { PEER_LIMITS } from "../../../src/p2p/peer/peer-limits.ts"
import { testCrypto } from "../../engine/test-engine.ts"

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)

const ping = (nonce: bigint): Uint8Array => frameOf(MAGIC, { command: "ping", nonce }, testCrypto)

/** A piece as a socket hands it over: with memory of its own. */
const piece = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

const opened = (): Inbox =>
  inbox(v1Transport({
    magic: MAGIC,
    crypto: testCrypto,
    limits: DEFAULT_LIMITS,
    output: { bytes: () => undefined, message: () => undefined }
  }))

const noncesIn = (box: Inbox): ReadonlyArray<bigint> => {
  const nonces: Array<bigint> = []
  // No test feeds that many: an inbox that answers the same frame again and again must not hang the run.
  for (let i = 0; i < 100_000; i++) {
    const frame = Result.getOrThrow(nextMessage(box))?.frame
    if (frame?._tag !== "Known") return nonces
    nonces.push(new DataView(frame.payload.buffer, frame.payload.byteOffset, 8).getBigUint64(0, true))
  }
  throw new Error("the inbox has no end")
}

describe("what arrives from a peer", () => {
  it("is whole however it is cut, and the memory of each piece is given back once it has been read", () => {
    const stream = Uint8Array.from([1n, 2n, 3n].flatMap((nonce) => [...ping(nonce)]))
    for (const size of [1, 7, 24, 31, 33, 64, stream.length]) {
      const box = opened()
      const pieces: Array<Uint8Array> = []
      for (let at = 0; at < stream.length; at += size) pieces.push(piece(stream.subarray(at, at + size)))
      for (const each of pieces) put(box, each)
      assert.deepStrictEqual(noncesIn(box), [1n, 2n, 3n], `pieces of ${size}`)
      assert.isTrue(pieces.every(({ byteLength }) => byteLength === 0), `pieces of ${size}`)
    }
  })

  it("keeps what has not been read", () => {
    const box = opened()
    const both = piece(Uint8Array.from([...ping(1n), ...ping(2n)]))
    put(box, both)
    assert.strictEqual(Result.getOrThrow(nextMessage(box))?.frame._tag, "Known")
    assert.isAbove(both.byteLength, 0, "the second message is still in it")
    assert.deepStrictEqual(noncesIn(box), [2n])
  })

  it("leaves memory alone that a piece has only a part of", () => {
    const box = opened()
    const memory = new Uint8Array(100)
    memory.set(ping(5n), 10)
    put(box, memory.subarray(10, 10 + ping(5n).length))
    assert.deepStrictEqual(noncesIn(box), [5n])
    assert.strictEqual(memory.byteLength, 100)
  })

  it("is given back when the connection ends in the middle", () => {
    const box = opened()
    const half = piece(ping(1n).subarray(0, 28))
    put(box, half)
    assert.deepStrictEqual(noncesIn(box), [])
    put(box, piece(ping(2n)))
    discard(box)
    assert.strictEqual(half.byteLength, 0)
    assert.strictEqual(box.held, 0)
  })

  it("leaves no long list of pieces behind that have been read, and counts those that wait", () => {
    const box = opened()
    const least = box.transport.held()
    const frames = Array.from({ length: 2_500 }, (_, i) => piece(ping(BigInt(i))))
    for (const each of frames) put(box, each)
    const cost = ping(1n).length + PEER_LIMITS.pieceOverhead.most
    assert.strictEqual(heldFor(box), least + 2_500 * cost)
    for (let read = 1; read < 2_500; read++) {
      assert.isDefined(Result.getOrThrow(nextMessage(box)))
      assert.strictEqual(box.held, (2_500 - read) * cost)
      assert.isAtMost(box.pieces.length, 2_500 - read + 1_025, `after ${read} pieces`)
    }
    assert.deepStrictEqual(noncesIn(box), [2_499n])
    assert.deepStrictEqual([box.pieces.length, box.held, heldFor(box)], [0, 0, least])
  })

  it("is counted with what the transport keeps of a message that is not whole", () => {
    const box = opened()
    put(box, piece(ping(1n).subarray(0, 30)))
    assert.deepStrictEqual(noncesIn(box), [])
    assert.strictEqual(box.held, 0)
    assert.isAtLeast(heldFor(box), 6)
    discard(box)
    assert.strictEqual(heldFor(box), 0)
  })
})
