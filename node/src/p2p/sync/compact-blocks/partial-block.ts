import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { BegunBlock } from "../../chain/p2p-chain.ts"

/** A block with those of its transactions that the mempool has. */
export interface PartialBlock extends Extract<BegunBlock, { readonly _tag: "Begun" }> {
  /** The engine's id of the reconstruction. */
  readonly id: number
  readonly node: HeaderIndexNode
  /** Time at which the compact block arrived. */
  readonly since: UnixMilliseconds
}
