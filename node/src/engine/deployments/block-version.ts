import type { ChainEngine } from "../state/chain-engine.ts"
import { nextVersion } from "./signalled-deployments.ts"

/** Returns the version of the next block: that of the options if blocks are mined on demand, else one that signals. */
export const blockVersion = ({ network, options, tree: { tip } }: ChainEngine): number => {
  const given = network.name === "regtest" ? options.mining?.blockVersion : undefined
  return given ?? nextVersion(tip, network)
}
