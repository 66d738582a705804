import { describeProvider, selectProvider } from "@lockstep/crypto"
import { assert, describe, it } from "vitest"
import { failureIn, hasDefect } from "../../../src/engine/script-pool/job-failure.ts"
import {
  claimRange,
  finishRanges,
  isFinished,
  type JobMemory,
  Word
} from "../../../src/engine/script-pool/job-memory.ts"
import { Control } from "../../../src/engine/script-pool/worker-messages.ts"
import { FAILING, HOLDING } from "./sample-jobs.ts"
import { memoryOf, workerInThread } from "./worker-in-thread.ts"

const NOBLE = selectProvider("noble")
const READY = { _tag: "Ready", provider: NOBLE.ok ? describeProvider(NOBLE.provider) : "none" }
const FINISHED = { _tag: "Finished" }

/** A block of so many ranges of one job each. */
const rangesIn = (count: number, order: number): JobMemory =>
  memoryOf(HOLDING.slice(0, count), order, Array.from({ length: count + 1 }, (_, i) => i))

const started = (...memories: ReadonlyArray<JobMemory>) => {
  const worker = workerInThread("noble")
  for (const memory of memories) worker.share(memory)
  return worker
}

describe("the loop of a script worker", () => {
  it("says that it is ready, on which crypto, and sleeps until the pool signals or stops it", () => {
    const { claims, control, heard, run, sleeps } = started()
    run({ asleep: [() => void (control[Control.SIGNAL] = 42)] })
    assert.deepStrictEqual(heard(), [READY])
    assert.deepStrictEqual(sleeps, [[true, Control.SIGNAL, 41], [true, Control.SIGNAL, 42]])
    assert.deepStrictEqual([claims, [...control]], [[], [42, 1, 0, 0]])
  })

  it("says why it does not start, and no more", () => {
    const worker = workerInThread("abacus")
    worker.run()
    const [refused, ...more] = worker.heard() as ReadonlyArray<{ readonly _tag: string; readonly message: string }>
    assert.strictEqual(refused?._tag, "Refused")
    assert.include(refused?.message, "abacus")
    assert.deepStrictEqual([more, worker.sleeps], [[], []])
  })

  it("takes all ranges of a block in order, and says once that it is finished", () => {
    const memory = rangesIn(3, 7)
    const { claims, control, heard, run, sleeps } = started(memory)
    run()
    assert.deepStrictEqual(claims, [[7, 2], [7, 1], [7, 0]])
    assert.deepStrictEqual(heard(), [READY, FINISHED])
    assert.deepStrictEqual([isFinished(memory), failureIn(memory)], [true, undefined])
    assert.deepStrictEqual([control[Control.MESSAGES], sleeps.length], [1, 1])
  })

  it("finds the earliest failure, in the first range too", () => {
    for (const at of [0, 1, 2]) {
      const failing = FAILING[at]!
      const chosen = HOLDING.slice(0, 3).with(at, failing)
      const memory = memoryOf(chosen, 1, [0, 1, 2, 3])
      started(memory).run()
      assert.deepStrictEqual(failureIn(memory), {
        ...failing.failure!,
        detail: { ...failing.failure!.detail, job: at }
      })
    }
  })

  it.each([
    ["one after it", 7, 8],
    ["one much later", 7, 700],
    ["one whose number starts again from the lowest", 2 ** 31 - 1, -(2 ** 31)]
  ])("takes an older block before %s, whichever it heard of first", (_, older, newer) => {
    const expected = [[older, 1], [older, 0], [newer, 1], [newer, 0]] as const
    for (const orders of [[older, newer], [newer, older]]) {
      const { claims, run } = started(...orders.map((order) => rangesIn(2, order)))
      run()
      assert.deepStrictEqual<ReadonlyArray<unknown>>(claims, expected)
    }
  })

  it("leaves alone a block of which nothing is left to take, however old", () => {
    const [taken, open] = [rangesIn(2, 1), rangesIn(1, 2)]
    while (claimRange(taken) >= 0) { /* another worker has them all */ }
    const { claims, heard, run, sleeps } = started(taken, open)
    run()
    assert.deepStrictEqual([claims, sleeps.length], [[[2, 0]], 1])
    assert.deepStrictEqual([isFinished(taken), isFinished(open), heard()], [false, true, [READY, FINISHED]])
  })

  it("leaves it to the one who ends a block to say so", () => {
    const memory = rangesIn(3, 1)
    assert.strictEqual(claimRange(memory), 0)
    const { control, heard, run } = started(memory)
    run()
    assert.deepStrictEqual([heard(), control[Control.MESSAGES]], [[READY], 0])
    assert.isTrue(finishRanges(memory, 1), "that was the last one")
  })

  it("goes on with other blocks when another worker was faster to take a range", () => {
    const [contested, open] = [rangesIn(1, 1), rangesIn(1, 2)]
    const { claims, run, sleeps } = started(contested, open)
    run({
      read: (words, at) => {
        if (words instanceof Int32Array && words[Word.ORDER] === 1 && at === Word.TO_CLAIM) words[at] = 0
      }
    })
    assert.deepStrictEqual([claims, sleeps.length], [[[2, 0]], 1])
    assert.isFalse(isFinished(contested))
  })

  it("reports finished blocks again only when the pool has looked", () => {
    const [first, second, third] = [rangesIn(1, 1), rangesIn(1, 2), rangesIn(1, 3)]
    const worker = started(first, second)
    worker.run({
      asleep: [() => {
        assert.deepStrictEqual(worker.heard(), [READY, FINISHED])
        worker.control[Control.MESSAGES] = 0
        worker.share(third)
      }]
    })
    assert.deepStrictEqual([worker.heard(), worker.claims], [[FINISHED], [[1, 0], [2, 0], [3, 0]]])
  })

  it("remembers the memory it was sent, and takes block after block from it", () => {
    const memory = rangesIn(2, 1)
    const again = (): void => {
      assert.isTrue(isFinished(memory))
      memory.words[Word.DONE] = 0
      memory.words[Word.ORDER]! += 1
      memory.words[Word.TO_CLAIM] = 2
    }
    const { claims, run } = started(memory)
    run({ asleep: [again, again] })
    assert.deepStrictEqual(claims, [[1, 1], [1, 0], [2, 1], [2, 0], [3, 1], [3, 0]])
  })

  it("never looks again at memory that is retired", () => {
    const [retired, used] = [rangesIn(1, 1), rangesIn(1, 2)]
    retired.words[Word.RETIRED] = 1
    const { claims, run } = started(retired, used)
    run({ asleep: [() => void (retired.words[Word.RETIRED] = 0)] })
    assert.deepStrictEqual([claims, isFinished(retired)], [[[2, 0]], false])
  })

  it("does not sleep through a signal that comes while it works", () => {
    const { control, run, sleeps } = started(rangesIn(1, 1))
    run({ claimed: () => void control[Control.SIGNAL]!++ })
    assert.deepStrictEqual(sleeps, [[true, Control.SIGNAL, 41]], "the word has another value by then")
  })

  it("takes no further range once it is stopped", () => {
    const [memory, untouched] = [rangesIn(3, 1), rangesIn(1, 1)]
    const worker = started(memory)
    worker.run({ claimed: () => void (worker.control[Control.STOP] = 1) })
    assert.deepStrictEqual([worker.claims, memory.words[Word.DONE], worker.sleeps], [[[1, 2]], 1, []])
    const stopped = started(untouched)
    stopped.control[Control.STOP] = 1
    stopped.run()
    assert.deepStrictEqual([stopped.claims, stopped.sleeps, stopped.heard()], [[], [], [READY]])
  })

  it("names the block and the place of a defect, and goes on with others", () => {
    const [chosen] = HOLDING
    const [broken, fine] = [memoryOf([{ ...chosen!, coins: [] }], 4), rangesIn(1, 5)]
    const { claims, heard, run } = started(broken, fine)
    run()
    const [ready, defect, finished, ...more] = heard() as ReadonlyArray<{ readonly message: string }>
    assert.deepStrictEqual([ready, finished, more], [READY, FINISHED, []] as never)
    assert.deepStrictEqual(defect, { _tag: "Defect", order: 4, message: defect!.message } as never)
    assert.match(defect!.message, /^RangeError: [^]*\n +at .*job-reader/)
    assert.deepStrictEqual(claims, [[4, 0], [5, 0]])
    assert.deepStrictEqual([broken, fine].map(hasDefect), [true, false])
    assert.deepStrictEqual([broken, fine].map(isFinished), [true, true])
  })

  it("gives a defect that is no error as it is", () => {
    const memory = rangesIn(2, 4)
    let isThrown = false
    const { heard, run } = started(memory)
    run({
      read: (numbers) => {
        if (isThrown || !(numbers instanceof BigInt64Array)) return
        isThrown = true
        throw "out of cheese"
      }
    })
    assert.deepStrictEqual(heard(), [READY, { _tag: "Defect", order: 4, message: "out of cheese" }, FINISHED])
    assert.isTrue(hasDefect(memory))
  })
})
