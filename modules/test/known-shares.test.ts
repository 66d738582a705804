import type { NetworkStream } from "@lockstep/sdk"
import { type Duplex, duplexPair } from "node:stream"
import { assert, describe, it } from "vitest"
import { type KnownShares, openKnownShares } from "../mining/known-shares.ts"
import { openJobs } from "../stratum-v1/src/jobs.ts"
import { type MinerOptions, serveMiner } from "../stratum-v1/src/miner.ts"
import { rulesOf, SETTINGS } from "../stratum-v1/src/settings.ts"
import { openChannel } from "../stratum-v2/src/channel.ts"
import { openJobs as openChannelJobs } from "../stratum-v2/src/jobs.ts"
import { blockTemplate } from "./block-template.ts"

const CHANNEL = {
  id: 2,
  user: "",
  isExtended: false,
  connection: new Uint8Array(4),
  vardiff: { shareSeconds: 10, least: 1e-12 },
  hashRate: 0,
  easiest: 2n ** 256n - 1n,
  now: () => 0
}

/** What a miner of Stratum V1 is served with over a stream. */
const minerOf = (stream: Duplex): MinerOptions => {
  const jobs = openJobs()
  jobs.add(blockTemplate({}))
  return {
    stream: stream as unknown as NetworkStream,
    extranonce1: new Uint8Array(4),
    rules: rulesOf({ ...SETTINGS, payout_address: "a", start_difficulty: 1e-12, least_difficulty: 1e-12 }),
    jobs,
    now: () => 0,
    found: () => undefined
  }
}

/** Shares of which there is room for `most`. */
const shares = (most: number): KnownShares => {
  const all = openKnownShares()
  let count = 0
  return {
    ...all,
    isNew: (key) => {
      count++
      return all.isNew(key)
    },
    isFull: () => count >= most
  }
}

describe("shares that are known", () => {
  it("count once each until the tip changes", () => {
    const known = openKnownShares()
    assert.deepStrictEqual(["a", "b", "a"].map(known.isNew), [true, true, false])
    known.clear()
    assert.isTrue(known.isNew("a"))
  })

  it("are 100,000 at most", () => {
    const known = openKnownShares()
    for (let i = 0; i < 99_999; i++) known.isNew(`${i}`)
    known.isNew("0")
    assert.isFalse(known.isFull())
    known.isNew("the last")
    assert.isTrue(known.isFull())
    known.clear()
    assert.isFalse(known.isFull())
  })

  it("are forgotten by both kinds of servers where the tip has changed", () => {
    const cleared: Array<string> = []
    const known = (name: string): KnownShares => ({ ...openKnownShares(), clear: () => void cleared.push(name) })
    const [near] = duplexPair()
    const miner = serveMiner({ ...minerOf(near), known: known("v1") })
    miner.newJob(false)
    assert.deepStrictEqual(cleared, [])
    miner.newJob(true)
    openChannel({ ...CHANNEL, known: known("v2") }).forget()
    assert.deepStrictEqual(cleared, ["v1", "v2"])
    near.destroy()
  })

  it("have no room for more of a miner of Stratum V1, which is disconnected then", async () => {
    const [near, far] = duplexPair()
    serveMiner({ ...minerOf(near), known: shares(2) })
    const say = async (method: string, ...params: ReadonlyArray<string>): Promise<void> => {
      far.write(`${JSON.stringify({ id: 1, method, params })}\n`)
      for (let i = 0; i < 4; i++) await new Promise((resolve) => void setImmediate(resolve))
    }
    await say("mining.subscribe")
    await say("mining.authorize", "w")
    const share = (nonce: string): Promise<void> => say("mining.submit", "w", "1", "00".repeat(8), "6553f100", nonce)
    await share("00000001")
    await share("00000002")
    assert.isFalse(near.destroyed)
    await share("00000003")
    assert.isTrue(near.destroyed)
  })

  it("have no room for more of a channel of Stratum V2, which counts as a known one", () => {
    const jobs = openChannelJobs()
    jobs.add(blockTemplate({}))
    const channel = openChannel({ ...CHANNEL, known: shares(2) })
    const judged = (nonce: number): boolean => {
      const share = { channel_id: 2, sequence_number: 1, job_id: 1, nonce, ntime: 1_700_000_000, version: 0x20000000 }
      return channel.judge({ _tag: "SubmitSharesStandard", ...share }, jobs) !== "duplicate-share"
    }
    assert.deepStrictEqual([1, 1, 2].map(judged), [true, false, false])
  })
})
