import type { Transaction } from "@lockstep/kernel/model"
import {
  completed,
  type KnownIds,
  missingIndexes,
  type Reconstruction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { faultText, type PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BegunBlock, CompactBlockCalls, FilledBlock } from "../api/compact-block-calls.ts"
import type { EngineFault } from "../api/engine-error.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { Intake } from "../intake/intake.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { matchTransactions } from "../compact-blocks/match-transactions.ts"
import { openBlocks } from "../compact-blocks/open-blocks.ts"

const begin = (
  { crypto, extra }: ChainEngine,
  mempool: TxMempool | undefined,
  payload: Uint8Array
): { readonly answer: BegunBlock; readonly block?: Reconstruction } => {
  const decoded = decodeMessage("cmpctblock", payload)
  if (Result.isFailure(decoded)) return { answer: { _tag: "Malformed" } }
  const { message } = decoded.success
  const begun = reconstruction(message, crypto)
  if (Result.isFailure(begun)) {
    const { failure } = begun
    return { answer: failure._tag === "Impossible" ? failure : { _tag: "Collision" } }
  }
  const block = begun.success
  const matched = matchTransactions(block, mempool, extra)
  const answer = { missing: missingIndexes(block), prefilled: message.prefilled.length, ...matched }
  return { answer: { _tag: "Begun", ...answer }, block }
}

/** Decodes the transactions of a `blocktxn`. No payload gives an empty list. */
const sentIn = (payload: Uint8Array | undefined): Result.Result<ReadonlyArray<Transaction>, PayloadFault> =>
  payload === undefined
    ? Result.succeed([])
    : Result.map(decodeMessage("blocktxn", payload), ({ message }) => message.transactions)

/** Handles compact blocks: reconstructs them from the node's transactions and accepts them like any other block. */
export const compactBlockHandlers = (
  engine: ChainEngine,
  mempool: TxMempool | undefined,
  acceptBlock: Intake["acceptBlock"]
): Handlers<keyof CompactBlockCalls> => {
  const blocks = openBlocks()

  const accept = (
    bytes: Uint8Array,
    known: KnownIds,
    requestedBytes: number
  ): Effect.Effect<FilledBlock, EngineFault> =>
    Effect.map(acceptBlock({ bytes, known, requested: true }), (block) =>
      // The reconstruction does not match the header's commitment, which is no evidence against the header.
      block.rejection?.class === "mutated" ? { _tag: "Failed" } : { _tag: "Accepted", block, requestedBytes })

  return {
    beginCompactBlock: ({ id, payload }) =>
      Effect.sync(() => {
        const { answer, block } = begin(engine, mempool, payload)
        if (block !== undefined) blocks.open(id, block)
        return answer
      }),
    fillCompactBlock: ({ id, payload }) =>
      Effect.suspend((): Effect.Effect<FilledBlock, EngineFault> => {
        const block = blocks.find(id)
        if (block === undefined) return Effect.succeed({ _tag: "Failed" })
        const sent = sentIn(payload)
        if (Result.isFailure(sent) && sent.failure._tag !== "TooMany") return Effect.succeed({ _tag: "Malformed" })
        blocks.close(id)
        if (Result.isFailure(sent)) return Effect.succeed({ _tag: "Impossible", why: faultText(sent.failure) })
        const transactions = sent.success.map(({ bytes }) => bytes)
        const whole = completed(block, transactions)
        if (Result.isFailure(whole)) return Effect.succeed(whole.failure)
        return accept(whole.success, block.known, transactions.reduce((sum, { length }) => sum + length, 0))
      }),
    dropCompactBlock: ({ id }) => Effect.sync(() => blocks.close(id))
  }
}
