import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { authorityKeyOf, authorityText } from "../stratum-v2/src/noise/certificate.ts"
import { initiate, SECOND_BYTES, type Session } from "../stratum-v2/src/noise/handshake.ts"
import { frameReader, sealFrame } from "../stratum-v2/src/wire/frames.ts"
import { decodeMessage, encodeMessage, type Message, type MessageName } from "../stratum-v2/src/wire/messages.ts"
import { blockTemplate } from "./block-template.ts"
import { beginsAnew } from "./begins-anew.ts"
import { miningNode } from "./mining-node.ts"
import { type Program, runProgram, soon } from "./program.ts"
import { setupConnection } from "./setup-connection.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const node = miningNode("127.0.0.1:8888")
let program: Program
let authorityKey: Uint8Array
beforeAll(async () => {
  program = await runProgram(() => import("../stratum-v2/src/main.ts"), {
    settings: {
      payout_address: "addr",
      listen: "127.0.0.1:8",
      refresh_seconds: "9",
      certificate_hours: "2",
      least_difficulty: "1e-12"
    },
    answer: node.answer
  })
  const secret = readFileSync(join(program.environment.dataDirectory, "authority-secret"), "utf8").trim()
  authorityKey = authorityKeyOf(new Uint8Array(Buffer.from(secret, "hex")))
})
afterAll(async () => {
  assert.strictEqual(await program.end(), 0)
})

const NOW = (): number => Math.floor(Date.now() / 1_000)

const sentOver = (connection: number): Buffer =>
  Buffer.concat(
    program.asked("SendNetwork").filter(({ connection_id }) => connection_id === connection).map(({ data }) => data)
  )

/** Completes the handshake over a connection; `undefined` if the certificate is not valid at that time. */
const shakeHands = async (connection_id: number, at: number): Promise<Session | undefined> => {
  const initiator = initiate()
  program.emit({ _tag: "NetworkAccepted", listener_id: 5, connection_id, address: `10.0.0.${connection_id}:1` })
  program.emit({ _tag: "NetworkReceived", connection_id, data: initiator.first })
  await soon(() => assert.isAtLeast(sentOver(connection_id).length, SECOND_BYTES))
  return initiator.finish(sentOver(connection_id).subarray(0, SECOND_BYTES), authorityKey, at)
}

const announced = (type: string): ReadonlyArray<Shown> =>
  program.asked("PublishEvent").filter(({ event_type }) => event_type === type).map(({ payload }) => payload)

/** A connection that is set up, and the messages that came over it. */
const miner = async (connection_id: number) => {
  const session = (await shakeHands(connection_id, NOW()))!
  const reader = frameReader(session)
  const received: Array<Message> = []
  let read = SECOND_BYTES
  const messages = (name: MessageName): ReadonlyArray<Shown> => {
    const all = sentOver(connection_id)
    for (const frame of reader.feed(all.subarray(read))!) received.push(decodeMessage(frame)!)
    read = all.length
    return received.filter(({ _tag }) => _tag === name)
  }
  const say = (message: Message): void =>
    program.emit({ _tag: "NetworkReceived", connection_id, data: sealFrame(session, encodeMessage(message)) })
  const next = async (name: MessageName, count = 1): Promise<Shown> => {
    await soon(() => assert.isAtLeast(messages(name).length, count))
    return messages(name)[count - 1]
  }
  return { messages, next, say }
}

