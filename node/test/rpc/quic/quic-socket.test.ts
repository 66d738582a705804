import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import type { NativeStream } from "../../../src/quic/quic-binding.ts"
import { provedIdentity, quicSocket } from "../../../src/quic/quic-socket.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const REMOTE = { remoteAddress: "127.0.0.1", remotePort: 9, identity: "12D3" }

/** A stream of the library: its other side says what is read, and what is written is kept. */
const opened = () => {
  const calls: Array<string> = []
  const reads: Array<(bytes: Uint8Array | null) => void> = []
  let fail: () => void = () => undefined
  let failure: Error | undefined
  const done = (what: string): Promise<void> => {
    calls.push(what)
    return failure === undefined ? Promise.resolve() : Promise.reject(failure)
  }
  const stream: NativeStream = {
    read: (most) =>
      new Promise((resolve, reject) => {
        calls.push(`read ${most}`)
        reads.push(resolve)
        fail = () => reject(new Error("the connection is lost"))
      }),
    write: (bytes) => done(`write ${Buffer.from(bytes).toString()}`),
    finishWrite: () => done("finish"),
    resetWrite: () => done("reset"),
    stopRead: () => done("stop")
  }
  const socket = quicSocket(stream, REMOTE)
  const timeouts: Array<number> = []
  socket.on("timeout", () => void timeouts.push(timeouts.length))
  const break_ = (): void => {
    failure = new Error("the connection is lost")
  }
  return { break_, calls, fail: () => fail(), reads, socket, timeouts }
}

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const IDLE = 1_000

describe("a socket over QUIC", () => {
  it("times out when nothing comes or goes for as long as was said", () => {
    const { socket, timeouts } = opened()
    socket.setTimeout(IDLE as never)
    vi.advanceTimersByTime(IDLE - 1)
    assert.lengthOf(timeouts, 0)
    vi.advanceTimersByTime(1)
    assert.lengthOf(timeouts, 1)
  })

  it.each<readonly [string, (at: ReturnType<typeof opened>) => void]>([
    ["something is written", ({ socket }) => void socket.write("a")],
    ["something is read", ({ reads, socket }) => {
      socket.resume()
      setImmediate(() => reads[0]!(Buffer.from("b")))
    }]
  ])("begins the time anew when %s", async (_, act) => {
    const at = opened()
    at.socket.setTimeout(IDLE as never)
    vi.advanceTimersByTime(IDLE - 1)
    act(at)
    await moment()
    await moment()
    vi.advanceTimersByTime(IDLE - 1)
    assert.lengthOf(at.timeouts, 0)
    vi.advanceTimersByTime(1)
    assert.lengthOf(at.timeouts, 1)
  })

  it("has the last time that was said, and none for 0", () => {
    const { socket, timeouts } = opened()
    socket.setTimeout(IDLE as never)
    socket.setTimeout(2 * IDLE as never)
    assert.strictEqual(vi.getTimerCount(), 1)
    vi.advanceTimersByTime(2 * IDLE - 1)
    assert.lengthOf(timeouts, 0)
    socket.setTimeout(0 as never)
    assert.strictEqual(vi.getTimerCount(), 0)
    vi.advanceTimersByTime(10 * IDLE)
    assert.lengthOf(timeouts, 0)
  })

  it("may have a millisecond, and no time where less than none was said", () => {
    const { socket, timeouts } = opened()
    socket.setTimeout(-1 as never)
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.strictEqual(socket.setTimeout(1 as never), socket)
    vi.advanceTimersByTime(1)
    assert.lengthOf(timeouts, 1)
  })

  it("leaves no timer when it is destroyed, and drops what is on its way", async () => {
    const { calls, socket } = opened()
    socket.setTimeout(IDLE as never)
    socket.destroy()
    await moment()
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.deepStrictEqual(calls, ["reset", "stop"])
  })

  it("drops nothing when it is destroyed after its end", async () => {
    const { calls, reads, socket } = opened()
    socket.resume()
    socket.end("last")
    await moment()
    assert.sameMembers([...calls], ["read 65536", "write last", "finish"])
    reads[0]!(null)
    await vi.waitFor(() => assert.isTrue(socket.closed))
    assert.deepStrictEqual(calls.slice(3), ["stop"])
  })

  it("ends for good where its connection is lost, which is no fault of the node", async () => {
    const { break_, socket } = opened()
    break_()
    let failed: unknown
    socket.write("a", (error) => {
      failed = error
    })
    await vi.waitFor(() => assert.isTrue(socket.closed))
    assert.instanceOf(failed, Error)
  })

  it("is closed where reading fails", async () => {
    const { break_, calls, fail, socket } = opened()
    socket.resume()
    await moment()
    break_()
    fail()
    await vi.waitFor(() => assert.isTrue(socket.closed))
    assert.includeMembers(calls, ["reset", "stop"])
  })

  it("names the identity that its other side has proved, which no other object can claim", () => {
    const { socket } = opened()
    assert.strictEqual(provedIdentity(socket), REMOTE.identity)
    assert.isUndefined(provedIdentity({ identity: "12D3" }))
    assert.deepInclude(socket, REMOTE)
  })
})
