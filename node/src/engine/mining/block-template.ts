import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { Transaction } from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import * as Effect from "effect/Effect"
import type { BlockTemplate, TemplateTransaction } from "../api/mining-calls.ts"
import type { QueryError } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { nextBlock } from "./next-block.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { draftBlock } from "./draft-block.ts"
import { COMMITMENT_OUTPUT } from "./block-assembly.ts"
import { type PooledContents, pooledContents } from "./pooled-contents.ts"

/** Seconds for which a template is valid although the mempool has changed. */
const KEPT_FOR = 5

/** Any input may spend it; the miner replaces it with its own script. */
const OP_TRUE_SCRIPT = Uint8Array.of(0x51)

/** A template with the facts that decide whether it is still valid. */
interface Kept {
  readonly tip: HeaderIndexNode
  readonly contents: PooledContents
  readonly transactions: ReadonlyArray<TemplateTransaction>
  readonly witnessCommitment: Uint8Array | undefined
  readonly updates: number
  readonly madeAt: UnixSeconds
}

/** The template that miners work on. Calls need the writer's turn. */
export interface Templates {
  /** Returns the template. `isRemade` is true if its transactions differ from those before on the same tip. */
  readonly current: Effect.Effect<
    { readonly template: BlockTemplate; readonly isRemade: boolean },
    ConnectError | QueryError<"TemplateRejected">
  >
  /** The mempool's change counter at the last template; 0 without one. */
  readonly updates: () => number
}

const NONE: ReadonlyArray<number> = []

/** Positions by handle, starting at 1; 0 for a handle that is not in the list. */
const positionsOf = (handles: ReadonlyArray<TxHandle>): Uint32Array => {
  let highest = 0
  for (const tx of handles) if (tx > highest) highest = tx
  const positions = new Uint32Array(highest + 1)
  for (let at = 0; at < handles.length; at++) positions[handles[at]!] = at + 1
  return positions
}

const templateTransactions = (
  mempool: TxMempool,
  { handles, ids: { txids, wtxids } }: PooledContents,
  transactions: ReadonlyArray<Transaction>
): ReadonlyArray<TemplateTransaction> => {
  const positions = positionsOf(handles)
  const dependsOf = ({ inputs }: Transaction): ReadonlyArray<number> => {
    let depends: Array<number> | undefined
    for (let i = 0; i < inputs.length; i++) {
      const parent = mempool.ofTxid(inputs[i]!.prevout.txid)
      const position = parent === undefined ? 0 : positions[parent] ?? 0
      if (position === 0) continue
      if (depends === undefined) depends = [position]
      else depends.push(position)
    }
    return depends ?? NONE
  }
  return transactions.map((tx, at) => ({
    bytes: tx.bytes,
    txid: txids.subarray(at * 32, at * 32 + 32),
    wtxid: wtxids.subarray(at * 32, at * 32 + 32),
    depends: dependsOf(tx),
    fee: mempool.fee(handles[at]!),
    sigOpCost: mempool.sigOpCost(handles[at]!),
    weight: mempool.weight(handles[at]!)
  }))
}

const make = Effect.fnUntraced(function*(
  engine: ChainEngine,
  mempool: TxMempool
): Effect.fn.Return<Kept, ConnectError | QueryError<"TemplateRejected">> {
  const { clock, tree: { tip } } = engine
  const updates = mempool.updates()
  const contents = pooledContents(engine, mempool)
  const { block: { transactions: [coinbase, ...transactions] }, rejection } = yield* draftBlock(
    engine,
    contents,
    OP_TRUE_SCRIPT,
    { scripts: false }
  )
  if (rejection !== undefined) return yield* Effect.fail({ _tag: "TemplateRejected", rejection } as const)
  return {
    tip,
    contents,
    transactions: templateTransactions(mempool, contents, transactions),
    witnessCommitment: coinbase!.outputs[COMMITMENT_OUTPUT]?.script.slice(),
    updates,
    madeAt: clock.now()
  }
})

/** Makes the engine's template. `onMade` gets every template. */
export const makeTemplates = (
  engine: ChainEngine,
  mempool: TxMempool,
  onMade: (contents: PooledContents) => void
): Templates => {
  const { clock, tree } = engine
  let kept: Kept | undefined

  const isGood = ({ madeAt, tip, updates }: Kept): boolean =>
    tip === tree.tip && (updates === mempool.updates() || clock.now() - madeAt <= KEPT_FOR)

  const current = Effect.gen(function*() {
    const before = kept
    if (before === undefined || !isGood(before)) {
      // If it fails, no template remains.
      kept = undefined
      kept = yield* make(engine, mempool)
      onMade(kept.contents)
    }
    const { contents, madeAt, transactions, updates, witnessCommitment: commitment } = kept!
    // The clock may have been set back.
    const next = nextBlock(engine, madeAt)
    return {
      template: {
        ...next,
        transactions,
        fees: contents.fees,
        witnessCommitment: next.hasWitness ? commitment : undefined,
        updates
      },
      isRemade: before !== kept && before?.tip === tree.tip
    }
  })
  return { current, updates: () => kept?.updates ?? 0 }
}
