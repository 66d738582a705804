import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { SubmitTransactionResult } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { TransactionOutcome } from "../../engine/api/mempool-calls.ts"
import { engineCall } from "./api-call.ts"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"

const resultOf = (outcome: TransactionOutcome): SubmitTransactionResult => {
  switch (outcome._tag) {
    case "Accepted":
      return { _tag: "Accepted", txid: outcome.txid }
    case "InMempool":
    case "OtherWitness":
      return { _tag: "Known", txid: outcome.txid }
    case "Rejected":
      return { _tag: "Rejected", reason: rejectionText(outcome.rejection) }
  }
}

/**
 * Submits a transaction to the mempool. It is announced to all peers even if it was already known, since it may have
 * reached none of them.
 */
const submit = Effect.fnUntraced(function*(context: ModuleContext, transaction: Uint8Array) {
  // The engine takes the bytes over, and these are a view of a frame.
  const outcome = yield* engineCall(context, "acceptTransaction", { bytes: new Uint8Array(transaction) })
  if (outcome._tag === "Accepted") yield* engineCall(context, "markUnbroadcast", { txid: outcome.txid })
  if (outcome._tag === "InMempool") context.peers()?.announceTransaction(outcome.txid)
  return resultOf(outcome)
})

/** Handlers of requests that send transactions. */
export const TRANSACTION_REQUESTS: RequestHandlers<"SubmitTransaction"> = {
  SubmitTransaction: (context, { transaction }) =>
    Effect.map(submit(context, transaction), (value) => ({ _tag: "SubmitTransactionResult", value }))
}
