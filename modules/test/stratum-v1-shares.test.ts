import type { BlockTemplate } from "@lockstep/sdk"
import { assert, describe, it } from "vitest"
import { EXTRANONCE1_BYTES, EXTRANONCE2_BYTES, type Job, jobOf, notifyParameters } from "../stratum-v1/src/job.ts"
import { openJobs } from "../stratum-v1/src/jobs.ts"
import { judgedShare, type ShareTerms, StratumError } from "../stratum-v1/src/share.ts"
import { blockTemplate } from "./block-template.ts"
import { ANYONE, output, pathOf, rootAbove, sha256d, spend } from "./stratum-v2-coinbase.ts"

const payments = [1, 2].map((value) => spend(Buffer.alloc(32, value), value))
const OUTPUT = output(5_000_000_000, ANYONE)

const templateOn = (tip: number, change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: Uint8Array.from({ length: 32 }, (_, i) => i + tip),
    transactions: payments.map((each) => ({ ...each, fee: 0, sigops: 0, weight: 0, depends: [] })),
    ...change
  })

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("a job of Stratum V1", () => {
  it("is sent as miners expect it", () => {
    const job = jobOf("1f", templateOn(1, { version: -2, current_time: 0x0a0b }))
    assert.deepStrictEqual([EXTRANONCE1_BYTES, EXTRANONCE2_BYTES], [4, 8])
    assert.deepStrictEqual(notifyParameters(job, true), [
      "1f",
      "04030201080706050c0b0a09100f0e0d14131211181716151c1b1a19201f1e1d",
      `0200000001${"00".repeat(32)}ffffffff0f01640c`,
      `ffffffff01${hex(OUTPUT)}00000000`,
      pathOf(payments.map(({ txid }) => txid)).map(hex),
      "fffffffe",
      "207fffff",
      "00000a0b",
      true
    ])
    assert.isFalse(notifyParameters(job, false)[8])
    assert.strictEqual(job.target.toString(16), `7fffff${"0".repeat(58)}`)
  })
})

describe("the jobs of Stratum V1", () => {
  it("have hexadecimal ids that count on, and the newest 32 of a tip are found", () => {
    const jobs = openJobs()
    assert.deepStrictEqual([jobs.newest(), jobs.later(1)], [undefined, undefined])
    assert.isTrue(jobs.add(templateOn(1)))
    for (let i = 0; i < 31; i++) assert.isFalse(jobs.add(templateOn(1)))
    assert.strictEqual(jobs.newest()!.id, "20")
    assert.deepStrictEqual(["0", "1", "20", "21"].map((id) => jobs.find(id)?.id), [undefined, "1", "20", undefined])
    jobs.add(templateOn(1))
    assert.deepStrictEqual(["1", "2", "21"].map((id) => jobs.find(id)?.id), [undefined, "2", "21"])
    assert.isTrue(jobs.add(templateOn(2)))
    assert.deepStrictEqual(["21", "22"].map((id) => jobs.find(id)?.id), [undefined, "22"])
  })

  it("may be later under an id of their own, by which they are not found, and stay the newest", () => {
    const jobs = openJobs()
    jobs.add(templateOn(1))
    const later = jobs.later(7)!
    assert.strictEqual(later.id, "2")
    assert.deepStrictEqual(later.template, templateOn(1, { current_time: 1_700_000_007 }))
    assert.deepStrictEqual([jobs.find("2"), jobs.newest()!.id], [undefined, "1"])
    jobs.add(templateOn(1))
    assert.strictEqual(jobs.newest()!.id, "3")
  })
})

