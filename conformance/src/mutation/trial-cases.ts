import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { MalformedVector } from "../formats/malformed.ts"
import type { Bench } from "../judge/bench.ts"
import type { Outcome } from "../judge/outcome.ts"
import { type SuiteName, suiteCalled } from "../runners/table.ts"
import { filesOf } from "../sources/files.ts"
import { fateOf } from "../sources/sort-out.ts"
import type { Source, VectorFile } from "../sources/source.ts"

/** A case that mutants are tried on. */
export interface TrialCase {
  readonly suite: SuiteName
  readonly label: string
  readonly judge: (bench: Bench) => Outcome
}

/** Suites that mutants are tried on, and of how many cases one is taken. The first ones are tried first. */
const TAKEN: ReadonlyArray<readonly [suite: SuiteName, oneIn: number]> = [
  ["rules", 1],
  ["script_tests", 1],
  ["tx_valid", 1],
  ["tx_invalid", 1],
  ["script_tests_older", 1],
  ["tx_valid_older", 1],
  ["tx_invalid_older", 1],
  ["sighash_legacy", 1],
  ["bip341_wallet", 1],
  ["sig_canonical", 1],
  ["sig_noncanonical", 1],
  ["kernel_script_verify", 1],
  ["script_number", 1],
  ["bitcoinjs_transactions", 1],
  ["bitcore_blocks", 1],
  ["taproot_assets", 2],
  ["script_assets", 4],
  ["oracle_taproot", 5],
  ["script_diff", 20]
]

/** Suites that are left out where a newer form of the same is there. */
const OLDER: Readonly<Partial<Record<SuiteName, SuiteName>>> = {
  script_tests_older: "script_tests",
  tx_valid_older: "tx_valid",
  tx_invalid_older: "tx_invalid"
}

const sourcesFor = (root: string, vectors: string | undefined): ReadonlyArray<Source> => {
  const bitcore = createRequire(import.meta.url).resolve("bitcore-lib/package.json")
  return [
    { kind: "ours", label: "vectors", directory: join(root, "vectors") },
    ...vectors === undefined ? [] : [{ kind: "root", label: "LOCKSTEP_VECTORS", directory: vectors } as const],
    { kind: "npm", label: "bitcore-lib", directory: dirname(bitcore) }
  ]
}

/** The suites that read `file` and are tried, with the share of their cases. */
const takenOf = (file: VectorFile): ReadonlyArray<{ readonly suite: SuiteName; readonly oneIn: number }> => {
  const fate = fateOf(file)
  if (fate.kind !== "claimed") return []
  return fate.suites.flatMap((suite) => {
    const oneIn = TAKEN.find(([taken]) => taken === suite)?.[1]
    return oneIn === undefined ? [] : [{ suite, oneIn }]
  })
}

const readCases = async (file: VectorFile, suite: SuiteName, oneIn: number, cases: Array<TrialCase>): Promise<void> => {
  let ordinal = 0
  try {
    for await (const { index, judge } of suiteCalled(suite).run(file)) {
      if (ordinal++ % oneIn === 0) cases.push({ suite, label: `${file.display} ${index}`, judge })
    }
  } catch (error) {
    if (error instanceof MalformedVector) {
      throw new Error(`${file.display}: ${error.position} ${error.problem}`, { cause: error })
    }
    throw error
  }
}

/**
 * The cases mutants are tried on, in the order in which they are tried. A suite is taken from the first source that has
 * it: the npm package holds older copies of what a vector root holds.
 */
export const readTrialCases = async (root: string, vectors: string | undefined): Promise<ReadonlyArray<TrialCase>> => {
  const bySuite = new Map<SuiteName, Array<TrialCase>>()
  for (const source of sourcesFor(root, vectors)) {
    const here = new Map<SuiteName, Array<TrialCase>>()
    for (const file of filesOf(source)) {
      for (const { oneIn, suite } of takenOf(file)) {
        if (bySuite.has(OLDER[suite] ?? suite)) continue
        const cases = here.get(suite) ?? []
        here.set(suite, cases)
        await readCases(file, suite, oneIn, cases)
      }
    }
    for (const [suite, cases] of here) bySuite.set(suite, cases)
  }
  return TAKEN.flatMap(([suite]) => bySuite.get(suite) ?? [])
}
