import { assert, it } from "@effect/vitest"
import { CONSENSUS_FLAGS } from "@lockstep/kernel/script"
import { witnessTransactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { identified } from "../../../src/engine/state/identified-block.ts"
import { scriptCache } from "../../../src/engine/state/script-cache.ts"
import { inThreadPool } from "../../../src/engine/script-pool/in-thread.ts"
import { judgeUnverified } from "../../../src/engine/validation/judge-unverified.ts"
import { blockOf, crypto, FAILING, HOLDING, judgedInOrder } from "../script-pool/sample-jobs.ts"

const sample = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...HOLDING) }, fc.constantFrom(...FAILING))

it("a block fails as if all its scripts were verified, whichever of those that hold were verified before", () => {
  const pool = inThreadPool(crypto)
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 12 }), fc.array(fc.boolean(), { minLength: 1 }), (chosen, before) => {
      const { block, collected: { jobs } } = blockOf(chosen)
      // So large that none of twelve entries ever displaces another: each one counts below.
      const cache = scriptCache(7, 4096)
      const known = jobs.filter((_job, i) => chosen[i]!.failure === undefined && before[i % before.length])
      for (const { tx } of known) cache.add(witnessTransactionId(tx, crypto), CONSENSUS_FLAGS)
      let asked = jobs.length
      const counting = {
        ...pool,
        judge: (...given: Parameters<typeof pool.judge>) => {
          asked = given[1].jobs.length
          return pool.judge(...given)
        }
      }
      const verdict = judgeUnverified({ crypto, pool: counting, scriptCache: cache }, identified(block, crypto), {
        jobs
      })
      assert.deepStrictEqual(Effect.runSync(verdict), judgedInOrder(jobs))
      // One and the same transaction may stand there more than once.
      assert.isAtMost(asked, jobs.length - known.length)
      assert.deepStrictEqual(cache.checks, { before: jobs.length - asked, withBlock: asked })
    }),
    { numRuns: 300 }
  )
})