describe("a share of Stratum V1", () => {
  const EASY = 2n ** 256n - 1n
  const JOB = jobOf("a", templateOn(1))
  const EXTRANONCE1 = Uint8Array.of(1, 2, 3, 4)
  const MASK = 0x1fffe000

  /** What judges it: `target` of shares, and `of`: that of the block. */
  const terms = ({ of = JOB.target, target = EASY as bigint | undefined } = {}): ShareTerms => {
    const known = new Set<string>()
    const job: Job = { ...JOB, target: of }
    return {
      find: (id) => id === "a" ? job : undefined,
      extranonce1: EXTRANONCE1,
      versionMask: MASK,
      targetOf: () => target,
      isNew: (key) => known.size < known.add(key).size
    }
  }

  const EXTRANONCE2 = "0a0b0c0d0e0f1011"
  const submitted = (...changes: ReadonlyArray<readonly [place: number, value: unknown]>): ReadonlyArray<unknown> => {
    const params: Array<unknown> = ["worker", "a", EXTRANONCE2, "6553f100", "00000007"]
    for (const [place, value] of changes) params[place] = value
    return params
  }
  const ROOT = rootAbove(
    sha256d(Buffer.concat([
      Buffer.from(`0200000001${"00".repeat(32)}ffffffff0f01640c01020304${EXTRANONCE2}ffffffff01`, "hex"),
      OUTPUT,
      Buffer.alloc(4)
    ])),
    pathOf(payments.map((each) => each.txid))
  )
  const hashOf = (version: number, time = 0x6553f100, nonce = 7): string => {
    const head = Buffer.alloc(4)
    head.writeUInt32LE(version)
    const rest = Buffer.alloc(12)
    rest.writeUInt32LE(time, 0)
    rest.writeUInt32LE(0x207fffff, 4)
    rest.writeUInt32LE(nonce, 8)
    return hex(sha256d(Buffer.concat([head, Buffer.from(JOB.template.previous_hash), ROOT, rest])))
  }
  const hashIn = (params: ReadonlyArray<unknown>): string => {
    const judged = judgedShare(params, terms())
    return "job" in judged ? hex(judged.solved.hash) : judged[1]
  }

  it("is the block of its extranonce, time and nonce", () => {
    assert.strictEqual(hashIn(submitted()), hashOf(0x20000000))
    assert.strictEqual(hashIn(submitted([3, "6553F101"], [4, "ffffffff"])), hashOf(0x20000000, 0x6553f101, 0xffffffff))
  })

  it("has the bits of the version that the miner may change, and the template's others", () => {
    assert.strictEqual(hashIn(submitted([5, "1fffe000"])), hashOf(0x3fffe000))
    assert.strictEqual(hashIn(submitted([5, "00002000"])), hashOf(0x20002000))
    assert.strictEqual(hashIn(submitted([5, "00000000"])), hashOf(0x20000000))
  })

  it("is worth a block up to the target of the block, and counts up to the target of shares", () => {
    const value = BigInt(`0x${hex(Buffer.from(hashOf(0x20000000), "hex").toReversed())}`)
    const judge = (of: bigint, target: bigint) => {
      const judged = judgedShare(submitted(), terms({ of, target }))
      return "job" in judged ? judged.isBlock : judged
    }
    const low = [23, "Low difficulty share", null]
    assert.deepStrictEqual([judge(value, 0n), judge(value - 1n, value), judge(value - 1n, value - 1n)], [
      true,
      false,
      low
    ])
  })

  it("counts once by its block", () => {
    const same = terms()
    assert.isTrue("job" in judgedShare(submitted(), same))
    assert.deepStrictEqual(judgedShare(submitted(), same), [22, "Duplicate share", null])
    assert.isTrue("job" in judgedShare(submitted([4, "00000008"]), same))
  })

  const LENGTH = [20, "extranonce2, time or nonce have not the right length", null] as const
  const RANGE = [20, "the time is out of range", null] as const
  const time = (seconds: number): string => seconds.toString(16).padStart(8, "0")
  it.each<readonly [string, readonly [number, string, null] | "counts", ReadonlyArray<readonly [number, unknown]>]>([
    ["a job that there is not", [21, "Job not found", null], [[1, "b"]]],
    ["a job that is no text", [21, "Job not found", null], [[1, 10]]],
    ["a short extranonce", LENGTH, [[2, "0a0b0c0d0e0f10"]]],
    ["a long extranonce", LENGTH, [[2, `${EXTRANONCE2}12`]]],
    ["an extranonce that is no text", LENGTH, [[2, 1]]],
    ["an extranonce with other letters", LENGTH, [[2, "0a0b0c0d0e0f101g"]]],
    ["a short time", LENGTH, [[3, "6553f1"]]],
    ["a short nonce", LENGTH, [[4, "000007"]]],
    ["a nonce with a sign", LENGTH, [[4, "-0000007"]]],
    ["short version bits", [20, "version bits are 8 hexadecimal digits", null], [[5, "2000"]]],
    ["version bits that are no text", [20, "version bits are 8 hexadecimal digits", null], [[5, null]]],
    ["version bits above the mask", [20, "version bits beyond the mask", null], [[5, "20000000"]]],
    ["version bits below the mask", [20, "version bits beyond the mask", null], [[5, "00001000"]]],
    ["a time before the least", RANGE, [[3, time(1_599_999_999)]]],
    ["the least time", "counts", [[3, time(1_600_000_000)]]],
    ["a time two hours ahead", "counts", [[3, time(1_700_007_200)]]],
    ["a time more than two hours ahead", RANGE, [[3, time(1_700_007_201)]]]
  ])("with %s is answered %j", (_, expected, changes) => {
    const judged = judgedShare(submitted(...changes), terms())
    assert.deepStrictEqual("job" in judged ? "counts" : judged, expected)
  })

  it("of a job that the miner was not sent is of none", () => {
    const judged = judgedShare(submitted(), { ...terms(), targetOf: () => undefined })
    assert.deepStrictEqual(judged, [StratumError.JOB_NOT_FOUND, "Job not found", null])
  })

  it("is refused in the numbers of the protocol", () => {
    assert.deepStrictEqual(StratumError, {
      OTHER: 20,
      JOB_NOT_FOUND: 21,
      DUPLICATE: 22,
      LOW_DIFFICULTY: 23,
      UNAUTHORIZED: 24,
      NOT_SUBSCRIBED: 25
    })
  })
})
