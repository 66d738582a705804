import { readTransaction, type Transaction } from "@lockstep/kernel/model"
import type { Codec } from "../codec.ts"
import { passTransaction } from "../pass-transaction.ts"

/**
 * A transaction on its stem, with all witness data. The receiver relays it to one peer or fluffs it. Only peers that
 * offer `DANDELION` receive it. Its byte fields are views of the payload.
 */
export interface DandelionTxMessage {
  readonly command: "dandeliontx"
  readonly transaction: Transaction
}

export const dandeliontx: Codec<DandelionTxMessage> = {
  read: (cursor) => ({ command: "dandeliontx", transaction: readTransaction(cursor) }),
  pass: passTransaction,
  write: ({ transaction }) => transaction.bytes
}
