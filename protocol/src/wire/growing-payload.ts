const NOTHING = new Uint8Array(0)

/**
 * An incomplete payload. The capacity of `bytes` is at most twice the bytes that have arrived, never the declared
 * length.
 */
export interface GrowingPayload {
  readonly length: number
  bytes: Uint8Array<ArrayBuffer>
  received: number
}

/** Returns a payload of which nothing has arrived. */
export const growingPayload = (length: number): GrowingPayload => ({ length, bytes: NOTHING, received: 0 })

/** Releases the buffer immediately, even while it is referenced. */
export const releasePayload = ({ bytes }: GrowingPayload): void => {
  if (bytes !== NOTHING) bytes.buffer.transfer(0)
}

/**
 * Makes room for `more` bytes: doubles the capacity if it is exhausted, up to the declared length. So memory is
 * proportional to the bytes that arrive. The old buffer is released at once; for many large payloads it would otherwise
 * remain until a full garbage collection.
 */
const makeRoom = (payload: GrowingPayload, more: number): void => {
  const needed = payload.received + more
  if (needed <= payload.bytes.length) return
  const grown = new Uint8Array(Math.min(payload.length, Math.max(needed, 2 * payload.bytes.length)))
  grown.set(payload.bytes.subarray(0, payload.received))
  releasePayload(payload)
  payload.bytes = grown
}

/** Appends bytes that have arrived; no more than declared. */
export const append = (payload: GrowingPayload, part: Uint8Array): void => {
  makeRoom(payload, part.length)
  payload.bytes.set(part, payload.received)
  payload.received += part.length
}
