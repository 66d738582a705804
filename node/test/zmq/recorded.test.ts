import { assert, describe, it } from "@effect/vitest"
import { subscribeTo, type TestSubscriber } from "@lockstep/zmq/test-subscriber"
import { join } from "node:path"
import { makePlace, type Place } from "../bitcoind/bitcoind-process.ts"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { type Conversation, conversationAt, recordingsFolder, type Row } from "../recordings/conversation.ts"

const folder = recordingsFolder("zmq")

/** The addresses of a recorded start, with ports that are free. */
const withPorts = async (args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Promise.all(args.map(async (arg) => arg.replace(/\{port\+\d+\}/, String(await freePort()))))

const topicOf = (arg: string): string => /^-zmqpub(\w+)=/.exec(arg)![1]!
const portOf = (arg: string): number => Number(/:(\d+)$/.exec(arg)![1])

/** Every frame of a row, in order. */
const framesOf = async (subscriber: TestSubscriber, { frames }: Row): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const found: Array<ReadonlyArray<string>> = []
  for (let i = 0; i < frames!.length; i++) found.push((await subscriber.next()).map((frame) => frame.toString("hex")))
  return found
}

/** Does what a row did to Bitcoin Core. */
const playRow = async ({ call }: Place, { blocks }: Conversation, row: Row): Promise<void> => {
  if (row.op === "rpc" && row.m !== "getzmqnotifications") await call(row.m!, ...row.p as ReadonlyArray<unknown>)
  if (row.op === "blocks") { for (const hash of row.hashes!) await call("submitblock", blocks.get(hash)) }
}

/** Plays a conversation, and compares each row of messages; answers how many were compared. */
const playMessages = async (place: Place, conversation: Conversation, args: ReadonlyArray<string>): Promise<number> => {
  const subscribers = new Map<string, TestSubscriber>()
  let compared = 0
  for (const row of conversation.rows) {
    if (row.op === "zmqbase") {
      // What came before is published without a subscriber.
      await new Promise((resolve) => setTimeout(resolve, 500))
      for (const arg of args) {
        subscribers.set(topicOf(arg), await subscribeTo({ host: "127.0.0.1", port: portOf(arg) }, [topicOf(arg)]))
      }
    }
    if (row.op === "zmq") {
      assert.deepStrictEqual(await framesOf(subscribers.get(row.topic!)!, row), row.frames, `row ${row.i}`)
      compared++
    }
    await playRow(place, conversation, row)
  }
  for (const [topic, { processed, socket, waiting }] of subscribers) {
    await processed()
    assert.strictEqual(waiting(), 0, topic)
    socket.destroy()
  }
  return compared
}

describe.skipIf(folder === undefined)("what Bitcoin Core published through ZeroMQ", () => {
  it("is published by bitcoind, frame by frame", { timeout: patience(240_000) }, async () => {
    const conversation = conversationAt(join(folder!, "zmq.jsonl.gz"))!
    const start = conversation.rows.find(({ op }) => op === "start")!
    const args = await withPorts(start.args!)
    const place = await makePlace()
    const { ended } = place.start(...args, `-mocktime=${start.at}`)
    await place.ready()
    assert.isAbove(await playMessages(place, conversation, args), 60)
    const active = await place.call("getzmqnotifications")
    assert.deepStrictEqual(
      active,
      args.map((arg) => ({
        type: `pub${topicOf(arg)}`,
        address: arg.slice(arg.indexOf("=") + 1),
        hwm: 1_000
      }))
    )
    await place.call("stop")
    assert.strictEqual((await ended).exitCode, 0)
    place.remove()
  })
})
