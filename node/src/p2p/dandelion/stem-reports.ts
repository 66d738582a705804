import { displayHash } from "../../hex.ts"
import type { PooledTransaction } from "../chain/p2p-chain.ts"
import type { P2pNotifications } from "../p2p-notifications.ts"

/** What became of the transactions of this node, and of stem transactions of peers. */
export interface DandelionFigures {
  /** This node's own that began a stem. */
  started: number
  /** Of peers, handed on. */
  advanced: number
  /** Announced to all peers, at once or after a stem. */
  fluffed: number
  /** Of these, those whose embargo was over. */
  expired: number
}

/** Counts what becomes of stems, and publishes it. */
export interface StemReports {
  readonly figures: Readonly<DandelionFigures>
  readonly began: (transaction: PooledTransaction, isOwn: boolean) => void
  readonly fluffed: (transaction: PooledTransaction) => void
  readonly expired: (transaction: PooledTransaction) => void
}

export const stemReports = ({ event }: Pick<P2pNotifications, "event">): StemReports => {
  const figures = { started: 0, advanced: 0, fluffed: 0, expired: 0 }
  return {
    figures,
    began: ({ txid }, isOwn) => {
      if (isOwn) {
        figures.started++
        event("DandelionStemStarted", { txid: displayHash(txid) })
      } else figures.advanced++
    },
    fluffed: ({ txid }) => {
      figures.fluffed++
      event("DandelionFluffed", { txid: displayHash(txid) })
    },
    expired: ({ txid }) => {
      figures.expired++
      event("DandelionStemPathExpired", { txid: displayHash(txid) })
    }
  }
}
