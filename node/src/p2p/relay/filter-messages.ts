import { addToFilter, bloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { Dispatched, RawHandlers } from "../peer/peer-part.ts"
import { servicesFor } from "../peer/session/services-for.ts"
import type { PeerRelay } from "./peer-relay.ts"

type FilterCommand = "filterload" | "filteradd" | "filterclear"

/** Sets or removes a peer's filter. The peer wants transactions from then on, whatever its `version` said. */
const setFilter = (to: PeerRelay, filter: PeerRelay["filter"]): void => {
  const { hello } = to.peer
  to.filter = filter
  to.receivesTransactions = true
  if (hello === undefined) return
  hello.relay = true
  hello.isFiltered = filter !== undefined
}

const loaded = (peer: Peer, to: PeerRelay | undefined, message: MessageOf<"filterload">): void => {
  const { filter, hashFunctions } = message
  if (filter.length > LIMITS.bloomFilter.most || hashFunctions > LIMITS.bloomFunctions.most) {
    peer.discourage({ _tag: "BloomFilterTooLarge" })
  } else if (to !== undefined) setFilter(to, bloomFilter(message))
}

const added = (peer: Peer, to: PeerRelay | undefined, { data }: MessageOf<"filteradd">): void => {
  const isBad = data.length > LIMITS.bloomElement.most || (to !== undefined && to.filter === undefined)
  if (isBad) peer.discourage({ _tag: "BadFilterAdd" })
  else if (to?.filter !== undefined) addToFilter(to.filter, data)
}

/**
 * Handles the messages about the Bloom filter of a peer (BIP37). A peer that was not offered filters is disconnected,
 * whatever the message contains. `relayOf` returns `undefined` for a connection without transactions.
 */
export const filterMessages = (context: P2pContext, relayOf: (peer: Peer) => PeerRelay | undefined): RawHandlers => {
  const onFilters = <C extends FilterCommand>(
    command: C,
    take: (peer: Peer, to: PeerRelay | undefined, message: MessageOf<C>) => void
  ) =>
  (peer: Peer, payload: Uint8Array): Dispatched => {
    if (!offers(servicesFor(peer, context), ServiceFlag.BLOOM)) {
      return Result.succeed(Effect.sync(() => peer.disconnect({ _tag: "BloomNotOffered", command })))
    }
    return Result.map(
      decodeMessage(command, payload, context.limits),
      ({ message }) => Effect.sync(() => take(peer, relayOf(peer), message))
    )
  }
  return {
    filterload: onFilters("filterload", loaded),
    filteradd: onFilters("filteradd", added),
    filterclear: onFilters("filterclear", (_, to) => {
      if (to !== undefined) setFilter(to, undefined)
    })
  }
}
