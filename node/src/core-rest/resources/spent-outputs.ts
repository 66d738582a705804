import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { scriptPubKey } from "../../answers/script-pub-key.ts"
import { amount } from "../../json/number-text.ts"
import { undoOf } from "../../queries/block-undo.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { namedBlock, inFormat, type RestFault, restFault } from "../rest-content.ts"
import type { RestPath } from "../rest-path.ts"
import { serializedOutput } from "../serialized-output.ts"

/** Returns the outputs that each transaction of a block spends. The coinbase comes first with an empty list. */
export const spentOutputs = Effect.fnUntraced(function*({ format, param }: RestPath, node: QueryNode) {
  const facts = yield* namedBlock(param, node)
  const unavailable = (): RestFault => restFault(404, `${param} undo not available`)
  const undo = yield* Effect.mapError(undoOf(facts, node), unavailable)
  // The genesis block spends nothing and has no undo data.
  if (undo === undefined && facts.height > 0) return yield* Effect.fail(unavailable())
  const spent = [[], ...undo?.spent ?? []]
  const prefixes = node.network.addresses
  return yield* inFormat(format, {
    bytes: Effect.sync(() =>
      concatBytes([
        encodeCompactSize(spent.length),
        ...spent.flatMap((coins) => [encodeCompactSize(coins.length), ...coins.map(serializedOutput)])
      ])
    ),
    json: Effect.sync(() =>
      spent.map((coins) =>
        coins.map(({ script, value }) => ({ value: amount(value), scriptPubKey: scriptPubKey(script, prefixes) }))
      )
    )
  })
})
