import type { FrameFault } from "@lockstep/protocol/wire/fault.ts"
import type { ArrivedFrame, PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import type * as Result from "effect/Result"
import { PEER_LIMITS } from "./peer-limits.ts"

/**
 * The receive buffer of a peer: what it sent and was not processed yet. Messages are cut out one at a time, when their
 * turn comes. So what one message changes holds for the next, and only bytes are held for those in the queue.
 */
export interface Inbox {
  readonly transport: PeerTransport
  readonly pieces: Array<Uint8Array>
  /** The first of the pieces that is still there. */
  at: number
  /** What the pieces take, each with what it costs to keep it. */
  held: number
  /** The one that is being read. */
  inHand: Uint8Array | undefined
}

/** An empty inbox. */
export const inbox = (transport: PeerTransport): Inbox => ({
  transport,
  pieces: [],
  at: 0,
  held: 0,
  inHand: undefined
})

const costOf = (piece: Uint8Array): number => piece.length + PEER_LIMITS.pieceOverhead.most

/** Adds what has arrived. */
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

/** Bytes that are held for a peer. */
export const heldFor = (box: Inbox): number => box.held + box.transport.held()

/**
 * Gives the memory of the piece in hand back, of which all has been copied. A heap of which so little is used is rarely
 * collected, until V8 sees megabytes of pieces beside it and collects all of it for them.
 */
const release = (box: Inbox): void => {
  const { inHand } = box
  box.inHand = undefined
  if (inHand?.buffer instanceof ArrayBuffer && inHand.length === inHand.buffer.byteLength) inHand.buffer.transfer(0)
}

/** Releases everything: it will not be processed. */
export const discard = (box: Inbox): void => {
  box.pieces.length = 0
  box.at = 0
  box.held = 0
  box.transport.abandon()
  release(box)
}

/** The next message, as the transport answers it; nothing where more must arrive first. */
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
