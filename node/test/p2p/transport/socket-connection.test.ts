import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { assert, describe, it } from "vitest"
import { socketErrorText, takeSocket } from "../../../src/p2p/transport/tcp/socket-connection.ts"
import type { Connection } from "../../../src/p2p/transport/transport.ts"
import { endpoint } from "./transport-suite.ts"

/** A socket whose writes wait until the test lets them go. */
class ScriptedSocket extends EventEmitter {
  writable = true
  destroyed = false
  closed = false
  writableLength = 0
  isPaused: boolean | undefined
  hasNoDelay: boolean | undefined
  readonly writes: Array<{ readonly bytes: Uint8Array; readonly done: (error?: Error | null) => void }> = []
  readonly unshifted: Array<Uint8Array> = []
  setNoDelay(isOn = true): void {
    this.hasNoDelay = isOn
  }
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    this.writableLength += bytes.length
    this.writes.push({
      bytes,
      done: (error) => {
        this.writableLength -= bytes.length
        done(error)
      }
    })
  }
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
  }
  unshift(bytes: Uint8Array): void {
    this.unshifted.push(bytes)
  }
  destroy(): void {
    this.destroyed = true
    this.writable = false
  }
}

const ENDS = { remote: endpoint("20.0.0.1:8333"), local: endpoint("10.0.0.1:9000") }

const place = (
  more: { readonly early?: Uint8Array; readonly onAccept?: (connection: Connection) => void; readonly closed?: true } =
    {}
) => {
  const socket = new ScriptedSocket()
  socket.closed = more.closed ?? false
  const received: Array<ReadonlyArray<number>> = []
  const closed: Array<string> = []
  let drained = 0
  const connection = takeSocket(socket as unknown as Socket, ENDS, (made) => {
    more.onAccept?.(made)
    return {
      received: (bytes) => void received.push([...bytes]),
      drained: () => void drained++,
      closed: (reason) => void closed.push(reason)
    }
  }, more.early)
  return { closed, connection, drained: () => drained, received, socket }
}

const KIB = 1_024
const filled = (length: number, value = 1): Uint8Array => new Uint8Array(length).fill(value)

describe("what is sent over a socket", () => {
  it("goes at once while nothing waits, and waits together behind that where it is small", () => {
    const { connection, drained, socket } = place()
    assert.isTrue(socket.hasNoDelay)
    connection.send(filled(10))
    assert.lengthOf(socket.writes, 1)
    for (const [length, value] of [[4 * KIB, 2], [1, 3]] as const) connection.send(filled(length, value))
    assert.lengthOf(socket.writes, 1)
    assert.strictEqual(connection.unsent(), 10 + 4 * KIB + 1 + 3 * KIB)
    socket.writes[0]!.done()
    assert.deepStrictEqual([drained(), socket.writes.length], [0, 2])
    assert.deepStrictEqual([...socket.writes[1]!.bytes], [...filled(4 * KIB, 2), 3])
    assert.strictEqual(connection.unsent(), 4 * KIB + 1 + 2 * KIB)
    socket.writes[1]!.done()
    assert.deepStrictEqual([drained(), connection.unsent()], [1, 0])
    connection.send(filled(4 * KIB))
    assert.lengthOf(socket.writes, 3)
  })

  it("is put together in buffers of 16 KiB", () => {
    const { connection, socket } = place()
    connection.send(filled(1))
    for (let i = 0; i < 4; i++) connection.send(filled(4 * KIB, i))
    assert.lengthOf(socket.writes, 1)
    connection.send(filled(1, 9))
    assert.deepStrictEqual(socket.writes.map(({ bytes }) => bytes.length), [1, 16 * KIB])
    assert.deepStrictEqual([0, 4, 8, 12].map((at) => socket.writes[1]!.bytes[at * KIB]), [0, 1, 2, 3])
    assert.strictEqual(connection.unsent(), 2 + 16 * KIB + 6 * KIB)
    socket.writes[0]!.done()
    assert.lengthOf(socket.writes, 2, "the buffer before is still on its way")
    socket.writes[1]!.done()
    assert.deepStrictEqual([...socket.writes[2]!.bytes], [9])
  })

  it("comes behind what waits where it is large", () => {
    const { connection, socket } = place()
    connection.send(filled(1))
    connection.send(filled(2))
    connection.send(filled(4 * KIB + 1))
    assert.deepStrictEqual(socket.writes.map(({ bytes }) => bytes.length), [1, 2, 4 * KIB + 1])
    assert.strictEqual(connection.unsent(), 4 * KIB + 4 + 3 * KIB)
    socket.writes[0]!.done()
    socket.writes[1]!.done()
    assert.strictEqual(connection.unsent(), 4 * KIB + 1 + KIB)
  })

  it("gives its memory back once it went, where it was given to the connection", () => {
    const { connection, socket } = place()
    const [lent, given] = [filled(5_000), filled(5_000)]
    connection.send(lent)
    connection.send(given, true)
    assert.strictEqual(given.length, 5_000)
    for (const { done } of socket.writes) done()
    assert.deepStrictEqual([lent.length, given.length], [5_000, 0])
  })

  it("is dropped on a socket that takes no more, and nothing follows a write that failed", () => {
    const { connection, drained, socket } = place()
    connection.send(filled(1))
    connection.send(filled(2))
    socket.writes[0]!.done(new Error("broken"))
    assert.deepStrictEqual([drained(), socket.writes.length], [0, 1])
    const other = place()
    other.connection.send(filled(1))
    other.connection.send(filled(2))
    other.socket.destroy()
    other.socket.writes[0]!.done(null)
    other.connection.send(filled(3))
    assert.deepStrictEqual([other.drained(), other.socket.writes.length], [0, 1])
  })
})

