import { ANYONE, spend } from "@lockstep/modules/test-coinbase-v2"
import { subscribeTo, type TestSubscriber } from "@lockstep/zmq/test-subscriber"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

const SUBSIDY = 5_000_000_000
const FEE = 200_000

/** What is timed without a slow subscriber, and beside one: far more bytes than the system keeps for a connection. */
const QUIET_BLOCKS = 25
const BLOCKS = 75

/** Each transaction enters the mempool and a block, beside a coinbase. */
const MESSAGES_OF_BLOCK = 3

/** Messages that wait for one subscriber. */
const HIGH_WATER_MARK = 5

/** An output with so many bytes, which cannot be spent. */
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
let blockPort: number
let coins: Array<Buffer>

/** The number of a message, counted over those of its topic. */
const numberOf = (message: ReadonlyArray<Buffer>): number => message[2]!.readUInt32LE()

/**
 * Sends a large transaction and mines it, again and again; the reader has read all messages of a block before the next, so
 * that it never falls behind on a busy machine. Answers the milliseconds of a block.
 */
const grow = async (blocks: number, reader: TestSubscriber, numbers: Array<number> = []): Promise<number> => {
  const start = performance.now()
  for (let i = 0; i < blocks; i++) {
    const { data } = spend(coins.shift()!, SUBSIDY - FEE, [BALLAST])
    await running.call("sendrawtransaction", data.toString("hex"))
    await running.call("generatetodescriptor", 1, `raw(${ANYONE.toString("hex")})`)
    for (let read = 0; read < MESSAGES_OF_BLOCK; read++) numbers.push(numberOf(await reader.next()))
  }
  return (performance.now() - start) / blocks
}

/** Reads up to a transaction sent now, and the block with it: what comes next belongs to what is sent next. */
const readMarker = async (reader: TestSubscriber): Promise<void> => {
  const { data } = spend(coins.shift()!, SUBSIDY - FEE)
  await running.call("sendrawtransaction", data.toString("hex"))
  while (!(await reader.next())[1]!.equals(data));
  await running.call("generatetodescriptor", 1, `raw(${ANYONE.toString("hex")})`)
  for (let read = 1; read < MESSAGES_OF_BLOCK; read++) await reader.next()
}

describe.runIf(process.platform === "linux")("a subscriber of the module zmq that never reads", () => {
  beforeAll(async () => {
    ;[port, blockPort] = [await freePort(), await freePort()]
    running = await nodeWithModules({
      zmq: [
        `network_listen = ["127.0.0.1:${port}", "127.0.0.1:${blockPort}"]`,
        `pubhashblock = ["tcp://127.0.0.1:${blockPort}"]`,
        `pubrawtx = ["tcp://127.0.0.1:${port}"]`,
        `pubrawtxhwm = ${HIGH_WATER_MARK}`
      ].join("\n")
    })
    assert.strictEqual((await running.status("zmq")).status, "loaded", running.log())
    const blocks = await subscribeTo({ host: "127.0.0.1", port: blockPort }, ["hashblock"])
    const hashes = await running.call(
      "generatetodescriptor",
      QUIET_BLOCKS + BLOCKS + 101,
      `raw(${ANYONE.toString("hex")})`
    ) as ReadonlyArray<string>
    coins = await Promise.all(
      hashes.slice(0, QUIET_BLOCKS + BLOCKS + 2).map(async (hash) => {
        const { tx } = await running.call("getblock", hash, 1) as { readonly tx: ReadonlyArray<string> }
        return Buffer.from(tx[0]!, "hex").reverse()
      })
    )
    // The module publishes in order: the notifications of these blocks are behind it, and flood no later subscriber.
    while ((await blocks.next())[1]!.toString("hex") !== hashes.at(-1));
    blocks.socket.destroy()
  }, patience(120_000))

  afterAll(() => running.stop())

  it("loses messages, and slows neither validation nor another subscriber", async () => {
    const quick = await subscribeTo({ host: "127.0.0.1", port }, ["rawtx"])
    await readMarker(quick)
    const before = await grow(QUIET_BLOCKS, quick)
    const slow = await subscribeTo({ host: "127.0.0.1", port }, ["rawtx"])
    slow.socket.pause()
    const numbers: Array<number> = []
    const during = await grow(BLOCKS, quick, numbers)
    assert.isBelow(during, 3 * before + patience(100))
    assert.deepStrictEqual(numbers, numbers.map((_, i) => numbers[0]! + i))
    assert.strictEqual((await running.status("zmq")).status, "loaded")

    slow.socket.resume()
    await slow.processed()
    const received: Array<number> = []
    while (slow.waiting() > 0) received.push(numberOf(await slow.next()))
    assert.isBelow(received.length, numbers.length, "what is not read is dropped")
    assert.isAtLeast(received.length, HIGH_WATER_MARK)
    await grow(1, quick)
    assert.isAbove(numberOf(await slow.next()), received.at(-1)!)
    for (const { socket } of [slow, quick]) socket.destroy()
  })
})
