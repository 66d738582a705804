import { decodeTransaction, encodeWithoutWitness } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { sha256d } from "../../../mining/merkle.ts"

/** A transaction with its ids, in internal byte order. */
export interface KnownTransaction {
  readonly data: Uint8Array
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

/** Transactions that a client need not send: those of templates and declarations on this tip and the one before. */
export interface KnownTransactions {
  readonly find: (wtxid: Uint8Array) => KnownTransaction | undefined
  readonly add: (transactions: ReadonlyArray<KnownTransaction>) => void
  /** Called when the tip changes. */
  readonly turn: () => void
}

/** Maximum number of transactions on a tip; a block has a third of them. */
const MOST = 50_000

const keyOf = (wtxid: Uint8Array): string => Buffer.from(wtxid).toString("latin1")

export const openKnownTransactions = (): KnownTransactions => {
  let present = new Map<string, KnownTransaction>()
  let before = new Map<string, KnownTransaction>()
  return {
    find: (wtxid) => present.get(keyOf(wtxid)) ?? before.get(keyOf(wtxid)),
    add: (transactions) => {
      for (const each of transactions) if (present.size < MOST) present.set(keyOf(each.wtxid), each)
    },
    turn: () => {
      before = present
      present = new Map()
    }
  }
}

/** Decodes a transaction that a client sent. Returns `undefined` if the bytes are invalid. */
export const transactionFrom = (data: Uint8Array): KnownTransaction | undefined => {
  const decoded = decodeTransaction(data)
  return Result.isFailure(decoded)
    ? undefined
    : { data, txid: sha256d(encodeWithoutWitness(decoded.success)), wtxid: sha256d(data) }
}
