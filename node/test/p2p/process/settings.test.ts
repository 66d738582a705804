import { afterAll, assert, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { freePort } from "../../process/node-process.ts"
import { place, until } from "./place.ts"

const nodes = place("settings")

afterAll(nodes.clear)

type Fields = Readonly<Record<string, unknown>>

const set = (settings: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`])

const isListenedAt = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const end = (answer: boolean) => (): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.on("connect", end(true)).on("error", end(false))
  })

describe("settings of connections, in a node as an operator runs it", () => {
  it("have their effect: places, trust, how much is sent, proxies, peers to stay connected to", { timeout: 180_000 }, async () => {
    const second = await freePort()
    const a = await nodes.start("a", set({
      "connections.more_listen_addrs": `127.0.0.1:${second}`,
      "connections.trusted_peers": "127.0.0.0/8",
      "connections.upload_target_mb": "7",
      "connections.onion_proxy": "127.0.0.1:9",
      "connections.isolate_streams": "false",
      max_peers: "12"
    }).concat("--target-peer-count", "10"))
    const b = await nodes.start("b", set({ "connections.listen": "false", persistent_peers: `127.0.0.1:${second}` }))
    try {
      await until("the other node is connected", async () => (await a.call<ReadonlyArray<Fields>>("getpeerinfo"))[0]?.["version"] === 70_016)
      const [peer] = await a.call<ReadonlyArray<Fields>>("getpeerinfo")
      assert.deepStrictEqual(peer!["permissions"], ["noban", "relay", "mempool", "download"])
      assert.match(String(peer!["addrbind"]), new RegExp(`:${second}$`))
      const totals = await a.call<{ readonly uploadtarget: Fields }>("getnettotals")
      assert.strictEqual(totals.uploadtarget["target"], 7 * 1_048_576)
      const { networks } = await a.call<{ readonly networks: ReadonlyArray<Fields> }>("getnetworkinfo")
      assert.deepStrictEqual(networks.find(({ name }) => name === "onion"), {
        name: "onion",
        limited: false,
        reachable: true,
        proxy: "127.0.0.1:9",
        proxy_randomize_credentials: false
      })
      assert.deepStrictEqual([await isListenedAt(a.p2pPort), await isListenedAt(second), await isListenedAt(b.p2pPort)], [true, true, false])
      const [outward] = await b.call<ReadonlyArray<Fields>>("getpeerinfo")
      assert.deepStrictEqual([outward!["connection_type"], outward!["addr"]], ["manual", `127.0.0.1:${second}`])
      assert.deepStrictEqual(outward!["permissions"], [])
      // Ten places of its own making and one to look whether somebody is there: one is left for others.
      const extra = connect(second, "127.0.0.1")
      await new Promise((resolve) => extra.on("close", resolve).on("error", resolve))
      assert.strictEqual(await a.call("getconnectioncount"), 1)
    } finally {
      await nodes.stop(a)
      await nodes.stop(b)
    }
  })

  it("the clock that setmocktime puts ahead ends what waits", { timeout: 120_000 }, async () => {
    const a = await nodes.start("ahead")
    const b = await nodes.start("asked", set({ persistent_peers: `127.0.0.1:${a.p2pPort}` }))
    const pinged = async (): Promise<number> => {
      const [peer] = await b.call<ReadonlyArray<{ readonly bytesrecv_per_msg: Readonly<Record<string, number>> }>>("getpeerinfo")
      return (peer?.bytesrecv_per_msg["ping"] ?? 0) / 32
    }
    try {
      await until("the first ping has come", async () => await pinged() === 1)
      await a.call("setmocktime", 1_600_000_000)
      await a.call("setmocktime", 1_600_000_060)
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.strictEqual(await pinged(), 1)
      await a.call("setmocktime", 1_600_000_122)
      await until("the next one has come", async () => await pinged() === 2)
      assert.strictEqual(await b.call("getconnectioncount"), 1)
    } finally {
      await nodes.stop(a)
      await nodes.stop(b)
    }
  })

  it("the clock that setmocktime sets dates bans", { timeout: 120_000 }, async () => {
    const node = await nodes.start("clock")
    try {
      await node.call("setmocktime", 1_900_000_000)
      await node.call("setban", "192.0.2.1", "add", 100)
      assert.deepStrictEqual((await node.call<ReadonlyArray<Fields>>("listbanned"))[0], {
        address: "192.0.2.1/32",
        ban_created: 1_900_000_000,
        banned_until: 1_900_000_100,
        ban_duration: 100,
        time_remaining: 100
      })
      await node.call("addpeeraddress", "11.1.1.1", 8_333)
      assert.deepStrictEqual((await node.call<ReadonlyArray<Fields>>("getnodeaddresses"))[0]?.["time"], 1_900_000_000)
      await node.call("setmocktime", 1_900_000_100)
      assert.deepStrictEqual(await node.call("listbanned"), [])
    } finally {
      await nodes.stop(node)
    }
  })
})