describe("the program of the module stratum-v2", () => {
  it("listens where the operator says, under a key that it keeps, which its method names", async () => {
    assert.deepStrictEqual(program.asked("ListenNetwork"), [{ _tag: "ListenNetwork", address: "127.0.0.1:8" }])
    const authority = authorityText(authorityKey)
    assert.include(program.logged(), `Info: miners are served at stratum2+tcp://127.0.0.1:8888/${authority}`)
    assert.deepStrictEqual(await program.call("getstratumv2info"), { authority, blocks: 0, connections: [] })
  })

  it.each<readonly [number, string, number, boolean]>([
    [11, "an hour before, for clocks that are behind", -3_590, true],
    [12, "no more than an hour before", -3_610, false],
    [13, "as long as the operator says", 7_190, true],
    [14, "no longer than the operator says", 7_210, false]
  ])("has a certificate that holds (connection %d) %s", async (connection, _, seconds, holds) => {
    assert.strictEqual(await shakeHands(connection, NOW() + seconds) !== undefined, holds)
  })

  it("tells other modules who has come and gone, and of each job", async () => {
    await soon(() => assert.lengthOf(announced("StratumClientConnected"), 4))
    assert.deepStrictEqual(announced("StratumClientConnected")[0], {
      _tag: "StratumClientConnected",
      endpoint: "10.0.0.11:1",
      protocol_version: 2
    })
    program.emit({ _tag: "NetworkClosed", connection_id: 12, error: undefined })
    await soon(() =>
      assert.deepStrictEqual(announced("StratumClientDisconnected"), [
        { _tag: "StratumClientDisconnected", endpoint: "10.0.0.12:1", reason: "the connection is over" }
      ])
    )
    const job = { _tag: "MiningJobCreated", job_id: "1", prev_hash: new Uint8Array(32), height: 100 }
    assert.deepStrictEqual(announced("MiningJobCreated"), [job])
    node.give(blockTemplate({ longpoll_id: "2", height: 101, previous_hash: new Uint8Array(32).fill(2) }))
    await soon(() =>
      assert.deepStrictEqual(announced("MiningJobCreated").at(-1), {
        ...job,
        job_id: "2",
        prev_hash: new Uint8Array(32).fill(2),
        height: 101
      })
    )
  })

  it("submits blocks that miners find, counts those that are accepted, and logs what becomes of each", async () => {
    const { messages, next, say } = await miner(1)
    say(setupConnection(0))
    await next("SetupConnection.Success")
    const max_target = new Uint8Array(32).fill(0xff)
    say({ _tag: "OpenStandardMiningChannel", request_id: 1, user_identity: "finder", nominal_hash_rate: 0, max_target })
    const { channel_id } = await next("OpenStandardMiningChannel.Success")
    const { job_id } = await next("NewMiningJob")
    let nonce = 0
    /** Sends shares until a block is submitted and its fate logged. */
    const find = async (): Promise<void> => {
      const before = program.asked("SubmitBlock").length
      while (program.asked("SubmitBlock").length === before) {
        const share = { channel_id, sequence_number: nonce, job_id, ntime: 1_700_000_000, version: 0x20000000 }
        say({ _tag: "SubmitSharesStandard", ...share, nonce: nonce++ })
        await soon(() => {
          const answers = messages("SubmitShares.Success").length + messages("SubmitShares.Error").length
          assert.strictEqual(answers, nonce)
        })
      }
      await program.call("getstratumv2info")
    }
    const isLogged = (pattern: RegExp): Promise<void> =>
      soon(() => assert.isTrue(program.logged().some((line) => pattern.test(line)), program.logged().join("\n")))
    await find()
    await isLogged(/^Info: finder found the block [0-9a-f]{64} at height 101$/)
    node.fate = { _tag: "Rejected", reason: "bad" }
    await find()
    await isLogged(/^Error: the block [0-9a-f]{64} of finder is rejected: bad$/)
    node.fate = "no node"
    await find()
    await isLogged(/^Error: the block [0-9a-f]{64} of finder was not submitted: the node is busy$/)
    node.fate = { _tag: "Duplicate" }
    const lines = program.logged().length
    await find()
    const { blocks, connections } = await program.call("getstratumv2info") as Shown
    assert.strictEqual(blocks, 1)
    assert.lengthOf(program.logged(), lines)
    assert.deepStrictEqual(connections, [
      { address: "10.0.0.1:1", channels: [{ id: channel_id, user: "finder", extended: false }] }
    ])
    const [share] = announced("ShareSubmitted")
    assert.deepInclude(share, { job_id: String(job_id), miner_id: "finder" })
    assert.lengthOf(share.share_hash, 32)
  })

  it("begins anew where its connection to the node is lost, and goes on with nothing of before", () =>
    beginsAnew(program))

  it("asks for no further template once the node stops", async () => {
    const asked = program.asked("WaitForBlockTemplate").length
    program.emit({ _tag: "NodeShutdown", reason: "", timeout_seconds: 1 })
    await program.call("getstratumv2info")
    node.give(blockTemplate({ longpoll_id: "3" }))
    for (let i = 0; i < 3; i++) await program.call("getstratumv2info")
    assert.lengthOf(program.asked("WaitForBlockTemplate"), asked)
  })
})
