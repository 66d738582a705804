import type { UnixMilliseconds } from "../../quantities.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import type { SeenTransactions } from "./already-have-tx.ts"
import type { GenTxid, TxRequestTracker } from "./tx-request-tracker.ts"

/** Requests transactions from peers (Core: `TxDownloadManager`). */
export interface TxRequestScheduler {
  /** Records that a peer has a transaction, and schedules its request. */
  readonly want: (from: PeerRelay, name: GenTxid, now: UnixMilliseconds) => void
  /**
   * Does the same for the missing parents of an orphan that a peer announced, by txid. Returns false if the peer is
   * overloaded.
   */
  readonly wantParents: (from: PeerRelay, parents: ReadonlyArray<Uint8Array>, now: UnixMilliseconds) => boolean
  /** Sends the requests that are due. */
  readonly askAll: (now: UnixMilliseconds) => void
}

export interface TxRequestSchedulerOptions extends Pick<SeenTransactions, "alreadyHaveTx" | "isUnwanted"> {
  readonly peers: ReadonlyMap<number, PeerRelay>
  readonly requests: TxRequestTracker
}

const { announcements, getdata, inboundDelay, txidDelay } = RELAY_LIMITS

/** Returns the inventory type of a request by txid: with witness if the peer offers witnesses. */
const txidType = ({ hello }: Peer): number =>
  hello !== undefined && offers(hello.services, ServiceFlag.WITNESS) ? InventoryType.WITNESS_TX : InventoryType.TX

const askFor = ({ peer }: PeerRelay, names: ReadonlyArray<GenTxid>): void => {
  for (let i = 0; i < names.length; i += getdata.most) {
    const inventory = names.slice(i, i + getdata.most)
      .map(({ hash, isWtxid }) => ({ type: isWtxid ? InventoryType.WTX : txidType(peer), hash }))
    peer.send({ command: "getdata", inventory })
  }
}

const servesBlocks = ({ hello }: Peer): boolean =>
  hello !== undefined && (offers(hello.services, ServiceFlag.NETWORK) ||
    offers(hello.services, ServiceFlag.NETWORK_LIMITED))

/** True if transactions are requested from this peer before others. */
const isPreferred = (peer: Peer): boolean =>
  (!peer.inbound || peer.isTrusted) && peer.kind !== "addr-fetch" && servesBlocks(peer)

/** True if the number of its announcements is not limited. */
const isUnlimited = ({ isTrusted, permissions }: Peer): boolean =>
  permissions.has("relay") || (isTrusted && !permissions.has("noban"))

export const txRequestScheduler = (
  { alreadyHaveTx, isUnwanted, peers, requests }: TxRequestSchedulerOptions
): TxRequestScheduler => {
  const witnessPeers = (): boolean => {
    for (const { peer } of peers.values()) if (peer.hello?.wtxidRelay === true) return true
    return false
  }

  const announced = ({ peer }: PeerRelay, name: GenTxid, now: UnixMilliseconds, isLate: boolean): void => {
    const preferred = isPreferred(peer)
    const delay = (preferred ? 0 : inboundDelay.most) + (isLate ? txidDelay.most : 0)
    requests.announced(peer.id, name, preferred, now, delay, isUnlimited(peer))
  }

  const isStillWanted = (name: GenTxid): boolean => {
    if (!alreadyHaveTx(name)) return true
    requests.forget(name.hash)
    return false
  }

  return {
    want: (from, name, now) => {
      if (!isUnwanted(name)) announced(from, name, now, !name.isWtxid && witnessPeers())
    },
    wantParents: (from, parents, now) => {
      const { peer } = from
      if (!isUnlimited(peer) && requests.count(peer.id) + parents.length > announcements.most) return false
      const isLate = witnessPeers()
      for (const hash of parents) announced(from, { hash, isWtxid: false }, now, isLate)
      return true
    },
    askAll: (now) => {
      for (const { names, peer } of requests.due(now)) {
        const wanted = names.filter(isStillWanted)
        const from = peers.get(peer)
        if (from !== undefined) askFor(from, wanted)
      }
    }
  }
}
