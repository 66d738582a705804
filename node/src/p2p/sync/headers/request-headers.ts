import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { locatorOf } from "./locator.ts"
import type { PeerSync } from "../peer-sync.ts"
import { HEADERS_RESPONSE_TIME } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/** The version in `getheaders`, which no node reads; Core always sends this one. */
const LOCATOR_VERSION = 70_016

const NO_STOP = new Uint8Array(32)

/** Requests the headers after those of a locator. Returns false if an answer is awaited already. */
export const sendGetHeaders = ({ context }: SyncState, from: PeerSync, locator: ReadonlyArray<Uint8Array>): boolean => {
  const now = context.environment.now()
  if (from.askedForHeaders !== 0 && now - from.askedForHeaders <= HEADERS_RESPONSE_TIME) return false
  from.askedForHeaders = now
  from.peer.send({ command: "getheaders", version: LOCATOR_VERSION, locator, stop: NO_STOP })
  return true
}

/** Requests the headers on top of `node`, unless an answer is awaited already. */
export const requestHeaders = (sync: SyncState, from: PeerSync, node: HeaderIndexNode): boolean =>
  sendGetHeaders(sync, from, locatorOf(node))
