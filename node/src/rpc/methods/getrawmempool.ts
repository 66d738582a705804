import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../../hex.ts"
import { method } from "../method/method.ts"
import { boolean, optionalWith } from "../method/parameter.ts"
import { Hex } from "../method/result-schema.ts"
import { rpcError, RpcErrorCode } from "../rpc-error.ts"

const NOT_BUILT = rpcError(
  RpcErrorCode.misc,
  "Only ids are answered: verbose and mempool_sequence are not part of this version"
)

export const getrawmempool = method({
  name: "getrawmempool",
  category: "blockchain",
  privilege: "anyone",
  description:
    "Lists the ids of the transactions of the mempool. It is a simple one in this build: no replacement, no packages, not kept over a restart.",
  parameters: {
    verbose: optionalWith(
      boolean({ description: "Whether to answer more than ids, which this version cannot" }),
      false
    ),
    mempool_sequence: optionalWith(
      boolean({ description: "Whether to answer a sequence number as well, which this version cannot" }),
      false
    )
  },
  result: Schema.Array(Hex),
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*({ mempool_sequence, verbose }, { chain }) {
    if (verbose || mempool_sequence) return yield* Effect.fail(NOT_BUILT)
    return (yield* chain.call("poolIds", undefined)).map(displayHash)
  })
})
