import { decodeTransaction, type Transaction, witnessTransactionId } from "@lockstep/kernel/model"
import {
  completed,
  missingIndexes,
  offerTransaction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import type { Command, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Result from "effect/Result"
import { testCrypto } from "../../engine/test-engine.ts"
import { bytesOf, type Row } from "./scenarios.ts"

const messageIn = <C extends Command>({ d, p, t }: Row, command: C): MessageOf<C> | undefined => {
  if (d !== "send" || t !== command || p === undefined) return undefined
  const decoded = decodeMessage(command, bytesOf(p))
  return Result.isSuccess(decoded) ? decoded.success.message : undefined
}

/** Transactions that a script shows, in whatever form. */
const transactionsIn = (row: Row): ReadonlyArray<Transaction> => {
  if (row.m === "sendrawtransaction") {
    const decoded = decodeTransaction(bytesOf(String(row.params?.[0])))
    return Result.isSuccess(decoded) ? [decoded.success] : []
  }
  const tx = messageIn(row, "tx")
  return tx === undefined ? messageIn(row, "blocktxn")?.transactions ?? [] : [tx.transaction]
}

const blockFrom = (message: MessageOf<"cmpctblock">, known: ReadonlyArray<Transaction>): Uint8Array | undefined => {
  const started = reconstruction(message, testCrypto)
  if (Result.isFailure(started)) return undefined
  for (const each of known) offerTransaction(started.success, witnessTransactionId(each, testCrypto), each)
  if (missingIndexes(started.success).length > 0) return undefined
  const block = completed(started.success, [])
  return Result.isSuccess(block) ? block.success : undefined
}

/** The blocks that the peers of a script told of, as compact ones or in full. `earlier`: all rows before it. */
export const blocksTold = (rows: ReadonlyArray<Row>, earlier: ReadonlyArray<Row>): ReadonlyArray<Uint8Array> => {
  const known = [...earlier, ...rows].flatMap(transactionsIn)
  return rows.flatMap((row) => {
    const compact = messageIn(row, "cmpctblock")
    const block = compact === undefined ? messageIn(row, "block")?.bytes : blockFrom(compact, known)
    return block === undefined ? [] : [block]
  })
}
