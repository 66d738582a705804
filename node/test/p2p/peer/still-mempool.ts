import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import type { RelayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import * as Effect from "effect/Effect"
import { mempoolReplica } from "../../../src/p2p/chain/mempool-replica.ts"
import type {
  ChainNotification,
  MempoolTransaction,
  P2pChain,
  PackageOutcome,
  TransactionOutcome
} from "../../../src/p2p/chain/p2p-chain.ts"
import { parentTxids, scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { testCrypto } from "../../engine/test-engine.ts"

/** What a test says about a transaction. */
export type Judgement =
  /** `transaction`: how it is in the mempool, if the test put it there. */
  | { readonly _tag: "Accepted"; readonly transaction?: MempoolTransaction }
  | { readonly _tag: "Known" }
  | { readonly _tag: "MissingInputs"; readonly parents: ReadonlyArray<Uint8Array> }
  /** `what`: a rule of policy, if absent. */
  | { readonly _tag: "Refused"; readonly reason: string; readonly what?: RelayRejectionClass }

/** The engine's words for it. */
export const outcomeOf = (bytes: Uint8Array, judgement: Judgement): TransactionOutcome => {
  const { txid, weight, wtxid } = scanTransaction(bytes, testCrypto)!
  const virtualSize = Math.ceil(weight / 4)
  switch (judgement._tag) {
    case "Accepted":
      return {
        _tag: "Accepted",
        txid,
        wtxid,
        fee: 10_000n,
        weight,
        virtualSize,
        feerate: { fee: 10_000n, size: virtualSize },
        feerateOf: [wtxid],
        replaced: []
      }
    case "Known":
      return { _tag: "InMempool", txid, wtxid, fee: 10_000n, virtualSize }
    case "MissingInputs": {
      const rejection = { reason: "bad-txns-inputs-missingorspent", debug: undefined, what: "missing inputs" } as const
      return { _tag: "Rejected", txid, wtxid, rejection, missing: judgement.parents }
    }
    case "Refused": {
      const { reason, what = "mempool policy" } = judgement
      return { _tag: "Rejected", txid, wtxid, rejection: { reason, debug: undefined, what }, missing: [] }
    }
  }
}

/** The calls of the network layer about the mempool. */
type MempoolPart = Pick<
  P2pChain,
  | "mempool"
  | "mempoolTransaction"
  | "mempoolTransactions"
  | "mempoolAncestors"
  | "inMiningOrder"
  | "mempoolIds"
  | "unbroadcast"
  | "fetched"
  | "acceptTransaction"
  | "acceptPackage"
  | "testTransaction"
>

/** A mempool that a test fills by hand: nothing in it is judged. */
export interface StillMempool extends MempoolPart {
  /** How many transactions were fetched together, each time. */
  readonly batches: Array<number>
  /** The transactions, by txid. */
  readonly poolByTxid: ReadonlyMap<string, MempoolTransaction>
  readonly pool: (transaction: MempoolTransaction) => void
  /** Takes a transaction out again, and reports it. */
  readonly unpool: (transaction: MempoolTransaction, reason: string) => void
  /** What the next transactions are answered with. */
  readonly judge: (judge: (bytes: Uint8Array) => Judgement) => void
  /** What the next packages are answered with. */
  readonly judgePackage: (judge: (transactions: ReadonlyArray<Uint8Array>) => PackageOutcome) => void
  /** What the answers to the next transactions wait for. */
  readonly delay: (delay: Effect.Effect<void>) => void
  /** The bytes of all transactions that were asked about. */
  readonly judged: Array<Uint8Array>
  /** The same of packages. */
  readonly judgedPackages: Array<ReadonlyArray<Uint8Array>>
  /** Txids of transactions of this node's users that no peer has fetched. */
  readonly own: Array<Uint8Array>
}

const alwaysKnown = (_bytes: Uint8Array): Judgement => ({ _tag: "Known" })

const alwaysTaken = (transactions: ReadonlyArray<Uint8Array>): PackageOutcome => ({
  failure: undefined,
  outcomes: transactions.map((bytes) => outcomeOf(bytes, { _tag: "Accepted" }))
})

/** Wtxids of the ancestors of a transaction, parents first. */
const ancestorsIn = (pool: StillMempool["poolByTxid"], txid: Uint8Array): ReadonlyArray<Uint8Array> | undefined => {
  const sorted: Array<Uint8Array> = []
  const visit = (of: Uint8Array): boolean => {
    const found = pool.get(hashKey(of))
    if (found === undefined || sorted.includes(found.wtxid)) return false
    for (const parent of parentTxids(scanTransaction(found.bytes, testCrypto)!)) visit(parent)
    return sorted.push(found.wtxid) > 0
  }
  return visit(txid) ? sorted.slice(0, -1) : undefined
}

/** `removed` is called with what leaves. */
export const stillMempool = (removed: ChainNotification["transactionRemoved"]): StillMempool => {
  const poolByTxid = new Map<string, MempoolTransaction>()
  const batches: Array<number> = []
  const mempool = mempoolReplica(7)
  const judged: Array<Uint8Array> = []
  const judgedPackages: Array<ReadonlyArray<Uint8Array>> = []
  const own: Array<Uint8Array> = []
  let judge = alwaysKnown
  let judgePackage = alwaysTaken
  let delay: Effect.Effect<void> = Effect.void
  return {
    poolByTxid,
    mempool,
    judged,
    judgedPackages,
    own,
    pool: (transaction) => {
      poolByTxid.set(hashKey(transaction.txid), transaction)
      mempool.add({ ...transaction, sequence: mempool.sequence() })
    },
    unpool: (transaction, reason) => {
      poolByTxid.delete(hashKey(transaction.txid))
      mempool.remove(transaction.txid)
      removed(transaction, reason)
    },
    judge: (next) => {
      judge = next
    },
    judgePackage: (next) => {
      judgePackage = next
    },
    delay: (next) => {
      delay = next
    },
    mempoolTransaction: (kind, id) =>
      Effect.sync(() => {
        const found = mempool.find(kind, id)
        return found === undefined ? undefined : poolByTxid.get(hashKey(found.txid))
      }),
    mempoolTransactions: (kind, ids) =>
      Effect.sync(() => {
        batches.push(ids.length)
        return ids.map((id) => {
          const found = mempool.find(kind, id)
          return found === undefined ? undefined : poolByTxid.get(hashKey(found.txid))
        })
      }),
    batches,
    mempoolAncestors: (txid) => Effect.sync(() => ancestorsIn(poolByTxid, txid)),
    inMiningOrder: (wtxids) =>
      Effect.sync(() => {
        const wanted = new Set(wtxids.map(hashKey))
        return [...poolByTxid.values()].map(({ wtxid }) => wtxid).filter((wtxid) => wanted.has(hashKey(wtxid)))
      }),
    mempoolIds: Effect.sync(() => concatBytes([...poolByTxid.values()].map(({ txid }) => txid))),
    unbroadcast: Effect.sync(() => own),
    fetched: (txid) =>
      Effect.sync(() => {
        const at = own.findIndex((each) => bytesEqual(each, txid))
        if (mempool.fetch(txid) && at >= 0) own.splice(at, 1)
      }),
    acceptTransaction: (bytes) =>
      Effect.suspend(() => {
        judged.push(bytes)
        return Effect.as(delay, outcomeOf(bytes, judge(bytes)))
      }),
    testTransaction: (bytes) => Effect.suspend(() => Effect.succeed(outcomeOf(bytes, judge(bytes)))),
    acceptPackage: (transactions) =>
      Effect.suspend(() => {
        judgedPackages.push(transactions)
        return Effect.as(delay, judgePackage(transactions))
      })
  }
}
