import { encodeModuleFrame, type ModuleMessage } from "@lockstep/protocol/module-ipc/index.ts"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { connectToNode, wireOver } from "../src/client/connection.ts"
import { NodeError } from "../src/client/node-error.ts"

let directory = ""
const servers: Array<Server> = []
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-sdk-"))))
afterEach(() => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) server.close()
  rmSync(directory, { recursive: true, force: true })
})

const path = (): string => join(directory, "module.sock")

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A server at the path, and the sockets that it takes. */
const listening = async (): Promise<ReadonlyArray<Socket>> => {
  const sockets: Array<Socket> = []
  const server = createServer({ allowHalfOpen: true }, (socket) => void sockets.push(socket))
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(path(), resolve))
  return sockets
}

/** Passes pauses between attempts until there is an outcome; answers how many. */
const pausesUntil = async (isOver: () => boolean): Promise<number> => {
  let pauses = 0
  for (let turn = 0; turn < 100_000 && !isOver(); turn++) {
    await moment()
    if (vi.getTimerCount() === 0) continue
    vi.advanceTimersByTime(99)
    assert.strictEqual(vi.getTimerCount(), 1)
    vi.advanceTimersByTime(1)
    pauses++
  }
  return pauses
}

describe("the connection of a module to its node", () => {
  it("is tried fifty times, a tenth of a second apart, and then given up with the reason", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    let outcome: unknown
    void connectToNode(path()).then((socket) => (outcome = socket), (error: unknown) => (outcome = error))
    assert.strictEqual(await pausesUntil(() => outcome !== undefined), 49)
    assert.instanceOf(outcome, NodeError)
    assert.strictEqual(outcome.kind, "ConnectionError")
    assert.isTrue(outcome.message.startsWith(`${path()}: connect ENOENT`), outcome.message)
    assert.deepStrictEqual([outcome.name, vi.getTimerCount()], ["NodeError", 0])
  })

  it("is made as soon as the node has made its socket", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    let outcome: unknown
    void connectToNode(path()).then((socket) => (outcome = socket), (error: unknown) => (outcome = error))
    while (vi.getTimerCount() === 0) await moment()
    const sockets = await listening()
    assert.strictEqual(await pausesUntil(() => outcome !== undefined), 1)
    const socket = outcome as Socket
    // A later fault of the connection is the wire's to report.
    assert.strictEqual(socket.listenerCount("error"), 0)
    socket.destroy()
    for (const each of sockets) each.destroy()
  })
})

describe("the wire of a module", () => {
  const LOG: ModuleMessage = {
    _tag: "Log",
    level: "Info",
    module_id: "id",
    message: "m",
    target: "t",
    timestamp: 1
  }

  /** A wire, what it took, and the socket of its other side. */
  const wired = async (most = 1_000) => {
    const sockets = await listening()
    const socket = await connectToNode(path())
    const taken: Array<ModuleMessage> = []
    const wire = wireOver(socket, most, (message) => void taken.push(message))
    while (sockets.length === 0) await moment()
    return { other: sockets[0]!, socket, taken, wire }
  }

  it("hands on messages in order, in any pieces", async () => {
    const { other, taken, wire } = await wired()
    const bytes = Buffer.concat([encodeModuleFrame(LOG), encodeModuleFrame({ ...LOG, message: "n" })])
    for (const part of [bytes.subarray(0, 3), bytes.subarray(3, bytes.length - 1), bytes.subarray(-1)]) {
      other.write(part)
      await moment()
    }
    await vi.waitFor(() => assert.deepStrictEqual(taken, [LOG, { ...LOG, message: "n" }]))
    other.end()
    wire.end()
    assert.strictEqual(await wire.closed, "the other side ended the connection")
  })

  it("ends its side when it is ended, sends nothing any more, and is closed once the other side has ended", async () => {
    const { other, wire } = await wired()
    const received: Array<Buffer> = []
    other.on("data", (chunk) => void received.push(chunk))
    wire.send(LOG)
    wire.end()
    wire.send(LOG)
    await once(other, "end")
    assert.deepStrictEqual(Buffer.concat(received), Buffer.from(encodeModuleFrame(LOG)))
    other.end()
    assert.strictEqual(await wire.closed, "the other side ended the connection")
  })

  it("is closed with the reason where a message is too long or none", async () => {
    const long = await wired(10)
    long.other.write(encodeModuleFrame(LOG))
    const reason = await long.wire.closed
    assert.notInclude(reason, "the other side")
    assert.deepStrictEqual([long.taken, long.socket.destroyed], [[], true])
    long.other.destroy()
  })

  it("is closed with the error where the connection breaks", async () => {
    const { other, socket, wire } = await wired()
    socket.destroy(new Error("broken"))
    assert.strictEqual(await wire.closed, "broken")
    other.destroy()
  })
})
