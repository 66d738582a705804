import type { Height } from "@lockstep/kernel/quantities"
import { COINBASE_MATURITY } from "@lockstep/kernel/constants"
import { isCoinbase } from "@lockstep/kernel/model"
import { isFinalOnTip, sequenceLocksPassOnTip } from "@lockstep/kernel/relay"
import type { Coin } from "@lockstep/kernel/utxo"
import type { TxHandle } from "@lockstep/txgraph"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { isActive } from "../header-index/active-chain.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { LockPoints, TxMempool } from "../txmempool/contract.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import { findCoins, NO_MEMBERS } from "./acceptance/find-coins.ts"
import { lockPointsOf } from "./acceptance/lock-points.ts"
import type { Acceptance, AcceptError, MempoolContext } from "./contract.ts"
import type { DisconnectedTransactions } from "./disconnected-transactions.ts"

/** Reports whether the block in which the inputs of an entry are confirmed is still in the chain. */
const locksHold = ({ tree }: ChainEngine, { block }: LockPoints): boolean => {
  const node = nodeOf(tree, block)
  return node !== undefined && isActive(tree, node)
}

const isImmature = (coins: ReadonlyArray<Coin>, tipHeight: Height): boolean =>
  coins.some(({ height, isCoinbase: ofCoinbase }) => ofCoinbase && tipHeight + 1 - height < COINBASE_MATURITY)

/** Reports whether an entry can be in no block on top of the new tip. Stores the locks that it computes. */
const isInvalidNow = (context: MempoolContext, handle: TxHandle): boolean => {
  const { engine, state } = context
  const { tree: { tip } } = engine
  const { lockTime, locks, spendsCoinbase } = state.facts(handle)
  if (lockTime !== 0 && Result.isFailure(isFinalOnTip(state.transaction(handle), tip))) return true
  const holds = locksHold(engine, locks)
  if (holds && Result.isFailure(sequenceLocksPassOnTip(locks, tip))) return true
  if (holds && !spendsCoinbase) return false
  const tx = state.transaction(handle)
  const { coins, missing } = findCoins(context, tx, NO_MEMBERS)
  if (missing.length > 0) return true
  if (!holds) {
    const locksNow = lockPointsOf(tx, coins, tip)
    if (Result.isFailure(sequenceLocksPassOnTip(locksNow, tip))) return true
    state.setLocks(handle, locksNow)
  }
  return spendsCoinbase && isImmature(coins, tip.height)
}

const handlesOf = (state: TxMempool): ReadonlyArray<TxHandle> => [...state.graph.miningOrder()]

/** Loads the coins that {@link isInvalidNow} needs. */
const prefetch = Effect.fnUntraced(function*(
  { engine, state }: MempoolContext
): Effect.fn.Return<void, StorageError> {
  const rest = periodicYield()
  for (const handle of handlesOf(state)) {
    const { locks, spendsCoinbase } = state.facts(handle)
    if (!spendsCoinbase && locksHold(engine, locks)) continue
    const prevouts = state.transaction(handle).inputs.map(({ prevout }) => prevout)
    yield* engine.coins.prefetchCoins(prevouts.filter(({ txid }) => state.ofTxid(txid) === undefined))
    yield* rest
  }
})

/**
 * Submits the transactions of disconnected blocks to the mempool again. A transaction that fails takes its spenders
 * with it.
 */
const returnTransactions = Effect.fnUntraced(function*(
  { announceRemoved, state }: MempoolContext,
  acceptance: Acceptance,
  disconnected: DisconnectedTransactions,
  comesBack: boolean
): Effect.fn.Return<void, AcceptError> {
  const rest = periodicYield()
  const returned: Array<Uint8Array> = []
  for (const { tx, txid } of disconnected.takeAll()) {
    const outcome = comesBack && !isCoinbase(tx) ? yield* acceptance.accept(tx, { bypassLimits: true }) : undefined
    if (outcome?._tag === "Accepted") returned.push(txid)
    else announceRemoved(state.removeRecursive(tx, txid, "reorg"))
    yield* rest
  }
  const handles = returned.flatMap((txid) => state.ofTxid(txid) ?? [])
  announceRemoved(state.connectReturned(handles))
})

/** Brings the mempool in line with the chain after blocks were disconnected. Runs in the writer's turn. */
export const reorganize = Effect.fnUntraced(function*(
  context: MempoolContext,
  acceptance: Acceptance,
  disconnected: DisconnectedTransactions,
  comesBack: boolean
): Effect.fn.Return<void, AcceptError> {
  yield* returnTransactions(context, acceptance, disconnected, comesBack)
  yield* prefetch(context)
  context.announceRemoved(context.state.filter((handle) => isInvalidNow(context, handle)))
  context.makeRoom()
})
