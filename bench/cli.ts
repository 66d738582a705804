import { writeFileSync } from "node:fs"
import { providersFor } from "../conformance/src/cli/providers.ts"
import { UsageError } from "../conformance/src/cli/usage-error.ts"
import { describeProvider } from "../crypto/src/index.ts"
import type { Bench, BenchRun } from "./bench.ts"
import { catchUpBench } from "./catch-up/bench.ts"
import { coinsBench } from "./coins/bench.ts"
import { compactBench } from "./compact/bench.ts"
import { cryptoBench } from "./crypto-bench.ts"
import { helpOf, listOf } from "./help.ts"
import { kernelBench } from "./kernel/bench.ts"
import { mempoolBench } from "./mempool/bench.ts"
import { modulesBench } from "./modules/bench.ts"
import { nodeBench } from "./node/bench.ts"
import { type Options, optionsOf } from "./options.ts"
import { isMet } from "./row.ts"
import { rpcBench } from "./rpc/bench.ts"
import { startBench } from "./start/bench.ts"
import { syncBench } from "./sync/bench.ts"
import { tableOf, verdictOf } from "./table.ts"
import { transportBench } from "./transport/bench.ts"

const BENCHES: ReadonlyArray<Bench> = [
  {
    name: "kernel",
    what: "verifications, the worst legacy transaction, blocks, memory, and their targets",
    run: kernelBench
  },
  {
    name: "node",
    what: "import of a signed chain on a real disk, memory, restart, mining, stop, and their targets",
    run: nodeBench
  },
  {
    name: "rpc",
    what: "requests of a running node beside bare node:http, at rest and while it imports, and their targets",
    run: rpcBench
  },
  {
    name: "start",
    what: "a start until RPC listens and until the chain is ready, from the kept build and from the sources",
    run: startBench
  },
  {
    name: "sync",
    what: "a full sync from another node over a socket, with all signatures, over v2 and v1, and its targets",
    run: syncBench
  },
  {
    name: "catch-up",
    what: "small blocks from a peer, in the initial download and out of it, and their target",
    run: catchUpBench
  },
  {
    name: "coins",
    what: "a set of five million coins on each storage engine: memory, look-ups, commits",
    run: coinsBench
  },
  {
    name: "mempool",
    what:
      "acceptance beside raw signatures, a mempool of 100,000 transactions and its graph, a reorganization, and their targets",
    run: mempoolBench
  },
  {
    name: "transport",
    what: "a handshake of the v2 transport and messages over it beside v1, and its target",
    run: transportBench
  },
  {
    name: "compact",
    what: "a compact block of 4,000 transactions from its announcement to the tip, and its target",
    run: compactBench
  },
  {
    name: "modules",
    what: "requests and blocks of a module, events for 20 of them, also during a sync, and their targets",
    run: modulesBench
  },
  { name: "crypto", what: "the primitives of each crypto provider by themselves", run: cryptoBench }
]

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

const effortOf = ({ quick, runs }: Options): { readonly runs: number; readonly milliseconds: number } =>
  quick ? { runs: runs ?? 3, milliseconds: 40 } : { runs: runs ?? 7, milliseconds: 100 }

const report = ({ rows, second, targets }: BenchRun, bench: string, { runs }: { readonly runs: number }): string => {
  const judged = targets.map((target) => ({ ...target, met: isMet(target) }))
  return JSON.stringify({ bench, node: process.versions.node, runs, second, rows, targets: judged }, null, 2)
}

const write = (file: string, text: string): void => {
  try {
    writeFileSync(file, `${text}\n`)
  } catch (error) {
    throw new UsageError(`--json cannot be written: ${messageOf(error)}.`)
  }
}

/** Steps are for a person who waits: they stay out of what is piped on. */
const onStep = (step: string): void => console.error(`${step} …`)

const measure = async (bench: Bench, options: Options): Promise<void> => {
  const providers = providersFor(options.provider)
  const effort = effortOf(options)
  if (options.json !== undefined) write(options.json, "{}")
  for (const provider of providers) console.log(describeProvider(provider))
  const { chain, quick, transports, vectors } = options
  const run = await bench.run({ providers, effort, quick, vectors, chain, transports, onStep })
  console.log(`\n${tableOf(run.rows)}`)
  console.log(`\nMedians of ${effort.runs} runs on Node.js ${process.versions.node}; a second is one ${run.second}.`)
  if (run.targets.length > 0) console.log(`\n${run.targets.map(verdictOf).join("\n")}`)
  if (options.json !== undefined) write(options.json, report(run, bench.name, effort))
}

const main = async (args: ReadonlyArray<string>): Promise<void> => {
  const options = optionsOf(args, BENCHES.map(({ name }) => name))
  if (options.help) return console.log(helpOf(BENCHES))
  const bench = BENCHES.find(({ name }) => name === options.bench)
  if (bench === undefined) {
    return console.log(`Benches (pnpm bench NAME; pnpm bench --help says more):\n${listOf(BENCHES)}`)
  }
  await measure(bench, options)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(messageOf(error))
  if (error instanceof UsageError) console.error("pnpm bench --help lists what there is.")
  process.exitCode = error instanceof UsageError ? 2 : 1
}
