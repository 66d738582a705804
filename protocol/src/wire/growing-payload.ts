const NOTHING = new Uint8Array(0)

/** A payload on its way. `bytes` is what has arrived with room for at most as much again, never the declared length. */
export interface GrowingPayload {
  readonly length: number
  bytes: Uint8Array<ArrayBuffer>
  received: number
}

/** One of which nothing has arrived. */
export const growingPayload = (length: number): GrowingPayload => ({ length, bytes: NOTHING, received: 0 })

/** Releases the buffer at once, even while there are references to it. */
export const releasePayload = ({ bytes }: GrowingPayload): void => {
  if (bytes !== NOTHING) bytes.buffer.transfer(0)
}

/**
 * Room for `more` bytes: twice what there is when it runs out, never more than declared. So room follows what arrives.
 * The room before is given back at once: of many large payloads it would wait for a collection of the whole heap.
 */
const makeRoom = (payload: GrowingPayload, more: number): void => {
  const needed = payload.received + more
  if (needed <= payload.bytes.length) return
  const grown = new Uint8Array(Math.min(payload.length, Math.max(needed, 2 * payload.bytes.length)))
  grown.set(payload.bytes.subarray(0, payload.received))
  releasePayload(payload)
  payload.bytes = grown
}

/** Adds what has arrived; no more than is declared. */
export const append = (payload: GrowingPayload, part: Uint8Array): void => {
  makeRoom(payload, part.length)
  payload.bytes.set(part, payload.received)
  payload.received += part.length
}
