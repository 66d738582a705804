import type { BlockTemplate, NetworkStream } from "@lockstep/sdk"
import { duplexPair } from "node:stream"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { openJobs } from "../stratum-v1/src/jobs.ts"
import { serveMiner } from "../stratum-v1/src/miner.ts"
import { rulesOf, SETTINGS } from "../stratum-v1/src/settings.ts"
import { blockTemplate } from "./block-template.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

const templateOn = (tip: number, bits = 0x207fffff): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip),
    bits
  })

type Line =
  & { readonly id: unknown; readonly method?: string; readonly params?: ReadonlyArray<unknown> }
  & Readonly<
    Record<string, unknown>
  >

const turns = async (): Promise<void> => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => void setImmediate(resolve))
}

/** A miner over a stream in memory, and what it was sent since the last look. */
const session = (settings: Partial<typeof SETTINGS> = {}) => {
  const [near, far] = duplexPair()
  const [jobs, clock] = [openJobs(), { now: 0 }]
  const found: Array<boolean> = []
  const miner = serveMiner({
    stream: Object.assign(near, { remoteAddress: "10.0.0.1:7" }) as unknown as NetworkStream,
    extranonce1: Uint8Array.of(0, 0, 1, 9),
    rules: rulesOf({ ...SETTINGS, payout_address: "a", ...settings }),
    jobs,
    now: () => clock.now,
    found: ({ isBlock }) => void found.push(isBlock)
  })
  const seen = async (): Promise<ReadonlyArray<Line>> => {
    await turns()
    const text = String((far.read() as Buffer | null) ?? "")
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Line)
  }
  const ask = async (method: unknown, params?: unknown, id: unknown = 1): Promise<ReadonlyArray<Line>> => {
    await seen()
    far.write(`${JSON.stringify({ id, method, params })}\n`)
    return seen()
  }
  const greet = async (template = templateOn(1)): Promise<ReadonlyArray<Line>> => {
    jobs.add(template)
    await ask("mining.subscribe")
    return ask("mining.authorize", ["w"])
  }
  const submit = (job: string, nonce: number, worker = "w") =>
    ask("mining.submit", [worker, job, "00".repeat(8), "6553f100", nonce.toString(16).padStart(8, "0")])
  return { ask, clock, far, found, greet, jobs, miner, near, seen, submit }
}

const shown = (lines: ReadonlyArray<Line>): ReadonlyArray<unknown> =>
  lines.map(({ id, method, params }) => method === undefined ? id : [method, params![0]])

describe("what a miner of Stratum V1 asks", () => {
  it("is answered with the bytes that it counts through, and a job after both greetings", async () => {
    const { ask, jobs, miner } = session()
    jobs.add(templateOn(1))
    assert.strictEqual(miner.address, "10.0.0.1:7")
    const [subscribed] = await ask("mining.subscribe", [], 5)
    const id = "00000109"
    assert.deepStrictEqual(subscribed, {
      id: 5,
      result: [[["mining.set_difficulty", id], ["mining.notify", id]], id, 8],
      error: null
    })
    const greeted = await ask("mining.authorize", ["w"], "x")
    assert.deepStrictEqual(shown(greeted).slice(0, 1), ["x"])
    assert.deepStrictEqual(greeted.slice(1).map(({ id: none, method }) => [none, method]), [
      [null, "mining.set_difficulty"],
      [null, "mining.notify"]
    ])
    assert.isTrue(greeted[2]!.params![8])
  })

  it.each<readonly [string, unknown, unknown, ReadonlyArray<unknown>]>([
    ["no name", "mining.authorize", [], [
      24,
      "a worker has a name of up to 256 characters, a connection up to 64",
      null
    ]],
    ["no list", "mining.authorize", "w", [
      24,
      "a worker has a name of up to 256 characters, a connection up to 64",
      null
    ]],
    ["no extensions", "mining.configure", [], [20, "the first parameter is a list of extensions", null]],
    ["no difficulty", "mining.suggest_difficulty", [0], [20, "a difficulty is above 0", null]],
    ["no share yet", "mining.submit", [], [25, "Not subscribed", null]],
    ["a long name of a method", "a".repeat(70), [], [20, `there is no method ${"a".repeat(64)}`, null]],
    ["no method", undefined, [], [20, "there is no method undefined", null]]
  ])("is refused with %s", async (_, method, params, error) => {
    assert.deepStrictEqual(await session().ask(method, params), [{ id: 1, result: null, error }])
  })

  it("is not answered where it has no number", async () => {
    const { ask, far, seen } = session()
    assert.deepStrictEqual(await ask("mining.guess", [], null), [])
    far.write("{\"method\":\"mining.guess\"}\n")
    far.write("null\n")
    assert.deepStrictEqual(await seen(), [])
    assert.lengthOf(await ask("mining.guess", [], 0), 1)
  })

  it("allows the bits of the version that the operator allows", async () => {
    const { ask } = session({ version_mask: "00ffe000" })
    const mask = async (asked: string) => {
      const [answer] = await ask("mining.configure", [["version-rolling"], { "version-rolling.mask": asked }])
      return (answer!["result"] as Readonly<Record<string, unknown>>)["version-rolling.mask"]
    }
    assert.deepStrictEqual([await mask("ffffffff"), await mask("f0f0f0f0"), await mask("00001000")], [
      "00ffe000",
      "00f0e000",
      "00000000"
    ])
  })

  it("changes no version before it is configured", async () => {
    const { ask, greet, jobs } = session()
    await greet()
    const params = ["w", jobs.newest()!.id, "00".repeat(8), "6553f100", "00000001", "00002000"]
    const [refused] = await ask("mining.submit", params)
    assert.deepStrictEqual(refused!["error"], [20, "version bits beyond the mask", null])
    await ask("mining.configure", [["version-rolling"]])
    const [judged] = await ask("mining.submit", params)
    assert.notDeepEqual(judged!["error"], [20, "version bits beyond the mask", null])
  })
})

