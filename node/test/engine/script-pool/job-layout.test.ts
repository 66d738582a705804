import { concatBytes } from "@lockstep/kernel/bytes"
import { transactionOf } from "@lockstep/kernel/model"
import { CONSENSUS_FLAGS, ScriptFlag } from "@lockstep/kernel/script"
import type { Coin } from "@lockstep/kernel/utxo"
import { assert, describe, it } from "vitest"
import { failureIn, reportDefect } from "../../../src/engine/script-pool/job-failure.ts"
import { type JobMemory, jobMemory, Word } from "../../../src/engine/script-pool/job-memory.ts"
import { jobReader } from "../../../src/engine/script-pool/job-reader.ts"
import { planLength, writePlan } from "../../../src/engine/script-pool/job-writer.ts"
import { blockOf, type Sample } from "./sample-jobs.ts"

/** A transaction that spends coins with scripts of these lengths. */
const spending = (tag: number, ...lengths: ReadonlyArray<number>): Sample => ({
  bytes: transactionOf({
    version: 2,
    inputs: lengths.map((_, vout) => ({
      prevout: { txid: new Uint8Array(32).fill(tag), vout },
      script: new Uint8Array(0),
      sequence: 0,
      witness: []
    })),
    outputs: [{ value: BigInt(tag), script: Uint8Array.of(0x51) }],
    lockTime: 0
  }).bytes,
  coins: lengths.map((length, i) => ({
    value: BigInt(1_000 * tag + i),
    script: new Uint8Array(length).fill(16 * tag + i),
    height: 5,
    isCoinbase: true
  })),
  failure: undefined
})

/** What a worker gets of a coin: scripts ask for no more. */
const read = ({ script, value }: Coin): Coin => ({ value, script, height: 0, isCoinbase: false })

/** Three jobs behind one that is left out, in two ranges of other flags. */
const CHOSEN = [spending(1, 9), spending(2, 3, 0), spending(3, 7), spending(4, 2, 1, 5)]
const { block, collected } = blockOf(CHOSEN, { flagsAt: (job) => job < 3 ? CONSENSUS_FLAGS : ScriptFlag.NONE })
const PLAN = { block, jobs: collected.jobs.slice(1), starts: [0, 2, 3] }
const [, SECOND, THIRD, FOURTH] = CHOSEN.map(({ bytes }) => bytes.length) as [number, number, number, number]

/** Eight words, and four for each of two ranges and for the end. */
const HEAD = 80
const COINS = HEAD + SECOND + THIRD + FOURTH
/** Each of six coins has 12 bytes in front of its script. */
const FIRST_COINS = 3 * 12 + 3 + 0 + 7
const END = COINS + FIRST_COINS + 3 * 12 + 2 + 1 + 5

const written = (order: number, before: (memory: JobMemory) => void = () => undefined): JobMemory => {
  const memory = jobMemory(new SharedArrayBuffer(4_096))
  before(memory)
  writePlan(memory, PLAN, order)
  return memory
}

describe("the jobs of a block in shared memory", () => {
  it("take a head, the transactions, and for each coin 12 bytes and its script", () => {
    assert.strictEqual(planLength(PLAN), END)
  })

  it("begin with what may be claimed, and with a table of where each range starts", () => {
    const { words } = written(-7)
    assert.deepStrictEqual([...words.subarray(0, 5)], [2, 0, 2, -7, 0])
    const table = [
      [0, HEAD, COINS, CONSENSUS_FLAGS],
      [2, HEAD + SECOND + THIRD, COINS + FIRST_COINS, ScriptFlag.NONE],
      [3, COINS, END, 0]
    ]
    assert.deepStrictEqual([...words.subarray(Word.TABLE, HEAD / 4)], table.flat())
  })

  it("are the bytes of the block from the first job to the last, then the coins, and nothing behind", () => {
    const { bytes } = written(1)
    const coins = CHOSEN.slice(1).flatMap((each) => each.coins).flatMap(({ script, value }) => {
      const head = Buffer.alloc(12)
      head.writeUInt32LE(script.length)
      head.writeBigInt64LE(value, 4)
      return [new Uint8Array(head), script]
    })
    const expected = concatBytes([...CHOSEN.slice(1).map((each) => each.bytes), ...coins])
    assert.deepStrictEqual(bytes.slice(HEAD, END), expected)
    assert.isTrue(bytes.subarray(END).every((byte) => byte === 0))
  })

  it("have no trace of the block that was there before", () => {
    const { words, ...memory } = written(2, (used) => {
      used.words[Word.DONE] = 9
      reportDefect(used)
    })
    assert.deepStrictEqual([words[Word.DONE], failureIn({ words, ...memory })], [0, undefined])
  })

  it("are read range by range: transactions, coins as far as scripts ask for them, and flags", () => {
    const [memory, reader] = [written(1), jobReader()]
    const [first, second] = [0, 1].map((range) => {
      const { count, firstJob, next } = reader(memory, range)
      const jobs = Array.from({ length: count }, next).map(({ coins, flags, tx }) => ({
        tx: tx.bytes.slice(),
        coins: coins.map(({ script, ...coin }) => ({ ...coin, script: script.slice() })),
        flags
      }))
      return { firstJob, jobs }
    })
    const jobOf = ({ bytes, coins }: Sample, flags: number) => ({ tx: bytes, coins: coins.map(read), flags })
    assert.deepStrictEqual(first, { firstJob: 0, jobs: CHOSEN.slice(1, 3).map((each) => jobOf(each, CONSENSUS_FLAGS)) })
    assert.deepStrictEqual(second, { firstJob: 2, jobs: [jobOf(CHOSEN[3]!, ScriptFlag.NONE)] })
  })

  it("are read into memory of the reader's own, which grows for a range that is larger", () => {
    const reader = jobReader()
    const sizes = [65_536, 65_537, 200_000, 100].map((size) => {
      const { bytes } = spending(1, 0)
      const made = blockOf([spending(1, size - bytes.length - 12)])
      const plan = { block: made.block, jobs: made.collected.jobs, starts: [0, 1] }
      const memory = jobMemory(new SharedArrayBuffer(Math.ceil(planLength(plan) / 4) * 4))
      writePlan(memory, plan, 1)
      const { coins: [coin], tx } = reader(memory, 0).next()
      assert.deepStrictEqual(tx.bytes, bytes)
      assert.deepStrictEqual(coin, read(made.collected.jobs[0]!.coins[0]!))
      assert.notInstanceOf(tx.bytes.buffer, SharedArrayBuffer)
      return [tx.bytes.buffer, coin!.script.buffer].map(({ byteLength }) => byteLength)
    })
    assert.deepStrictEqual(sizes, [65_536, 131_074, 400_000, 400_000].map((length) => [length, length]))
  })
})
