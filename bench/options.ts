import { parseArgs } from "node:util"
import { nearest } from "../conformance/src/cli/nearest.ts"
import { UsageError } from "../conformance/src/cli/usage-error.ts"
import { PROVIDER_NAMES } from "../crypto/src/index.ts"
import { type TransportName, TRANSPORTS } from "./sync/transport-names.ts"

/** What the command line asks for. Without a bench it asks which there are. */
export interface Options {
  readonly bench: string | undefined
  readonly runs: number | undefined
  readonly provider: string
  readonly json: string | undefined
  readonly vectors: ReadonlyArray<string>
  readonly chain: string | undefined
  readonly transports: ReadonlyArray<TransportName>
  readonly quick: boolean
  readonly help: boolean
}

const CONFIG = {
  runs: { type: "string" },
  provider: { type: "string" },
  json: { type: "string" },
  vectors: { type: "string", multiple: true },
  chain: { type: "string" },
  transport: { type: "string" },
  quick: { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const

const wrongOption = (error: unknown): UsageError => {
  const message = error instanceof Error ? error.message : String(error)
  const [, unknown] = /Unknown option '([^']+)'/.exec(message) ?? []
  if (unknown === undefined) return new UsageError(`${message.split(/[.\n]/)[0]}.`)
  const close = nearest(unknown, Object.keys(CONFIG).map((name) => `--${name}`))
  return new UsageError(`There is no option ${unknown}; the nearest is ${close}.`)
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    // pnpm passes a separating "--" as it was typed.
    return parseArgs({
      args: args.filter((arg) => arg !== "--"),
      options: CONFIG,
      strict: true,
      allowPositionals: true
    })
  } catch (error) {
    throw wrongOption(error)
  }
}

const oneOf = (what: string, given: string, valid: ReadonlyArray<string>): string => {
  if (valid.includes(given)) return given
  throw new UsageError(`There is no ${what} "${given}"; there are ${valid.join(", ")}.`)
}

const runsOf = (given: string): number => {
  if (/^[0-9]{1,3}$/.test(given) && Number(given) >= 1) return Number(given)
  throw new UsageError(`--runs is a number of runs from 1 to 999, not "${given}".`)
}

const transportsOf = (given: string | undefined, bench: string | undefined): ReadonlyArray<TransportName> => {
  if (given === undefined) return []
  if (bench !== "sync") throw new UsageError("--transport is an option of the sync bench.")
  const name = oneOf("transport", given, [...TRANSPORTS, "all"])
  return name === "all" ? TRANSPORTS : TRANSPORTS.filter((each) => each === name)
}

/** Options of a command line for the benches called `names`; throws {@link UsageError} at what makes no sense. */
export const optionsOf = (args: ReadonlyArray<string>, names: ReadonlyArray<string>): Options => {
  const { positionals, values } = parse(args)
  const [bench, extra] = positionals
  if (extra !== undefined) throw new UsageError(`One bench at a time: "${extra}" is one too many.`)
  return {
    bench: bench === undefined ? undefined : oneOf("bench", bench, names),
    runs: values.runs === undefined ? undefined : runsOf(values.runs),
    provider: oneOf("provider", values.provider ?? "all", [...PROVIDER_NAMES, "all"]),
    json: values.json,
    vectors: values.vectors ?? [],
    chain: values.chain,
    transports: transportsOf(values.transport, bench),
    quick: values.quick ?? false,
    help: values.help ?? false
  }
}
