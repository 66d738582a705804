import { bytesEqual } from "@lockstep/kernel/bytes"
import { transactionId } from "@lockstep/kernel/model"
import type { IpcError, SubmitBlockResult } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { BlockFacts } from "../../engine/api/chain-calls.ts"
import { openChainState, engineCall, type ModuleApi, requestFailed } from "./api-call.ts"
import type { Answer, Payload } from "./module-context.ts"

/** Returns the bytes of a block of the header index; fails if they are pruned or not stored. */
const bytesOf = (api: ModuleApi, { block, hash, pruned }: BlockFacts): Effect.Effect<Uint8Array, IpcError> =>
  block === undefined
    ? Effect.fail(requestFailed(pruned ? "the block is pruned" : "the block is not downloaded"))
    : Effect.mapError(api.blocks.bytes(block, hash), ({ message }) => requestFailed(message))

/** Returns the bytes of a block, or nothing if no block has this hash. */
const blockBytes = Effect.fnUntraced(function*(api: ModuleApi, hash: Uint8Array) {
  const facts = yield* engineCall(api, "blockFacts", { hash })
  return facts === undefined ? undefined : yield* bytesOf(api, facts)
})

/** Returns a transaction of a block, with its witness. */
const transactionIn = Effect.fnUntraced(function*(api: ModuleApi, block: Uint8Array, txid: Uint8Array) {
  const facts = yield* engineCall(api, "blockFacts", { hash: block })
  if (facts?.block === undefined) return yield* Effect.fail(requestFailed("the block of the transaction is not here"))
  const { transactions } = yield* Effect.mapError(
    api.blocks.block(facts.block, block),
    ({ message }) => requestFailed(message)
  )
  return transactions.find((each) => bytesEqual(transactionId(each, api.crypto), txid))?.bytes
})

/** Returns a transaction of the mempool, or of the chain if the node has the transaction index. */
const transactionBytes = Effect.fnUntraced(function*(api: ModuleApi, txid: Uint8Array) {
  const pooled = yield* engineCall(api, "mempoolTransaction", { id: txid, kind: "txid" })
  if (pooled !== undefined) return pooled.bytes
  const place = yield* engineCall(api, "transactionPlace", { txid })
  return place === undefined ? undefined : yield* transactionIn(api, place.block, txid)
})

const submissionOf = (reason: string | undefined): SubmitBlockResult => {
  if (reason === undefined) return { _tag: "Accepted" }
  return reason === "duplicate" ? { _tag: "Duplicate" } : { _tag: "Rejected", reason }
}

/** Handlers of requests about blocks, transactions and coins. */
export const CHAIN_REQUESTS = {
  GetBlock: (api: ModuleApi, { hash }: Payload<"GetBlock">): Answer<"GetBlock"> =>
    Effect.map(blockBytes(api, hash), (value) => ({ _tag: "Block", value })),

  GetBlockByHeight: (api: ModuleApi, { height }: Payload<"GetBlockByHeight">): Answer<"GetBlockByHeight"> =>
    Effect.gen(function*() {
      const hash = yield* engineCall(api, "hashAt", { height })
      return { _tag: "BlockByHeight", value: hash === undefined ? undefined : yield* blockBytes(api, hash) } as const
    }),

  GetBlockHeader: (api: ModuleApi, { hash }: Payload<"GetBlockHeader">): Answer<"GetBlockHeader"> =>
    Effect.map(engineCall(api, "blockFacts", { hash }), (facts) => ({ _tag: "BlockHeader", value: facts?.header })),

  GetTransaction: (api: ModuleApi, { hash }: Payload<"GetTransaction">): Answer<"GetTransaction"> =>
    Effect.map(transactionBytes(api, hash), (value) => ({ _tag: "Transaction", value })),

  HasTransaction: (api: ModuleApi, { hash }: Payload<"HasTransaction">): Answer<"HasTransaction"> =>
    Effect.gen(function*() {
      const pooled = yield* engineCall(api, "mempoolEntry", { txid: hash })
      // A transaction with an unspent output is found without the index.
      const block = pooled ?? (yield* engineCall(api, "coinBlock", { txid: hash }))
      const known = block ?? (yield* engineCall(api, "transactionPlace", { txid: hash }))
      return { _tag: "Bool", value: known !== undefined } as const
    }),

  GetUtxo: (api: ModuleApi, { outpoint }: Payload<"GetUtxo">): Answer<"GetUtxo"> =>
    Effect.map(engineCall(api, "coin", { txid: outpoint.hash, vout: outpoint.index }), (coin) => ({
      _tag: "Utxo",
      value: coin === undefined ? undefined : {
        value: Number(coin.value),
        script_pubkey: coin.script,
        height: coin.height,
        is_coinbase: coin.isCoinbase
      }
    })),

  GetChainTip: (api: ModuleApi): Answer<"GetChainTip"> =>
    Exit.map(openChainState(api), ({ hash }) => ({ _tag: "Hash", value: hash })),

  GetBlockHeight: (api: ModuleApi): Answer<"GetBlockHeight"> =>
    Exit.map(openChainState(api), ({ height }) => ({ _tag: "U64", value: height })),

  GetChainInfo: (api: ModuleApi): Answer<"GetChainInfo"> =>
    Exit.map(openChainState(api), ({ bits, chainWork, hash, height, initialBlockDownload }) => ({
      _tag: "ChainInfo",
      value: {
        tip_hash: hash,
        height,
        bits,
        chain_work: chainWork.toString(16).padStart(64, "0"),
        is_synced: !initialBlockDownload
      }
    })),

  SubmitBlock: (api: ModuleApi, { block }: Payload<"SubmitBlock">): Answer<"SubmitBlock"> =>
    // The engine takes the bytes over, and these are a view of a frame.
    Effect.map(engineCall(api, "submitBlock", { bytes: new Uint8Array(block) }), ({ result }) => ({
      _tag: "SubmitBlockResult",
      value: submissionOf(result)
    })),

  ProposeBlock: (api: ModuleApi, { block }: Payload<"ProposeBlock">): Answer<"ProposeBlock"> =>
    Effect.map(engineCall(api, "proposeBlock", { bytes: new Uint8Array(block) }), ({ result }) => ({
      _tag: "SubmitBlockResult",
      value: submissionOf(result)
    }))
} as const
