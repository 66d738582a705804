import { displayHash } from "../hex.ts"
import { type DisconnectReason, disconnectText } from "./disconnect-reason.ts"
import { type Kinds, type Plain, worder } from "./words.ts"

interface Named {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

/** Events of private broadcast, in which own transactions go to single peers. */
export type PrivateHappening =
  | Plain<"AddressesUseless">
  | Kinds<{
    Connected: { address: string; remaining: number }
    Disconnecting: { peer: number; why: DisconnectReason }
    GivenUp: Named & { why: string }
    Offered: Named & { peer: number }
    Reattempted: Named
    ReceivedBack: { txid: Uint8Array; peer: number }
    Requested: Named & { connections: number }
    RequestedAgain: Named
    Unreached: { address: string; remaining: number }
  }>

const names = ({ txid, wtxid }: Named, separator = ", "): string =>
  `txid=${displayHash(txid)}${separator}wtxid=${displayHash(wtxid)}`

/** Names a transaction, one without witnesses once. */
const shortNames = (transaction: Named): string => {
  const [id, witnessId] = [displayHash(transaction.txid), displayHash(transaction.wtxid)]
  return id === witnessId ? `txid=${id}` : names(transaction)
}

/** Words of the node's own log, which are those of Bitcoin Core. */
export const privateText = worder<PrivateHappening>({
  AddressesUseless: "Connections needed but addrman keeps returning bad addresses, will retry",
  Connected: ({ address, remaining }) => `Socket connected to ${address}; remaining connections to open: ${remaining}`,
  Disconnecting: ({ peer, why }) => `Disconnecting: ${disconnectText(why)}, peer=${peer}`,
  GivenUp: ({ why, ...ids }) => `Giving up broadcast attempts for ${names(ids, " ")}: ${why}`,
  Offered: ({ peer, ...ids }) => `P2P handshake completed, sending INV for ${shortNames(ids)}, peer=${peer}`,
  Reattempted: (ids) => `Reattempting broadcast of stale ${names(ids, " ")}`,
  ReceivedBack: ({ peer, txid }) =>
    `Received our privately broadcast transaction (txid=${displayHash(txid)}) from the network from peer=${peer}; ` +
    "stopping private broadcast attempts",
  Requested: ({ connections, ...ids }) => `Requesting ${connections} new connections due to ${names(ids)}`,
  RequestedAgain: (ids) => `Ignoring unnecessary request to schedule an already scheduled transaction: ${names(ids)}`,
  Unreached: ({ address, remaining }) =>
    `Failed to connect to ${address}, ${
      remaining === 0
        ? "will not retry, no more connections needed"
        : `will retry to a different address; remaining connections to open: ${remaining}`
    }`
})
