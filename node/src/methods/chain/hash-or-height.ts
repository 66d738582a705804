import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { hashOf, integerOf } from "../definition/parameter.ts"
import { invalidParameter, type CallError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { knownBlock } from "../../queries/block-lookup.ts"

/** A block by its hash or height. */
export const HashOrHeight = Schema.Union([Schema.String, Schema.Int])

export type BlockName = { readonly hash: Uint8Array } | { readonly height: Height }

/** Returns the block that a parameter names: a known hash, or a height of the active chain. */
export const blockNamed = Effect.fnUntraced(
  function*(value: JsonRead, node: MethodNode): Effect.fn.Return<BlockName, CallError> {
    if (!(value instanceof JsonNumber)) {
      const hash = yield* Effect.fromResult(hashOf(value, "hash_or_height"))
      yield* knownBlock(node, hash)
      return { hash }
    }
    const height = yield* Effect.fromResult(integerOf(value))
    const tip = node.chain.state().height
    if (height < 0) return yield* Effect.fail(invalidParameter(`Target block height ${height} is negative`))
    if (height > tip) {
      return yield* Effect.fail(invalidParameter(`Target block height ${height} after current tip ${tip}`))
    }
    return { height }
  }
)
