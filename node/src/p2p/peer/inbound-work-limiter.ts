import { PEER_LIMITS } from "./peer-limits.ts"

const { unitOfBytes, workOfAll, workSaved } = PEER_LIMITS

/** The work that one untrusted inbound peer causes. */
export interface WorkShare {
  /** Charges one unit, plus a share for the bytes: bytes arrived, a message was processed, or a message was sent. */
  readonly charge: (bytes: number) => void
  /** True if the peer has to wait for the next tick. */
  readonly isSpent: () => boolean
  readonly leave: () => void
}

/**
 * Limits the work that all untrusted inbound peers together cause while the node needs its processors itself. They
 * share a part of each tick equally, and some of it can be saved. Work is counted, not timed, so the same messages cost
 * the same on every machine.
 */
export interface InboundWorkLimiter {
  /** Adds a peer. `relieved` is called when it no longer has to wait. */
  readonly join: (isHeldBack: () => boolean, relieved: () => void) => WorkShare
  /** Gives each peer a share of the next tick. */
  readonly tick: () => void
}

interface Entry {
  readonly isHeldBack: () => boolean
  readonly relieved: () => void
  /** Remaining units; negative if the last message cost more than was left. */
  left: number
}

export const inboundWorkLimiter = (): InboundWorkLimiter => {
  const entries = new Set<Entry>()
  const isSpent = ({ isHeldBack, left }: Entry): boolean => left <= 0 && isHeldBack()
  return {
    join: (isHeldBack, relieved) => {
      const entry: Entry = { isHeldBack, relieved, left: workSaved.most }
      entries.add(entry)
      return {
        charge: (bytes) => {
          // Work done while no peer is held back is free.
          if (isHeldBack()) entry.left -= 1 + bytes / unitOfBytes.most
        },
        isSpent: () => isSpent(entry),
        leave: () => void entries.delete(entry)
      }
    },
    tick: () => {
      const share = workOfAll.most / entries.size
      for (const entry of entries) {
        const wasSpent = entry.left <= 0
        entry.left = Math.min(workSaved.most, entry.left + share)
        if (wasSpent && !isSpent(entry)) entry.relieved()
      }
    }
  }
}
