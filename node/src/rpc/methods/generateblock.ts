import { decodeTransaction } from "@lockstep/kernel/model/transaction-codec.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { scriptOfAddress } from "../decode/address.ts"
import { descriptorChecksum } from "../decode/descriptor-checksum.ts"
import { displayHash, hexOf } from "../decode/hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { array, boolean, bytesOfDigits, optionalWith, stringOf, text } from "../method/parameter.ts"
import { Hex, maybe, told } from "../method/result-schema.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"

const Generated = Schema.Struct({
  hash: told(Hex, "The hash of the block"),
  hex: maybe(Hex, "Its bytes, unless it was submitted")
})

const DEFAULT_TRIES = 1_000_000

const SIMPLE_DESCRIPTOR = /^(addr|raw)\(([^()]*)\)(?:#([a-z0-9]{8}))?$/

/** The script an output text stands for: an address, `addr(…)` or `raw(…)`. */
const scriptOf = (output: string, { addresses }: Network): Uint8Array | undefined => {
  const [, form, inner = "", checksum] = SIMPLE_DESCRIPTOR.exec(output) ?? []
  if (form === undefined) return scriptOfAddress(output, addresses)
  if (checksum !== undefined && descriptorChecksum(`${form}(${inner})`) !== checksum) return undefined
  return form === "addr" ? scriptOfAddress(inner, addresses) : bytesOfDigits(inner)
}

const TXID = /^[0-9a-fA-F]{64}$/

const transactionOf = (value: JsonRead): Result.Result<Uint8Array, RpcError> =>
  Result.flatMap(stringOf(value), (digits) => {
    if (TXID.test(digits)) return Result.fail(rpcError(RpcErrorCode.invalidAddressOrKey, `Transaction ${digits} not in mempool.`))
    const bytes = bytesOfDigits(digits)
    return bytes !== undefined && Result.isSuccess(decodeTransaction(bytes))
      ? Result.succeed(bytes)
      : Result.fail(rpcError(
        RpcErrorCode.deserialization,
        `Transaction decode failed for ${digits}. Make sure the tx has at least one input.`
      ))
  })

export const generateblock = method({
  name: "generateblock",
  category: "generating",
  privilege: "admin",
  description: "Mines one block at once with just these transactions, in this order. On regtest only.",
  parameters: {
    output: text({ description: "Who gets the new coins: an address, addr(…) or raw(…)" }),
    transactions: array({ description: "Transactions in hexadecimal digits" }, Schema.Array(Schema.String)),
    submit: optionalWith(boolean({ description: "Whether the block becomes part of the chain, or is only answered" }), true)
  },
  result: Generated,
  examples: [{ shows: "Mine an empty block", params: ["bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc", []] }],
  call: Effect.fnUntraced(function*({ output, submit, transactions: given }, { chain, network }) {
    const script = scriptOf(output, network)
    if (script === undefined) {
      return yield* Effect.fail(rpcError(RpcErrorCode.invalidAddressOrKey, "Error: Invalid address or descriptor"))
    }
    const transactions = yield* Effect.forEach(given, (each) => Effect.fromResult(transactionOf(each)))
    const { block, hashes } = yield* chain.call("generate", { script, blocks: 1, maxTries: DEFAULT_TRIES, transactions, submit })
    const [hash] = hashes
    if (hash === undefined) return yield* Effect.fail(rpcError(RpcErrorCode.misc, "Failed to make block."))
    return { hash: displayHash(hash), hex: submit || block === undefined ? undefined : hexOf(block) }
  })
})
