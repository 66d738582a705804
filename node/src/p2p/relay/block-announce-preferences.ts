import * as Effect from "effect/Effect"
import type { Handlers } from "../peer/peer-part.ts"
import type { Peer } from "../peer/peer.ts"

/** How a peer wants new blocks announced (`sendheaders`, `sendcmpct`). It may say so before it is ready. */
interface Wishes {
  headers: boolean
  compact: boolean
}

/** How peers want new blocks announced. */
export interface BlockAnnouncePreferences {
  readonly handlers: Pick<Handlers, "sendcmpct" | "sendheaders">
  readonly prefersHeaders: (peer: Peer) => boolean
  /** Whether it asked for new blocks as compact blocks, unrequested (high-bandwidth mode). */
  readonly prefersCompact: (peer: Peer) => boolean
  readonly gone: (peer: Peer) => void
}

export const blockAnnouncePreferences = (): BlockAnnouncePreferences => {
  const peers = new Map<number, Wishes>()

  const wishesOf = ({ id }: Peer): Wishes => {
    const found = peers.get(id) ?? { headers: false, compact: false }
    peers.set(id, found)
    return found
  }

  return {
    handlers: {
      sendheaders: (peer) =>
        Effect.sync(() => {
          wishesOf(peer).headers = true
        }),
      sendcmpct: (peer, { announce, version }) =>
        Effect.sync(() => {
          if (version === 2n) wishesOf(peer).compact = announce
        })
    },
    prefersHeaders: ({ id }) => peers.get(id)?.headers ?? false,
    prefersCompact: ({ id }) => peers.get(id)?.compact ?? false,
    gone: ({ id }) => void peers.delete(id)
  }
}
