import type { ScriptJob } from "@lockstep/kernel/connect"
import { CONSENSUS_FLAGS, ScriptFlag } from "@lockstep/kernel/script"
import { createMachine } from "@lockstep/kernel/machine"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { failureIn } from "../../../src/engine/script-pool/job-failure.ts"
import {
  cancelRanges,
  claimRange,
  JobField,
  finishRanges,
  headLength,
  isFinished,
  jobMemory,
  tableAt
} from "../../../src/engine/script-pool/job-memory.ts"
import { rangesOf } from "../../../src/engine/script-pool/job-ranges.ts"
import { jobReader } from "../../../src/engine/script-pool/job-reader.ts"
import { planLength, writePlan } from "../../../src/engine/script-pool/job-writer.ts"
import { judgeRange } from "../../../src/engine/script-pool/judge-range.ts"
import { blockOf, crypto, FAILING, HOLDING, judgedInOrder } from "./sample-jobs.ts"

const machine = createMachine(crypto)
const sample = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...HOLDING) }, {
  weight: 1,
  arbitrary: fc.constantFrom(...FAILING)
})
const someSamples = fc.array(sample, { minLength: 1, maxLength: 40 })

const kinds = fc.array(fc.constantFrom(CONSENSUS_FLAGS, CONSENSUS_FLAGS, CONSENSUS_FLAGS, ScriptFlag.NONE), {
  minLength: 1,
  maxLength: 20
})

const withFlags = (flags: ReadonlyArray<number>) => ({ flagsAt: (job: number) => flags[job % flags.length]! })

/** Starts of ranges behind which flags never change, at the places that `cuts` choose. */
const startsBy = (jobs: ReadonlyArray<ScriptJob>, cuts: ReadonlyArray<boolean>): ReadonlyArray<number> => [
  0,
  ...jobs.flatMap(({ flags }, i) => i > 0 && (cuts[i % cuts.length] || flags !== jobs[i - 1]!.flags) ? [i] : []),
  jobs.length
]

