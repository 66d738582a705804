import { assert, describe, it } from "vitest"
import type { NativeConnection, NativeStream } from "../../../src/quic/quic-binding.ts"
import { takeStream } from "../../../src/p2p/transport/quic/quic-connection.ts"
import { MESSAGE_OVERHEAD } from "../../../src/p2p/transport/tcp/socket-connection.ts"
import type { Connection } from "../../../src/p2p/transport/transport.ts"
import { endpoint } from "./transport-suite.ts"

const ENDS = { remote: endpoint("20.0.0.1:8333"), local: endpoint("10.0.0.1:9000") }
const KIB = 1_024

interface Pending<A> {
  readonly done: (value: A) => void
  readonly fail: () => void
}

/** Has promises that were settled go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A stream whose reads and writes wait for the test. */
const place = (
  more: {
    readonly early?: Uint8Array
    readonly onAccept?: (connection: Connection) => void
    readonly onReceived?: () => void
  } = {}
) => {
  const reads: Array<Pending<Uint8Array | null> & { readonly most: number }> = []
  const writes: Array<Pending<void> & { readonly bytes: Uint8Array }> = []
  let close: Pending<void> | undefined
  let closeFrames = 0
  let aborts = 0
  const native = {
    abort: () => void aborts++,
    closed: () => new Promise<void>((done, fail) => void (close = { done, fail: () => fail(new Error("lost")) })),
    stats: () => ({ frameRxConnectionClose: closeFrames })
  } as unknown as NativeConnection
  const stream: NativeStream = {
    read: (most) => new Promise((done, fail) => void reads.push({ most, done, fail: () => fail(new Error("lost")) })),
    write: (bytes) =>
      new Promise((done, fail) => void writes.push({ bytes, done, fail: () => fail(new Error("lost")) })),
    finishWrite: async () => undefined,
    resetWrite: async () => undefined,
    stopRead: async () => undefined
  }
  const received: Array<ReadonlyArray<number>> = []
  const closed: Array<string> = []
  let drained = 0
  const connection = takeStream(native, stream, ENDS, (made) => {
    more.onAccept?.(made)
    return {
      received: (bytes) => {
        received.push([...bytes])
        more.onReceived?.()
      },
      drained: () => void drained++,
      closed: (reason) => void closed.push(reason)
    }
  }, more.early)
  return {
    aborts: () => aborts,
    closed,
    connection,
    drained: () => drained,
    lose: async (how: "done" | "fail", frames = 0) => {
      closeFrames = frames
      close![how]()
      await settle()
    },
    read: async (bytes: Uint8Array | null) => {
      reads.at(-1)!.done(bytes)
      await settle()
    },
    reads,
    received,
    written: async () => {
      writes.at(-1)!.done()
      await settle()
    },
    writes
  }
}

const filled = (length: number, value = 1): Uint8Array => new Uint8Array(length).fill(value)

describe("what is sent over QUIC", () => {
  it("goes at once while nothing is being written, and together behind that up to 64 KiB", async () => {
    const { connection, drained, writes, written } = place()
    const first = filled(10)
    assert.strictEqual(connection.unsent(), 0)
    connection.send(first)
    assert.strictEqual(writes[0]!.bytes, first)
    for (const [length, value] of [[40 * KIB, 2], [24 * KIB, 3], [1, 4]] as const) {
      connection.send(filled(length, value))
    }
    connection.send(filled(0))
    assert.lengthOf(writes, 1)
    assert.strictEqual(connection.unsent(), 10 + 64 * KIB + 1 + 4 * MESSAGE_OVERHEAD)
    await written()
    assert.deepStrictEqual([...writes[1]!.bytes], [...filled(40 * KIB, 2), ...filled(24 * KIB, 3)])
    assert.deepStrictEqual([connection.unsent(), drained()], [64 * KIB + 1 + 2 * MESSAGE_OVERHEAD, 0])
    await written()
    assert.deepStrictEqual([[...writes[2]!.bytes], drained()], [[4], 0])
    await written()
    assert.deepStrictEqual([writes.length, connection.unsent(), drained()], [3, 0, 1])
    connection.send(filled(1, 5))
    assert.lengthOf(writes, 4)
  })

  it("is one message where that alone is more than 64 KiB", async () => {
    const { connection, writes, written } = place()
    const large = filled(65 * KIB)
    for (const bytes of [filled(1), large, filled(2)]) connection.send(bytes)
    await written()
    assert.strictEqual(writes[1]!.bytes, large)
    await written()
    assert.lengthOf(writes[2]!.bytes, 2)
  })

  it("is given up with the connection, and a write that fails ends that", async () => {
    const { aborts, closed, connection, lose, read, writes } = place()
    await settle()
    connection.send(filled(1))
    connection.send(filled(1))
    writes[0]!.fail()
    await settle()
    assert.strictEqual(aborts(), 1)
    connection.send(filled(1))
    assert.deepStrictEqual([writes.length, connection.unsent()], [1, 1 + KIB])
    await read(null)
    assert.strictEqual(aborts(), 1)
    await lose("done")
    assert.deepStrictEqual([closed, connection.unsent()], [["the other side does not answer any more"], 1 + KIB])
  })

  it("is not followed by anything where this node closed meanwhile", async () => {
    const { aborts, connection, drained, writes, written } = place()
    connection.send(filled(1))
    connection.send(filled(1))
    connection.close()
    assert.strictEqual(aborts(), 1)
    await written()
    assert.deepStrictEqual([writes.length, drained(), connection.unsent()], [1, 0, 0])
  })
})

