import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import type { TransactionName, TransactionRequests } from "./transaction-requests.ts"

/** Asks peers for transactions. */
export interface Asking {
  /** Remembers that a peer has a transaction, and when to ask for it. */
  readonly want: (from: PeerRelay, name: TransactionName, now: number) => void
  /** Asks for what is due. */
  readonly askAll: (now: number) => void
}

export interface AskingOptions {
  readonly peers: ReadonlyMap<number, PeerRelay>
  readonly requests: TransactionRequests
  /** Whether there is no use in asking for it. */
  readonly isSettled: (name: TransactionName) => boolean
}

const askFor = ({ peer }: PeerRelay, names: ReadonlyArray<TransactionName>): void => {
  for (let i = 0; i < names.length; i += RELAY_LIMITS.getdata.most) {
    const inventory = names.slice(i, i + RELAY_LIMITS.getdata.most)
      .map(({ hash, isWitnessId }) => ({ type: isWitnessId ? InventoryType.WTX : InventoryType.WITNESS_TX, hash }))
    peer.send({ command: "getdata", inventory })
  }
}

export const asking = ({ isSettled, peers, requests }: AskingOptions): Asking => {
  const witnessPeers = (): boolean => {
    for (const { peer } of peers.values()) if (peer.hello?.wtxidRelay === true) return true
    return false
  }

  const isStillWanted = (name: TransactionName): boolean => {
    if (!isSettled(name)) return true
    requests.forget(name.hash)
    return false
  }

  return {
    want: ({ peer }, name, now) => {
      if (isSettled(name)) return
      const isPreferred = !peer.inbound || peer.isTrusted
      const delay = (isPreferred ? 0 : RELAY_LIMITS.inboundDelay.most) +
        (!name.isWitnessId && witnessPeers() ? RELAY_LIMITS.txidDelay.most : 0)
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
