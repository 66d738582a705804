import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { type Header, headerOf } from "@lockstep/kernel/model"
import { patience } from "../../process/patience.ts"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { type Answer, connectPeer, politeness, waitForNode } from "../sockets/wire-peer.ts"
import { until, type WireNode, wireNodes } from "../sockets/wire-node.ts"
import { hashOf, minedHeader } from "../sync/chain-model.ts"

const BLOCKS = 20
const FORK = 8

const nodes = wireNodes()
let node: WireNode

beforeAll(async () => {
  node = await nodes.start("node", ["--target-peer-count", "8"])
  await node.call("generatetoaddress", BLOCKS, OPEN_ADDRESS)
}, patience(60_000))

afterAll(() => nodes.end())

const asked = async (path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${node.token}` }
  return (await fetch(`http://127.0.0.1:${node.running.port}${path}`, { headers })).text()
}

const metric = async (name: string): Promise<number> =>
  Number((await asked("/metrics")).split("\n").find((line) => line.startsWith(`${name} `))?.split(" ")[1])

const headerAt = async (height: number): Promise<Header> => {
  const hash = await node.call<string>("getblockhash", height)
  return headerOf(Buffer.from(await node.call<string>("getblockheader", hash, false), "hex"))
}

const warnings = async (): Promise<string> =>
  (await node.call<{ readonly warnings: ReadonlyArray<string> }>("getblockchaininfo")).warnings.join()

/** A header of 164 bytes on the tip, as nodes with the other proof of work send it. */
const foreignHeader = async (): Promise<Uint8Array> => {
  const header = new Uint8Array(164).fill(0xa1)
  header.set(hashOf(await headerAt(BLOCKS)), 4)
  // A target that no hash meets.
  header.set([0x01, 0, 0, 0x01], 72)
  return header
}

describe("a node among peers that follow other chains on its magic and port", () => {
  it("disconnects one with headers of 164 bytes, whatever brings them, and discourages and bans none", {
    timeout: patience(60_000)
  }, async () => {
    const header = await foreignHeader()
    const payloads = {
      headers: concatBytes([Uint8Array.of(2), header, Uint8Array.of(0), header, Uint8Array.of(0)]),
      cmpctblock: concatBytes([header, new Uint8Array(90)]),
      block: concatBytes([header, new Uint8Array(90)])
    }
    for (const [command, payload] of Object.entries(payloads)) {
      const peer = await connectPeer(node.p2pPort)
      await until("the handshake is over", () => peer.commands().includes("sendcmpct"))
      peer.sayPayload(command, payload)
      await until(`${command} ends the connection`, () => peer.isClosed())
    }
    assert.strictEqual(await metric("lockstep_foreign_chain_peers_total{sign=\"headers\"}"), 3)
    assert.strictEqual(await metric("lockstep_discouraged_addresses"), 0)
    assert.deepStrictEqual(await node.call("listbanned"), [])
    const said = "Other nodes of this network follow a chain with headers of another format. " +
      "This node follows the valid chain with the most work"
    assert.strictEqual(await warnings(), said)
    const { warnings: ofNetwork } = await node.call<{ readonly warnings: ReadonlyArray<string> }>("getnetworkinfo")
    assert.deepStrictEqual(ofNetwork, [said])
    await until("health says so", async () => (await asked("/health/detailed")).includes(said))
    assert.include(
      node.running.stdout() + node.running.stderr(),
      "Other nodes of this network follow a chain with headers of another format"
    )
  })

  it("frees an outbound slot that a peer on a branch of less work holds, and says which chain is followed and why", {
    timeout: patience(60_000)
  }, async () => {
    const fork = await headerAt(FORK)
    const branch: Array<Header> = []
    for (let i = 1; i <= 3; i++) branch.push(minedHeader(hashOf(branch.at(-1) ?? fork), fork.time + i, 77))
    const follows: Answer = (message, say) => {
      if (message.command === "getheaders") say({ command: "headers", headers: branch })
      else politeness(message, say)
    }
    const other = await waitForNode(follows)
    try {
      await node.call("addconnection", `127.0.0.1:${other.port}`, "outbound-full-relay", false)
      await until(
        "it has shown its branch",
        async () => (await node.call<ReadonlyArray<object>>("getchaintips")).length > 1
      )
      const now = Math.floor(Date.now() / 1_000)
      for (const later of [30, 60, 200, 230]) {
        await node.call("setmocktime", now + later)
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
      await until("the slot is free", () => other.links[0]!.isClosed())
      assert.strictEqual(await metric("lockstep_foreign_chain_peers_total{sign=\"branch\"}"), 1)
      assert.deepStrictEqual(await node.call("listbanned"), [])
      assert.include(
        await warnings(),
        `A minority chain has left this one behind height ${FORK}: it has 3 blocks since`
      )
      const tips = await node.call<ReadonlyArray<{ readonly status: string; readonly split?: string }>>("getchaintips")
      assert.deepStrictEqual(tips.map(({ split, status }) => [status, split]), [
        ["active", undefined],
        // No split of this network is known, so there is none to name.
        ["headers-only", undefined]
      ])
    } finally {
      other.end()
    }
  })
})
