import { existsSync, statSync } from "node:fs"
import { parseArgs } from "node:util"

/** What the fuzzer was asked to do. */
export type Command =
  | { readonly type: "help" }
  | { readonly type: "list" }
  | { readonly type: "wrong"; readonly message: string }
  | {
    readonly type: "fuzz"
    readonly targets: ReadonlyArray<string>
    readonly seconds: number
    readonly seed: number
    readonly vectors: string | undefined
    readonly corpus: string | undefined
  }

export const HELP = `Usage: pnpm fuzz [options]

Feeds the kernel made-up and damaged inputs and holds every answer against a slow second reading of the rules; what peers send
is decoded and has to encode to the same bytes; what clients of RPC and REST send is answered by a whole node, in the forms that
are documented and without a change of its chain. An exception, an input that takes 20 s of the processor, or a disagreement is a
finding: it is made small and saved in property-tests/regressions or node/test/fuzz/regressions, where the tests replay it.

  --target T     what to fuzz: one of the targets of --list, or all (default)
  --seconds N    how long, divided among the targets (default 60)
  --seed S       a whole number; the same seed and corpora make the same inputs (default: any)
  --corpus DIR   files to make inputs from, besides our own vectors
  --list         the targets
  --help         this text

LOCKSTEP_VECTORS names a directory of reference vectors; with it, their spends, transactions, blocks,
chains, messages and calls are damaged too.
Exit code: 0 nothing found, 1 something found, 2 wrong use.
`

const wrong = (message: string): Command => ({ type: "wrong", message })

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** The parser's own words, its hint about positional arguments left out. */
const firstSentence = (
  error: unknown
): string => (error instanceof Error ? error.message.split(". ")[0]! : String(error))

type Values = { target?: string; seconds?: string; seed?: string; corpus?: string; list?: boolean; help?: boolean }

const commandFrom = (values: Values, vectors: string | undefined, names: ReadonlyArray<string>): Command => {
  if (values.help) return { type: "help" }
  if (values.list) return { type: "list" }
  const target = values.target ?? "all"
  if (target !== "all" && !names.includes(target)) {
    return wrong(`there is no target "${target}"; choose all or one of ${names.join(", ")}`)
  }
  const seconds = Number(values.seconds ?? 60)
  if (!(seconds > 0)) return wrong(`--seconds takes a number above 0, not "${values.seconds}"`)
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
  if (!Number.isSafeInteger(seed)) return wrong(`--seed takes a whole number, not "${values.seed}"`)
  if (values.corpus !== undefined && !isDirectory(values.corpus)) {
    return wrong(`--corpus: there is no directory ${values.corpus}`)
  }
  if (vectors !== undefined && !isDirectory(vectors)) return wrong(`LOCKSTEP_VECTORS: there is no directory ${vectors}`)
  return { type: "fuzz", targets: target === "all" ? names : [target], seconds, seed, vectors, corpus: values.corpus }
}

/** Reads the arguments, where targets have these `names`; whatever is wrong with them is said in words. */
export const readCommand = (
  args: ReadonlyArray<string>,
  vectors: string | undefined,
  names: ReadonlyArray<string>
): Command => {
  try {
    const { values } = parseArgs({
      // pnpm hands on the "--" that may separate its own options from ours.
      args: args.filter((arg, i) => !(arg === "--" && i === 0)),
      options: {
        target: { type: "string" },
        seconds: { type: "string" },
        seed: { type: "string" },
        corpus: { type: "string" },
        list: { type: "boolean" },
        help: { type: "boolean", short: "h" }
      }
    })
    return commandFrom(values, vectors, names)
  } catch (error) {
    return wrong(firstSentence(error))
  }
}
