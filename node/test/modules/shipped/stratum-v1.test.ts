import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"
import { type ScriptedMiner, scriptedMiner } from "./stratum-v1-miner.ts"

/** An address of regtest. */
const PAYOUT = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"

let running: NodeWithModules
let port: number
let miner: ScriptedMiner

const mined = async (): Promise<number> => await running.call("getblockcount") as number

describe.runIf(process.platform === "linux")("the module stratum-v1", () => {
  beforeAll(async () => {
    port = await freePort()
    running = await nodeWithModules({
      "stratum-v1": [
        `network_listen = ["127.0.0.1:${port}"]`,
        `listen = "127.0.0.1:${port}"`,
        `payout_address = "${PAYOUT}"`
      ].join("\n")
    })
    assert.strictEqual((await running.status("stratum-v1")).status, "loaded", running.log())
    miner = await scriptedMiner(port)
  }, patience(120_000))

  afterAll(async () => {
    miner.end()
    await running.stop()
  })

  it("serves a miner that finds a block, and sends the next job when the tip changes", async () => {
    const { error } = await miner.call("mining.submit", "worker", "1", "00", "00", "00")
    assert.deepStrictEqual(error, [25, "Not subscribed", null])
    const { result } = await miner.call("mining.configure", ["version-rolling", "other"], {
      "version-rolling.mask": "ffffffff"
    })
    assert.deepStrictEqual(result, {
      "version-rolling": true,
      "version-rolling.mask": "1fffe000",
      other: false
    })
    await miner.call("mining.subscribe", "scripted/1.0")
    assert.deepStrictEqual(await miner.call("mining.authorize", "worker", "x"), { result: true, error: null })
    const job = await miner.job()
    const share = miner.solve(job)
    assert.deepStrictEqual(await miner.call("mining.submit", "worker", ...share), { result: true, error: null })
    await running.until(async () => await mined() === 1)
    const next = await miner.job(job.number)
    assert.isTrue(next.params[8], "shares on the old tip are worth nothing")
    assert.deepStrictEqual((await miner.call("mining.submit", "worker", ...share)).error, [21, "Job not found", null])
    const hash = await running.call("getblockhash", 1)
    const block = await running.call("getblock", hash, 2) as {
      readonly tx: ReadonlyArray<
        { readonly vout: ReadonlyArray<{ readonly scriptPubKey: { readonly address: string } }> }
      >
    }
    assert.strictEqual(block.tx[0]!.vout[0]!.scriptPubKey.address, PAYOUT)
  })

  it("takes rolled versions, and refuses what counts for nothing", async () => {
    const job = await miner.job()
    const refused = async (worker: string, ...share: ReadonlyArray<string>) =>
      (await miner.call("mining.submit", worker, ...share)).error
    assert.deepStrictEqual(await refused("worker", ...miner.solve(job, false)), [23, "Low difficulty share", null])
    const good = miner.solve(job)
    assert.deepStrictEqual(await refused("nobody", ...good), [24, "Unauthorized worker", null])
    assert.deepStrictEqual(await refused("worker", "ffff", ...good.slice(1)), [21, "Job not found", null])
    assert.deepStrictEqual(await refused("worker", good[0]!, "00", ...good.slice(2)), [
      20,
      "extranonce2, time or nonce have not the right length",
      null
    ])
    assert.deepStrictEqual(await refused("worker", good[0]!, good[1]!, "00000001", good[3]!), [
      20,
      "the time is out of range",
      null
    ])
    assert.deepStrictEqual(await refused("worker", ...good, "00000001"), [20, "version bits beyond the mask", null])
    const rolled = miner.solve(job, true, 0x00002000)
    const bad = miner.solve(job, false)
    await refused("worker", ...bad)
    assert.deepStrictEqual(await refused("worker", ...bad), [22, "Duplicate share", null])
    assert.isNull(await refused("worker", ...rolled))
    await running.until(async () => await mined() === 2)
    assert.match(JSON.stringify((await miner.call("mining.none")).error), /there is no method mining\.none/)
  })

  it("lists its miners and counts the blocks", async () => {
    const info = await running.call("getstratuminfo") as {
      readonly blocks: number
      readonly miners: ReadonlyArray<{ readonly workers: ReadonlyArray<string>; readonly shares: number }>
    }
    assert.strictEqual(info.blocks, 2)
    assert.deepStrictEqual(info.miners.map(({ shares, workers }) => [workers, shares]), [[["worker"], 2]])
  })

  it("sends no job twice, whatever is asked for, and knows a share again under another job", async () => {
    const other = await scriptedMiner(port)
    try {
      await other.call("mining.subscribe", "scripted/1.0")
      await other.call("mining.authorize", "first", "x")
      const job = await other.job()
      const bad = other.solve(job, false)
      assert.deepStrictEqual((await other.call("mining.submit", "first", ...bad)).error, [
        23,
        "Low difficulty share",
        null
      ])
      await other.call("mining.authorize", "second", "x")
      await other.call("mining.subscribe", "scripted/1.0")
      await other.call("mining.suggest_difficulty", 0.5)
      await new Promise((resolve) => setTimeout(resolve, 2_100))
      await other.call("mining.suggest_difficulty", 0.25)
      const later = await other.job(1)
      await other.call("mining.suggest_difficulty", 0.125)
      assert.deepStrictEqual(other.jobs.map(({ params: [id] }) => id), [job.params[0], later.params[0]])
      assert.notStrictEqual(later.params[0], job.params[0])
      assert.deepStrictEqual(later.params.slice(1, 7), job.params.slice(1, 7))
      assert.isFalse(later.params[8])
      const seconds = Number.parseInt(later.params[7], 16) - Number.parseInt(job.params[7], 16)
      assert.isAtLeast(seconds, 2)
      const again = [later.params[0], ...bad.slice(1)]
      assert.deepStrictEqual((await other.call("mining.submit", "second", ...again)).error, [
        22,
        "Duplicate share",
        null
      ])
      assert.isNull((await other.call("mining.submit", "second", ...other.solve(later))).error)
      await running.until(async () => await mined() === 3)
    } finally {
      other.end()
    }
  })

  it("disconnects who sends no JSON or an endless line", async () => {
    for (const text of ["GET / HTTP/1.1\n", "x".repeat(20_000)]) {
      const { connect } = await import("node:net")
      const socket = connect(port, "127.0.0.1")
      socket.write(text)
      socket.resume()
      await new Promise((resolve) => socket.once("close", resolve).on("error", () => undefined))
    }
  })
})
