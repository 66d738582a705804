import { afterAll, assert, describe, it } from "@effect/vitest"
import { connectPeer, waitForNode } from "../sockets/wire-peer.ts"
import { pause, place, type PlacedNode, until } from "./place.ts"

const nodes = place("mock-time")

afterAll(nodes.clear)

interface PeerInfo {
  readonly conntime: number
  readonly lastsend: number
  readonly lastrecv: number
  readonly pingwait?: number
  readonly version: number
}

const peersOf = ({ call }: PlacedNode): Promise<ReadonlyArray<PeerInfo>> => call<ReadonlyArray<PeerInfo>>("getpeerinfo")

/** Longer than several ticks of the node. */
const A_WHILE = 500

describe("setmocktime, in a node as an operator runs it", () => {
  it("stops what waits between nodes, and puts it forward and back", async () => {
    const node = await nodes.start("stopped")
    const at = Math.floor(Date.now() / 1_000) + 100
    // It never answers a ping.
    const silent = await connectPeer(node.p2pPort, () => {})
    const pings = (): number => silent.commands().filter((command) => command === "ping").length
    try {
      await until("the first ping has come", async () => pings() === 1)
      await node.call("setmocktime", at)
      await node.call("ping")
      await until("the ping that was asked for has come", async () => pings() === 2)
      await pause(A_WHILE)
      assert.strictEqual((await peersOf(node))[0]?.pingwait, 0, "no time passes")
      await node.call("setmocktime", at + 3)
      await pause(A_WHILE)
      assert.strictEqual((await peersOf(node))[0]?.pingwait, 3)
      // So that it is the ping alone that makes it go.
      silent.say({ command: "ping", nonce: 1n })
      await until("it was answered", async () => silent.commands().includes("pong"))

      const second = await connectPeer(node.p2pPort)
      await until("the second peer is there", async () => (await peersOf(node))[1]?.version === 70_016)
      assert.include((await peersOf(node))[1], { conntime: at + 3, lastsend: at + 3, lastrecv: at + 3 })
      await node.call("setmocktime", at - 1_000)
      const third = await connectPeer(node.p2pPort)
      await until("the third peer is there", async () => (await peersOf(node))[2]?.version === 70_016)
      assert.strictEqual((await peersOf(node))[2]?.conntime, at - 1_000, "put back")

      await node.call("setmocktime", at + 1_200)
      await pause(A_WHILE)
      assert.isFalse(silent.isClosed(), "a ping may take twenty minutes")
      await node.call("setmocktime", at + 1_201)
      await until("who did not answer a ping for longer is disconnected", async () => silent.isClosed())
      second.end()
      third.end()
      await node.call("setmocktime", 0)
      const last = await connectPeer(node.p2pPort)
      await until("the last peer is there", async () => (await peersOf(node)).at(-1)?.version === 70_016)
      assert.isBelow((await peersOf(node)).at(-1)!.conntime, at - 30, "the machine's clock again")
      last.end()
    } finally {
      silent.end()
      await nodes.stop(node)
    }
  })

  it("does not stop attempts to connect to a node of the operator's", async () => {
    const peer = await waitForNode()
    const node = await nodes.start("dials")
    try {
      await node.call("setmocktime", Math.floor(Date.now() / 1_000))
      await node.call("addnode", `127.0.0.1:${peer.port}`, "add")
      for (let i = 0; i < 3; i++) {
        await until(`connection ${i}`, async () => peer.links.length > i)
        peer.links[i]!.end()
      }
    } finally {
      peer.end()
      await nodes.stop(node)
    }
  })
})
