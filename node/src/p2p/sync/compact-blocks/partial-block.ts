import type { UnixMilliseconds } from "../../../quantities.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { BegunBlock } from "../../chain/p2p-chain.ts"

/** A block whose transactions are here as far as the mempool has them. */
export interface PartialBlock extends Extract<BegunBlock, { readonly _tag: "Begun" }> {
  /** The engine's number for it. */
  readonly id: number
  readonly node: HeaderIndexNode
  /** When the compact block came. */
  readonly since: UnixMilliseconds
}
