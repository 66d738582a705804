import type { Moment } from "../../quantities.ts"
import type { Peer } from "./peer.ts"
import { PEER_LIMITS } from "./peer-limits.ts"

const { receivedBySmall, receivedOfAll, stuckPatience } = PEER_LIMITS

/** The bytes that one untrusted inbound peer makes this node hold. */
export interface Share {
  /** Sets the number of bytes held for it now. */
  readonly set: (bytes: number) => void
  /**
   * Records that it waits for its own sender, from now on unless it already did: more has to arrive, or answers have to
   * be read.
   */
  readonly waits: () => void
  /** Records that a whole message was extracted. */
  readonly progressed: () => void
  /** True if no more bytes can be held for it. */
  readonly isTooMuch: () => boolean
  readonly leave: () => void
}

/**
 * The bytes that all untrusted inbound peers together make this node hold. The total is bounded, whatever they send.
 */
export interface ReceiveBudget {
  /** Adds a peer. `relieved` is called when space may be free again. */
  readonly join: (peer: Pick<Peer, "disconnect">, relieved: () => void) => Share
  /** Frees space: evicts the peer that has waited longest for its own sender. */
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
    // The first bytes after an idle period begin to wait now.
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
      // Always called: otherwise a peer that has waited since the last tick would wait forever, and its end would go
      // unnoticed.
      for (const { relieved } of entries) relieved()
    },
    held: () => held
  }
}
