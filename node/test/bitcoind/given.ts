import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Result from "effect/Result"
import { type CommandLineArguments, readArguments } from "../../src/bitcoind/args/read-arguments.ts"
import { OPTIONS_BY_NAME } from "../../src/bitcoind/options/option-table.ts"
import { type PlanMachine, type Plan, planOf, type PlanRefusal } from "../../src/bitcoind/plan/plan.ts"

/** A home directory that a test fills. */
export interface Home {
  readonly machine: PlanMachine
  /** The data directory. */
  readonly base: string
  readonly write: (path: string, content: string | Buffer) => void
  readonly read: (...words: ReadonlyArray<string>) => Result.Result<CommandLineArguments, string>
  readonly plan: (...words: ReadonlyArray<string>) => Result.Result<Plan, PlanRefusal>
  readonly remove: () => void
}

const GIBIBYTE = 2 ** 30

/** A home with an empty data directory. */
export const makeHome = (): Home => {
  const home = mkdtempSync(join(tmpdir(), "lockstep-bitcoind-"))
  const base = join(home, ".bitcoin")
  mkdirSync(base)
  const machine = {
    home,
    directory: home,
    platform: "linux",
    processors: 4,
    memoryBytes: 8 * GIBIBYTE,
    descriptors: 1_024
  }
  const read: Home["read"] = (...words) => readArguments(words, OPTIONS_BY_NAME, machine)
  return {
    machine,
    base,
    write: (path, content) => {
      mkdirSync(dirname(join(base, path)), { recursive: true })
      writeFileSync(join(base, path), content)
    },
    read,
    plan: (...words) => planOf(Result.getOrThrowWith(read(...words), (message) => new Error(message)), machine),
    remove: () => rmSync(home, { recursive: true })
  }
}
