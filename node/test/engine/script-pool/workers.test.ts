import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Worker } from "node:worker_threads"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { Control } from "../../../src/engine/script-pool/worker-messages.ts"
import { type Crew, startWorkers, youngMebibytes } from "../../../src/engine/script-pool/workers.ts"
import { READY, ScriptedWorker } from "./scripted-worker.ts"

const place = (count: number) => {
  const workers: Array<ScriptedWorker> = []
  const memories: Array<SharedArrayBuffer> = [new SharedArrayBuffer(8)]
  const observed: Array<unknown> = []
  const observe = (what: string) => (...about: ReadonlyArray<unknown>) => void observed.push([what, ...about])
  const starting = startWorkers({
    count,
    provider: "wanted",
    spawn: (start) => {
      const worker = new ScriptedWorker(start)
      workers.push(worker)
      return worker as unknown as Worker
    },
    memories: () => memories,
    onFinished: observe("finished"),
    onDefect: observe("defect"),
    onDeath: observe("death"),
    onLastDeath: observe("last death")
  })
  /** What came of the start; nothing yet where it goes on. */
  const begun = (): { readonly crew: () => Crew | undefined; readonly failure: () => string | undefined } => {
    let [crew, failure]: [Crew | undefined, string | undefined] = [undefined, undefined]
    void Effect.runPromise(Effect.result(starting)).then((result) => {
      if (result._tag === "Success") crew = result.success
      else failure = `${result.failure._tag}: ${result.failure.message}`
    })
    return { crew: () => crew, failure: () => failure }
  }
  const started = async (): Promise<Crew> => {
    const { crew } = begun()
    for (const worker of workers) worker.say(READY)
    await turn()
    return crew()!
  }
  const word = (at: number): number => Atomics.load(workers[0]!.start.control, at)
  return { begun, memories, started, starting, observed, word, workers }
}

const turn = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

const GONE = "A script worker is gone: it ended by itself."

