import type { Moment } from "../../quantities.ts"
import type { Peer } from "./peer.ts"
import { PEER_LIMITS } from "./peer-limits.ts"

const { receivedBySmall, receivedOfAll, stuckPatience } = PEER_LIMITS

/** The bytes one untrusted inbound peer makes this node hold. */
export interface Share {
  /** Bytes are held for it now. */
  readonly set: (bytes: number) => void
  /**
   * It waits for its own sender, since now unless it did so before: more has to come, or what was sent has to be read.
   */
  readonly waits: () => void
  /** A whole message came out of what is held. */
  readonly progressed: () => void
  /** Whether there is no room for more of it. */
  readonly isTooMuch: () => boolean
  readonly leave: () => void
}

/**
 * The bytes all untrusted inbound peers together make this node hold: never much more than a sum, whatever they send.
 */
export interface ReceiveBudget {
  /** `relieved`: there may be room again. */
  readonly join: (peer: Pick<Peer, "disconnect">, relieved: () => void) => Share
  /** Makes room: evicts the peer that has waited longest for its own sender. */
  readonly tick: () => void
  readonly held: () => number
}

interface Entry {
  readonly peer: Pick<Peer, "disconnect">
  readonly relieved: () => void
  bytes: number
  waitsSince: Moment | undefined
}

export const receiveBudget = (now: () => number): ReceiveBudget => {
  const entries = new Set<Entry>()
  let held = 0

  const isSpent = (): boolean => held > receivedOfAll.most

  const set = (entry: Entry, bytes: number): void => {
    if (!entries.has(entry)) return
    // What comes after a while of nothing begins to wait now.
    if (entry.bytes === 0) entry.waitsSince = undefined
    held += bytes - entry.bytes
    entry.bytes = bytes
  }

  const leave = (entry: Entry): void => {
    set(entry, 0)
    entries.delete(entry)
  }

  const longestWaiting = (): Entry | undefined => {
    let found: Entry | undefined
    let since = now() - stuckPatience.most
    for (const entry of entries) {
      const { bytes, waitsSince } = entry
      if (waitsSince === undefined || waitsSince > since || bytes <= receivedBySmall.most) continue
      since = waitsSince
      found = entry
    }
    return found
  }

  return {
    join: (peer, relieved) => {
      const entry: Entry = { peer, relieved, bytes: 0, waitsSince: undefined }
      entries.add(entry)
      return {
        set: (bytes) => set(entry, bytes),
        waits: () => {
          entry.waitsSince ??= now()
        },
        progressed: () => {
          entry.waitsSince = undefined
        },
        isTooMuch: () => entry.bytes > receivedBySmall.most && isSpent(),
        leave: () => leave(entry)
      }
    },
    tick: () => {
      for (
        let victim = isSpent() ? longestWaiting() : undefined;
        victim !== undefined;
        victim = isSpent() ? longestWaiting() : undefined
      ) {
        leave(victim)
        victim.peer.disconnect({ _tag: "IncompleteMessage" })
      }
      // Always: otherwise a peer that has waited since the last tick would wait for good, and its end would not be
      // noticed.
      for (const { relieved } of entries) relieved()
    },
    held: () => held
  }
}
