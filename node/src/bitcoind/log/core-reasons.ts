import { DISCONNECT_WORDS, type DisconnectReason } from "../../runtime/disconnect-reason.ts"
import { type BadPayload, type Misbehavior, MISBEHAVIOR_WORDS, misbehaviorText } from "../../runtime/misbehavior.ts"
import { worder } from "../../runtime/words.ts"

/** Core: `Misbehaving` for a list that is too long, and `disconnecting` for a locator. */
const payloadText = (bad: BadPayload): string => {
  const { command, fault } = bad
  if (fault._tag !== "TooMany") return misbehaviorText(bad)
  switch (fault.what) {
    case "inventory entries":
    case "addresses":
    case "headers":
      return `${command} message size = ${fault.count}`
    case "locator hashes":
      return `${command} locator size ${fault.count} > ${fault.most}`
    default:
      return misbehaviorText(bad)
  }
}

const EVICTED = "selected inbound connection for eviction"

/** Returns the misbehavior of a peer in the words of Bitcoin Core. */
export const coreMisbehavior = worder<Misbehavior>({ ...MISBEHAVIOR_WORDS, BadPayload: payloadText })

/** Returns the reason why a connection ends in the words of Bitcoin Core, or in the node's own words if it has none. */
export const coreReason = worder<DisconnectReason>({
  ...DISCONNECT_WORDS,
  AddressBanned: "dropped (banned)",
  BadPayload: payloadText,
  BlockBelowLimit: "Ignore block request below NODE_NETWORK_LIMITED threshold",
  BlockDownloadTimeout: "Timeout downloading block",
  BlockStalling: "Peer is stalling block download",
  EvictedBeforeHandshake: EVICTED,
  EvictedForAnother: EVICTED,
  Misbehaved: ({ what }) => coreMisbehavior(what)
})
