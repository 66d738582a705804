import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { noteAsked } from "./blocks-in-flight.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** Asks the peer for blocks, with witnesses where it has them. */
export const askForBlocks = (sync: SyncState, from: PeerSync, nodes: ReadonlyArray<TreeNode>, now: number): void => {
  if (nodes.length === 0) return
  const type = from.servesWitnesses ? InventoryType.WITNESS_BLOCK : InventoryType.BLOCK
  for (const node of nodes) noteAsked(sync, from, node, now)
  const { blocksPerRequest } = sync.settings
  for (let at = 0; at < nodes.length; at += blocksPerRequest) {
    const inventory = nodes.slice(at, at + blocksPerRequest).map(({ hash }) => ({ type, hash }))
    from.peer.send({ command: "getdata", inventory })
  }
}
