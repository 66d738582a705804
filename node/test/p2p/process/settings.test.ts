import { afterAll, assert, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { runNodeIn } from "../../cli/command-line.ts"
import { freePort } from "../../process/node-process.ts"
import { connectPeer, waitForNode, type WirePeer } from "../sockets/wire-peer.ts"
import { place, until } from "./place.ts"
import { patience } from "../../process/patience.ts"

const nodes = place("settings")

afterAll(nodes.clear)

/** Of a packet of the v2 transport: a type of one byte, and the number. */
const PING_BYTES = 20 + 1 + 8

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
  it(
    "have their effect: places, trust, how much is sent, proxies, peers to stay connected to",
    { timeout: patience(180_000) },
    async () => {
      const second = await freePort()
      const a = await nodes.start(
        "a",
        set({
          "connections.more_listen_addrs": `127.0.0.1:${second}`,
          "connections.trusted_peers": "127.0.0.0/8",
          "connections.upload_target_mb": "7",
          "connections.onion_proxy": "127.0.0.1:9",
          "connections.isolate_streams": "false",
          max_peers: "12"
        }).concat("--target-peer-count", "10")
      )
      const b = await nodes.start("b", set({ "connections.listen": "false", persistent_peers: `127.0.0.1:${second}` }))
      try {
        await until(
          "the other node is connected",
          async () => (await a.call<ReadonlyArray<Fields>>("getpeerinfo"))[0]?.["version"] === 70_017
        )
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
        assert.deepStrictEqual([
          await isListenedAt(a.p2pPort),
          await isListenedAt(second),
          await isListenedAt(b.p2pPort)
        ], [true, true, false])
        const [outward] = await b.call<ReadonlyArray<Fields>>("getpeerinfo")
        assert.deepStrictEqual([outward!["connection_type"], outward!["addr"]], ["manual", `127.0.0.1:${second}`])
        assert.deepStrictEqual(outward!["permissions"], [])
        // Ten places of its own making and one feeler: one is left for others.
        const extra = connect(second, "127.0.0.1")
        await new Promise((resolve) => extra.on("close", resolve).on("error", resolve))
        assert.strictEqual(await a.call("getconnectioncount"), 1)
      } finally {
        await nodes.stop(a)
        await nodes.stop(b)
      }
    }
  )

  it(
    "a persistent peer that cannot be reached is a warning once, and shown wherever one looks",
    async () => {
      const peer = `127.0.0.1:${await freePort()}`
      const node = await nodes.start("lost", set({ persistent_peers: peer }))
      const warnings = (): number =>
        node.running.stdout().split("\n").filter((line) =>
          line.includes(`"warn"`) && line.includes("cannot be reached") && line.includes(peer)
        ).length
      try {
        await until("it was tried", async () => warnings() > 0)
        const [added] = await node.call<ReadonlyArray<Fields>>("getaddednodeinfo")
        assert.deepInclude(added, { addednode: peer, connected: false })
        assert.match(String(added!["error"]), /refused/i)
        const message = `cannot connect to ${peer} (persistent_peers or addnode): ${String(added!["error"])}`
        await until("health has seen it", async () => JSON.stringify(await node.call("gethealth")).includes(message))
        const where = [
          "--config",
          nodes.config,
          "--data-dir",
          node.directory,
          "--rpc-addr",
          `127.0.0.1:${node.running.port}`
        ]
        assert.include((await runNodeIn(nodes.root, ["status", ...where])).stdout, `network: degraded, ${message}\n`)
        assert.strictEqual(warnings(), 1)
        // What it was about comes to be.
        const [, port] = peer.split(":")
        const other = await waitForNode(undefined, 0, Number(port))
        await until(
          "they are connected",
          async () => (await node.call<ReadonlyArray<Fields>>("getaddednodeinfo"))[0]!["error"] === undefined
        )
        await until(
          "health has seen that, too",
          async () => !JSON.stringify(await node.call("gethealth")).includes("cannot connect")
        )
        other.end()
      } finally {
        await nodes.stop(node)
      }
    }
  )

  it(
    "places of its own making stay reserved where the node connects to persistent peers alone",
    async () => {
      const settings = set({ "connections.only_persistent_peers": "true", max_peers: "13" })
      const node = await nodes.start("only", settings, { NODE_NETWORK_TARGET_PEER_COUNT: "10" })
      const isKept = async (peer: WirePeer): Promise<boolean> => {
        await until("it is greeted or ended", async () => peer.isClosed() || peer.commands().includes("verack"))
        return !peer.isClosed()
      }
      const peers: Array<WirePeer> = []
      try {
        for (let i = 0; i < 2; i++) {
          peers.push(await connectPeer(node.p2pPort))
          assert.isTrue(await isKept(peers[i]!), `peer ${i}`)
        }
        peers.push(await connectPeer(node.p2pPort))
        assert.isFalse(await isKept(peers[2]!), "eight, two and one are for connections of the node")
      } finally {
        for (const peer of peers) peer.end()
        await nodes.stop(node)
      }
    }
  )

  it("the clock that setmocktime puts ahead ends what waits", async () => {
    const a = await nodes.start("ahead")
    const b = await nodes.start("asked", set({ persistent_peers: `127.0.0.1:${a.p2pPort}` }))
    const pinged = async (): Promise<number> => {
      const [peer] = await b.call<ReadonlyArray<{ readonly bytesrecv_per_msg: Readonly<Record<string, number>> }>>(
        "getpeerinfo"
      )
      return (peer?.bytesrecv_per_msg["ping"] ?? 0) / PING_BYTES
    }
    try {
      await until("the first ping has come", async () => await pinged() === 1)
      const now = Math.floor(Date.now() / 1_000)
      await a.call("setmocktime", now + 60)
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.strictEqual(await pinged(), 1)
      await a.call("setmocktime", now + 122)
      await until("the next one has come", async () => await pinged() === 2)
      assert.strictEqual(await b.call("getconnectioncount"), 1)
    } finally {
      await nodes.stop(a)
      await nodes.stop(b)
    }
  })

  it("the clock that setmocktime sets dates bans", async () => {
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
