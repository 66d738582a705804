import * as Effect from "effect/Effect"
import type { BlockPreferences } from "../sync/compact-blocks/compact-state.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerPart } from "../peer/peer-part.ts"

/**
 * A peer's preferences for announcements of new blocks (`sendheaders`, `sendcmpct`). It may send them before it is
 * ready.
 */
interface Preferences {
  headers: boolean
  compact: boolean
  servesCompact: boolean
}

/** The part that records how peers want new blocks announced. */
export interface BlockAnnouncePreferences extends BlockPreferences {
  readonly part: PeerPart
}

export const blockAnnouncePreferences = (): BlockAnnouncePreferences => {
  const peers = new Map<number, Preferences>()

  const preferencesOf = ({ id }: Peer): Preferences => {
    const found = peers.get(id) ?? { headers: false, compact: false, servesCompact: false }
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
            // Version 1 identified transactions without their witnesses.
            if (version !== 2n) return
            const preferences = preferencesOf(peer)
            preferences.compact = announce
            preferences.servesCompact = true
          })
      },
      gone: ({ id }) => void peers.delete(id)
    },
    prefersHeaders: ({ id }) => peers.get(id)?.headers ?? false,
    prefersCompact: ({ id }) => peers.get(id)?.compact ?? false,
    servesCompact: ({ id }) => peers.get(id)?.servesCompact ?? false
  }
}
