import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type SecretKey, secretKeyOf } from "@lockstep/descriptors/descriptor/key-text.ts"
import { displayHash, hexOf } from "../hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, optionalWith, stringOf, text } from "./definition/parameter.ts"
import { Hex, optionalDescribed, described } from "../answers/result-schema.ts"
import { transactionOfHex } from "./raw-transaction/decode-hex.ts"
import { providerOfKeys } from "@lockstep/descriptors/raw-transaction/key-provider.ts"
import { digitsOf, previousOutputs } from "./raw-transaction/previous-outputs.ts"
import { hashTypeOf } from "./raw-transaction/sighash-name.ts"
import { MISSING_AMOUNT, signRawTransaction } from "@lockstep/descriptors/raw-transaction/sign-raw-transaction.ts"
import { type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"

const Fault = Schema.Struct({
  txid: described(Hex, "The transaction whose output is spent"),
  vout: described(Schema.Number, "The place of that output"),
  witness: described(Schema.Array(Hex), "The witness"),
  scriptSig: described(Hex, "The script that spends"),
  sequence: described(Schema.Number, "The sequence number"),
  error: described(Schema.String, "Why it does not spend the output")
})

const Signed = Schema.Struct({
  hex: described(Hex, "The transaction with the signatures"),
  complete: described(Schema.Boolean, "Whether every input is satisfied"),
  errors: optionalDescribed(Schema.Array(Fault), "The inputs that are not")
})

const Prevout = Schema.Struct({
  txid: described(Hex, "The transaction whose output is spent"),
  vout: described(Schema.Int, "The place of that output"),
  scriptPubKey: described(Hex, "Its script"),
  redeemScript: optionalDescribed(Hex, "The script behind a script hash"),
  witnessScript: optionalDescribed(Hex, "The script behind a witness script hash"),
  amount: optionalDescribed(Schema.Number, "Its amount in BTC, which witnesses sign")
})

const keyOf = (value: JsonRead, { network }: MethodNode): Result.Result<SecretKey, CallError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const key = secretKeyOf(digits, network)
    return key === undefined
      ? Result.fail(callError("InvalidAddressOrKey", "Invalid private key"))
      : Result.succeed(key)
  })

/** Returns an output without a value as Bitcoin Core prints it: with MAX_MONEY, and the start of its script. */
const unvaluedText = (script: Uint8Array): string =>
  `${MISSING_AMOUNT} for CTxOut(nValue=21000000.00000000, scriptPubKey=${hexOf(script).slice(0, 30)})`

export const signrawtransactionwithkey = method({
  name: "signrawtransactionwithkey",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Signs the inputs of a transaction with private keys. The outputs it spends are those of the chain and the mempool, or given in prevtxs.",
    "Keys are used for nothing else and not kept."
  ].join("\n"),
  parameters: {
    hexstring: text({ description: "The transaction in hexadecimal digits" }),
    privkeys: array(
      { usage: "[\"privatekey\",...]", description: "The private keys in the wallet import format" },
      Schema.Array(Schema.String)
    ),
    prevtxs: optionalWith(
      array({ description: "Outputs to spend that neither the chain nor the mempool has yet" }, Schema.Array(Prevout)),
      [],
      "[]"
    ),
    sighashtype: optionalWith(text({ description: "What signatures cover" }), "DEFAULT")
  },
  result: Signed,
  examples: [{ params: ["transaction", ["private key"]] }],
  call: Effect.fnUntraced(function*({ hexstring, prevtxs, privkeys, sighashtype }, node) {
    const tx = transactionOfHex(hexstring, { withWitness: true, withoutWitness: false })
    if (tx === undefined || tx.inputs.length === 0) {
      return yield* Effect.fail(callError(
        "Deserialization",
        "TX decode failed. Make sure the tx has at least one input."
      ))
    }
    const keys = yield* Effect.forEach(privkeys, (each) => Effect.fromResult(keyOf(each, node)))
    const provider = providerOfKeys(keys, node.crypto)
    const spent = yield* previousOutputs(tx, prevtxs, provider, node)
    const hashType = yield* Effect.fromResult(hashTypeOf(sighashtype))
    const { faults, tx: signed } = yield* signRawTransaction(tx, spent, provider, hashType, node.crypto)
    const unvalued = faults.find(({ error }) => error === MISSING_AMOUNT)
    if (unvalued !== undefined) {
      const { script } = spent[unvalued.index]!
      return yield* Effect.fail(callError("WrongType", unvaluedText(script)))
    }
    const errors = faults.map(({ error, input }) => ({
      txid: displayHash(input.prevout.txid),
      vout: input.prevout.vout,
      witness: digitsOf(input.witness),
      scriptSig: hexOf(input.script),
      sequence: input.sequence,
      error
    }))
    return { hex: hexOf(signed.bytes), complete: errors.length === 0, errors: errors.length === 0 ? undefined : errors }
  })
})
