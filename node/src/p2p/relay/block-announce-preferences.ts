import * as Effect from "effect/Effect"
import type { Peer } from "../peer/peer.ts"
import type { PeerPart } from "../peer/peer-part.ts"

/** How a peer wants new blocks announced (`sendheaders`, `sendcmpct`). It may say so before it is ready. */
interface Preferences {
  headers: boolean
  compact: boolean
}

/** The part that knows how peers want new blocks announced. */
export interface BlockAnnouncePreferences {
  readonly part: PeerPart
  /** Whether it asked for announcements of blocks by headers. */
  readonly prefersHeaders: (peer: Peer) => boolean
  /** Whether it asked for new blocks as compact blocks, unrequested (high-bandwidth mode). */
  readonly prefersCompact: (peer: Peer) => boolean
}

export const blockAnnouncePreferences = (): BlockAnnouncePreferences => {
  const peers = new Map<number, Preferences>()

  const preferencesOf = ({ id }: Peer): Preferences => {
    const found = peers.get(id) ?? { headers: false, compact: false }
    peers.set(id, found)
    return found
  }

  return {
    part: {
      name: "block announce preferences",
      handlers: {
        sendheaders: (peer) =>
          Effect.sync(() => {
            preferencesOf(peer).headers = true
          }),
        sendcmpct: (peer, { announce, version }) =>
          Effect.sync(() => {
            if (version === 2n) preferencesOf(peer).compact = announce
          })
      },
      gone: ({ id }) => void peers.delete(id)
    },
    prefersHeaders: ({ id }) => peers.get(id)?.headers ?? false,
    prefersCompact: ({ id }) => peers.get(id)?.compact ?? false
  }
}
