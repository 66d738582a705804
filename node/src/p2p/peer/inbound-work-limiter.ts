import { PEER_LIMITS } from "./peer-limits.ts"

const { unitOfBytes, workOfAll, workSaved } = PEER_LIMITS

/** The work one untrusted inbound peer causes. */
export interface WorkShare {
  /** Something was done: bytes arrived, a message was looked at, or one of so many bytes went out. */
  readonly charge: (bytes: number) => void
  /** Whether it has to wait for the next tick. */
  readonly isSpent: () => boolean
  readonly leave: () => void
}

/**
 * Limits the work that all untrusted inbound peers together cause while the node needs its processors for itself. They
 * get a part of each tick, in equal shares, of which some can be saved. Work is counted, not timed: the same messages
 * cost the same on every machine, and an idle machine need not wait for a clock.
 */
export interface InboundWorkLimiter {
  /** `relieved`: it need not wait any more, or never had to. */
  readonly join: (isHeldBack: () => boolean, relieved: () => void) => WorkShare
  /** Each peer gets a share of the next tick. */
  readonly tick: () => void
}

interface Entry {
  readonly isHeldBack: () => boolean
  readonly relieved: () => void
  /** Units it may still use. Below zero: the last message cost more than was left. */
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
          // Work done while no peer is held back is not owed later.
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
