import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, describe, it } from "vitest"
import { type Notifications, type Notifier, openNotifications, TOPICS } from "../src/index.ts"
import { subscribeTo, type TestSubscriber } from "./subscriber.ts"

const directory = mkdtempSync(join(tmpdir(), "lockstep-zmq-"))
const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

let made = 0
const aPath = (): string => join(directory, `pub${made++}`)
const ipc = (path: string): string => `ipc://${path}`

const publishing = async (...notifiers: ReadonlyArray<Notifier>): Promise<Notifications> => {
  const notifications = await openNotifications(notifiers)
  ends.push(notifications.close)
  return notifications
}

const subscribed = async (
  place: Parameters<typeof subscribeTo>[0],
  topics: ReadonlyArray<string>,
  minor: 0 | 1 = 1
): Promise<TestSubscriber> => {
  const subscriber = await subscribeTo(place, topics, minor)
  ends.push(() => subscriber.socket.destroy())
  return subscriber
}

const HASH = Buffer.alloc(32, 0xab)
const hex = (frames: ReadonlyArray<Buffer>): ReadonlyArray<string> =>
  frames.map((frame, i) => i === 0 ? frame.toString() : frame.toString("hex"))

/** A free port of loopback. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })

describe("notifications through ZeroMQ", () => {
  it.each([0, 1] as const)("have the topic, the body and the number of the notifier (ZMTP 3.%i)", async (minor) => {
    const path = aPath()
    const notifications = await publishing(
      ...TOPICS.map((topic): Notifier => ({ topic, address: ipc(path), highWater: 1_000 }))
    )
    const all = await subscribed({ path }, [""], minor)
    const some = await subscribed({ path }, ["hash"], minor)
    const block = Buffer.alloc(300, 1)
    notifications.transaction({ txid: HASH, bytes: Buffer.of(1, 2) })
    notifications.block("C", HASH)
    notifications.tip(HASH, block)
    notifications.mempool("R", HASH, 258)
    const h = HASH.toString("hex")
    assert.deepStrictEqual(await Promise.all(Array.from({ length: 6 }, async () => hex(await all.next()))), [
      ["hashtx", h, "00000000"],
      ["rawtx", "0102", "00000000"],
      ["sequence", `${h}43`, "00000000"],
      ["hashblock", h, "00000000"],
      ["rawblock", block.toString("hex"), "00000000"],
      ["sequence", `${h}520201000000000000`, "01000000"]
    ])
    await some.processed()
    assert.deepStrictEqual([(await some.next())[0]!.toString(), (await some.next())[0]!.toString(), some.waiting()], [
      "hashtx",
      "hashblock",
      0
    ])
  })

  it("count also what no one reads, each notifier for itself, over TCP", async () => {
    const ports = [await freePort(), await freePort()]
    const notifications = await publishing(
      ...ports.map((port): Notifier => ({ topic: "hashblock", address: `tcp://127.0.0.1:${port}`, highWater: 1 }))
    )
    notifications.tip(HASH, undefined)
    for (const port of ports) {
      const late = await subscribed({ host: "127.0.0.1", port }, ["hashblock"])
      notifications.tip(HASH, undefined)
      assert.strictEqual((await late.next())[2]!.readUInt32LE(), port === ports[0] ? 1 : 2)
    }
  })

  it("are dropped beyond the high-water mark of a subscriber that does not read, and of no other one", async () => {
    const path = aPath()
    const notifications = await publishing({ topic: "rawtx", address: ipc(path), highWater: 3 })
    const [slow, quick] = [await subscribed({ path }, ["rawtx"]), await subscribed({ path }, ["rawtx"])]
    slow.socket.pause()
    const bytes = Buffer.alloc(1024 * 1024)
    const COUNT = 12
    for (let i = 0; i < COUNT; i++) {
      notifications.transaction({ txid: HASH, bytes })
      assert.strictEqual((await quick.next())[2]!.readUInt32LE(), i)
    }
    slow.socket.resume()
    // What waited: one in the system's buffers or on its way there, and three behind it.
    const numbers: Array<number> = []
    for (let i = 0; i < 4; i++) numbers.push((await slow.next())[2]!.readUInt32LE())
    assert.deepStrictEqual(numbers, [0, 1, 2, 3])
    await slow.processed()
    assert.strictEqual(slow.waiting(), 0)
  })

  it.each([
    ["foo", "foo is no address: write tcp://host:port or ipc://path"],
    ["tcp://127.0.0.1:70000", "tcp://127.0.0.1:70000 is no address: write tcp://host:port or ipc://path"]
  ])("are not opened at %s, nor is any other socket", async (address, message) => {
    const path = aPath()
    const opening = openNotifications([
      { topic: "hashblock", address: ipc(path), highWater: 1 },
      { topic: "hashtx", address, highWater: 1 }
    ])
    assert.strictEqual(await opening.catch((error: Error) => error.message), message)
    const refused = new Promise((resolve) => connect({ path }).once("error", resolve))
    assert.match(String(await refused), /ENOENT|ECONNREFUSED/)
  })

  it("leave a file that is no socket in its place", async () => {
    const path = aPath()
    writeFileSync(path, "kept")
    const opening = openNotifications([{ topic: "hashblock", address: ipc(path), highWater: 1 }])
    assert.match(await opening.then(() => "open", (error: Error) => error.message), /EADDRINUSE/)
  })

  it.each([
    ["another protocol", Buffer.alloc(64, 0x41)],
    ["a frame that is too long", undefined]
  ])("end the connection of %s", async (_, first) => {
    const path = aPath()
    await publishing({ topic: "hashblock", address: ipc(path), highWater: 1 })
    if (first !== undefined) {
      const socket = connect({ path })
      socket.write(first)
      await new Promise((resolve) => socket.on("data", () => undefined).once("close", resolve))
      return
    }
    const { socket } = await subscribed({ path }, [])
    socket.write(Buffer.from("0200000000ffffffff", "hex"))
    await new Promise((resolve) => socket.once("close", resolve))
  })
})
