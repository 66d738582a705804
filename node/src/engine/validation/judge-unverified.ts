import type { Collected, ScriptJob } from "@lockstep/kernel/connect"
import { witnessTransactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { IdentifiedBlock } from "../state/identified-block.ts"
import type { JobFailure, ScriptPoolFailure } from "../script-pool/script-pool.ts"

/**
 * Verifies the scripts of a block, except those that were verified under the same flags before the block arrived.
 * Failures have the index of their job in the whole block.
 */
export const judgeUnverified = (
  { crypto, pool, scriptCache }: Pick<ChainEngine, "crypto" | "pool" | "scriptCache">,
  { block, identity: { transactionIds }, witnessIds = transactionIds }: IdentifiedBlock,
  { jobs }: Pick<Collected, "jobs">
): Effect.Effect<JobFailure | undefined, ScriptPoolFailure> => {
  const { checks } = scriptCache
  if (scriptCache.isEmpty()) {
    checks.withBlock += jobs.length
    return pool.judge(block, { jobs })
  }
  const open: Array<ScriptJob> = []
  const places: Array<number> = []
  for (const [place, job] of jobs.entries()) {
    // The coinbase has no job.
    const at = (place + 1) * 32
    const isKnown = witnessIds !== transactionIds || !job.tx.hasWitness
    const wtxid = isKnown ? witnessIds.subarray(at, at + 32) : witnessTransactionId(job.tx, crypto)
    if (scriptCache.has(wtxid, job.flags)) continue
    open.push(job)
    places.push(place)
  }
  checks.before += jobs.length - open.length
  checks.withBlock += open.length
  return Effect.map(
    pool.judge(block, { jobs: open }),
    (failure) => failure && { ...failure, detail: { ...failure.detail, job: places[failure.detail.job]! } }
  )
}
