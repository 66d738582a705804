import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { type TransactionContent, transactionBytes } from "../judge/transaction-bytes.ts"
import { sha256d, toHex } from "./bytes.ts"

const EMPTY = new Uint8Array(0)
const FINAL = 0xffffffff

/** Flags that judge a block today. */
export const CONSENSUS = "P2SH,DERSIG,NULLDUMMY,CHECKLOCKTIMEVERIFY,CHECKSEQUENCEVERIFY,WITNESS,TAPROOT"

/** A push as assembly. */
export const push = (bytes: Uint8Array): string => {
  const size = Uint8Array.of(bytes.length)
  if (bytes.length === 0) return "0"
  return bytes.length < 76 ? `0x${toHex(size)} 0x${toHex(bytes)}` : `PUSHDATA1 0x${toHex(size)} 0x${toHex(bytes)}`
}

/**
 * The transaction that spends `spent` in the way of `script_tests.json`; a signature covers nothing of its scriptSig.
 */
export const spendingOf = ({ script, value }: TransactionOutput): TransactionContent => {
  const credit = transactionBytes({
    version: 1,
    inputs: [{
      prevout: { txid: new Uint8Array(32), vout: FINAL },
      script: Uint8Array.of(0, 0),
      sequence: FINAL,
      witness: []
    }],
    outputs: [{ value, script }],
    lockTime: 0
  })
  return {
    version: 1,
    inputs: [{ prevout: { txid: sha256d(credit), vout: 0 }, script: EMPTY, sequence: FINAL, witness: [] }],
    outputs: [{ value, script: EMPTY }],
    lockTime: 0
  }
}

/** `tx` with the scriptSig and witness of one input filled in. */
export const withInput = (
  tx: TransactionContent,
  index: number,
  script: Uint8Array,
  witness: ReadonlyArray<Uint8Array> = []
): TransactionContent => ({
  ...tx,
  inputs: tx.inputs.map((input, i) => i === index ? { ...input, script, witness } : input)
})

/** The subject of a case: one input of a whole transaction. */
export const spendSubject = (
  tx: TransactionContent,
  spent: ReadonlyArray<TransactionOutput>,
  index: number,
  flags: string
) => ({
  tx: toHex(transactionBytes(tx)),
  prevouts: spent.map(({ value, script }) => [Number(value), toHex(script)]),
  index,
  flags
})
