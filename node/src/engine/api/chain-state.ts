import type { Bits, Height, UnixSeconds, Work } from "@lockstep/kernel/quantities"

/** The chain from genesis that is validated behind one that began with a snapshot. Hashes are in wire order. */
export interface BackgroundState {
  readonly height: Height
  readonly hash: Uint8Array
  readonly bits: Bits
  readonly medianTime: UnixSeconds
  readonly chainWork: Work
  /** 0 to 1, of the whole chain. */
  readonly progress: number
  /** 0 to 1, of the way to the block of the snapshot. */
  readonly progressToBase: number
  readonly cacheBytes: number
}

/** A snapshot of coins: its block, wire order. */
export interface SnapshotState {
  readonly height: Height
  readonly hash: Uint8Array
  /** None: the snapshot is confirmed. */
  readonly background: BackgroundState | undefined
}

/**
 * The chain at one moment. The engine sends it after every change and before the answer to the call that made the
 * change. A reader on the other side never sees less than what was answered.
 */
export interface ChainState {
  readonly height: Height
  /** Wire order. */
  readonly hash: Uint8Array
  readonly time: UnixSeconds
  readonly bits: Bits
  readonly medianTime: UnixSeconds
  readonly chainWork: Work
  /** Of the best header chain that is not known to be invalid. */
  readonly headersHeight: Height
  readonly headersHash: Uint8Array
  /** 0 to 1, from transaction counts. */
  readonly progress: number
  readonly initialBlockDownload: boolean
  /** Blocks and undo data. */
  readonly sizeOnDisk: number
  readonly pruned: boolean
  /** The height from which on every block of the active chain is here with its undo data, where old blocks are pruned. */
  readonly pruneHeight: Height | undefined
  readonly transactions: number
  /** Inputs that spend coins, in the blocks of peers connected since the start. */
  readonly inputs: number
  readonly cacheBytes: number
  readonly cacheChanges: number
  /** Why no change is accepted for the time being, such as a full disk. None: changes are accepted. */
  readonly halted: string | undefined
  /**
   * Whether the blocks of files are being accepted. Until this ends it is too early to request missing blocks from
   * peers.
   */
  readonly loadingBlocks: boolean
  /** What an operator should know, such as low disk space. */
  readonly warnings: ReadonlyArray<string>
  /** The snapshot of coins that the chain began with. None: there is none, or it was confirmed before this start. */
  readonly snapshot?: SnapshotState | undefined
  /** Set on regtest by `setmocktime`, in seconds; 0: the machine's clock. */
  readonly mockTime: UnixSeconds
}