describe("ranges of script jobs", () => {
  it("are taken from vectors that hold and vectors that fail in many ways", () => {
    expect(HOLDING.length).toBeGreaterThan(100)
    expect(new Set(FAILING.map(({ failure }) => failure!.detail.error)).size).toBeGreaterThan(20)
  })

  it("answer the failure of the earliest job, however the block is split and in whatever order ranges are judged", () => {
    const memory = jobMemory(new SharedArrayBuffer(1 << 20))
    const reader = jobReader()
    fc.assert(fc.property(
      someSamples,
      kinds,
      fc.array(fc.boolean(), { minLength: 1 }),
      fc.infiniteStream(fc.nat()),
      (chosen, flags, cuts, order) => {
        const { block, collected: { jobs } } = blockOf(chosen, withFlags(flags))
        const plan = { block, jobs, starts: startsBy(jobs, cuts) }
        expect(planLength(plan)).toBeLessThan(memory.buffer.byteLength)
        writePlan(memory, plan, 1)
        const taken: Array<number> = []
        for (let range = claimRange(memory); range >= 0; range = claimRange(memory)) taken.push(range)
        expect(taken).toEqual(plan.starts.slice(1).map((_, i) => i))
        while (taken.length > 0) {
          expect(isFinished(memory)).toBe(false)
          const [range] = taken.splice(order.next().value! % taken.length, 1)
          judgeRange(machine, reader, memory, range!)
          expect(finishRanges(memory, 1)).toBe(taken.length === 0)
        }
        expect(failureIn(memory)).toEqual(judgedInOrder(jobs))
      }
    ))
  })

  it("cover all jobs once, in order, each with jobs of one kind of flags", () => {
    fc.assert(fc.property(someSamples, kinds, fc.integer({ min: 1, max: 16 }), (chosen, flags, workers) => {
      const { jobs } = blockOf(chosen, withFlags(flags)).collected
      const starts = rangesOf(jobs, workers)
      expect(starts[0]).toBe(0)
      expect(starts[starts.length - 1]).toBe(jobs.length)
      for (let range = 1; range < starts.length; range++) {
        expect(starts[range]!).toBeGreaterThan(starts[range - 1]!)
        expect(new Set(jobs.slice(starts[range - 1], starts[range]).map((job) => job.flags)).size).toBe(1)
      }
    }))
  })

  it("begin with a head of 8 words, and 4 for each range and for the end", () => {
    expect([0, 1, 10].map(headLength)).toEqual([48, 64, 208])
    expect(tableAt(3, JobField.FLAGS)).toBe(23)
  })

  it("fill the memory that they ask for to the last byte", () => {
    for (const count of [1, 2, 7]) {
      const { block, collected: { jobs } } = blockOf(HOLDING.slice(0, count))
      const plan = { block, jobs, starts: rangesOf(jobs, 1) }
      const length = planLength(plan)
      const memory = jobMemory(new SharedArrayBuffer(Math.ceil(length / 4) * 4))
      writePlan(memory, plan, 1)
      expect(memory.words[tableAt(plan.starts.length - 1, JobField.COINS)]).toBe(length)
      for (let range = claimRange(memory); range >= 0; range = claimRange(memory)) {
        judgeRange(machine, jobReader(), memory, range)
      }
      expect(failureIn(memory)).toBe(undefined)
    }
  })

  /** Jobs of one input each, whose transactions of so many bytes lie one behind another but for gaps. */
  const plainJobs = (count: number, size: number, gapsBefore: ReadonlyArray<number> = []) => {
    const bytes = new Uint8Array(count * size + gapsBefore.length)
    let at = 0
    return Array.from({ length: count }, (_, i) => {
      if (gapsBefore.includes(i)) at++
      const job = { tx: { inputs: [0], bytes: bytes.subarray(at, at + size) }, coins: [], flags: CONSENSUS_FLAGS }
      at += size
      return job as unknown as ScriptJob
    })
  }

  it("cost 8 to 64, with four for each worker in between; a job costs its inputs, and one for each 128 bytes", () => {
    expect(rangesOf(plainJobs(1_000, 100), 1).slice(0, 4)).toEqual([0, 64, 128, 192])
    expect(rangesOf(plainJobs(96, 100), 2).slice(0, 4)).toEqual([0, 12, 24, 36])
    expect(rangesOf(plainJobs(20, 100), 4)).toEqual([0, 8, 16, 20])
    expect(rangesOf(plainJobs(20, 127), 4)).toEqual([0, 8, 16, 20])
    expect(rangesOf(plainJobs(20, 128), 4)).toEqual([0, 4, 8, 12, 16, 20])
    expect(rangesOf(plainJobs(20, 384), 4).slice(0, 3)).toEqual([0, 2, 4])
  })

  it("end where transactions without a job lie between, or flags change", () => {
    expect(rangesOf(plainJobs(6, 100, [2, 5]), 1)).toEqual([0, 2, 5, 6])
    const jobs = plainJobs(6, 100).map((job, i) => ({ ...job, flags: i < 4 ? CONSENSUS_FLAGS : ScriptFlag.NONE }))
    expect(rangesOf(jobs, 1)).toEqual([0, 4, 6])
  })

  it("skip the transactions of a block that have no job", () => {
    const memory = jobMemory(new SharedArrayBuffer(1 << 20))
    const reader = jobReader()
    const chosenOnes = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })
    fc.assert(fc.property(someSamples, kinds, chosenOnes, (chosen, flags, wanted) => {
      const { block, collected } = blockOf(chosen, withFlags(flags))
      const jobs = collected.jobs.filter((_job, i) => wanted[i % wanted.length])
      fc.pre(jobs.length > 0)
      const starts = rangesOf(jobs, 1)
      writePlan(memory, { block, jobs, starts }, 1)
      for (let range = claimRange(memory); range >= 0; range = claimRange(memory)) {
        judgeRange(machine, reader, memory, range)
      }
      expect(failureIn(memory)).toEqual(judgedInOrder(jobs))
    }))
  })

  it("are small enough for every worker to have several of a large block", () => {
    const one = HOLDING[0]!
    const { jobs } = blockOf(Array.from({ length: 500 }, () => one)).collected
    expect(rangesOf(jobs, 8).length).toBeGreaterThan(8 * 2)
  })

  it("that are cancelled are neither judged nor waited for, but those already taken are waited for", () => {
    const memory = jobMemory(new SharedArrayBuffer(1 << 20))
    const { block, collected: { jobs } } = blockOf(HOLDING.slice(0, 6))
    writePlan(memory, { block, jobs, starts: [0, 1, 2, 3, 4, 5, 6] }, 1)
    expect(claimRange(memory)).toBe(0)
    expect(cancelRanges(memory)).toBe(false)
    expect(claimRange(memory)).toBe(-1)
    expect(isFinished(memory)).toBe(false)
    expect(finishRanges(memory, 1)).toBe(true)
  })

  it("behind a known failure are not judged", () => {
    const memory = jobMemory(new SharedArrayBuffer(1 << 20))
    const { block, collected: { jobs } } = blockOf([FAILING[0]!, HOLDING[0]!])
    writePlan(memory, { block, jobs, starts: [0, 1, 2] }, 1)
    const reader = jobReader()
    judgeRange(machine, reader, memory, 0)
    let asked = 0
    judgeRange(
      machine,
      (...range) => ({
        ...reader(...range),
        next: () => {
          asked++
          return jobs[1]!
        }
      }),
      memory,
      1
    )
    expect(asked).toBe(0)
    expect(failureIn(memory)).toEqual(FAILING[0]!.failure)
  })
})
