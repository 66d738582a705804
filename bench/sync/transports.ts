import { UsageError } from "../../conformance/src/cli/usage-error.ts"
import { systemProgram } from "../../node/src/modules/sandbox/confinement.ts"
import { loadIrohBinding } from "../../node/src/p2p/transport/iroh/iroh-binding.ts"
import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { BENCH_CHAIN, benchChainFile } from "../node/bench-chain.ts"
import { inChild } from "../node/in-child.ts"
import { inTemporaryDirectory } from "../node/temporary-directory.ts"
import type { Row } from "../row.ts"
import { importInto } from "../rpc/bench-node.ts"
import type { TransportName } from "./transport-names.ts"
import type { TransportAsked, TransportFigures } from "./transport-program.ts"

/**
 * A network namespace with the loopback interface alone: Iroh's library asks routers for a port wherever it is bound.
 * All transports are measured within it, so that they are alike.
 */
const privately = (transports: ReadonlyArray<TransportName>): ReadonlyArray<string> => {
  if (!transports.includes("iroh")) return []
  const binding = loadIrohBinding()
  if (binding._tag === "Missing") throw new UsageError(binding.reason)
  const bubblewrap = systemProgram("bwrap")
  if (bubblewrap === undefined) {
    throw new UsageError(
      "Iroh is measured in a network of its own, which needs bwrap (Debian: apt-get install bubblewrap)."
    )
  }
  // With processes of its own: whatever ends the program, no node outlives it.
  const apart = ["--unshare-net", "--unshare-pid", "--proc", "/proc", "--die-with-parent"]
  return [bubblewrap, "--dev-bind", "/", "/", ...apart, "--"]
}

/** In turns, so that what else the machine does reaches all alike. */
const turned = <A>(all: ReadonlyArray<A>, by: number): ReadonlyArray<A> => {
  const at = by % all.length
  return [...all.slice(at), ...all.slice(0, at)]
}

/** What was found in one turn of all transports. */
type Round = ReadonlyMap<TransportName, TransportFigures>

const rounds = (
  { effort: { runs }, onStep, transports }: BenchSettings,
  chain: string
): Promise<ReadonlyArray<Round>> =>
  inTemporaryDirectory(async (directory) => {
    const within = privately(transports)
    onStep("importing the chain into the node that serves")
    await importInto(directory, chain)
    const found: Array<Round> = []
    for (let run = 1; run <= runs; run++) {
      const round = new Map<TransportName, TransportFigures>()
      for (const transport of turned(transports, run - 1)) {
        onStep(`syncing over ${transport}, ${run} of ${runs}`)
        const asked: TransportAsked = { directory, transport }
        round.set(transport, await inChild(new URL("transport-program.ts", import.meta.url), asked, within))
      }
      found.push(round)
    }
    return found
  })

/** A full sync from another node over each transport; whatever the transport, tip and coins are those of Bitcoin Core. */
export const transportsBench = async (settings: BenchSettings): Promise<BenchRun> => {
  const { providers, transports } = settings
  const found = await rounds(settings, benchChainFile(settings.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]))
  const middle = (figure: (round: Round) => number): number => median(found.map(figure))
  const first = transports[0]!
  const rows = transports.flatMap((name): ReadonlyArray<Row> => {
    const against = (figure: "seconds" | "processorSeconds"): Partial<Row> =>
      name === first
        ? {}
        : { ratio: middle((round) => round.get(first)![figure] / round.get(name)![figure]), to: `over ${first}` }
    const provider = providers[0]!.name
    return [
      {
        name: `sync over ${name}`,
        provider,
        value: middle((round) => BENCH_CHAIN.inputs / round.get(name)!.seconds),
        unit: "inputs/s",
        ...against("seconds")
      },
      {
        name: `sync over ${name}: processors of both nodes`,
        provider,
        value: middle((round) => round.get(name)!.processorSeconds),
        unit: "s",
        ...against("processorSeconds")
      }
    ]
  })
  return { rows, targets: [], second: "by the clock unless it says of processors" }
}