describe("the work of a miner of Stratum V1", () => {
  it("begins with the operator's difficulty, but is never harder than a block", async () => {
    const hard = 0x1b00ffff
    const { greet, miner } = session({ start_difficulty: 512 })
    assert.deepStrictEqual(shown(await greet(templateOn(1, hard)))[1], ["mining.set_difficulty", 512])
    assert.deepStrictEqual(miner.facts(), { workers: ["w"], difficulty: 512, shares: 0 })
    const [, easy] = shown(await session({ start_difficulty: 512 }).greet()) as ReadonlyArray<readonly [string, number]>
    assert.isBelow(easy![1], 1e-9)
  })

  it("is sent once for each job, and as clean on another tip", async () => {
    const { greet, jobs, miner, seen } = session()
    await greet()
    miner.newJob(false)
    assert.deepStrictEqual(await seen(), [])
    miner.newJob(jobs.add(templateOn(1)))
    const [, same] = await seen()
    assert.deepStrictEqual([same!.params![0], same!.params![8]], ["2", false])
    miner.newJob(jobs.add(templateOn(2)))
    const [, other] = await seen()
    assert.deepStrictEqual([other!.params![0], other!.params![8]], ["3", true])
  })

  it("gets a later job with another difficulty, of which the newest eight count", async () => {
    const { ask, clock, greet, submit } = session({ least_difficulty: 1e-12 })
    await greet()
    const ids: Array<string> = []
    for (let i = 1; i <= 9; i++) {
      clock.now = i * 1_000 + 999
      const lines = await ask("mining.suggest_difficulty", [1e-12 * i])
      const job = lines.find(({ method }) => method === "mining.notify")!
      assert.deepStrictEqual(shown(lines).map((each) => Array.isArray(each) ? each[0] : each), [
        "mining.set_difficulty",
        "mining.set_difficulty",
        "mining.notify",
        1
      ])
      assert.deepStrictEqual([job.params![7], job.params![8]], [(1_700_000_000 + i).toString(16), false])
      ids.push(String(job.params![0]))
    }
    // Within the same second it stays.
    assert.deepStrictEqual(shown(await ask("mining.suggest_difficulty", [1e-12])).length, 2)
    const [first] = await submit(ids[0]!, 1)
    assert.deepStrictEqual(first!["error"], [21, "Job not found", null])
    for (const id of [ids[1]!, ids[8]!, "1"]) {
      const [answer] = await submit(id, 1)
      assert.notStrictEqual((answer!["error"] as ReadonlyArray<unknown> | null)?.[0], 21)
    }
  })

  it("counts no more where a later job was for it alone, once the tip has changed", async () => {
    const { ask, clock, greet, jobs, miner, submit } = session({ least_difficulty: 1e-12 })
    await greet()
    clock.now = 1_000
    const job = (await ask("mining.suggest_difficulty", [1e-12])).find(({ method }) => method === "mining.notify")!
    const own = String(job.params![0])
    const code = async () => ((await submit(own, 1)).at(-1)!["error"] as ReadonlyArray<unknown> | null)?.[0]
    assert.notStrictEqual(await code(), 21)
    miner.newJob(jobs.add(templateOn(2)))
    assert.strictEqual(await code(), 21)
  })

  it("becomes four times harder with twelve shares in no time", async () => {
    const { greet, miner, seen, submit } = session({ start_difficulty: 3, least_difficulty: 1e-12 })
    await greet()
    for (let nonce = 0; miner.facts().shares < 12 && nonce < 500; nonce++) {
      assert.strictEqual(miner.facts().difficulty, 3)
      await submit("1", nonce)
    }
    assert.deepStrictEqual([miner.facts().shares, miner.facts().difficulty], [12, 12])
    await seen()
  })

  it("becomes easier where nothing is found in twelve intervals, each time anew", async () => {
    const { clock, greet, miner } = session({ start_difficulty: 64 })
    await greet()
    const at = (now: number): number => {
      clock.now = now
      vi.advanceTimersByTime(10_000)
      return miner.facts().difficulty
    }
    assert.deepStrictEqual([at(119_999), at(120_000), at(239_999), at(240_000)], [64, 16, 16, 4])
  })

  it("is no more for a miner that is silent for more than a quarter of an hour", async () => {
    const { clock, near } = session()
    clock.now = 900_000
    vi.advanceTimersByTime(10_000)
    assert.isFalse(near.destroyed)
    clock.now = 900_001
    vi.advanceTimersByTime(9_999)
    assert.isFalse(near.destroyed)
    vi.advanceTimersByTime(1)
    assert.isTrue(near.destroyed)
    await turns()
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("is no more for a miner that reads nothing while more than a mebibyte waits for it", async () => {
    const { far, greet, jobs, miner, near } = session()
    await greet()
    // The reader's side holds what it was sent: nothing is read from here on.
    far.pause()
    for (let i = 0; near.writableLength <= 1024 * 1024 && i < 20_000; i++) {
      assert.isFalse(near.destroyed)
      miner.newJob(jobs.add(templateOn(1)))
    }
    assert.isFalse(near.destroyed)
    miner.newJob(jobs.add(templateOn(1)))
    assert.isTrue(near.destroyed)
  })
})