describe("script workers", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it("are there once all of them are ready, with all memories there are", async () => {
    const { begun, memories, workers } = place(2)
    const { crew } = begun()
    assert.strictEqual(workers.length, 2)
    assert.deepStrictEqual(workers.map(({ posted }) => posted), [[memories[0]], [memories[0]]])
    assert.deepStrictEqual(workers.map(({ start }) => start.provider), ["wanted", "wanted"])
    workers[1]!.say(READY)
    await turn()
    assert.isUndefined(crew())
    workers[0]!.say({ ...READY, provider: "quicker" })
    await turn()
    assert.strictEqual(crew()?.provider, "quicker")
    const later = new SharedArrayBuffer(8)
    crew()!.share(later)
    assert.deepStrictEqual(workers.map(({ posted }) => posted[1] === later), [true, true])
  })

  it("are woken for so many ranges, and never more of them than there are", async () => {
    const { started, word } = place(3)
    const { wake } = await started()
    const notify = vi.spyOn(Atomics, "notify")
    const before = word(Control.SIGNAL)
    for (const ranges of [1, 3, 9]) wake(ranges)
    assert.strictEqual(word(Control.SIGNAL), before + 3)
    assert.deepStrictEqual(notify.mock.calls.map(([, at, sleepers]) => [at, sleepers]), [[0, 1], [0, 3], [0, 3]])
  })

  it("report finished blocks, which may be reported again then, and defects", async () => {
    const { started, observed, word, workers } = place(1)
    await started()
    Atomics.store(workers[0]!.start.control, Control.MESSAGES, 1)
    workers[0]!.say({ _tag: "Defect", order: 7, message: "oh" })
    assert.strictEqual(word(Control.MESSAGES), 1)
    workers[0]!.say({ _tag: "Finished" })
    assert.strictEqual(word(Control.MESSAGES), 0)
    assert.deepStrictEqual(observed, [["defect", 7, "oh"], ["finished"]])
  })

  it.each<readonly [string, (worker: ScriptedWorker) => void, string]>([
    ["ends", () => undefined, GONE],
    [
      "says why it cannot",
      (worker) => worker.say({ _tag: "Refused", message: "no such provider" }),
      "A script worker is gone: no such provider."
    ],
    ["throws a text", (worker) => worker.emit("error", "odd"), "A script worker is gone: odd."],
    ["throws", (worker) => worker.emit("error", new Error("out of memory")), "A script worker is gone: out of memory."]
  ])("do not start when one %s before all are ready; the others end first", async (_, happen, message) => {
    const { begun, observed, word, workers } = place(2)
    const { failure } = begun()
    workers[0]!.say(READY)
    happen(workers[1]!)
    workers[1]!.emit("exit")
    await turn()
    assert.strictEqual(word(Control.STOP), 1)
    assert.isUndefined(failure())
    workers[0]!.emit("exit")
    await turn()
    assert.strictEqual(failure(), `ScriptPoolFailure: ${message}`)
    assert.deepStrictEqual([observed, workers.length], [[], 2])
  })

  it("are replaced when they die, which is reported; the next one gets all memories", async () => {
    const { memories, started, observed, word, workers } = place(2)
    await started()
    memories.push(new SharedArrayBuffer(16))
    Atomics.store(workers[0]!.start.control, Control.MESSAGES, 1)
    workers[0]!.emit("exit")
    assert.deepStrictEqual(observed, [["death", GONE]])
    assert.strictEqual(word(Control.MESSAGES), 0)
    assert.strictEqual(workers.length, 3)
    assert.deepStrictEqual(workers[2]!.posted, memories)
  })

  it("are not replaced after three in a row that were never ready; the last death is reported as such", async () => {
    const { started, observed, workers } = place(2)
    await started()
    for (const [dying, count] of [[0, 3], [2, 4], [3, 5]] as const) {
      workers[dying]!.emit("exit")
      assert.strictEqual(workers.length, count)
    }
    workers[4]!.emit("exit")
    assert.deepStrictEqual([workers.length, observed], [5, Array.from({ length: 4 }, () => ["death", GONE])])
    workers[1]!.emit("exit")
    assert.deepStrictEqual([workers.length, observed.slice(4)], [5, [["death", GONE], ["last death", GONE]]])
  })

  it("are replaced on and on where one in between is ready", async () => {
    const { started, observed, workers } = place(1)
    await started()
    for (const isReady of [false, false, true, false, false, true]) {
      workers.at(-1)!.emit("exit")
      if (isReady) workers.at(-1)!.say(READY)
    }
    assert.deepStrictEqual([workers.length, observed.length], [7, 6])
  })

  it("end when they are asked to, and are terminated after two seconds", async () => {
    const { started, observed, word, workers } = place(2)
    const { stop } = await started()
    const notify = vi.spyOn(Atomics, "notify")
    const before = word(Control.SIGNAL)
    let isStopped = false
    void Effect.runPromise(stop).then(() => void (isStopped = true))
    await turn()
    assert.deepStrictEqual([word(Control.STOP), word(Control.SIGNAL)], [1, before + 1])
    assert.strictEqual(notify.mock.calls[0]![2], Infinity)
    workers[0]!.emit("exit")
    await vi.advanceTimersByTimeAsync(1_999)
    assert.deepStrictEqual([isStopped, workers[1]!.isTerminated], [false, false])
    await vi.advanceTimersByTimeAsync(1)
    assert.deepStrictEqual([isStopped, ...workers.map(({ isTerminated }) => isTerminated)], [true, false, true])
    assert.deepStrictEqual([observed, workers.length, vi.getTimerCount()], [[], 2, 0])
  })

  it("that end in time leave no clock running", async () => {
    const { started, workers } = place(1)
    const { stop } = await started()
    const stopped = Effect.runPromise(stop)
    workers[0]!.emit("exit")
    await stopped
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("have a young generation of 24 MiB together, each of 3 to 12", () => {
    assert.deepStrictEqual([1, 2, 3, 5, 8, 9, 64].map(youngMebibytes), [12, 12, 8, 4, 3, 3, 3])
  })

  it("end when the start is given up", async () => {
    const { starting, word, workers } = place(1)
    const fiber = Effect.runFork(starting)
    await turn()
    const ended = Effect.runPromise(Fiber.interrupt(fiber))
    await turn()
    assert.strictEqual(word(Control.STOP), 1)
    workers[0]!.emit("exit")
    await ended
  })
})
