import type { PeerPart } from "../peer/peer-part.ts"
import type { Peer } from "../peer/peer.ts"
import type { AddressBook } from "./address-book.ts"

/** Records in the addrman which addresses this node was connected to, and which of them answered with a `version`. */
export const connectedAddresses = (book: AddressBook): PeerPart => {
  const greeted = (peer: Peer): void => {
    if (!peer.inbound && peer.hello !== undefined) book.good(peer.endpoint)
  }
  return {
    name: "connected addresses",
    handlers: {},
    greeted,
    gone: (peer) => {
      // A feeler ends as soon as the address has answered, before `greeted` is called.
      if (peer.kind === "feeler") greeted(peer)
      else if (peer.isReady && !peer.inbound && peer.kind !== "block-relay-only") book.seen(peer.endpoint)
    }
  }
}
