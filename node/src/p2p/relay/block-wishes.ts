import * as Effect from "effect/Effect"
import type { Handlers } from "../peer/peer-part.ts"
import type { Peer } from "../peer/peer.ts"

/** How a peer wants to hear of new blocks. It may say so before it is ready. */
interface Wishes {
  headers: boolean
  compact: boolean
}

/** How peers want to hear of new blocks, as they said. */
export interface BlockWishes {
  readonly handlers: Pick<Handlers, "sendcmpct" | "sendheaders">
  readonly prefersHeaders: (peer: Peer) => boolean
  /** Whether it asked for new blocks as compact ones, without being asked. */
  readonly prefersCompact: (peer: Peer) => boolean
  readonly gone: (peer: Peer) => void
}

export const blockWishes = (): BlockWishes => {
  const peers = new Map<number, Wishes>()

  const wishesOf = ({ id }: Peer): Wishes => {
    const found = peers.get(id) ?? { headers: false, compact: false }
    peers.set(id, found)
    return found
  }

  return {
    handlers: {
      sendheaders: (peer) => Effect.sync(() => {
        wishesOf(peer).headers = true
      }),
      sendcmpct: (peer, { announce, version }) => Effect.sync(() => {
        if (version === 2n) wishesOf(peer).compact = announce
      })
    },
    prefersHeaders: ({ id }) => peers.get(id)?.headers ?? false,
    prefersCompact: ({ id }) => peers.get(id)?.compact ?? false,
    gone: ({ id }) => void peers.delete(id)
  }
}