describe("what comes over QUIC", () => {
  const connections: Array<Connection> = []

  it("is read 256 KiB at a time, one read after the other, behind what came early", async () => {
    const { connection, read, reads, received } = place({ early: filled(2, 7) })
    assert.deepStrictEqual([connection.remote, connection.local], [ENDS.remote, ENDS.local])
    assert.lengthOf(received, 0)
    await settle()
    connection.resume()
    assert.deepStrictEqual([received, reads.map(({ most }) => most)], [[[7, 7]], [262_144]])
    await read(filled(1, 8))
    await read(filled(0))
    assert.deepStrictEqual([received, reads.length], [[[7, 7], [8]], 3])
  })

  it("waits while it is not wanted", async () => {
    const { connection, read, reads, received } = place({ onAccept: (made) => made.pause() })
    await settle()
    assert.lengthOf(reads, 0)
    connection.resume()
    connection.resume()
    assert.lengthOf(reads, 1)
    connection.pause()
    await read(filled(1, 5))
    assert.deepStrictEqual([received, reads.length], [[], 1])
    connection.resume()
    assert.deepStrictEqual([received, reads.length], [[[5]], 2])
  })

  it("is followed by no read where the listener pauses, or closes, at it", async () => {
    for (const stop of ["pause", "close"] as const) {
      const { reads, received } = place({
        early: filled(1),
        onAccept: (made) => connections.push(made),
        onReceived: () => connections.at(-1)![stop]()
      })
      await settle()
      assert.deepStrictEqual([received.length, reads.length], [1, 0], stop)
    }
  })

  it("is dropped where it comes after the end", async () => {
    const { connection, read, received } = place()
    await settle()
    connection.close()
    await read(filled(1))
    connection.resume()
    assert.lengthOf(received, 0)
  })

  it("ends with the stream, or with a read that fails", async () => {
    const [ended, failed] = [place(), place()]
    await settle()
    await ended.read(null)
    await ended.lose("done")
    failed.reads[0]!.fail()
    await settle()
    assert.deepStrictEqual([ended.aborts(), failed.aborts()], [2, 1])
    await failed.lose("fail")
    assert.deepStrictEqual([...ended.closed, ...failed.closed], [
      "the other side closed the connection",
      "the other side does not answer any more"
    ])
  })
})

describe("the end of a connection over QUIC", () => {
  it.each(
    [
      ["done", 1, "the other side closed the connection"],
      ["fail", 1, "the other side closed the connection"],
      ["done", 0, "the other side does not answer any more"],
      ["fail", 0, "the other side does not answer any more"]
    ] as const
  )("%s, %d frames of closing: %s", async (how, frames, reason) => {
    const { closed, lose } = place()
    await lose(how, frames)
    assert.deepStrictEqual(closed, [reason])
  })

  it("has the first reason", async () => {
    const { closed, connection, lose } = place()
    connection.close()
    assert.lengthOf(closed, 0)
    await lose("done", 1)
    assert.deepStrictEqual(closed, ["closed by this node"])
  })
})
