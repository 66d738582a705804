import type { UnixMilliseconds } from "../../../quantities.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { noteAsked } from "./blocks-in-flight.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

const wholeOf = ({ servesWitnesses }: PeerSync): number =>
  servesWitnesses ? InventoryType.WITNESS_BLOCK : InventoryType.BLOCK

/** Requests a whole block that is in flight from the peer as a compact block. */
export const requestWhole = (from: PeerSync, { hash }: HeaderIndexNode): void =>
  from.peer.send({ command: "getdata", inventory: [{ type: wholeOf(from), hash }] })

/** Requests a block as a compact block. */
export const requestCompact = (sync: SyncState, from: PeerSync, node: HeaderIndexNode): void => {
  noteAsked(sync, from, node, sync.context.environment.now())
  from.peer.send({ command: "getdata", inventory: [{ type: InventoryType.COMPACT_BLOCK, hash: node.hash }] })
}

/** Requests blocks from the peer, with witnesses if it has them. */
export const requestMissingBlocks = (
  sync: SyncState,
  from: PeerSync,
  nodes: ReadonlyArray<HeaderIndexNode>,
  now: UnixMilliseconds
): void => {
  if (nodes.length === 0) return
  const type = wholeOf(from)
  for (const node of nodes) noteAsked(sync, from, node, now)
  const { blocksPerRequest } = sync.settings
  for (let at = 0; at < nodes.length; at += blocksPerRequest) {
    const inventory = nodes.slice(at, at + blocksPerRequest).map(({ hash }) => ({ type, hash }))
    from.peer.send({ command: "getdata", inventory })
  }
}
