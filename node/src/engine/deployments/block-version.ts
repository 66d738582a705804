import type { ChainEngine } from "../state/chain-engine.ts"
import { nextVersion } from "./signalled-deployments.ts"

/** The version of the next block: what the options say where blocks are mined on demand, else what signals. */
export const blockVersion = ({ network, options, tree: { tip } }: ChainEngine): number => {
  const given = network.name === "regtest" ? options.mining?.blockVersion : undefined
  return given ?? nextVersion(tip, network)
}
