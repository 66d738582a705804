import { assert, describe, it } from "@effect/vitest"
import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { moduleConnections, MOST_GRANTED, MOST_UNSENT } from "../../src/modules/network/module-connections.ts"

/** A socket without a system behind it: a test says what it has, and sees what is done to it. */
const aSocket = () => {
  const done: Array<string> = []
  const socket = Object.assign(new EventEmitter(), {
    writable: true,
    writableLength: 0,
    write: (data: Uint8Array) => {
      done.push(`write ${data.length}`)
      return data.length < 10
    },
    pause: () => done.push("pause"),
    resume: () => done.push("resume"),
    end: () => done.push("end"),
    destroy: () => done.push("destroy")
  })
  return { done, socket, asSocket: socket as unknown as Socket }
}

/** Connections, and the events about them in words. */
const connections = () => {
  const events: Array<string> = []
  const all = moduleConnections((event: ModuleEventPayload) => {
    const { _tag, ...rest } = event as { _tag: string; connection_id: number; data?: Uint8Array; error?: string }
    events.push(
      [_tag, rest.connection_id, rest.data?.length, rest.error].filter((each) => each !== undefined).join(" ")
    )
  })
  return { all, events }
}

const UNKNOWN = { kind: undefined, text: "there is no connection 7" }

describe("the connections of a module", () => {
  it("are at most 256 at once", () => {
    const { all } = connections()
    const sockets = Array.from({ length: 256 }, aSocket)
    for (const [i, { asSocket }] of sockets.entries()) {
      assert.isTrue(all.hasRoom(), String(i))
      assert.strictEqual(all.add(asSocket), i + 1)
    }
    assert.isFalse(all.hasRoom())
    sockets[3]!.socket.emit("close")
    assert.isTrue(all.hasRoom())
    assert.strictEqual(all.add(aSocket().asSocket), 257)
  })

  it("are read as far as the module grants, and 256 KiB ahead at most", () => {
    const { all, events } = connections()
    const { asSocket, done, socket } = aSocket()
    all.add(asSocket)
    assert.isUndefined(all.grant(1, 0))
    assert.deepStrictEqual(done, [])
    assert.isUndefined(all.grant(1, 5))
    socket.emit("data", Buffer.alloc(4))
    assert.deepStrictEqual(done, ["resume"])
    socket.emit("data", Buffer.alloc(1))
    assert.deepStrictEqual(done, ["resume", "pause"])
    assert.isUndefined(all.grant(1, 1))
    // The system may have read more than the one byte.
    socket.emit("data", Buffer.alloc(3))
    assert.isUndefined(all.grant(1, 2))
    assert.deepStrictEqual(done, ["resume", "pause", "resume", "pause"])
    assert.isUndefined(all.grant(1, 262_144))
    assert.strictEqual(done.at(-1), "resume")
    const refused = { kind: "ResourceExhausted", text: "a connection has up to 262144 bytes granted" }
    assert.deepStrictEqual(all.grant(1, 1), refused as never)
    assert.strictEqual(MOST_GRANTED, 262_144)
    assert.deepStrictEqual(all.grant(7, 1), UNKNOWN)
    assert.deepStrictEqual(events, ["NetworkReceived 1 4", "NetworkReceived 1 1", "NetworkReceived 1 3"])
  })

  it("take what is sent until 1 MiB waits in one of them, and say when one is full", () => {
    const { all } = connections()
    const { asSocket, done, socket } = aSocket()
    all.add(asSocket)
    assert.deepStrictEqual(all.send(1, new Uint8Array(9)), { isFull: false })
    assert.deepStrictEqual(all.send(1, new Uint8Array(10)), { isFull: true })
    socket.writableLength = 1_048_576
    assert.deepStrictEqual(all.send(1, new Uint8Array(1)), { isFull: false })
    socket.writableLength++
    const full = { kind: "ResourceExhausted", text: "the connection 1 is full: wait for NetworkDrained" }
    assert.deepStrictEqual(all.send(1, new Uint8Array(1)), full as never)
    assert.strictEqual(MOST_UNSENT, 1_048_576)
    socket.writableLength = 0
    socket.writable = false
    assert.deepStrictEqual(all.send(1, new Uint8Array(1)), { kind: undefined, text: "there is no connection 1" })
    assert.deepStrictEqual(all.send(7, new Uint8Array(1)), UNKNOWN)
    assert.deepStrictEqual(done, ["write 9", "write 10", "write 1"])
  })

  it("take what is sent until 64 MiB wait in all of them", () => {
    const { all } = connections()
    const sockets = Array.from({ length: 65 }, aSocket)
    for (const { asSocket } of sockets) all.add(asSocket)
    for (const { socket } of sockets.slice(0, 64)) socket.writableLength = 1_048_576
    assert.deepStrictEqual(all.send(65, new Uint8Array(1)), { isFull: false })
    sockets[64]!.socket.writableLength = 1
    const full = { kind: "ResourceExhausted", text: "the connections of this module are full" }
    assert.deepStrictEqual(all.send(65, new Uint8Array(1)), full as never)
    assert.deepStrictEqual(all.send(1, new Uint8Array(1)), full as never)
    sockets[0]!.socket.emit("close")
    assert.deepStrictEqual(all.send(65, new Uint8Array(1)), { isFull: false })
  })

  it("say that they drained each time, that they ended and closed once, and why", () => {
    const { all, events } = connections()
    const [one, two] = [aSocket(), aSocket()]
    all.add(one.asSocket)
    all.add(two.asSocket)
    for (const event of ["drain", "drain", "end", "end"]) one.socket.emit(event)
    one.socket.emit("error", new Error("reset"))
    for (const { socket } of [one, two]) for (let i = 0; i < 2; i++) socket.emit("close")
    assert.deepStrictEqual(events, [
      "NetworkDrained 1",
      "NetworkDrained 1",
      "NetworkEnded 1",
      "NetworkClosed 1 reset",
      "NetworkClosed 2"
    ])
    assert.deepStrictEqual(all.grant(1, 1), { kind: undefined, text: "there is no connection 1" })
  })

  it("end one by one behind what is sent, and all at once", () => {
    const { all } = connections()
    const [one, two] = [aSocket(), aSocket()]
    all.add(one.asSocket)
    all.add(two.asSocket)
    assert.strictEqual(all.finish(1), one.asSocket)
    assert.deepStrictEqual(all.finish(7), UNKNOWN)
    assert.deepStrictEqual([one.done, two.done], [["end"], []])
    all.destroyAll()
    assert.deepStrictEqual([one.done, two.done], [["end", "destroy"], ["destroy"]])
  })
})
