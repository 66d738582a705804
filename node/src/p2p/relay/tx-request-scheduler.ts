import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import type { GenTxid, TxRequestTracker } from "./tx-request-tracker.ts"

/** Requests transactions from peers (Core: `TxDownloadManager`). */
export interface TxRequestScheduler {
  /** Remembers that a peer has a transaction, and when to request it. */
  readonly want: (from: PeerRelay, name: GenTxid, now: number) => void
  /** Sends the requests that are due. */
  readonly askAll: (now: number) => void
}

export interface TxRequestSchedulerOptions {
  readonly peers: ReadonlyMap<number, PeerRelay>
  readonly requests: TxRequestTracker
  /** Whether there is no use in requesting it. */
  readonly isSettled: (name: GenTxid) => boolean
}

const askFor = ({ peer }: PeerRelay, names: ReadonlyArray<GenTxid>): void => {
  for (let i = 0; i < names.length; i += RELAY_LIMITS.getdata.most) {
    const inventory = names.slice(i, i + RELAY_LIMITS.getdata.most)
      .map(({ hash, isWtxid }) => ({ type: isWtxid ? InventoryType.WTX : InventoryType.WITNESS_TX, hash }))
    peer.send({ command: "getdata", inventory })
  }
}

export const txRequestScheduler = ({ isSettled, peers, requests }: TxRequestSchedulerOptions): TxRequestScheduler => {
  const witnessPeers = (): boolean => {
    for (const { peer } of peers.values()) if (peer.hello?.wtxidRelay === true) return true
    return false
  }

  const isStillWanted = (name: GenTxid): boolean => {
    if (!isSettled(name)) return true
    requests.forget(name.hash)
    return false
  }

  return {
    want: ({ peer }, name, now) => {
      if (isSettled(name)) return
      const isPreferred = !peer.inbound || peer.isTrusted
      const delay = (isPreferred ? 0 : RELAY_LIMITS.inboundDelay.most) +
        (!name.isWtxid && witnessPeers() ? RELAY_LIMITS.txidDelay.most : 0)
      requests.announced(peer.id, name, isPreferred, now, delay)
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
