import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Command, COMMANDS } from "@lockstep/protocol/wire/codecs.ts"
import { until } from "../sockets/wire-node.ts"
import { connectPeer, type WirePeer } from "../sockets/wire-peer.ts"
import { patience } from "../../process/patience.ts"
import { place, type PlacedNode } from "./place.ts"
import { minedCoins, type Output, spend } from "./spent-coins.ts"

const { clear, start, stop } = place("longer-messages")

let node: PlacedNode
let coins: ReadonlyArray<Output>

beforeAll(async () => {
  node = await start("node")
  coins = await minedCoins(node, 3)
}, patience(60_000))

afterAll(async () => {
  await stop(node)
  clear()
})

const zeros = (count: number): string => "00".repeat(count)
const little = (value: number, bytes: number): string =>
  value.toString(16).padStart(2 * bytes, "0").match(/../g)!.toReversed().join("")

/** Payloads as a peer of the live network sends them, or none: the command says all. */
const PAYLOADS: Readonly<Partial<Record<Command, string>>> = {
  version: `80110100${zeros(16)}${zeros(26)}${zeros(34)}022f2f0000000001`,
  addr: `01${zeros(30)}`,
  addrv2: `01${zeros(4)}0901040808080820ff`,
  inv: `01${little(2, 4)}${"ab".repeat(32)}`,
  getdata: `01${little(1, 4)}${"ab".repeat(32)}`,
  notfound: `01${little(1, 4)}${"ab".repeat(32)}`,
  block: `${zeros(80)}00`,
  tx: `0100000001${"ab".repeat(36)}00ffffffff01${zeros(8)}0151${zeros(4)}`,
  dandeliontx: `0100000001${"ab".repeat(36)}00ffffffff01${zeros(8)}0151${zeros(4)}`,
  getheaders: `${zeros(4)}01${zeros(32)}${zeros(32)}`,
  headers: "00",
  getblocks: `${zeros(4)}01${zeros(32)}${zeros(32)}`,
  ping: zeros(8),
  pong: zeros(8),
  feefilter: zeros(8),
  feature: "046162636400",
  sendcmpct: `00${little(2, 8)}`,
  cmpctblock: `${"ab".repeat(80)}${zeros(8)}0000`,
  getblocktxn: `${"ab".repeat(32)}0100`,
  blocktxn: `${"ab".repeat(32)}00`,
  getcfilters: zeros(37),
  cfilter: `${zeros(33)}00`,
  getcfheaders: zeros(37),
  cfheaders: `${zeros(65)}00`,
  getcfcheckpt: zeros(33),
  cfcheckpt: `${zeros(33)}00`,
  filterload: `0100${zeros(9)}`,
  filteradd: "0100",
  merkleblock: `${zeros(84)}0000`,
  sendpackages: zeros(8),
  ancpkginfo: `01${zeros(32)}`,
  getpkgtxns: `01${zeros(32)}`,
  pkgtxns: "00",
  sendtxrcncl: `${little(1, 4)}${zeros(8)}`
}

/** Answers to the message itself; others come by chance. */
const ANSWERS: ReadonlySet<string> = new Set(["headers", "notfound", "block", "blocktxn"])

const handshaken = async (): Promise<WirePeer> => {
  const peer = await connectPeer(node.p2pPort)
  await until("the handshake is over", () => peer.commands().includes("sendcmpct"))
  return peer
}

/** What the node makes of a payload: what it answers up to its next pong, or that it ends the connection. */
const madeOf = async (command: Command, payload: Uint8Array): Promise<ReadonlyArray<string>> => {
  const peer = await handshaken()
  const before = peer.received.length
  peer.sayPayload(command, payload)
  peer.say({ command: "ping", nonce: 77n })
  const isAnswered = () => peer.received.some((each) => each.command === "pong" && each.nonce === 77n)
  await until(`${command} is handled`, () => peer.isClosed() || isAnswered())
  const made = isAnswered() ? peer.commands().slice(before).filter((each) => ANSWERS.has(each)) : ["closed"]
  peer.end()
  return made
}

describe("messages that are longer than they need be, on a socket", () => {
  it.each(COMMANDS)("%s: with one byte more and with many it does what it does without", {
    timeout: patience(60_000)
  }, async (command) => {
    const payload = Buffer.from(PAYLOADS[command] ?? "", "hex")
    const plain = await madeOf(command, payload)
    for (const more of [1, 5_000]) {
      const longer = Buffer.concat([payload, Buffer.alloc(more, 0xfd)])
      assert.deepStrictEqual(await madeOf(command, longer), plain, `${more} bytes more`)
    }
  })

  it("a transaction with bytes behind it enters the mempool under the ids that it has without", {
    timeout: patience(60_000)
  }, async () => {
    const peer = await handshaken()
    for (const [i, more] of [1, 300, 5_000].entries()) {
      const { hex, txid } = await spend(node, coins[i]!)
      peer.sayPayload("tx", Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(more, 1)]))
      await until("it is there", async () => (await node.call<ReadonlyArray<string>>("getrawmempool")).includes(txid))
    }
    peer.end()
  })

  it("headers with any count of transactions behind them are headers, and nothing is held against their sender", {
    timeout: patience(60_000)
  }, async () => {
    const tip = await node.call<string>("getbestblockhash")
    const header = await node.call<string>("getblockheader", tip, false)
    assert.deepStrictEqual(await madeOf("headers", Buffer.from(`01${header}03`, "hex")), [])
    assert.deepStrictEqual(await madeOf("headers", Buffer.from(`01${header}fd0001`, "hex")), [])
    const { blocks } = await node.call<{ readonly blocks: number }>("getblockchaininfo")
    assert.strictEqual(blocks, 103)
    assert.deepStrictEqual(await node.call("listbanned"), [])
  })
})
