import { PROVIDER_NAMES } from "../crypto/src/index.ts"
import type { Bench } from "./bench.ts"
import { TRANSPORTS } from "./sync/transport-names.ts"

/** One line per bench. */
export const listOf = (benches: ReadonlyArray<Bench>): string =>
  benches.map(({ name, what }) => `  ${name.padEnd(10)}${what}`).join("\n")

/** What `--help` prints. */
export const helpOf = (benches: ReadonlyArray<Bench>): string =>
  `Measures the speed of the kernel, of what it stands on, and of the node.

Usage: pnpm bench [NAME] [options]     without a name: lists the benches

Benches
${listOf(benches)}

Options
  --provider NAME   crypto provider: ${PROVIDER_NAMES.join(", ")}, or all that work here (default)
  --runs N          runs whose median is shown (7; with --quick 3)
  --quick           shorter runs, and of the real blocks only the one that has a target
  --vectors DIR     a directory of reference vectors, for real blocks, beside those that the environment
                    variable LOCKSTEP_VECTORS lists; may be repeated
  --chain DIR       the directory of the chain that the node, rpc and modules benches take, in place of the environment
                    variable LOCKSTEP_BENCH_CHAIN; without either they say how to make it
  --transport NAME  of the sync bench: sync over this transport and compare tip and coins, in place of what it measures
                    otherwise: ${TRANSPORTS.join(", ")}, or all of them in turn
  --json FILE       also write the figures to a file
  -h, --help        print this

A ratio compares two things within the same runs, in turns of a few milliseconds, so it stands on a busy machine
where the figure beside it does not.

The rpc bench needs wrk (Debian: apt-get install wrk).

Exit code: 0 measured (also where a target is missed), 1 something failed, 2 the command was not understood.
`
