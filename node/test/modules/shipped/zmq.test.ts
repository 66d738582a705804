import { subscribeTo, type TestSubscriber } from "@lockstep/zmq/test-subscriber"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { conversationAt, recordingsFolder, type Row } from "../../recordings/conversation.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

const TOPICS = ["hashblock", "hashtx", "rawblock", "rawtx", "sequence"] as const
const folder = recordingsFolder("zmq")

let running: NodeWithModules
let ports: ReadonlyArray<number>
const address = (i: number): string => `tcp://127.0.0.1:${ports[i]}`

/** What came before is not recorded: everything up to this tip. */
const dropped = async (subscribers: ReadonlyMap<string, TestSubscriber>, tip: string): Promise<void> => {
  for (const topic of ["sequence", "hashblock"]) {
    while (!(await subscribers.get(topic)!.next())[1]!.toString("hex").startsWith(tip));
  }
  for (const { next, processed, waiting } of subscribers.values()) {
    await processed()
    while (waiting() > 0) await next()
  }
}

const comparedRow = async ({ next }: TestSubscriber, { frames, i }: Row): Promise<number> => {
  const found: Array<ReadonlyArray<string>> = []
  while (found.length < frames!.length) found.push((await next()).map((frame) => frame.toString("hex")))
  assert.deepStrictEqual(found, frames, `row ${i}`)
  return 1
}

const playRow = async (row: Row, blocks: ReadonlyMap<string, string>): Promise<void> => {
  if (row.op === "rpc" && row.m !== "getzmqnotifications") {
    await running.call(row.m!, ...row.p as ReadonlyArray<unknown>)
  }
  for (const hash of row.op === "blocks" ? row.hashes! : []) await running.call("submitblock", blocks.get(hash))
}

describe.runIf(process.platform === "linux")("the module zmq", () => {
  beforeAll(async () => {
    ports = await Promise.all(TOPICS.map(() => freePort()))
    const settings = TOPICS.map((topic, i) => `pub${topic} = ["${address(i)}"]`)
    running = await nodeWithModules({ zmq: [`network_listen = ["127.0.0.1:*"]`, ...settings].join("\n") })
    assert.strictEqual((await running.status("zmq")).status, "loaded", running.log())
  }, patience(120_000))

  afterAll(() => running.stop())

  it("lists its notifiers in the node's place", async () => {
    assert.deepStrictEqual(
      await running.call("getzmqnotifications"),
      TOPICS.map((topic, i) => ({ type: `pub${topic}`, address: address(i), hwm: 1_000 }))
    )
  })

  it.skipIf(folder === undefined)("publishes what Bitcoin Core published, frame by frame", async () => {
    const { blocks, rows } = conversationAt(join(folder!, "zmq.jsonl.gz"))!
    const subscribers = new Map<string, TestSubscriber>()
    for (const [i, topic] of TOPICS.entries()) {
      subscribers.set(topic, await subscribeTo({ host: "127.0.0.1", port: ports[i]! }, [topic]))
    }
    let [compared, tip] = [0, ""]
    for (const row of rows) {
      if (row.op === "zmqbase") await dropped(subscribers, tip)
      if (row.op === "zmq") compared += await comparedRow(subscribers.get(row.topic!)!, row)
      await playRow(row, blocks)
      tip = row.hashes?.at(-1) ?? tip
    }
    assert.isAbove(compared, 60)
    for (const [topic, { processed, socket, waiting }] of subscribers) {
      await processed()
      assert.strictEqual(waiting(), 0, topic)
      socket.destroy()
    }
  })
})
