import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { blockTemplate } from "./block-template.ts"
import { beginsAnew } from "./begins-anew.ts"
import { miningNode } from "./mining-node.ts"
import { type Program, runProgram, soon } from "./program.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const node = miningNode("127.0.0.1:7777")
let program: Program
beforeAll(async () => {
  program = await runProgram(() => import("../stratum-v1/src/main.ts"), {
    settings: { payout_address: "addr", listen: "127.0.0.1:7", refresh_seconds: "9" },
    answer: node.answer
  })
})
afterAll(async () => {
  assert.strictEqual(await program.end(), 0)
})

/** What the module sent over a connection, line by line. */
const linesOf = (connection: number): ReadonlyArray<Shown> =>
  program.asked("SendNetwork").filter(({ connection_id }) => connection_id === connection)
    .map(({ data }) => Buffer.from(data).toString()).join("").trim().split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const say = (connection_id: number, method: string, ...params: ReadonlyArray<unknown>): void =>
  program.emit({
    _tag: "NetworkReceived",
    connection_id,
    data: Buffer.from(`${JSON.stringify({ id: 1, method, params })}\n`)
  })

const connect = async (connection_id: number): Promise<string> => {
  program.emit({ _tag: "NetworkAccepted", listener_id: 5, connection_id, address: `10.0.0.${connection_id}:1` })
  say(connection_id, "mining.subscribe")
  say(connection_id, "mining.authorize", "worker")
  await soon(() => assert.isTrue(linesOf(connection_id).some(({ method }) => method === "mining.notify")))
  return linesOf(connection_id).find(({ result }) => Array.isArray(result))!.result[1]
}

describe("the program of the module stratum-v1", () => {
  it("listens where the operator says, and offers its method", () => {
    assert.deepStrictEqual(program.asked("ListenNetwork"), [{ _tag: "ListenNetwork", address: "127.0.0.1:7" }])
    assert.include(program.logged(), "Info: miners are served at 127.0.0.1:7777")
    const [{ method, description }] = program.asked("RegisterRpcEndpoint") as Shown
    assert.strictEqual(method, "getstratuminfo")
    assert.match(description, /^Lists the miners/)
  })

  it("takes templates that pay to the operator's address, and waits for each as long as it says", async () => {
    const rules = ["segwit", "signet", "taproot"]
    const of = { rules, coinbase_script: undefined, coinbase_address: "addr" }
    assert.deepStrictEqual(
      program.asked("GetBlockTemplate"),
      [1, 2].map(() => ({ _tag: "GetBlockTemplate" as const, ...of }))
    )
    await soon(() =>
      assert.deepStrictEqual(program.asked("WaitForBlockTemplate").slice(0, 1), [
        { _tag: "WaitForBlockTemplate", ...of, longpoll_id: "1", timeout_seconds: 9 }
      ])
    )
  })

  it("serves each connection with an extranonce of its own, and lists miners while they are connected", async () => {
    assert.deepStrictEqual([await connect(1), await connect(2)], ["00000001", "00000002"])
    const { blocks, miners } = await program.call("getstratuminfo") as Shown
    assert.strictEqual(blocks, 0)
    assert.deepStrictEqual(
      miners.map(({ address, shares, workers }: Shown) => [address, shares, workers]),
      [["10.0.0.1:1", 0, ["worker"]], ["10.0.0.2:1", 0, ["worker"]]]
    )
    program.emit({ _tag: "NetworkClosed", connection_id: 2, error: undefined })
    await soon(async () => {
      const { miners: left } = await program.call("getstratuminfo") as Shown
      assert.deepStrictEqual(left.map(({ address }: Shown) => address), ["10.0.0.1:1"])
    })
  })

  it("sends each miner the job of a new template, at once on a new tip", async () => {
    const before = linesOf(1).filter(({ method }) => method === "mining.notify").length
    node.give(blockTemplate({ longpoll_id: "2", previous_hash: new Uint8Array(32).fill(2) }))
    await soon(() => assert.lengthOf(linesOf(1).filter(({ method }) => method === "mining.notify"), before + 1))
    assert.isTrue(linesOf(1).findLast(({ method }) => method === "mining.notify")!.params[8])
  })

  it("begins with a clean job for a miner that names its worker before it subscribes, whatever else it asks", async () => {
    program.emit({ _tag: "NetworkAccepted", listener_id: 5, connection_id: 3, address: "10.0.0.3:1" })
    say(3, "mining.authorize", "worker")
    say(3, "mining.extranonce.subscribe")
    await soon(() => assert.deepStrictEqual(linesOf(3).map(({ result }) => result), [true, true]))
    say(3, "mining.subscribe")
    await soon(() => assert.isDefined(linesOf(3).find(({ method }) => method === "mining.notify")))
    assert.isTrue(linesOf(3).find(({ method }) => method === "mining.notify")!.params[8])
  })

  it("submits blocks that miners find, counts those that are accepted, and logs what becomes of each", async () => {
    const job = linesOf(1).findLast(({ method }) => method === "mining.notify")!.params[0]
    let nonce = 0
    /** Sends shares until one is a block. */
    const find = async (): Promise<void> => {
      const before = program.asked("SubmitBlock").length
      for (let i = 0; i < 40; i++) {
        say(1, "mining.submit", "worker", job, "00".repeat(8), "6553f100", (nonce++).toString(16).padStart(8, "0"))
      }
      await soon(() => assert.isAbove(program.asked("SubmitBlock").length, before))
    }
    await find()
    await soon(() =>
      assert.isTrue(program.logged().some((line) => / found the block [0-9a-f]{64} at height 100$/.test(line)))
    )
    assert.isAbove((await program.call("getstratuminfo") as Shown).blocks, 0)
    node.fate = { _tag: "Rejected", reason: "bad" }
    await find()
    await soon(() =>
      assert.isTrue(
        program.logged().some((line) => /^Error: the block [0-9a-f]{64} of worker is rejected: bad$/.test(line))
      )
    )
    node.fate = "no node"
    await find()
    await soon(() =>
      assert.isTrue(
        program.logged().some((line) => /^Error: the block [0-9a-f]{64} of worker was not submitted: .*busy/.test(line))
      )
    )
  })

  it("begins anew where its connection to the node is lost, and goes on with nothing of before", () =>
    beginsAnew(program))

  it("asks for no further template once the node stops", async () => {
    const asked = program.asked("WaitForBlockTemplate").length
    program.emit({ _tag: "NodeShutdown", reason: "", timeout_seconds: 1 })
    await program.call("getstratuminfo")
    node.give(blockTemplate({ longpoll_id: "3" }))
    for (let i = 0; i < 3; i++) await program.call("getstratuminfo")
    assert.lengthOf(program.asked("WaitForBlockTemplate"), asked)
  })
})
