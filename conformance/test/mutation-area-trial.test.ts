import { assert, describe, it } from "vitest"
import { type AreaFate, tryFault } from "../src/mutation/areas/area-trial.ts"
import { openBaselines } from "../src/mutation/areas/baseline.ts"
import type { TestRun, TestRunner } from "../src/mutation/areas/run-tests.ts"

const SECOND = 1_000

/** A runner whose answers are said beforehand; `quiet`: how each file ends without a fault. */
const trialWith = async (withFault: (files: ReadonlyArray<string>) => TestRun, options: {
  readonly quiet?: (file: string) => { readonly milliseconds: number; readonly failure: string | undefined }
  /** Whether a run without the fault, the next one, takes too long. */
  readonly isBusy?: () => boolean
  readonly perFault?: number
  readonly nearest?: ReadonlyArray<string>
  /** How long files took before something changed. */
  readonly before?: Readonly<Record<string, number>>
} = {}): Promise<{ readonly fate: AreaFate; readonly log: ReadonlyArray<string> }> => {
  const { quiet = () => ({ milliseconds: SECOND, failure: undefined }), nearest = ["1", "2", "3", "4", "5"] } = options
  const log: Array<string> = []
  let isPlanted = false
  const runner: Pick<TestRunner, "run"> = {
    run: (files) => {
      log.push(`${isPlanted ? "fault" : "quiet"} ${files.join()}`)
      if (!isPlanted && options.isBusy?.() === true) return Promise.resolve({ kind: "out of time" })
      return Promise.resolve(
        isPlanted ? withFault(files) : { kind: "ended", files: files.map((file) => ({ file, ...quiet(file) })) }
      )
    }
  }
  const known = new Map<string, ReturnType<typeof quiet>>()
  const baselines = openBaselines(runner, {
    of: (file) => known.get(file),
    estimate: (file) => (known.get(file)?.milliseconds ?? options.before?.[file]) ?? 0,
    learned: (file, baseline) => void known.set(file, baseline)
  })
  const plant = async <A>(trial: () => Promise<A>): Promise<A> => {
    isPlanted = true
    try {
      return await trial()
    } finally {
      isPlanted = false
    }
  }
  return {
    fate: await tryFault({ runner, baselines, withFault: plant, perFault: options.perFault ?? 60 * SECOND }, nearest),
    log
  }
}

const ended = (files: ReadonlyArray<string>, failing?: string): TestRun => ({
  kind: "ended",
  files: files.map((file) => ({ file, milliseconds: SECOND, failure: file === failing ? "it holds" : undefined }))
})

describe("the trial of a fault", () => {
  it("ends with the first test that fails", async () => {
    const { fate, log } = await trialWith((files) => ended(files, "2"))
    assert.deepStrictEqual(fate, { kind: "killed", by: "2: it holds" })
    assert.deepStrictEqual(log, ["quiet 1,2,3,4", "fault 1,2,3,4"])
  })

  it("goes on to farther tests, and says how many were run when none fails", async () => {
    const { fate, log } = await trialWith((files) => ended(files))
    assert.deepStrictEqual(fate, { kind: "survived", tests: 5, of: 5 })
    assert.deepStrictEqual(log, ["quiet 1,2,3,4", "fault 1,2,3,4", "quiet 5", "fault 5"])
  })

  it("runs no more tests than there is time for", async () => {
    const { fate } = await trialWith((files) => ended(files), { perFault: 4 * SECOND })
    assert.deepStrictEqual(fate, { kind: "survived", tests: 4, of: 5 })
  })

  it("has half a minute for the nearest tests, whatever is set, and no more", async () => {
    const slow = (milliseconds: number) =>
      trialWith((files) => ended(files), { perFault: SECOND, quiet: () => ({ milliseconds, failure: undefined }) })
    assert.deepStrictEqual((await slow(7 * SECOND)).fate, { kind: "survived", tests: 4, of: 5 })
    assert.deepStrictEqual((await slow(8 * SECOND)).fate, { kind: "survived", tests: 3, of: 5 })
  })

  it("runs the nearest test where there is time for none", async () => {
    const { fate } = await trialWith((files) => ended(files), {
      perFault: SECOND,
      quiet: () => ({ milliseconds: 50 * SECOND, failure: undefined })
    })
    assert.deepStrictEqual(fate, { kind: "survived", tests: 1, of: 5 })
  })

  it("knows how long a test takes that was run before something changed, and believes it when it passes now", async () => {
    const before = { 1: SECOND, 2: SECOND, 3: SECOND, 4: SECOND }
    const { fate, log } = await trialWith((files) => ended(files, "2"), { before })
    assert.deepStrictEqual(fate, { kind: "killed", by: "2: it holds" })
    assert.deepStrictEqual(log, ["fault 1,2,3,4", "quiet 2"])
    const broken = await trialWith((files) => ended(files, files.includes("2") ? "2" : undefined), {
      before,
      quiet: (file) => ({ milliseconds: SECOND, failure: file === "2" ? "always" : undefined })
    })
    assert.strictEqual(broken.fate.kind, "survived")
  })

  it("takes tests that do not end for a fault that was noticed", async () => {
    const { fate, log } = await trialWith(() => ({ kind: "out of time" }))
    assert.strictEqual(fate.kind, "timeout")
    assert.deepStrictEqual(log, ["quiet 1,2,3,4", "fault 1,2,3,4", "quiet 1,2,3,4"])
  })

  it("gives tests more time that do not end without the fault either, and believes nothing in the end", async () => {
    let runs = 0
    const busyUntil = (run: number) => {
      runs = 0
      return trialWith(() => ({ kind: "out of time" }), { nearest: ["1"], isBusy: () => ++runs > 1 && runs < run })
    }
    const { fate, log } = await busyUntil(3)
    assert.strictEqual(fate.kind, "timeout")
    assert.deepStrictEqual(log, ["quiet 1", "fault 1", "quiet 1", "fault 1", "quiet 1"])
    assert.strictEqual((await busyUntil(100)).fate.kind, "survived")
  })

  it("believes nothing of a test that fails without a fault", async () => {
    const { fate, log } = await trialWith((files) => ended(files, "1"), {
      quiet: (file) => ({ milliseconds: SECOND, failure: file === "1" ? "always" : undefined })
    })
    assert.deepStrictEqual(fate, { kind: "survived", tests: 4, of: 5 })
    assert.include(log, "fault 2,3,4")
  })

  it("believes a slow test only when it passes without the fault right after", async () => {
    let runs = 0
    const flaky = await trialWith((files) => ended(files, files.includes("1") ? "1" : undefined), {
      quiet: (file) => ({ milliseconds: 5 * SECOND, failure: file === "1" && runs++ > 0 ? "sometimes" : undefined })
    })
    assert.strictEqual(flaky.fate.kind, "survived")
    const steady = await trialWith((files) => ended(files, "1"), {
      quiet: () => ({ milliseconds: 5 * SECOND, failure: undefined })
    })
    assert.strictEqual(steady.fate.kind, "killed")
  })
})
