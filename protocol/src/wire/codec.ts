import type { ProtocolLimits } from "./limits.ts"
import type { PayloadCursor } from "./payload-cursor.ts"

/**
 * Codec of the payload of one command. `read` moves the cursor to the end of the message; its result is meaningless if
 * the cursor is not intact afterwards. `write` reproduces exactly the bytes that were read.
 */
export interface Codec<M> {
  readonly read: (cursor: PayloadCursor, limits: ProtocolLimits) => M
  /**
   * Moves the cursor as `read` does, and breaks it for the same bytes, without building the message. Absent if `read`
   * is cheap.
   */
  readonly pass?: (cursor: PayloadCursor, limits: ProtocolLimits) => void
  readonly write: (message: M) => Uint8Array
}
