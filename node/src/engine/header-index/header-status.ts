/** What is known about the block of a header, as bits of one byte that is kept on disk. */
export const HeaderStatus = {
  /** The block's bytes are here. */
  STORED: 1,
  /** Its undo data are here. */
  UNDO: 2,
  /** It was connected once, so its scripts hold. */
  CONNECTED: 4,
  /** It, or an ancestor, was found or declared invalid. */
  INVALID: 8,
  /** Its bytes were here and are gone. */
  PRUNED: 16,
  /** It and all its ancestors have been here: not kept on disk, but found out when the index is loaded. */
  LINKED: 32
} as const

/** The bits that are kept on disk. */
export const KEPT_STATUS = 0xff ^ HeaderStatus.LINKED