describe("what is read from a socket", () => {
  it("goes to the listener, after what was read before, unless the socket is destroyed", () => {
    const early = Uint8Array.of(7)
    const { connection, received, socket } = place({ early })
    assert.deepStrictEqual(socket.unshifted, [early])
    assert.deepStrictEqual(place({ early: new Uint8Array() }).socket.unshifted, [])
    assert.deepStrictEqual([connection.remote, connection.local], [ENDS.remote, ENDS.local])
    const bytes = Buffer.from([0, 1, 2, 3, 4]).subarray(1, 4)
    socket.emit("data", bytes)
    assert.deepStrictEqual(received, [[1, 2, 3]])
    socket.destroy()
    socket.emit("data", bytes)
    assert.lengthOf(received, 1)
  })

  it("waits while the connection is paused, also where the listener paused it at once", () => {
    const { connection, socket } = place()
    assert.isFalse(socket.isPaused)
    connection.pause()
    assert.isTrue(socket.isPaused)
    connection.resume()
    assert.isFalse(socket.isPaused)
    connection.pause()
    socket.destroy()
    connection.resume()
    assert.isTrue(socket.isPaused)
    assert.isTrue(place({ onAccept: (made) => made.pause() }).socket.isPaused)
    const again = (made: Connection): void => {
      made.pause()
      made.resume()
    }
    assert.isFalse(place({ onAccept: again }).socket.isPaused)
  })
})

describe("a socket that ends", () => {
  it.each<readonly [string, (socket: ScriptedSocket, connection: Connection) => void]>([
    ["closed by this node", (_, connection) => connection.close()],
    ["the other side closed the connection", (socket) => socket.emit("end")],
    ["the other side reset the connection", (socket) => {
      socket.emit("error", Object.assign(new Error("x"), { code: "ECONNRESET" }))
    }],
    ["the connection was lost", () => undefined]
  ])("says %s, and nothing that happens later", (reason, happen) => {
    const { closed, connection, socket } = place()
    happen(socket, connection)
    if (reason !== "the connection was lost") {
      socket.emit("error", Object.assign(new Error("x"), { code: "EPIPE" }))
      socket.emit("end")
      connection.close()
      assert.isTrue(socket.destroyed)
    }
    assert.deepStrictEqual(closed, [])
    socket.emit("close")
    assert.deepStrictEqual(closed, [reason])
  })

  it("before it was accepted is reported after that", async () => {
    const { closed, socket } = place({ closed: true })
    assert.deepStrictEqual([closed, socket.listenerCount("close")], [[], 0])
    await new Promise((resume) => setImmediate(resume))
    assert.deepStrictEqual(closed, ["the connection was lost"])
  })

  it("names what is wrong in words where there are some, else by its code or message", () => {
    const text = (code?: string) => socketErrorText(Object.assign(new Error("odd"), code === undefined ? {} : { code }))
    assert.deepStrictEqual(["EPIPE", "ETIMEDOUT", "ECONNRESET", "EHOSTUNREACH", undefined].map(text), [
      "the other side closed the connection",
      "the other side does not answer any more",
      "the other side reset the connection",
      "EHOSTUNREACH",
      "odd"
    ])
  })
})
