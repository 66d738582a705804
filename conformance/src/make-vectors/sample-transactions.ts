import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import type { TransactionContent } from "../judge/transaction-bytes.ts"
import { fromHex } from "./bytes.ts"

const txid = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const nothing = new Uint8Array(0)

/** The hash types that every algorithm knows. */
export const HASH_TYPES = [
  ["ALL", 1],
  ["NONE", 2],
  ["SINGLE", 3],
  ["ALL with ANYONECANPAY", 0x81],
  ["NONE with ANYONECANPAY", 0x82],
  ["SINGLE with ANYONECANPAY", 0x83]
] as const

/** Two inputs with numbers of their own, two outputs. */
export const paysTwo: TransactionContent = {
  version: 2,
  inputs: [
    { prevout: { txid: txid(0x11), vout: 0 }, script: nothing, sequence: 0xfffffffe, witness: [] },
    { prevout: { txid: txid(0x22), vout: 3 }, script: nothing, sequence: 5, witness: [] }
  ],
  outputs: [
    { value: 1000n, script: fromHex("51") },
    { value: 20_000_000_000n, script: fromHex(`0014${"33".repeat(20)}`) }
  ],
  lockTime: 500_000
}

/** The same with its first output alone. */
export const paysOne: TransactionContent = { ...paysTwo, outputs: paysTwo.outputs.slice(0, 1) }

/** The script of pay to public key hash. */
export const scriptCode = fromHex(`76a914${"44".repeat(20)}88ac`)

/** What the two inputs spend, as taproot signs it. */
export const spentByBoth: ReadonlyArray<TransactionOutput> = [
  { value: 700n, script: fromHex(`5120${"55".repeat(32)}`) },
  { value: 30_000_000_000n, script: fromHex(`0014${"66".repeat(20)}`) }
]
