import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import { WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants.ts"
import { transactionId, witnessTransactionId } from "@lockstep/kernel/model/identity.ts"
import { isCoinbase, type Transaction, type TransactionInput } from "@lockstep/kernel/model/transaction.ts"
import { transactionWeight } from "@lockstep/kernel/model/weight.ts"
import type { Coin } from "@lockstep/kernel/utxo/coin.ts"
import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import * as Schema from "effect/Schema"
import { amount } from "../json/number-text.ts"
import { Amount, Hex, maybe, told } from "../method/result-schema.ts"
import { spendingAsmOf } from "./asm.ts"
import { displayHash, hexOf } from "./hex.ts"
import { ScriptPubKey, scriptPubKey } from "./script-pub-key.ts"

const Prevout = Schema.Struct({
  generated: told(Schema.Boolean, "Whether a coinbase made it"),
  height: told(Schema.Number, "The height of its block"),
  value: told(Amount, "Its amount in BTC"),
  scriptPubKey: told(ScriptPubKey, "Its script")
})

const Input = Schema.Struct({
  coinbase: maybe(Hex, "The script of a coinbase"),
  txid: maybe(Hex, "The transaction whose output is spent"),
  vout: maybe(Schema.Number, "The place of that output"),
  scriptSig: maybe(
    Schema.Struct({ asm: told(Schema.String, "The script in words"), hex: told(Hex, "The bytes of the script") }),
    "The script that spends"
  ),
  txinwitness: maybe(Schema.Array(Hex), "The witness"),
  prevout: maybe(Prevout, "The output that is spent, where undo data are at hand"),
  sequence: told(Schema.Number, "The sequence number")
})

const Output = Schema.Struct({
  value: told(Amount, "The amount in BTC"),
  n: told(Schema.Number, "The place of the output"),
  scriptPubKey: told(ScriptPubKey, "The script")
})

/** What is told about any transaction. */
export const TransactionFields = {
  txid: told(Hex, "The id of the transaction"),
  hash: told(Hex, "The hash with witness; the same as the id where there is none"),
  version: told(Schema.Number, "The version"),
  size: told(Schema.Number, "Bytes in all"),
  vsize: told(Schema.Number, "A quarter of the weight, rounded up"),
  weight: told(Schema.Number, "The weight: four times the bytes without witness, and those of the witness"),
  locktime: told(Schema.Number, "The lock time"),
  vin: told(Schema.Array(Input), "The inputs"),
  vout: told(Schema.Array(Output), "The outputs"),
  fee: maybe(Amount, "The fee in BTC, where undo data are at hand")
} as const

export const TransactionJson = Schema.Struct(TransactionFields)

export type TransactionJson = typeof TransactionJson.Type

/** What it takes to show transactions. */
export interface ShowContext {
  readonly crypto: Crypto
  readonly prefixes: AddressPrefixes
}

const prevoutJson = ({ height, isCoinbase: generated, script, value }: Coin, prefixes: AddressPrefixes): typeof Prevout.Type =>
  ({ generated, height, value: amount(value), scriptPubKey: scriptPubKey(script, prefixes) })

const witnessOf = ({ witness }: TransactionInput): ReadonlyArray<string> | undefined =>
  witness.length === 0 ? undefined : witness.map(hexOf)

const inputJson = (input: TransactionInput, spent: Coin | undefined, prefixes: AddressPrefixes): typeof Input.Type => ({
  txid: displayHash(input.prevout.txid),
  vout: input.prevout.vout,
  scriptSig: { asm: spendingAsmOf(input.script), hex: hexOf(input.script) },
  txinwitness: witnessOf(input),
  prevout: spent === undefined ? undefined : prevoutJson(spent, prefixes),
  sequence: input.sequence
})

const coinbaseJson = (input: TransactionInput): typeof Input.Type =>
  ({ coinbase: hexOf(input.script), txinwitness: witnessOf(input), sequence: input.sequence })

const totalOf = (outputs: ReadonlyArray<{ readonly value: bigint }>): bigint =>
  outputs.reduce((sum, { value }) => sum + value, 0n)

/** Which coins a transaction spent, one an input, and whether they are to be shown. */
export interface SpentCoins {
  readonly coins: ReadonlyArray<Coin>
  readonly show: boolean
}

/** A transaction as answers show it; with the coins it spent also its fee, and if wanted those coins. */
export const transactionJson = (tx: Transaction, { crypto, prefixes }: ShowContext, spent?: SpentCoins): TransactionJson => {
  const weight = transactionWeight(tx)
  const id = transactionId(tx, crypto)
  const generates = isCoinbase(tx)
  return {
    txid: displayHash(id),
    hash: displayHash(tx.hasWitness ? witnessTransactionId(tx, crypto) : id),
    version: tx.version,
    size: tx.bytes.length,
    vsize: Math.ceil(weight / WITNESS_SCALE_FACTOR),
    weight,
    locktime: tx.lockTime,
    vin: generates
      ? tx.inputs.map(coinbaseJson)
      : tx.inputs.map((input, i) => inputJson(input, spent?.show === true ? spent.coins[i] : undefined, prefixes)),
    vout: tx.outputs.map(({ script, value }, n) => ({ value: amount(value), n, scriptPubKey: scriptPubKey(script, prefixes) })),
    fee: spent === undefined || generates ? undefined : amount(totalOf(spent.coins) - totalOf(tx.outputs))
  }
}
