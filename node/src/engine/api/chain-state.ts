import type { Bits, Height, UnixSeconds, Work } from "@lockstep/kernel/quantities"

/** The chain from genesis that is validated in the background after a start from a snapshot. Hashes are in wire order. */
export interface BackgroundState {
  readonly height: Height
  readonly hash: Uint8Array
  readonly bits: Bits
  readonly medianTime: UnixSeconds
  readonly chainWork: Work
  /** Progress in the whole chain, from 0 to 1. */
  readonly progress: number
  /** Progress towards the block of the snapshot, from 0 to 1. */
  readonly progressToBase: number
  readonly cacheBytes: number
}

/** A snapshot of coins. The hash of its block is in wire order. */
export interface SnapshotState {
  readonly height: Height
  readonly hash: Uint8Array
  /** `undefined` once the snapshot is confirmed. */
  readonly background: BackgroundState | undefined
}

/**
 * The chain at one moment. The engine sends it after every change, before the answer to the call that made the change.
 * A reader in another thread never sees less than what was answered.
 */
export interface ChainState {
  readonly height: Height
  /** Hash of the tip in wire order. */
  readonly hash: Uint8Array
  readonly time: UnixSeconds
  readonly bits: Bits
  readonly medianTime: UnixSeconds
  readonly chainWork: Work
  /** Height of the best header chain that is not known to be invalid. */
  readonly headersHeight: Height
  readonly headersHash: Uint8Array
  /** Verification progress from 0 to 1, estimated from transaction counts. */
  readonly progress: number
  readonly initialBlockDownload: boolean
  /** Bytes of blocks and undo data. */
  readonly sizeOnDisk: number
  readonly pruned: boolean
  /** The height from which every block of the active chain is stored with its undo data; set if old blocks are pruned. */
  readonly pruneHeight: Height | undefined
  readonly transactions: number
  /** Inputs of the blocks that peers sent and that were connected since the start, without coinbases. */
  readonly inputs: number
  readonly cacheBytes: number
  readonly cacheChanges: number
  /** The reason why no change is accepted at present, such as a full disk; `undefined` if changes are accepted. */
  readonly halted: string | undefined
  /** True while block files are being imported. Until then it is too early to request missing blocks from peers. */
  readonly loadingBlocks: boolean
  /** Warnings for the operator, such as low disk space. */
  readonly warnings: ReadonlyArray<string>
  /** The snapshot that the chain began with; `undefined` without one, or if it was confirmed before this start. */
  readonly snapshot?: SnapshotState | undefined
  /** Seconds set on regtest by `setmocktime`; 0 if the machine's clock is used. */
  readonly mockTime: UnixSeconds
}
