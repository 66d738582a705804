import { readTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { passTransaction } from "../pass-transaction.ts"

/** An unconfirmed transaction. Its byte fields are views of the payload. */
export interface TxMessage {
  readonly command: "tx"
  readonly transaction: Transaction
}

export const tx: Codec<TxMessage> = {
  read: (cursor) => ({ command: "tx", transaction: readTransaction(cursor) }),
  pass: passTransaction,
  write: ({ transaction }) => transaction.bytes
}
