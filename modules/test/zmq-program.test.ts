import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Program, runProgram, soon } from "./program.ts"

let program: Program
beforeAll(async () => {
  program = await runProgram(() => import("../zmq/src/main.ts"), {
    settings: {
      pubhashblock: JSON.stringify(["tcp://*:9"]),
      pubsequence: JSON.stringify(["tcp://127.0.0.1:10"]),
      pubsequencehwm: "5"
    },
    answer: (request) => {
      switch (request._tag) {
        case "ListenNetwork":
          return {
            _tag: "NetworkListening",
            listener_id: request.address.endsWith(":9") ? 9 : 10,
            address: request.address
          }
        default:
          return undefined
      }
    }
  })
})
afterAll(async () => {
  assert.strictEqual(await program.end(), 0)
})

const sentOver = (connection: number): Buffer =>
  Buffer.concat(
    program.asked("SendNetwork").filter(({ connection_id }) => connection_id === connection).map(({ data }) => data)
  )

/** A greeting of ZMTP 3.0 without security, what kind of socket it is, and a subscription to all. */
const SUBSCRIBER = Buffer.concat([
  Buffer.of(0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0),
  Buffer.from("NULL"),
  Buffer.alloc(16 + 32),
  Buffer.from("\u0004\u0019\u0005READY\u000bSocket-Type\u0000\u0000\u0000\u0003SUB", "latin1"),
  Buffer.of(0, 1, 1)
])

const HASH = Uint8Array.from({ length: 32 }, (_, i) => i)

/** The last message that came, as its topic and the number at its end. */
const messages = (connection: number, topic: string): ReadonlyArray<number> => {
  const sent = sentOver(connection)
  const found: Array<number> = []
  for (let at = sent.indexOf(topic); at >= 0; at = sent.indexOf(topic, at + 1)) {
    // The topic, a frame of the body, and one of four bytes.
    const body = at + topic.length + 2
    found.push(sent.readUInt32LE(body + sent[body - 1]! + 2))
  }
  return found
}

describe("the program of the module zmq", () => {
  it("listens for subscribers of each topic, follows the node's notifications, and lists what it publishes", async () => {
    assert.sameMembers(program.asked("ListenNetwork").map(({ address }) => address), ["0.0.0.0:9", "127.0.0.1:10"])
    assert.lengthOf(program.asked("FollowNotifications"), 1)
    assert.deepStrictEqual(program.asked("RegisterCoreRpcOverride").map(({ method }) => method), [
      "getzmqnotifications"
    ])
    assert.deepStrictEqual(await program.call("getzmqnotifications"), [
      { type: "pubhashblock", address: "tcp://*:9", hwm: 1_000 },
      { type: "pubsequence", address: "tcp://127.0.0.1:10", hwm: 5 }
    ])
  })

  it("publishes to who has subscribed, and leaves a gap in the numbers for what it has not had itself", async () => {
    program.emit({ _tag: "NetworkAccepted", listener_id: 10, connection_id: 1, address: "127.0.0.1:1" })
    program.emit({ _tag: "NetworkReceived", connection_id: 1, data: SUBSCRIBER })
    await soon(() => assert.include(sentOver(1).toString("latin1"), "READY"))
    const remove = (): void =>
      program.emit({
        _tag: "Notified",
        notification: { _tag: "TransactionRemoved", tx_hash: HASH, sequence: 4 }
      } as never)
    remove()
    await soon(() => assert.deepStrictEqual(messages(1, "sequence"), [0]))
    program.emit({ _tag: "EventsDropped", dropped: 3 } as never)
    remove()
    await soon(() => assert.deepStrictEqual(messages(1, "sequence"), [0, 4]))
    assert.include(sentOver(1).toString("hex"), `${Buffer.from(HASH.toReversed()).toString("hex")}52`)
  })
})
