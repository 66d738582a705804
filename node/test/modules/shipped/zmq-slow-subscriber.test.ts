import { ANYONE, spend } from "@lockstep/modules/test-coinbase-v2"
import { subscribeTo } from "@lockstep/zmq/test-subscriber"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

const SUBSIDY = 5_000_000_000
const FEE = 200_000
const BLOCKS = 25

/** Messages that wait for one subscriber. */
const HIGH_WATER_MARK = 5

/** An output with so many bytes that nobody can spend. */
const ballast = (length: number): Buffer => {
  const push = Buffer.concat([Buffer.from("6a4e", "hex"), Buffer.alloc(4), Buffer.alloc(length, 7)])
  push.writeUInt32LE(length, 2)
  const size = Buffer.alloc(5, 0xfe)
  size.writeUInt32LE(push.length, 1)
  return Buffer.concat([Buffer.alloc(8), size, push])
}

const BALLAST = ballast(90_000)

let running: NodeWithModules
let port: number
let coins: Array<Buffer>

/** Sends a large transaction and mines it, again and again; answers the milliseconds of all that. */
const grow = async (blocks: number): Promise<number> => {
  const start = performance.now()
  for (let i = 0; i < blocks; i++) {
    const { data } = spend(coins.shift()!, SUBSIDY - FEE, [BALLAST])
    await running.call("sendrawtransaction", data.toString("hex"))
    await running.call("generatetodescriptor", 1, `raw(${ANYONE.toString("hex")})`)
  }
  return performance.now() - start
}

describe.runIf(process.platform === "linux")("a subscriber of the module zmq that never reads", () => {
  beforeAll(async () => {
    port = await freePort()
    running = await nodeWithModules({
      zmq: [
        `network_listen = ["127.0.0.1:${port}"]`,
        `pubrawtx = ["tcp://127.0.0.1:${port}"]`,
        `pubrawtxhwm = ${HIGH_WATER_MARK}`
      ].join("\n")
    })
    assert.strictEqual((await running.status("zmq")).status, "loaded", running.log())
    const hashes = await running.call(
      "generatetodescriptor",
      2 * BLOCKS + 101,
      `raw(${ANYONE.toString("hex")})`
    ) as ReadonlyArray<string>
    coins = await Promise.all(
      hashes.slice(0, 2 * BLOCKS + 1).map(async (hash) => {
        const { tx } = await running.call("getblock", hash, 1) as { readonly tx: ReadonlyArray<string> }
        return Buffer.from(tx[0]!, "hex").reverse()
      })
    )
  }, patience(120_000))

  afterAll(() => running.stop())

  it("loses messages, and slows neither validation nor another subscriber", async () => {
    const before = await grow(BLOCKS)
    const slow = await subscribeTo({ host: "127.0.0.1", port }, ["rawtx"])
    slow.socket.pause()
    const quick = await subscribeTo({ host: "127.0.0.1", port }, ["rawtx"])
    const during = await grow(BLOCKS)
    assert.isBelow(during, 3 * before + patience(2_000))
    // Each transaction enters the mempool and a block, beside a coinbase.
    const numbers: Array<number> = []
    while (numbers.length < 3 * BLOCKS) numbers.push((await quick.next())[2]!.readUInt32LE())
    assert.deepStrictEqual(numbers, numbers.map((_, i) => numbers[0]! + i))
    assert.strictEqual((await running.status("zmq")).status, "loaded")

    slow.socket.resume()
    await slow.processed()
    const received: Array<number> = []
    while (slow.waiting() > 0) received.push((await slow.next())[2]!.readUInt32LE())
    assert.isBelow(received.length, 3 * BLOCKS, "what nobody reads is dropped")
    assert.isAtLeast(received.length, HIGH_WATER_MARK)
    await grow(1)
    assert.isAbove((await slow.next())[2]!.readUInt32LE(), received.at(-1)!)
    for (const { socket } of [slow, quick]) socket.destroy()
  })
})
