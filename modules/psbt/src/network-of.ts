import type { Network } from "@lockstep/protocol/networks/network.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import type { NodeClient } from "@lockstep/sdk"

/** Returns the network of a node, identified by its genesis block. */
export const networkOf = async (node: NodeClient): Promise<Network> => {
  for (const network of Object.values(NETWORKS)) {
    const { value } = await node.ask("GetBlockHeader", { hash: network.parameters.genesisHash })
    if (value !== undefined) return network
  }
  throw new Error("the node has the first block of no network that this module knows")
}
