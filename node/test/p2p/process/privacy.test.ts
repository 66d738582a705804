import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { onionText } from "../../../src/net/onion.ts"
import { framed, framedPayload, versionAs } from "../sockets/regtest-wire.ts"
import { startProxy } from "../transport/proxy-server.ts"
import { pause, place, type PlacedNode, until } from "./place.ts"

const nodes = place("privacy")

afterAll(nodes.clear)

type Fields = Readonly<Record<string, unknown>>

const set = (settings: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`])

/** A proxy that reaches no node. */
const UNREACHABLE = { reply: Uint8Array.of(5, 4, 0, 1, 0, 0, 0, 0, 0, 0) }

const IP = Array.from({ length: 12 }, (_, i) => `${20 + i}.1.1.1`)
const ONION = Array.from({ length: 12 }, (_, i) => onionText(new Uint8Array(32).fill(i + 1)))

/** Time for several turns of the node in which it chooses peers. */
const TURNS_MS = 4_000

describe("onlynet, in a node as an operator runs it", () => {
  it.live(
    "peers are chosen in the named networks alone; those of the operator are connected to in any",
    () =>
      Effect.gen(function*() {
        const [forIp, forOnion] = [yield* startProxy(UNREACHABLE), yield* startProxy(UNREACHABLE)]
        const proxies = {
          "connections.proxy": endpointText(forIp.at),
          "connections.onion_proxy": endpointText(forOnion.at)
        }
        const run = async (name: string, settings: Readonly<Record<string, string>>): Promise<PlacedNode> => {
          const node = await nodes.start(name, [...set({ ...proxies, ...settings }), "--target-peer-count", "8"])
          for (const address of [...IP, ...ONION]) await node.call("addpeeraddress", address, 8_333)
          return node
        }
        const asked = (proxy: typeof forIp): ReadonlyArray<string> => proxy.asked.map(({ host }) => host)

        yield* Effect.promise(async () => {
          const onion = await run("onion", { "connections.onlynet": "[\"onion\"]", persistent_peers: "192.0.2.1:5" })
          await until("hidden services are tried", async () => forOnion.asked.length >= 3)
          await pause(TURNS_MS)
          assert.deepStrictEqual([...new Set(asked(forIp))], ["192.0.2.1"])
          assert.includeMembers(ONION, [...asked(forOnion)])
          const { networks } = await onion.call<{ readonly networks: ReadonlyArray<Fields> }>("getnetworkinfo")
          assert.deepStrictEqual(networks.filter(({ reachable }) => reachable).map(({ name }) => name), ["onion"])
          assert.deepStrictEqual(networks.filter(({ limited }) => !limited).map(({ name }) => name), ["onion"])
          await nodes.stop(onion)

          forIp.asked.length = 0
          forOnion.asked.length = 0
          const ipv4 = await run("ipv4", { "connections.onlynet": "ipv4" })
          await until("nodes of the internet are tried", async () => forIp.asked.length >= 3)
          await pause(TURNS_MS)
          assert.deepStrictEqual(asked(forOnion), [])
          assert.includeMembers(IP, [...asked(forIp)])
          await nodes.stop(ipv4)
        })
      })
  )
})

/** Shakes hands with a node and collects the commands that come back. */
const shakenHands = async (
  port: number
): Promise<
  { readonly socket: Socket; readonly received: ReadonlyArray<string>; readonly relay: () => number | undefined }
> => {
  const received: Array<string> = []
  let relay: number | undefined
  let held = Buffer.alloc(0)
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  socket.on("error", () => undefined)
  socket.on("data", (bytes: Buffer) => {
    held = Buffer.concat([held, bytes])
    while (held.length >= 24 && held.length >= 24 + held.readUInt32LE(16)) {
      const end = 24 + held.readUInt32LE(16)
      const command = held.subarray(4, 16).toString("latin1").replace(/\0+$/, "")
      // The last byte of a version says whether transactions may be announced.
      if (command === "version") relay = held[end - 1]
      received.push(command)
      held = held.subarray(end)
    }
  })
  socket.write(framed(versionAs("tester", 7n)))
  await until("the node has said verack", async () => received.includes("verack"))
  socket.write(framed({ command: "verack" }))
  return { socket, received, relay: () => relay }
}

describe("blocks_only, in a node as an operator runs it", () => {
  it("says that it wants no transactions, and disconnects a peer that sends one", async () => {
    const node = await nodes.start(
      "blocks",
      set({ "connections.blocks_only": "true", "connections.trusted_peers": "127.0.0.0/8" })
    )
    try {
      assert.isFalse((await node.call<{ readonly localrelay: boolean }>("getnetworkinfo")).localrelay)
      for (const [what, command] of [["a transaction", "tx"], ["the name of one", "inv"]] as const) {
        const { received, relay, socket } = await shakenHands(node.p2pPort)
        assert.strictEqual(relay(), 0)
        const ping = framedPayload("ping", new Uint8Array(8))
        socket.write(ping)
        await until("the handshake is over", async () => received.includes("pong"))
        assert.notInclude(received, "feefilter")
        const [peer] = await node.call<ReadonlyArray<Fields>>("getpeerinfo")
        assert.deepStrictEqual(peer!["permissions"], ["noban", "mempool", "download"])
        const closed = once(socket, "close")
        const announced = framed({ command: "inv", inventory: [{ type: 1, hash: new Uint8Array(32).fill(9) }] })
        socket.write(command === "tx" ? framedPayload("tx", new Uint8Array(60)) : announced)
        await Promise.race([closed, pause(20_000).then(() => assert.fail(`the node kept a peer that sent ${what}`))])
      }
    } finally {
      await nodes.stop(node)
    }
  })

  it("without it the same peer stays", async () => {
    const node = await nodes.start("relays")
    try {
      const { received, relay, socket } = await shakenHands(node.p2pPort)
      assert.strictEqual(relay(), 1)
      socket.write(framed({ command: "inv", inventory: [{ type: 1, hash: new Uint8Array(32).fill(9) }] }))
      socket.write(framedPayload("ping", new Uint8Array(8)))
      await until("the node answers", async () => received.includes("pong"))
      assert.isFalse(socket.destroyed)
      socket.destroy()
    } finally {
      await nodes.stop(node)
    }
  })
})
