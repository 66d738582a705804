import { PROVIDER_NAMES } from "@lockstep/crypto/provider.ts"
import { RULES, type RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { availableParallelism } from "node:os"
import { parseArgs, type ParseArgsConfig } from "node:util"
import { SUITE_NAMES, type SuiteName } from "../runners/table.ts"
import { SOURCE_KINDS, type SourceKind } from "../sources/source.ts"
import { nearest } from "./nearest.ts"
import { aboutUnknownRule } from "./nearest-rule.ts"
import { UsageError } from "./usage-error.ts"

/** What the command line asks for. */
export interface Options {
  readonly suites: ReadonlyArray<SuiteName>
  readonly rule: RuleId | undefined
  readonly provider: string | undefined
  readonly vectors: ReadonlyArray<string>
  readonly json: string | undefined
  readonly sources: ReadonlyArray<SourceKind>
  readonly cases: ReadonlyArray<string>
  readonly small: boolean
  readonly slow: boolean
  readonly jobs: number
  readonly list: boolean
  readonly help: boolean
}

const CONFIG = {
  suite: { type: "string", multiple: true },
  rule: { type: "string" },
  provider: { type: "string" },
  vectors: { type: "string", multiple: true },
  json: { type: "string" },
  source: { type: "string", multiple: true },
  case: { type: "string", multiple: true },
  small: { type: "boolean" },
  slow: { type: "boolean" },
  jobs: { type: "string" },
  list: { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const satisfies ParseArgsConfig["options"]

const OPTION_NAMES = Object.keys(CONFIG).map((name) => `--${name}`)

const wrongOption = (error: unknown): UsageError => {
  const message = error instanceof Error ? error.message : String(error)
  const [, unknown] = /Unknown option '([^']+)'/.exec(message) ?? []
  if (unknown !== undefined) {
    return new UsageError(`There is no option ${unknown}; the nearest is ${nearest(unknown, OPTION_NAMES)}.`)
  }
  const [, extra] = /Unexpected argument '([^']*)'/.exec(message) ?? []
  if (extra !== undefined) {
    return new UsageError(`"${extra}" belongs to no option: suites, rules and directories are named behind one.`)
  }
  return new UsageError(`${message.split(/[.\n]/)[0]}.`)
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    // pnpm passes a separating "--" as it was typed.
    return parseArgs({ args: args.filter((arg) => arg !== "--"), options: CONFIG, strict: true }).values
  } catch (error) {
    throw wrongOption(error)
  }
}

const oneOf = <T extends string>(what: string, given: string, valid: ReadonlyArray<T>): T => {
  const found = valid.find((name) => name === given)
  if (found !== undefined) return found
  throw new UsageError(`There is no ${what} "${given}"; the nearest is ${nearest(given, valid)}.`)
}

const RULE_IDS = Object.keys(RULES) as ReadonlyArray<RuleId>

const ruleCalled = (given: string): RuleId => {
  const found = RULE_IDS.find((id) => id === given)
  if (found !== undefined) return found
  throw new UsageError(`There is no rule "${given}"; ${aboutUnknownRule(given, RULE_IDS)}.`)
}

const jobsOf = (given: string | undefined): number => {
  if (given === undefined) return availableParallelism()
  const jobs = Number(given)
  if (/^[0-9]+$/.test(given) && jobs >= 1 && jobs <= 256) return jobs
  throw new UsageError(`--jobs is a number of workers from 1 to 256, not "${given}".`)
}

/** Options of a command line; throws {@link UsageError} at what makes no sense. */
export const optionsOf = (args: ReadonlyArray<string>): Options => {
  const given = parse(args)
  return {
    suites: (given.suite ?? []).map((name) => oneOf("suite", name, SUITE_NAMES)),
    rule: given.rule === undefined ? undefined : ruleCalled(given.rule.toUpperCase()),
    provider: given.provider === undefined ? undefined : oneOf("provider", given.provider, [...PROVIDER_NAMES, "all"]),
    vectors: given.vectors ?? [],
    json: given.json,
    sources: (given.source ?? []).map((kind) => oneOf("source", kind, SOURCE_KINDS)),
    cases: given.case ?? [],
    small: given.small ?? false,
    slow: given.slow ?? false,
    jobs: jobsOf(given.jobs),
    list: given.list ?? false,
    help: given.help ?? false
  }
}
