/** Status of the block of a header, as bits of one byte that is kept on disk. */
export const HeaderStatus = {
  /** The block is stored. */
  STORED: 1,
  /** Its undo data are stored. */
  UNDO: 2,
  /** It was connected once, so its scripts are valid. */
  CONNECTED: 4,
  /** It or an ancestor was found or declared invalid. */
  INVALID: 8,
  /** The block was stored and then pruned. */
  PRUNED: 16,
  /** It and all its ancestors have been stored at some time. Not kept on disk, but computed when the index is loaded. */
  LINKED: 32
} as const

/** The bits that are kept on disk. */
export const KEPT_STATUS = 0xff ^ HeaderStatus.LINKED
