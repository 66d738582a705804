import { concatBytes } from "@lockstep/kernel/bytes/equal.ts"
import { cursorOn } from "@lockstep/kernel/bytes/cursor.ts"
import type { ScriptJob } from "@lockstep/kernel/connect/collect.ts"
import { readTransaction } from "@lockstep/kernel/model/transaction-codec.ts"
import { CONSENSUS_FLAGS } from "@lockstep/kernel/script/flags.ts"
import type { Machine } from "@lockstep/kernel/script/machine.ts"
import { clearFailure, failureIn } from "./job-failure.ts"
import { type JobMemory, jobMemory } from "./job-memory.ts"
import type { JobReader } from "./job-reader.ts"
import { type JobPlan, planLength, writePlan } from "./job-writer.ts"
import { judgeRange } from "./judge-range.ts"
import { SAMPLE_SPENDS } from "./sample-spends.ts"

/** Samples of each kind in a round: few enough that a block which comes meanwhile waits for about half a millisecond. */
const OF_EACH_KIND = 4

/** By then V8 has compiled what judges. */
const ROUNDS = 300

/** Milliseconds that all of it may take: signatures judged without a native library take a hundred times as long. */
const LONGEST = 500

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))

/** The samples as if they lay in a block. */
const samplePlan = (): JobPlan => {
  const samples = SAMPLE_SPENDS.flatMap((sample) => Array.from({ length: OF_EACH_KIND }, () => sample))
  const bytes = concatBytes(samples.map(({ transaction }) => bytesOf(transaction)))
  const cursor = cursorOn(bytes)
  const jobs = samples.map(({ script, value }): ScriptJob => ({
    tx: readTransaction(cursor),
    coins: [{ script: bytesOf(script), value, height: 0, isCoinbase: false }],
    flags: CONSENSUS_FLAGS
  }))
  return { block: { bytes }, jobs, starts: [0, jobs.length] }
}

const sampleMemory = (): JobMemory => {
  const plan = samplePlan()
  const memory = jobMemory(new SharedArrayBuffer(planLength(plan)))
  writePlan(memory, plan, 0)
  return memory
}

/**
 * Judges spends that are known to be good, again and again, while there is nothing else to do: the first blocks that come are
 * then judged as fast as later ones, and a library that refuses good signatures is found before it refuses a block.
 *
 * @returns does one round; false: it is over
 * @throws when a sample is refused: nothing that this thread says can be relied on
 */
export const rehearsal = (machine: Machine, reader: JobReader): () => boolean => {
  const memory = sampleMemory()
  let rounds = 0
  let spent = 0
  return () => {
    if (rounds === ROUNDS || spent > LONGEST) return false
    const since = performance.now()
    clearFailure(memory)
    judgeRange(machine, reader, memory, 0)
    rounds++
    spent += performance.now() - since
    const failure = failureIn(memory)
    if (failure !== undefined) {
      throw new Error(`a good signature is refused (${failure.rule}): the signature library or this machine's memory is broken`)
    }
    return true
  }
}
