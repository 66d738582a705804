import type { BenchRun, BenchSettings } from "../bench.ts"
import { benchChainFile } from "../node/bench-chain.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import { importRows } from "./import-bench.ts"
import { requestRows } from "./requests-bench.ts"
import { rpcTargets } from "./targets.ts"
import { expectWrk } from "./wrk.ts"

/** Nodes that import are started anew for each run. */
const MOST_IMPORTS = 3

/** RPC and health of a node as operators run it, asked by wrk. */
export const rpcBench = async ({ chain, effort, onStep, providers, quick }: BenchSettings): Promise<BenchRun> => {
  await expectWrk()
  const file = benchChainFile(chain ?? process.env["LOCKSTEP_BENCH_CHAIN"])
  const { crypto, name: provider } = providers[0]!
  const { runs } = effort
  const atRest = await inTemporaryDirectory((directory) =>
    requestRows({ directory, crypto, provider, runs, seconds: quick ? 1 : 2, onStep })
  )
  const rows = [...atRest, ...await importRows({ chain: file, provider, runs: Math.min(runs, MOST_IMPORTS), onStep })]
  return { rows, targets: rpcTargets(rows, "it was not measured"), second: "by the clock" }
}
