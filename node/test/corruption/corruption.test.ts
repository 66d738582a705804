import { afterAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomOf } from "../crash/random.ts"
import { DAMAGES } from "./damages.ts"
import { makeSample, type Sample, type SampleOptions } from "./sample.ts"
import { filesOf, runTrial } from "./trial.ts"
import { patience } from "../process/patience.ts"

// A few of the trials that `pnpm test:corruption` makes hundreds of: some that once went wrong, and some by the seed.
const AT_RANDOM = 1

interface Series extends Pick<SampleOptions, "backend" | "indexes"> {
  /** Part of a file's name, and the damage. */
  readonly always: ReadonlyArray<readonly [file: string, damage: string]>
}

const SERIES: ReadonlyArray<Series> = [
  { backend: "heed3", indexes: true, always: [["data.mdb", "half"], ["xor.dat", "deleted"]] },
  { backend: "leveldb", indexes: false, always: [[".log", "half"], ["blk00000", "flip-middle"]] }
]

// The same trials every time; the command tries others.
const seed = 1
const random = randomOf(seed)
const root = mkdtempSync(join(tmpdir(), "lockstep-damage-"))

afterAll(() => rmSync(root, { recursive: true, force: true }))

const attempt = async (sample: Sample, part: string, name: string): Promise<void> => {
  const file = filesOf(sample).find((each) => each.includes(part))
  const damage = DAMAGES.find((each) => each.name === name)
  if (file === undefined || damage === undefined) throw new Error(`there is no ${part} or no damage called ${name}`)
  try {
    await runTrial({ sample, file, damage }, join(root, "trial"), random)
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
  }
}

describe("a file of the data directory that is damaged is recovered from, or named with what to do", () => {
  for (const { always, ...options } of SERIES) {
    it(`${options.backend}${options.indexes ? " with indexes" : ""}`, { timeout: patience(300_000) }, async () => {
      const sample = await makeSample(join(root, options.backend), { ...options, seed, height: 105, spends: 8 })
      for (const [file, damage] of always) await attempt(sample, file, damage)
      for (let i = 0; i < AT_RANDOM; i++) await attempt(sample, random.pick(filesOf(sample)), random.pick(DAMAGES).name)
    })
  }
})
