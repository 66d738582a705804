import type { ModuleNetwork, NetworkStream } from "@lockstep/sdk"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterEach, assert, describe, it, vi } from "vitest"
import type { NatsHook } from "../webhooks/src/hook.ts"
import { natsSender } from "../webhooks/src/send/nats-sender.ts"
import type { Delivery } from "../webhooks/src/send/sender.ts"

const ends: Array<() => unknown> = []
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end()
})

const HOOK: NatsHook = {
  name: "a",
  kind: "nats",
  url: new URL("nats://127.0.0.1:1"),
  events: ["NewBlock"],
  where: {},
  authorities: undefined,
  secret: undefined,
  subject: "lockstep",
  usesJetStream: false,
  user: undefined,
  credentials: undefined
}

const DELIVERY: Delivery = { hook: "a", number: 7, event: "NewBlock", body: Buffer.from("{}") }

/** A server that does with each connection what a test says, and a network that leads there. */
const served = async (greet: (socket: Socket) => void) => {
  const accepted: Array<Socket> = []
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    accepted.push(socket)
    greet(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  const streams: Array<Socket> = []
  const network: ModuleNetwork = {
    listen: () => Promise.reject(new Error("it listens nowhere")),
    connect: async () => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
      streams.push(socket)
      await once(socket, "connect")
      return socket as unknown as NetworkStream
    }
  }
  return { network, streams }
}

const said = (sending: Promise<void>): Promise<string> =>
  sending.then(() => "accepted", (error: Error) => error.message)

const soon = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 10_000, interval: 5 })

/** What a server of NATS does for a client that publishes and pings. */
const speak = (socket: Socket): void => {
  socket.write(`INFO {"server_id":"a","version":"2.10.0","proto":1,"max_payload":1048576,"headers":true}\r\n`)
  socket.on("data", (chunk: Buffer) => {
    for (const _ of chunk.toString().matchAll(/PING\r\n/g)) socket.write("PONG\r\n")
  })
}

describe("an event that is published over NATS", () => {
  it("is accepted once the server has answered a ping behind it, over one connection for all", async () => {
    const { network, streams } = await served(speak)
    const sender = natsSender(HOOK, network, 10_000)
    for (let i = 0; i < 3; i++) assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.lengthOf(streams, 1)
    sender.close()
    await soon(() => assert.isTrue(streams[0]!.destroyed))
  })

  it.each<readonly [string, (socket: Socket) => void]>([
    ["speaks another protocol", (socket) => void socket.write("220 mail\r\n".repeat(10_000))],
    ["says nothing", () => undefined],
    ["hangs up", (socket) => void socket.destroy()],
    ["greets with no JSON", (socket) => void socket.write("INFO {nonsense}\r\n")],
    [
      "does not answer a ping",
      (socket) => void socket.write("INFO {\"version\":\"2.10.0\",\"proto\":1,\"max_payload\":100}\r\n")
    ]
  ])("fails where the server %s, and leaves no connection open", async (_, greet) => {
    const { network, streams } = await served(greet)
    const sender = natsSender(HOOK, network, 300)
    for (let i = 0; i < 2; i++) assert.notStrictEqual(await said(sender.send(DELIVERY)), "accepted")
    await soon(() => assert.deepStrictEqual(streams.map(({ destroyed }) => destroyed), streams.map(() => true)))
  })

  it("is published over another connection after one broke", async () => {
    const { network, streams } = await served(speak)
    const sender = natsSender(HOOK, network, 10_000)
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    streams[0]!.destroy()
    await soon(() => assert.isTrue(streams[0]!.closed))
    for (let i = 0; i < 20 && streams.length < 2; i++) await said(sender.send(DELIVERY))
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.lengthOf(streams, 2)
    sender.close()
  })
})
