import type { Duplex } from "node:stream"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import type { NativeConnection, NativeStream } from "../../../src/quic/quic-binding.ts"
import { takeConnection, takenConnections, untilQuiet } from "../../../src/rpc/quic/quic-connections.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const IDLE = 1_000
const MOST = 64

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const stream = (): NativeStream => ({
  read: () => new Promise(() => undefined),
  write: () => Promise.resolve(),
  finishWrite: () => Promise.resolve(),
  resetWrite: () => Promise.resolve(),
  stopRead: () => Promise.resolve()
})

/** A connection of the library; `open` opens a stream of it, `end` ends it. */
const connection = (place = "/ip4/127.0.0.1/udp/8333/quic-v1/p2p/12D3") => {
  const waiting: Array<{ readonly resolve: (made: NativeStream) => void; readonly reject: (error: Error) => void }> = []
  let close: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const state = { aborts: 0 }
  const end = (): void => {
    close()
    for (const { reject } of waiting.splice(0)) reject(new Error("the connection is closed"))
  }
  const native: NativeConnection = {
    inboundStream: () => new Promise((resolve, reject) => void waiting.push({ resolve, reject })),
    outboundStream: () => Promise.reject(new Error("not this way")),
    abort: () => {
      state.aborts++
      end()
    },
    remoteMultiaddr: () => place,
    closed: () => closed,
    stats: () => ({ frameRxConnectionClose: 0 })
  }
  const open = async (): Promise<void> => {
    waiting.shift()!.resolve(stream())
    await moment()
  }
  return { end, native, open, state }
}

/** Where connections are taken. */
const place = (mayConnect: (address: string) => boolean = () => true) => {
  const sockets: Array<Duplex> = []
  const taken = takenConnections({ idleMs: IDLE as never, mayConnect, take: (socket) => void sockets.push(socket) })
  const take = (...made: Parameters<typeof connection>) => {
    const one = connection(...made)
    takeConnection(one.native, taken)
    return one
  }
  return { sockets, take, taken }
}

describe("a caller's connection over QUIC", () => {
  it("ends after so long without a call, counted from its last one", async () => {
    const { sockets, take, taken } = place()
    const { open, state } = take()
    vi.advanceTimersByTime(IDLE - 1)
    await open()
    vi.advanceTimersByTime(5 * IDLE)
    assert.deepStrictEqual([state.aborts, taken.open.size], [0, 1])
    sockets[0]!.destroy()
    await moment()
    vi.advanceTimersByTime(IDLE - 1)
    assert.strictEqual(state.aborts, 0)
    vi.advanceTimersByTime(1)
    await moment()
    assert.deepStrictEqual([state.aborts > 0, taken.open.size, vi.getTimerCount()], [true, 0, 0])
  })

  it("leaves nothing behind when the caller ends it, with a call under way or without", async () => {
    for (const calls of [0, 1]) {
      const { take, taken } = place()
      const { end, open } = take()
      if (calls > 0) await open()
      end()
      await moment()
      assert.deepStrictEqual([taken.open.size, vi.getTimerCount()], [0, 0])
    }
  })

  it("counts its calls, each until it is over", async () => {
    const { sockets, take, taken } = place()
    const { native, open } = take()
    await open()
    await open()
    assert.strictEqual(taken.open.get(native), 2)
    sockets[0]!.destroy()
    await moment()
    assert.strictEqual(taken.open.get(native), 1)
    sockets[1]!.destroy()
    await moment()
    assert.strictEqual(taken.open.get(native), 0)
    assert.deepInclude(sockets[0] as object, { remoteAddress: "127.0.0.1", remotePort: 8_333, identity: "12D3" })
  })

  it.each([
    ["from an address that may not connect", "/ip4/10.0.0.1/udp/8333/quic-v1/p2p/12D3"],
    ["without an identity", "/ip4/127.0.0.1/udp/8333/quic-v1"],
    ["from no address", "/dns4/a/udp/8333/quic-v1/p2p/12D3"]
  ])("is closed %s", (_, from) => {
    const { take, taken } = place((address) => address === "127.0.0.1")
    assert.deepStrictEqual([take(from).state.aborts, taken.open.size, vi.getTimerCount()], [1, 0, 0])
    assert.strictEqual(take().state.aborts, 0)
  })

  it("takes the place of the oldest without a call where there are as many as may be, and has none among busy ones", async () => {
    const { take, taken } = place()
    const all = Array.from({ length: MOST }, () => take())
    assert.strictEqual(taken.open.size, MOST)
    await all[0]!.open()
    const next = take()
    assert.deepStrictEqual([all[0]!.state.aborts, all[1]!.state.aborts, next.state.aborts], [0, 1, 0])
    assert.strictEqual(taken.open.size, MOST)
    for (const each of [...all.slice(2), next]) await each.open()
    const late = take()
    assert.deepStrictEqual([late.state.aborts, taken.open.size, taken.open.has(late.native)], [1, MOST, false])
  })
})

describe("a server of calls over QUIC that stops", () => {
  it("waits for calls under way and no longer, and leaves no timer", async () => {
    const { sockets, take, taken } = place()
    let isQuiet = false
    const { open } = take()
    take()
    await open()
    const quiet = untilQuiet(taken, 1_500 as never).then(() => void (isQuiet = true))
    await moment()
    assert.isFalse(isQuiet)
    const timers = vi.getTimerCount()
    sockets[0]!.destroy()
    await quiet
    assert.strictEqual(vi.getTimerCount(), timers - 1)
  })

  it("does not wait where no call is under way, and for a call at most so long", async () => {
    const { take, taken } = place()
    const { open } = take()
    await untilQuiet(taken, 1_500 as never)
    await open()
    let isOver = false
    const waited = untilQuiet(taken, 1_500 as never).then(() => void (isOver = true))
    vi.advanceTimersByTime(1_499)
    await moment()
    assert.isFalse(isOver)
    vi.advanceTimersByTime(1)
    await waited
  })

  it("is quiet when the connection of the last call ends", async () => {
    const { take, taken } = place()
    const { end, open } = take()
    await open()
    const waited = untilQuiet(taken, 1_500 as never)
    end()
    await waited
    assert.strictEqual(vi.getTimerCount(), 0)
  })
})
