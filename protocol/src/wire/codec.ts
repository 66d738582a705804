import type { ProtocolLimits } from "./limits.ts"
import type { PayloadCursor } from "./payload-cursor.ts"

/**
 * How the payload of one command is read and written. `read` moves the cursor to where the message ends and answers
 * something meaningless when the cursor is not intact afterwards; `write` gives back the very bytes that were read.
 */
export interface Codec<M> {
  readonly read: (cursor: PayloadCursor, limits: ProtocolLimits) => M
  /** Moves the cursor as `read` does, and breaks it for the same bytes, without making the message. None: `read` costs little. */
  readonly pass?: (cursor: PayloadCursor, limits: ProtocolLimits) => void
  readonly write: (message: M) => Uint8Array
}
