import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { noteAsked } from "./blocks-in-flight.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/** Requests blocks from the peer, with witnesses where it has them. */
export const requestMissingBlocks = (
  sync: SyncState,
  from: PeerSync,
  nodes: ReadonlyArray<HeaderIndexNode>,
  now: number
): void => {
  if (nodes.length === 0) return
  const type = from.servesWitnesses ? InventoryType.WITNESS_BLOCK : InventoryType.BLOCK
  for (const node of nodes) noteAsked(sync, from, node, now)
  const { blocksPerRequest } = sync.settings
  for (let at = 0; at < nodes.length; at += blocksPerRequest) {
    const inventory = nodes.slice(at, at + blocksPerRequest).map(({ hash }) => ({ type, hash }))
    from.peer.send({ command: "getdata", inventory })
  }
}
