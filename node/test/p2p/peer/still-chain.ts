import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { headerOf } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { addHeader, headerIndex, type HeaderIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { RelayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import { mempoolReplica } from "../../../src/p2p/chain/mempool-replica.ts"
import type {
  ChainNotification,
  MempoolTransaction,
  P2pChain,
  PackageOutcome,
  TransactionOutcome
} from "../../../src/p2p/chain/p2p-chain.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { hashKey } from "../../../src/p2p/sync/hash-key.ts"
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

/** A chain that a test fills by hand: nothing in it is judged. */
export interface StillChain extends P2pChain {
  readonly tree: HeaderIndex
  readonly blocks: Map<HeaderIndexNode, Uint8Array>
  readonly set: (state: Partial<ChainState>) => void
  /** Puts a stored block on top of another, the tip if none is named, and makes it the tip if it has more work. */
  readonly extend: (block: Uint8Array, onto?: HeaderIndexNode) => HeaderIndexNode
  /** Its mempool, by txid. */
  readonly poolByTxid: ReadonlyMap<string, MempoolTransaction>
  readonly pool: (transaction: MempoolTransaction) => void
  /** Takes a transaction out of the pool again, and tells of it. */
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
  /** Txids of transactions of this node's users that nobody has fetched. */
  readonly own: Array<Uint8Array>
  readonly tell: <K extends keyof ChainNotification>(what: K, ...news: Parameters<ChainNotification[K]>) => void
}

const genesis = REGTEST.genesisBlock.subarray(0, 80)

const stateOf = (tip: HeaderIndexNode): ChainState => ({
  height: tip.height,
  hash: tip.hash,
  time: tip.header.time,
  bits: tip.header.bits,
  medianTime: tip.header.time,
  chainWork: tip.chainWork,
  headersHeight: tip.height,
  headersHash: tip.hash,
  progress: 1,
  initialBlockDownload: false,
  sizeOnDisk: 0,
  pruned: false,
  pruneHeight: undefined,
  transactions: 1,
  cacheBytes: 0,
  cacheChanges: 0,
  inputs: 0,
  halted: undefined,
  takingIn: false,
  warnings: [],
  mockTime: 0
})

/** Bytes that look like a block to whoever reads no more than its header and the count of its transactions: none. */
export const hollowBlock = (parent: HeaderIndexNode, salt = 0): Uint8Array => {
  const bytes = new Uint8Array(81)
  bytes.set(genesis)
  bytes.set(parent.hash, 4)
  const view = new DataView(bytes.buffer)
  view.setUint32(68, parent.header.time + 600, true)
  view.setUint32(76, salt, true)
  return bytes
}

const alwaysKnown = (_bytes: Uint8Array): Judgement => ({ _tag: "Known" })

export const stillChain = (): StillChain => {
  const tell: StillChain["tell"] = (what, ...news) => {
    for (const listener of listeners) (listener[what] as ((...told: typeof news) => void) | undefined)?.(...news)
  }
  const tree = headerIndex(genesis, testCrypto.sha256d(genesis))
  const blocks = new Map<HeaderIndexNode, Uint8Array>([[tree.tip, REGTEST.genesisBlock]])
  setStatus(tree, tree.tip, HeaderStatus.STORED | HeaderStatus.CONNECTED | HeaderStatus.LINKED)
  let state = stateOf(tree.tip)
  let judge = alwaysKnown
  let delay: Effect.Effect<void> = Effect.void
  const judged: Array<Uint8Array> = []
  const judgedPackages: Array<ReadonlyArray<Uint8Array>> = []
  let judgePackage = (transactions: ReadonlyArray<Uint8Array>): PackageOutcome => ({
    failure: undefined,
    outcomes: transactions.map((bytes) => outcomeOf(bytes, { _tag: "Accepted" }))
  })
  const own: Array<Uint8Array> = []
  const mempool = mempoolReplica(7)
  const listeners = new Set<Partial<ChainNotification>>()
  const poolByTxid = new Map<string, MempoolTransaction>()
  return {
    tree,
    blocks,
    judged,
    judgedPackages,
    own,
    mempool,
    poolByTxid,
    mempoolTransaction: (kind, id) =>
      Effect.sync(() => {
        const found = mempool.find(kind, id)
        return found === undefined ? undefined : poolByTxid.get(hashKey(found.txid))
      }),
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
    state: () => state,
    set: (changes) => {
      state = { ...state, ...changes }
    },
    extend: (block, onto = tree.tip) => {
      const header = block.subarray(0, 80)
      const node = addHeader(tree, onto, headerOf(header).bytes, testCrypto.sha256d(header))
      setStatus(tree, node, HeaderStatus.STORED | HeaderStatus.CONNECTED | HeaderStatus.LINKED)
      blocks.set(node, block)
      if (node.chainWork > tree.tip.chainWork) {
        setTip(tree, node)
        state = { ...stateOf(node), initialBlockDownload: state.initialBlockDownload }
      }
      return node
    },
    pool: (transaction) => {
      poolByTxid.set(hashKey(transaction.txid), transaction)
      mempool.add({ ...transaction, sequence: mempool.sequence() })
    },
    judge: (next) => {
      judge = next
    },
    unpool: (transaction, reason) => {
      poolByTxid.delete(hashKey(transaction.txid))
      mempool.remove(transaction.txid)
      tell("transactionRemoved", transaction, reason)
    },
    tell,
    acceptHeaders: () => Effect.succeed({ accepted: 0, rejection: undefined }),
    acceptBlock: () => Effect.succeed({ hash: new Uint8Array(32), isNew: false, rejection: undefined }),
    delay: (next) => {
      delay = next
    },
    acceptTransaction: (bytes) =>
      Effect.suspend(() => {
        judged.push(bytes)
        return Effect.as(delay, outcomeOf(bytes, judge(bytes)))
      }),
    judgePackage: (next) => {
      judgePackage = next
    },
    acceptPackage: (transactions) =>
      Effect.suspend(() => {
        judgedPackages.push(transactions)
        return Effect.as(delay, judgePackage(transactions))
      }),
    blockBytes: (node) => Effect.succeed(blocks.get(node)),
    listen: (news) => {
      listeners.add(news)
      return () => void listeners.delete(news)
    }
  }
}
