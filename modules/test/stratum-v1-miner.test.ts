import type { BlockTemplate, NetworkStream } from "@lockstep/sdk"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { openJobs } from "../stratum-v1/src/jobs.ts"
import { linesOf } from "../stratum-v1/src/lines.ts"
import { type Miner, serveMiner } from "../stratum-v1/src/miner.ts"
import { rulesOf, SETTINGS } from "../stratum-v1/src/settings.ts"
import { blockTemplate } from "./block-template.ts"

const RULES = rulesOf({ ...SETTINGS, payout_address: "anyone", start_difficulty: 1e-12, least_difficulty: 1e-12 })

const templateOn = (tip: number): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip)
  })

const ends: Array<() => unknown> = []
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end()
  vi.useRealTimers()
})

type Line = {
  readonly id: unknown
  readonly method?: string
  readonly params?: ReadonlyArray<unknown>
  readonly result?: unknown
  readonly error?: readonly [number, string, null] | null
}

const soon = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 20_000, interval: 2 })

/** A miner that is served, and its end of the connection. */
const served = async () => {
  const jobs = openJobs()
  const clock = { now: 0 }
  const found: Array<string> = []
  let miner: Miner | undefined
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    miner = serveMiner({
      stream: socket as unknown as NetworkStream,
      extranonce1: Uint8Array.of(0, 0, 0, 9),
      rules: RULES,
      jobs,
      now: () => clock.now,
      found: (_, worker) => void found.push(worker)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => server.close())
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  socket.on("error", () => undefined)
  ends.push(() => socket.destroy())
  const received: Array<Line> = []
  socket.on("data", linesOf((line) => void received.push(JSON.parse(line) as Line)))
  await soon(() => assert.isDefined(miner))
  let id = 0
  const ask = async (method: string, ...params: ReadonlyArray<unknown>): Promise<Line> => {
    const own = ++id
    socket.write(`${JSON.stringify({ id: own, method, params })}\n`)
    await soon(() => assert.isTrue(received.some((line) => line.id === own)))
    return received.find((line) => line.id === own)!
  }
  const notified = (method: string): ReadonlyArray<Line> => received.filter((line) => line.method === method)
  /** Goes through the greeting, and has a job. */
  const ready = async (): Promise<string> => {
    jobs.add(templateOn(1))
    await ask("mining.subscribe")
    await ask("mining.authorize", "worker")
    await soon(() => assert.isNotEmpty(notified("mining.notify")))
    return String(notified("mining.notify").at(-1)!.params![0])
  }
  const submit = (job: string, nonce: number, worker = "worker") =>
    ask(
      "mining.submit",
      worker,
      job,
      "0000000000000000".slice(0, 2 * 8),
      "6553f100",
      nonce.toString(16).padStart(8, "0")
    )
  return { ask, clock, found, jobs, miner: miner!, notified, ready, received, socket, submit }
}

describe("a miner of Stratum V1", () => {
  it("is closed after a quarter of an hour without a word, and leaves no timer", async () => {
    const { ask, clock, socket } = await served()
    assert.strictEqual(vi.getTimerCount(), 1)
    clock.now = 900_000
    vi.advanceTimersByTime(10_000)
    await ask("mining.subscribe")
    clock.now = 1_800_000
    vi.advanceTimersByTime(10_000)
    await ask("mining.extranonce.subscribe")
    assert.isFalse(socket.closed)
    clock.now = 2_700_001
    vi.advanceTimersByTime(10_000)
    await soon(() => assert.isTrue(socket.closed))
    await soon(() => assert.strictEqual(vi.getTimerCount(), 0))
  })

  it("leaves no timer when it goes", async () => {
    const { socket } = await served()
    socket.destroy()
    await soon(() => assert.strictEqual(vi.getTimerCount(), 0))
  })

  it("has shares that count once on one tip, and not on the next", async () => {
    const { found, jobs, miner, notified, ready, submit } = await served()
    const job = await ready()
    assert.deepInclude(await submit(job, 1), { result: true, error: null })
    assert.strictEqual((await submit(job, 1)).error![0], 22)
    assert.deepInclude(await submit(job, 2), { result: true })
    assert.deepStrictEqual([found, miner.facts().shares], [["worker", "worker"], 2])
    miner.newJob(jobs.add(templateOn(2)))
    await soon(() => assert.strictEqual(notified("mining.notify").at(-1)!.params![8], true))
    assert.strictEqual((await submit(job, 3)).error![0], 21)
    const next = String(notified("mining.notify").at(-1)!.params![0])
    assert.deepInclude(await submit(next, 1), { result: true })
    assert.lengthOf(found, 3)
  })

  it("is told a difficulty before each job, and has none before it is subscribed and authorized", async () => {
    const { ask, clock, jobs, miner, notified, received } = await served()
    miner.newJob(jobs.add(templateOn(1)))
    await ask("mining.authorize", "worker")
    await ask("mining.extranonce.subscribe")
    assert.deepStrictEqual(notified("mining.notify"), [])
    await ask("mining.subscribe")
    await soon(() => assert.lengthOf(notified("mining.notify"), 1))
    const methods = received.flatMap(({ method }) => method ?? [])
    assert.deepStrictEqual(methods, ["mining.set_difficulty", "mining.notify"])
    // Within a second the job would be the same, which no miner is sent twice.
    await ask("mining.suggest_difficulty", 3)
    await soon(() => assert.lengthOf(notified("mining.set_difficulty"), 2))
    clock.now = 1_000
    await ask("mining.suggest_difficulty", 5)
    await soon(() => assert.lengthOf(notified("mining.notify"), 2))
    assert.strictEqual(new Set(notified("mining.notify").map(({ params }) => params![0])).size, 2)
    assert.strictEqual(miner.facts().difficulty, 5)
    // Work is never harder than a block.
    assert.isBelow(notified("mining.set_difficulty").at(-1)!.params![0] as number, 1)
    for (const wrong of [0, -1, "5"]) assert.isOk((await ask("mining.suggest_difficulty", wrong)).error)
    await ask("mining.suggest_difficulty", 1e-20)
    assert.strictEqual(miner.facts().difficulty, RULES.vardiff.least)
  })

  it("is refused what it may not, in the numbers of the protocol", async () => {
    const { ask, jobs } = await served()
    jobs.add(templateOn(1))
    assert.strictEqual((await ask("mining.submit", "worker")).error![0], 25)
    await ask("mining.subscribe")
    assert.strictEqual((await ask("mining.submit", "worker")).error![0], 24)
    for (const name of [7, "a".repeat(257)]) assert.strictEqual((await ask("mining.authorize", name)).error![0], 24)
    assert.isNull((await ask("mining.authorize", "a".repeat(256))).error)
    assert.strictEqual((await ask("mining.guess")).error![0], 20)
    assert.strictEqual((await ask("constructor")).error![0], 20)
    assert.strictEqual((await ask("mining.configure", "version-rolling")).error![0], 20)
  })

  it("has at most 64 workers", async () => {
    const { ask, miner } = await served()
    for (let i = 0; i < 64; i++) assert.strictEqual((await ask("mining.authorize", `w${i}`)).result, true)
    assert.strictEqual((await ask("mining.authorize", "w64")).error![0], 24)
    assert.lengthOf(miner.facts().workers, 64)
  })

  it("rolls the bits of the version that both sides allow, and no other extension", async () => {
    const { ask } = await served()
    const options = { "version-rolling.mask": "f0ffe001" }
    assert.deepStrictEqual((await ask("mining.configure", ["version-rolling", "other"], options)).result, {
      "version-rolling": true,
      other: false,
      "version-rolling.mask": "10ffe000"
    })
    assert.deepStrictEqual((await ask("mining.configure", ["version-rolling"])).result, {
      "version-rolling": true,
      "version-rolling.mask": "1fffe000"
    })
  })

  it.each([["no JSON", "{\n"], ["too long a line", "a".repeat(8_193)]])("is closed for %s", async (_, bytes) => {
    const { socket } = await served()
    socket.write(bytes)
    await soon(() => assert.isTrue(socket.closed))
  })
})

describe("lines of miners", () => {
  it("may come in any pieces, have 8,192 bytes at most, and empty ones are none", () => {
    const taken: Array<string> = []
    const take = linesOf((line) => void taken.push(line))
    const longest = "b".repeat(8_192)
    for (const piece of ["a", "bc\n\n \r\nd", "\n", longest, "\ne\n"]) assert.isTrue(take(Buffer.from(piece)))
    assert.deepStrictEqual(taken, ["abc", "d", longest, "e"])
    assert.isFalse(linesOf(() => undefined)(Buffer.from(`${longest}x\n`)))
    assert.isFalse(linesOf(() => undefined)(Buffer.from(`${longest}x`)))
  })
})
