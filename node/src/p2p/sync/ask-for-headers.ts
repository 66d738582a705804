import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { locatorOf } from "./locator.ts"
import type { PeerSync } from "./peer-sync.ts"
import { HEADERS_RESPONSE_TIME } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

/** A locator says a version that nobody looks at; the reference implementation always says this one. */
const LOCATOR_VERSION = 70_016

const NO_STOP = new Uint8Array(32)

/** Asks for the headers behind those of a locator, unless an answer is awaited already. Answers whether it did. */
export const askWithLocator = ({ context }: SyncState, from: PeerSync, locator: ReadonlyArray<Uint8Array>): boolean => {
  const now = context.environment.now()
  if (from.askedForHeaders !== 0 && now - from.askedForHeaders <= HEADERS_RESPONSE_TIME) return false
  from.askedForHeaders = now
  from.peer.send({ command: "getheaders", version: LOCATOR_VERSION, locator, stop: NO_STOP })
  return true
}

/** Asks for the headers on top of `node`. */
export const askForHeaders = (sync: SyncState, from: PeerSync, node: TreeNode): boolean =>
  askWithLocator(sync, from, locatorOf(node))
