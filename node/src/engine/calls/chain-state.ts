/**
 * The chain at one moment. The engine sends it after every change and before the answer to the call that made the change,
 * so whoever reads it on the other side never sees less than what was answered.
 */
export interface ChainState {
  readonly height: number
  /** Wire order. */
  readonly hash: Uint8Array
  readonly time: number
  readonly bits: number
  readonly medianTime: number
  readonly chainWork: bigint
  /** Of the best header chain that is not known to be invalid. */
  readonly headersHeight: number
  readonly headersHash: Uint8Array
  /** 0 to 1, from transaction counts. */
  readonly progress: number
  readonly initialBlockDownload: boolean
  /** Blocks and undo data. */
  readonly sizeOnDisk: number
  readonly pruned: boolean
  /** Lowest height whose block is here, while pruned. */
  readonly pruneHeight: number | undefined
  readonly transactions: number
  /** Inputs that spend coins, in the blocks of peers connected since the start. */
  readonly inputs: number
  readonly cacheBytes: number
  readonly cacheChanges: number
  /** Why nothing is taken in for the time being, such as a full disk; none: everything is. */
  readonly halted: string | undefined
  /** Whether blocks that stand in files are being taken in: asking others for what is missing is too early. */
  readonly takingIn: boolean
  /** What an operator should know, such as low disk space. */
  readonly warnings: ReadonlyArray<string>
  /** Set on regtest by `setmocktime`, in seconds; 0: the machine's clock. */
  readonly mockTime: number
}
