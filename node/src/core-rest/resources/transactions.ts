import * as Effect from "effect/Effect"
import { bytesOfDigits } from "../../hex.ts"
import { JsonNumber, type JsonValue } from "../../json/json-value.ts"
import { getrawtransaction } from "../../methods/getrawtransaction.ts"
import { type RpcError, RpcErrorCode } from "../../queries/rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import { type Answering, hashIn, inFormat, type RestFault, restFault, resultOf } from "../rest-content.ts"
import type { RestPath } from "../rest-path.ts"

const BYTES = new JsonNumber("0")
const FIELDS = new JsonNumber("1")

/** Fields that say where a transaction stands, which the method of RPC alone answers. */
const PLACE = new Set(["blockhash", "blocktime", "confirmations", "hex", "in_active_chain", "time"])

const withoutPlace = (found: Readonly<Record<string, JsonValue>>): JsonValue => ({
  ...Object.fromEntries(Object.entries(found).filter(([name]) => !PLACE.has(name))),
  ...found["blockhash"] === undefined ? {} : { blockhash: found["blockhash"] },
  hex: found["hex"]
})

/** A transaction of the mempool, or one that the index finds. */
export const transaction = Effect.fnUntraced(
  function*(
    { format, param }: RestPath,
    node: MethodNode
  ): Effect.fn.Return<Effect.Success<Answering>, RestFault | RpcError> {
    yield* hashIn(param)
    const asked = (verbosity: JsonNumber) =>
      Effect.mapError(
        resultOf(getrawtransaction, node, param, verbosity),
        (error) => error.code === RpcErrorCode.invalidAddressOrKey ? restFault(404, `${param} not found`) : error
      )
    const digits = String(yield* asked(BYTES))
    return yield* inFormat(format, {
      bytes: Effect.sync(() => bytesOfDigits(digits)!),
      hex: digits,
      json: Effect.map(asked(FIELDS), (found) => withoutPlace(found as Readonly<Record<string, JsonValue>>))
    })
  }
)
