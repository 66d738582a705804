import type { RunningNode } from "../../node/test/process/node-process.ts"
import { BENCH_CHAIN } from "../node/bench-chain.ts"
import { asOperator } from "./as-operator.ts"

const PATIENCE_MILLISECONDS = 300_000

/** One call that is answered when the height is there: asking again and again would be measured along. */
export const untilHeight = async (node: RunningNode, directory: string, height: number): Promise<void> => {
  const wanted = [height, PATIENCE_MILLISECONDS]
  const reached = await asOperator(node.port, directory, "waitforblockheight", wanted) as { readonly height: number }
  if (reached.height < height) {
    throw new Error(`the node is not in sync after ${PATIENCE_MILLISECONDS / 1_000} s:\n${node.stdout()}`)
  }
}

/** That the node has the tip of the chain, and the coins that Bitcoin Core has after it. */
export const expectSynced = async (node: RunningNode): Promise<void> => {
  const tip = await node.client.call("getbestblockhash")
  if (tip !== BENCH_CHAIN.tip) throw new Error(`after the sync the tip is ${String(tip)}`)
  const { muhash } = await node.client.call("gettxoutsetinfo", "muhash") as { readonly muhash: string }
  if (muhash !== BENCH_CHAIN.muhash) throw new Error(`after the sync the MuHash of the coins is ${muhash}`)
}

/** That the connection was of the kind that is measured. */
export const expectTransport = async (server: RunningNode, wanted: string): Promise<void> => {
  const peers = await server.client.call("getpeerinfo") as ReadonlyArray<{ readonly transport_protocol_type: string }>
  const kinds = peers.map(({ transport_protocol_type: kind }) => kind)
  if (kinds.length === 0 || kinds.some((kind) => kind !== wanted)) {
    throw new Error(`connections are ${kinds.join(", ")} instead of ${wanted}`)
  }
}
