import type { FrameFault } from "@lockstep/protocol/wire/fault.ts"
import type { ArrivedFrame, PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import type * as Result from "effect/Result"
import { PEER_LIMITS } from "./peer-limits.ts"

/**
 * The receive buffer of a peer: bytes received and not processed yet. Messages are extracted one at a time, when their
 * turn comes. So a change that one message makes applies to the next, and the queue holds only bytes.
 */
export interface Inbox {
  readonly transport: PeerTransport
  readonly pieces: Array<Uint8Array>
  /** Index of the first piece that is left. */
  at: number
  /** Bytes of the pieces, each with the overhead of keeping it. */
  held: number
  /** The piece that is being read. */
  inHand: Uint8Array | undefined
}

/** Makes an empty inbox. */
export const inbox = (transport: PeerTransport): Inbox => ({
  transport,
  pieces: [],
  at: 0,
  held: 0,
  inHand: undefined
})

const costOf = (piece: Uint8Array): number => piece.length + PEER_LIMITS.pieceOverhead.most

/** Adds a piece that arrived. */
export const put = (box: Inbox, piece: Uint8Array): void => {
  box.pieces.push(piece)
  box.held += costOf(piece)
}

const nextPiece = (box: Inbox): Uint8Array | undefined => {
  const piece = box.pieces[box.at]
  if (piece === undefined) return undefined
  box.held -= costOf(piece)
  box.at++
  if (box.at === box.pieces.length) {
    box.pieces.length = 0
    box.at = 0
  } else if (box.at === 1_024) {
    box.pieces.splice(0, box.at)
    box.at = 0
  }
  return piece
}

/** Returns the number of bytes held for a peer. */
export const heldFor = (box: Inbox): number => box.held + box.transport.held()

/**
 * Frees the memory of the piece being read, which has been copied completely. Otherwise V8 rarely collects a small
 * heap, until megabytes of such buffers force a full collection.
 */
const release = (box: Inbox): void => {
  const { inHand } = box
  box.inHand = undefined
  if (inHand?.buffer instanceof ArrayBuffer && inHand.length === inHand.buffer.byteLength) inHand.buffer.transfer(0)
}

/** Releases everything unprocessed. */
export const discard = (box: Inbox): void => {
  box.pieces.length = 0
  box.at = 0
  box.held = 0
  box.transport.abandon()
  release(box)
}

/** Returns the next message or its fault, or `undefined` if more bytes must arrive first. */
export const nextMessage = (box: Inbox): Result.Result<ArrivedFrame | undefined, FrameFault> => {
  for (;;) {
    const answer = box.transport.read()
    if (answer._tag === "Failure" || answer.success !== undefined) return answer
    release(box)
    const piece = nextPiece(box)
    if (piece === undefined) return answer
    box.inHand = piece
    box.transport.feed(piece)
  }
}
