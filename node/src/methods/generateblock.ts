import { decodeTransaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { parseDescriptor } from "@lockstep/descriptors/descriptor/parse-descriptor.ts"
import { bytesOfDigits, displayHash, hashOfText, hexOf } from "../hex.ts"
import type { PooledTransaction } from "../engine/api/mining-calls.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, boolean, optionalWith, stringOf, text } from "./definition/parameter.ts"
import { Hex, optionalDescribed, described } from "../answers/result-schema.ts"
import { type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { soleScript } from "./generatetodescriptor.ts"

const Generated = Schema.Struct({
  hash: described(Hex, "The hash of the block"),
  hex: optionalDescribed(Hex, "Its bytes, unless it was submitted")
})

const DEFAULT_TRIES = 1_000_000

/** Returns the script of an output text: a descriptor of one script, or an address. */
const scriptOf = (output: string, node: MethodNode): Result.Result<Uint8Array, CallError> => {
  if (Result.isSuccess(parseDescriptor(output, node.network))) return soleScript(output, node)
  const paidTo = scriptOfAddress(output, node.network.addresses)
  return paidTo === undefined
    ? Result.fail(callError("InvalidAddressOrKey", "Error: Invalid address or descriptor"))
    : Result.succeed(paidTo)
}

const transactionOf = (value: JsonRead): Result.Result<Uint8Array | PooledTransaction, CallError> =>
  Result.flatMap(stringOf(value), (digits): Result.Result<Uint8Array | PooledTransaction, CallError> => {
    const txid = hashOfText(digits)
    if (txid !== undefined) return Result.succeed({ txid })
    const bytes = bytesOfDigits(digits)
    return bytes !== undefined && Result.isSuccess(decodeTransaction(bytes))
      ? Result.succeed(bytes)
      : Result.fail(callError(
        "Deserialization",
        `Transaction decode failed for ${digits}. Make sure the tx has at least one input.`
      ))
  })

export const generateblock = method({
  name: "generateblock",
  category: "generating",
  isHidden: true,
  privilege: "admin",
  description:
    "Mines one block at once with just these transactions, in this order. On regtest, and on a signet of one's own.",
  parameters: {
    output: text({ description: "What gets the new coins: an address or a descriptor" }),
    transactions: array({
      usage: "[\"rawtx/txid\",...]",
      description: "Transactions in hexadecimal digits; ids stand for transactions of the mempool"
    }, Schema.Array(Schema.String)),
    submit: optionalWith(
      boolean({ description: "Whether the block becomes part of the chain, or is only answered" }),
      true
    )
  },
  result: Generated,
  examples: [{ shows: "Mine an empty block", params: ["bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc", []] }],
  call: Effect.fnUntraced(function*({ output, submit, transactions: given }, node) {
    const script = yield* Effect.fromResult(scriptOf(output, node))
    const transactions = yield* Effect.forEach(given, (each) => Effect.fromResult(transactionOf(each)))
    const { block, hashes } = yield* node.chain.call("generate", {
      script,
      blocks: 1,
      maxTries: DEFAULT_TRIES,
      transactions,
      submit
    })
    const [hash] = hashes
    if (hash === undefined) return yield* Effect.fail(callError("Misc", "Failed to make block."))
    return { hash: displayHash(hash), hex: submit || block === undefined ? undefined : hexOf(block) }
  })
})
