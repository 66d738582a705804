import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import { inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { base58CheckText } from "@lockstep/descriptors/script-text/base58-bytes.ts"
import { hexOf } from "../../hex.ts"
import { unsignedTransaction } from "@lockstep/descriptors/psbt/psbt-transaction.ts"
import { type ShowContext, TransactionJson, transactionJson } from "../../answers/transaction-json.ts"
import { amount } from "../../json/number-text.ts"
import { Amount, described, Hex, optionalDescribed } from "../../answers/result-schema.ts"
import { PsbtInputJson, psbtInputJson } from "./input-json.ts"
import { HexByHex, pathJson, Proprietary, proprietaryJson, unknownJson } from "./key-json.ts"
import { PsbtOutputJson, psbtOutputJson } from "./output-json.ts"
import { isMoney } from "@lockstep/descriptors/psbt/money.ts"

const ExtendedKey = Schema.Struct({
  xpub: described(Schema.String, "The extended public key"),
  master_fingerprint: described(Hex, "The fingerprint of the master key"),
  path: described(Schema.String, "The path from the master key")
})

export const PsbtJson = Schema.Struct({
  tx: optionalDescribed(TransactionJson, "The unsigned transaction (version 0)"),
  global_xpubs: described(Schema.Array(ExtendedKey), "Extended public keys"),
  tx_version: optionalDescribed(Schema.Number, "The version of the transaction (version 2)"),
  fallback_locktime: optionalDescribed(Schema.Number, "The lock time where no input asks for one (version 2)"),
  input_count: optionalDescribed(Schema.Number, "The number of inputs (version 2)"),
  output_count: optionalDescribed(Schema.Number, "The number of outputs (version 2)"),
  inputs_modifiable: optionalDescribed(Schema.Boolean, "Whether inputs may be changed (version 2)"),
  outputs_modifiable: optionalDescribed(Schema.Boolean, "Whether outputs may be changed (version 2)"),
  has_sighash_single: optionalDescribed(Schema.Boolean, "Whether an input has SIGHASH_SINGLE (version 2)"),
  psbt_version: described(Schema.Number, "The version of the format"),
  proprietary: described(Schema.Array(Proprietary), "Fields of a program's own"),
  unknown: described(HexByHex, "Fields of unknown types"),
  inputs: described(Schema.Array(PsbtInputJson), "The inputs"),
  outputs: described(Schema.Array(PsbtOutputJson), "The outputs"),
  fee: optionalDescribed(Amount, "The fee in BTC, where all outputs to spend are known")
})

/** Returns the sum of amounts, or `undefined` if one of them or a partial sum is not in the range of money. */
const totalOf = (values: ReadonlyArray<bigint | undefined>): bigint | undefined => {
  let total = 0n
  for (const value of values) {
    if (value === undefined || !isMoney(value) || !isMoney(total + value)) return undefined
    total += value
  }
  return total
}

const feeOf = ({ inputs, outputs }: Psbt): bigint | undefined => {
  const spent = totalOf(
    inputs.map(({ nonWitnessUtxo, prevout, witnessUtxo }) =>
      (nonWitnessUtxo?.outputs[prevout.vout] ?? witnessUtxo)?.value
    )
  )
  const paid = totalOf(outputs.map(({ value }) => value))
  return spent === undefined || paid === undefined ? undefined : spent - paid
}

const modifiableJson = (flags: number | undefined) =>
  flags === undefined ? {} : {
    inputs_modifiable: (flags & 1) !== 0,
    outputs_modifiable: (flags & 2) !== 0,
    has_sighash_single: (flags & 4) !== 0
  }

const versionJson = (psbt: Psbt) => ({
  tx_version: psbt.txVersion,
  fallback_locktime: psbt.fallbackLockTime,
  input_count: psbt.inputs.length,
  output_count: psbt.outputs.length,
  ...modifiableJson(psbt.modifiable)
})

/** Inputs or outputs formatted before the node yields to the event loop. */
const TURN = 16

const shownInTurns = Effect.fnUntraced(function*<A, B>(
  all: ReadonlyArray<A>,
  show: (each: A) => B
): Effect.fn.Return<ReadonlyArray<B>> {
  const shown: Array<B> = []
  for (const each of all) {
    shown.push(show(each))
    if (shown.length % TURN === 0) yield* Effect.yieldNow
  }
  return shown
})

/** Returns a PSBT as answers show it. Yields to the event loop in between. */
export const psbtJson = Effect.fnUntraced(function*(
  psbt: Psbt,
  context: ShowContext
): Effect.fn.Return<typeof PsbtJson.Type> {
  const fee = feeOf(psbt)
  const inputs = yield* shownInTurns(psbt.inputs, (input) => psbtInputJson(input, psbt.version, context))
  const outputs = yield* shownInTurns(psbt.outputs, (each) => psbtOutputJson(each, psbt.version, context.prefixes))
  return {
    tx: psbt.version === 0 ? transactionJson(unsignedTransaction(psbt)!, context) : undefined,
    global_xpubs: inOrder(psbt.globalKeys).map(({ extendedKey, origin }) => ({
      xpub: base58CheckText(extendedKey),
      master_fingerprint: hexOf(origin.fingerprint),
      path: pathJson(origin.path)
    })),
    ...(psbt.version === 2 ? versionJson(psbt) : {}),
    psbt_version: psbt.version,
    proprietary: proprietaryJson(psbt),
    unknown: unknownJson(psbt),
    inputs,
    outputs,
    fee: fee === undefined ? undefined : amount(fee)
  }
})
