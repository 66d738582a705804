import type { Height } from "@lockstep/kernel/quantities"
import type { Kinds } from "./words.ts"

/** Step of the presync of a peer's headers. */
export type PresyncNews = Kinds<{
  Aborted: {
    why:
      | "commitment mismatch"
      | "commitment overrun"
      | "exceeded max commitments"
      | "incomplete headers message"
      | "invalid difficulty transition"
      | "non-continuous headers"
    height: Height
    phase: "presync" | "redownload"
  }
  Completed: { height: Height }
  /** The work is enough, and the headers are fetched again. */
  Sufficient: { height: Height; start: Height }
  Started: { height: Height; mostCommitments: number; minimumWork: bigint }
}>

/** Events about headers and blocks on their way from peers and to them. */
export type SyncHappening = Kinds<{
  BlockTransactionsUnexpected: { peer: number }
  /** `deeperThan` is the depth that the block exceeds, or `undefined` if the block is missing. */
  BlockTransactionsUnserved: { peer: number; deeperThan: number | undefined }
  CompactBlockIgnored: { peer: number; why: "already syncing" | "low work" | "unsolicited" }
  /** It cannot be put together; the peer that was asked first may still send the block. */
  CompactBlockFailed: { peer: number }
  CompactBlockRebuilt: {
    hash: Uint8Array
    prefilled: number
    found: number
    extra: number
    requested: number
    requestedBytes: number
  }
  /** A header that a peer showed first. */
  HeaderSeen: {
    hash: Uint8Array
    height: Height
    peer: number
    via: "cmpctblock" | "headers"
    isDownloading: boolean
  }
  /** Headers without a known parent. Those in between are requested from `height` on. */
  HeadersUnconnected: { peer: number; hash: Uint8Array; previous: Uint8Array; height: Height }
  /** A peer requests a block that is on no branch that is served. */
  OldBlockRequested: { peer: number }
  /** An outbound peer did not catch up. `best` is the best block that it showed. */
  OldChain: { peer: number; best: Uint8Array | undefined }
  PeerProtected: { peer: number }
  Presync: { peer: number; news: PresyncNews }
  ReorganizationTooLarge: { hash: Uint8Array; height: Height }
}>
