import * as Effect from "effect/Effect"
import { engineCall, type ModuleApi, requestFailed } from "./api-call.ts"
import { hashesIn } from "./mempool-log.ts"
import type { Answer, Payload } from "./module-context.ts"

/** Converts satoshis per 1,000 virtual bytes to satoshis per virtual byte, rounded up. */
const forOneByte = (feerate: number): number => Math.ceil(feerate / 1_000)

/** Handlers of requests about the mempool and fees. */
export const MEMPOOL_REQUESTS = {
  /** Transactions are in mining order. */
  GetMempoolTransactions: (api: ModuleApi): Answer<"GetMempoolTransactions"> =>
    Effect.map(engineCall(api, "mempoolIds", undefined), ({ txids }) => ({
      _tag: "MempoolTransactions",
      value: hashesIn(txids)
    })),

  GetMempoolTransaction: (
    api: ModuleApi,
    { tx_hash }: Payload<"GetMempoolTransaction">
  ): Answer<"GetMempoolTransaction"> =>
    Effect.map(engineCall(api, "mempoolTransaction", { id: tx_hash, kind: "txid" }), (found) => ({
      _tag: "MempoolTransaction",
      value: found?.bytes
    })),

  CheckTransactionInMempool: (
    api: ModuleApi,
    { tx_hash }: Payload<"CheckTransactionInMempool">
  ): Answer<"CheckTransactionInMempool"> =>
    Effect.map(engineCall(api, "mempoolEntry", { txid: tx_hash }), (entry) => ({
      _tag: "CheckTransactionInMempool",
      value: entry !== undefined
    })),

  GetMempoolSize: (api: ModuleApi): Answer<"GetMempoolSize"> =>
    Effect.map(engineCall(api, "mempoolFacts", undefined), ({ count, fees, virtualSize }) => ({
      _tag: "MempoolSize",
      value: { transaction_count: count, size_bytes: virtualSize, total_fee_sats: Number(fees) }
    })),

  GetFeeEstimate: (api: ModuleApi, { target_blocks }: Payload<"GetFeeEstimate">): Answer<"GetFeeEstimate"> =>
    Effect.gen(function*() {
      const highest = yield* engineCall(api, "highestFeeTarget", undefined)
      if (target_blocks < 1 || target_blocks > highest) {
        return yield* Effect.fail(requestFailed(`target_blocks must be from 1 to ${highest}`))
      }
      const { feerate } = yield* engineCall(api, "estimateFee", { target: target_blocks, isConservative: false })
      if (feerate === undefined) return yield* Effect.fail(requestFailed("too little is known to estimate fees"))
      return { _tag: "FeeEstimate", value: forOneByte(feerate) } as const
    })
} as const
