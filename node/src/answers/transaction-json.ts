import type { Crypto } from "@lockstep/kernel/crypto"
import { WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import {
  isCoinbase,
  type Transaction,
  transactionId,
  type TransactionInput,
  transactionWeight,
  witnessTransactionId
} from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import * as Schema from "effect/Schema"
import { amount } from "../json/number-text.ts"
import { Amount, Hex, optionalDescribed, described } from "./result-schema.ts"
import { spendingAsmOf } from "@lockstep/descriptors/script-text/asm.ts"
import { displayHash, hexOf } from "../hex.ts"
import type { QueryNode } from "../queries/query-node.ts"
import { ScriptPubKey, scriptPubKey } from "./script-pub-key.ts"

const Prevout = Schema.Struct({
  generated: described(Schema.Boolean, "Whether a coinbase made it"),
  height: described(Schema.Number, "The height of its block"),
  value: described(Amount, "Its amount in BTC"),
  scriptPubKey: described(ScriptPubKey, "Its script")
})

const Input = Schema.Struct({
  coinbase: optionalDescribed(Hex, "The script of a coinbase"),
  txid: optionalDescribed(Hex, "The transaction whose output is spent"),
  vout: optionalDescribed(Schema.Number, "The place of that output"),
  scriptSig: optionalDescribed(
    Schema.Struct({
      asm: described(Schema.String, "The script in words"),
      hex: described(Hex, "The bytes of the script")
    }),
    "The script that spends"
  ),
  txinwitness: optionalDescribed(Schema.Array(Hex), "The witness"),
  prevout: optionalDescribed(Prevout, "The output that is spent, where there is undo data"),
  sequence: described(Schema.Number, "The sequence number")
})

const Output = Schema.Struct({
  value: described(Amount, "The amount in BTC"),
  n: described(Schema.Number, "The place of the output"),
  scriptPubKey: described(ScriptPubKey, "The script")
})

/** Fields that describe any transaction. */
export const TransactionFields = {
  txid: described(Hex, "The id of the transaction"),
  hash: described(Hex, "The hash with witness; the same as the id where there is none"),
  version: described(Schema.Number, "The version"),
  size: described(Schema.Number, "Bytes in all"),
  vsize: described(Schema.Number, "A quarter of the weight, rounded up"),
  weight: described(Schema.Number, "The weight: four times the bytes without witness, and those of the witness"),
  locktime: described(Schema.Number, "The lock time"),
  vin: described(Schema.Array(Input), "The inputs"),
  vout: described(Schema.Array(Output), "The outputs"),
  fee: optionalDescribed(Amount, "The fee in BTC, where there is undo data")
} as const

export const TransactionJson = Schema.Struct(TransactionFields)

export type TransactionJson = typeof TransactionJson.Type

/** Context needed to show transactions. */
export interface ShowContext {
  readonly crypto: Crypto
  readonly prefixes: AddressPrefixes
}

/** Returns the context for the transactions of a node. */
export const showContext = ({ crypto, network }: QueryNode): ShowContext => ({ crypto, prefixes: network.addresses })

const prevoutJson = (
  { height, isCoinbase: generated, script, value }: Coin,
  prefixes: AddressPrefixes
): typeof Prevout.Type => ({ generated, height, value: amount(value), scriptPubKey: scriptPubKey(script, prefixes) })

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

const coinbaseJson = (input: TransactionInput): typeof Input.Type => ({
  coinbase: hexOf(input.script),
  txinwitness: witnessOf(input),
  sequence: input.sequence
})

const totalOf = (outputs: ReadonlyArray<{ readonly value: bigint }>): bigint =>
  outputs.reduce((sum, { value }) => sum + value, 0n)

/** Coins that a transaction spent, one per input, and whether to show them. */
export interface SpentCoins {
  readonly coins: ReadonlyArray<Coin>
  readonly show: boolean
}

/**
 * Returns a transaction as answers show it. With its spent coins it also shows the fee and, on request, those coins.
 */
export const transactionJson = (
  tx: Transaction,
  { crypto, prefixes }: ShowContext,
  spent?: SpentCoins
): TransactionJson => {
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
    vout: tx.outputs.map(({ script, value }, n) => ({
      value: amount(value),
      n,
      scriptPubKey: scriptPubKey(script, prefixes)
    })),
    fee: spent === undefined || generates ? undefined : amount(totalOf(spent.coins) - totalOf(tx.outputs))
  }
}
