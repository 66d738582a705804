import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { messageBytes } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { P2pContext } from "../../peer/p2p-context.ts"
import type { RawHandlers } from "../../peer/peer-part.ts"
import { ensuring } from "../../../finalizers/finalizers.ts"
import { oversizeReason } from "../oversize.ts"
import { scanTransaction } from "../scan-transaction.ts"
import type { SeenTransactions } from "../already-have-tx.ts"
import type { TxDownload } from "../transaction-intake.ts"
import type { StemRelay } from "./stem-relay.ts"

export interface StemMessagesOptions {
  readonly context: Pick<P2pContext, "chain" | "crypto">
  readonly stems: StemRelay
  readonly settled: Pick<SeenTransactions, "alreadyHaveTx">
  readonly intake: Pick<TxDownload, "refuse" | "takeStem">
  /** Reports whether a peer may send transactions; `undefined` if it takes no part in the relay. */
  readonly maySend: (peer: number) => boolean | undefined
}

/**
 * Handles the stem transactions of peers. The sender is not recorded as knowing one: it gets the announcement when the
 * transaction is fluffed, which ends its own embargo.
 */
export const stemMessages = (
  { context: { chain, crypto }, intake, maySend, settled, stems }: StemMessagesOptions
): RawHandlers => ({
  dandeliontx: (peer, payload) => {
    const may = maySend(peer.id)
    if (may !== true) {
      const end = Effect.sync(() => peer.disconnect({ _tag: "TransactionSent" }))
      return Result.succeed(may === false ? end : Effect.void)
    }
    return Result.map(messageBytes("dandeliontx", payload), (bytes) =>
      Effect.suspend(() => {
        if (chain.state().initialBlockDownload) return Effect.void
        const transaction = bytes.length > LIMITS.unconfirmedTransaction.most
          ? undefined
          : scanTransaction(bytes, crypto)
        if (transaction === undefined) return Effect.void
        const { wtxid } = transaction
        if (stems.isStem(wtxid) || settled.alreadyHaveTx({ hash: wtxid, isWtxid: true })) return Effect.void
        const oversize = oversizeReason(transaction, false)
        if (oversize !== undefined) return Effect.sync(() => intake.refuse(transaction, peer.id, oversize))
        stems.expect(wtxid, peer.id)
        return ensuring(intake.takeStem(transaction, peer.id), Effect.sync(() => stems.judged(wtxid)))
      }))
  }
})
