import { assert, describe, it } from "@effect/vitest"
import { transactionOf } from "@lockstep/kernel/model"
import type { ScriptJob } from "@lockstep/kernel/connect"
import { CONSENSUS_FLAGS } from "@lockstep/kernel/script"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { ScriptPool } from "../../../src/engine/script-pool/script-pool.ts"
import { inThreadPool } from "../../../src/engine/script-pool/in-thread.ts"
import { unconfirmedScripts } from "../../../src/engine/mempool/verify-unconfirmed.ts"
import { testCrypto } from "../test-engine.ts"

const TRUE = Uint8Array.of(0x51)
const FALSE = Uint8Array.of(0x00)

/** A transaction whose inputs spend coins of these scripts. */
const jobOf = (number: number, scripts: ReadonlyArray<Uint8Array>): ScriptJob => ({
  tx: transactionOf({
    version: 2,
    inputs: scripts.map((_, vout) => ({
      prevout: { txid: new Uint8Array(32).fill(number + 1), vout },
      script: new Uint8Array(),
      sequence: 0,
      witness: []
    })),
    outputs: [{ value: 1n, script: TRUE }],
    lockTime: number
  }),
  coins: scripts.map((script) => ({ value: 1n, script, height: 1, isCoinbase: false })),
  flags: CONSENSUS_FLAGS
})

/** The pool in this thread, and how many jobs it was given each time. */
const counting = () => {
  const given: Array<number> = []
  const inner = inThreadPool(testCrypto)
  const pool: ScriptPool = {
    ...inner,
    judge: (block, { jobs }) => {
      given.push(jobs.length)
      // As workers read them: one behind another in the bytes of the block.
      const [first] = jobs
      let at = first!.tx.bytes.byteOffset
      for (const { tx } of jobs) {
        assert.strictEqual(tx.bytes.buffer, block.bytes.buffer)
        assert.strictEqual(tx.bytes.byteOffset, at)
        at += tx.bytes.length
      }
      return inner.judge(block, { jobs })
    }
  }
  return { given, scripts: unconfirmedScripts({ pool, tree: { tip: { header: {} } } } as never, Effect.runFork) }
}

const failedInput = (answer: { readonly detail: { readonly input: number; readonly job: number } } | undefined) =>
  answer && [answer.detail.job, answer.detail.input]

describe("scripts of unconfirmed transactions", () => {
  it.live("that come together are verified together, and each has its own answer", () =>
    Effect.gen(function*() {
      const { given, scripts } = counting()
      const jobs = [[TRUE], [TRUE, FALSE], [TRUE], [FALSE], [TRUE]].map((each, number) => jobOf(number, each))
      const answers = yield* Effect.all(jobs.map(scripts.verify), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(failedInput), [undefined, [0, 1], undefined, [0, 0], undefined])
      assert.deepStrictEqual(given, [5, 1, 1, 1])
    }))

  it.live("are not held back for more, and none waits for a large one", () =>
    Effect.gen(function*() {
      const { given, scripts } = counting()
      const small = Array.from({ length: 17 }, (_, number) => jobOf(number, [TRUE]))
      const large = jobOf(99, Array.from({ length: 40 }, () => TRUE))
      const answers = [scripts.verify(large), ...small.map(scripts.verify)]
      assert.deepStrictEqual(given, [1, 16])
      assert.deepStrictEqual((yield* Effect.all(answers)).filter((each) => each !== undefined), [])
      assert.deepStrictEqual(given, [1, 16, 1])
    }))

  it.live("are small with four inputs and 4,000 bytes at most", () =>
    Effect.gen(function*() {
      const { given, scripts } = counting()
      /** With one input and so many bytes. */
      const sized = (bytes: number): ScriptJob => {
        const { coins, flags, tx } = jobOf(1, [TRUE])
        const padded = (length: number) =>
          transactionOf({ ...tx, outputs: [{ value: 1n, script: new Uint8Array(length) }] })
        const longer = padded(bytes - 200)
        return { coins, flags, tx: padded(2 * bytes - 200 - longer.bytes.length) }
      }
      const inputs = (count: number) => jobOf(2, Array.from({ length: count }, () => TRUE))
      assert.deepStrictEqual([sized(4_000).tx.bytes.length, sized(4_001).tx.bytes.length], [4_000, 4_001])
      const answers = [sized(4_000), inputs(4), sized(4_001), inputs(5)].map(scripts.verify)
      assert.deepStrictEqual(given, [1, 1])
      yield* Effect.all(answers)
      assert.deepStrictEqual(given, [1, 1, 2])
    }))

  it.live("all get the defect of the pool that they were given to", () =>
    Effect.gen(function*() {
      const pool = { ...inThreadPool(testCrypto), judge: () => Effect.die("out of order") }
      const scripts = unconfirmedScripts({ pool, tree: { tip: { header: {} } } } as never, Effect.runFork)
      const verified = [jobOf(0, [TRUE]), jobOf(1, [TRUE])].map((job) =>
        scripts.verify(job).pipe(Effect.exit, Effect.timeoutOption(1_000))
      )
      const ends = yield* Effect.all(verified, { concurrency: "unbounded" })
      assert.deepStrictEqual(ends, [Option.some(Exit.die("out of order")), Option.some(Exit.die("out of order"))])
    }))
})
