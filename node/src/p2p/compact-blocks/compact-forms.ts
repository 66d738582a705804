import { type Block, decodeBlock } from "@lockstep/kernel/model"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import type { CmpctBlockMessage } from "@lockstep/protocol/wire/messages/compact-blocks.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { P2pContext } from "../p2p-context.ts"
import { unforeseeable } from "../peer/session/ping-pong.ts"

/** A stored block, and the message that all peers get for it. */
export interface CompactForm {
  readonly block: Block
  readonly message: CmpctBlockMessage
}

/** Blocks as compact blocks. The highest one is kept, since many peers want it in the same moment. */
export interface CompactForms {
  /** None: the block cannot be read. */
  readonly of: (node: HeaderIndexNode) => Effect.Effect<CompactForm | undefined>
  /** The transactions of the block, if it is the one that is kept. */
  readonly kept: (node: HeaderIndexNode) => Effect.Effect<CompactForm | undefined> | undefined
}

interface Kept {
  readonly node: HeaderIndexNode
  readonly form: Fiber.Fiber<CompactForm | undefined>
}

/** Ends with the scope. */
export const compactForms = Effect.fnUntraced(function*(
  { chain, crypto, environment }: P2pContext
): Effect.fn.Return<CompactForms, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime()
  let newest: Kept | undefined

  const make = (node: HeaderIndexNode): Effect.Effect<CompactForm | undefined> =>
    Effect.map(chain.blockBytes(node), (bytes) => {
      const decoded = bytes === undefined ? undefined : decodeBlock(bytes)
      if (decoded === undefined || Result.isFailure(decoded)) return undefined
      const block = decoded.success
      return { block, message: compactBlockOf(block, unforeseeable(environment.random), crypto) }
    })

  const kept = (node: HeaderIndexNode): Effect.Effect<CompactForm | undefined> | undefined =>
    newest?.node === node ? Fiber.join(newest.form) : undefined

  return {
    kept,
    of: (node) =>
      Effect.suspend(() => {
        const found = kept(node)
        if (found !== undefined) return found
        if (newest !== undefined && node.height < newest.node.height) return make(node)
        newest = { node, form: fork(make(node)) }
        return Fiber.join(newest.form)
      })
  }
})
