import { type Block, decodeBlock, decodeTransaction, headerOf } from "@lockstep/kernel/model"
import { compactBlockOf, compactBlockOfOutline } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import type { CmpctBlockMessage } from "@lockstep/protocol/wire/messages/compact-blocks.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { NewBlockContents } from "../../../engine/api/engine-notification.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import type { P2pContext } from "../../peer/p2p-context.ts"
import { unforeseeable } from "../../peer/session/ping-pong.ts"

/** The message that all peers get for a stored block. */
export interface CompactForm {
  readonly message: CmpctBlockMessage
  /** The block itself, read at most once; `undefined` if it cannot be read. */
  readonly block: Effect.Effect<Block | undefined>
}

/** Cache of compact blocks. It keeps the highest one, since many peers request it at the same moment. */
export interface CompactForms {
  /** Returns the compact block, or `undefined` if the block cannot be read. */
  readonly of: (node: HeaderIndexNode) => Effect.Effect<CompactForm | undefined>
  /** Records the contents of a block that is about to become the tip, so that it need not be read for its message. */
  readonly note: (node: HeaderIndexNode, contents?: NewBlockContents) => void
  /** Returns the form of the block, if it is the cached one. */
  readonly kept: (node: HeaderIndexNode) => Effect.Effect<CompactForm | undefined> | undefined
}

interface Kept {
  readonly node: HeaderIndexNode
  readonly form: Fiber.Fiber<CompactForm | undefined>
}

/** Makes the cache, which ends with the scope. */
export const compactForms = Effect.fnUntraced(function*(
  { chain, crypto, environment }: P2pContext
): Effect.fn.Return<CompactForms, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime()
  let newest: Kept | undefined
  let noted: { readonly node: HeaderIndexNode; readonly contents: NewBlockContents } | undefined

  const read = (node: HeaderIndexNode): Effect.Effect<Block | undefined> =>
    Effect.map(chain.blockBytes(node), (bytes) => {
      const decoded = bytes === undefined ? undefined : decodeBlock(bytes)
      return decoded === undefined ? undefined : Result.getOrUndefined(decoded)
    })

  /** Makes the form from the known contents of the block, which is read only when its transactions are requested. */
  const madeOf = (node: HeaderIndexNode, { coinbase, witnessIds }: NewBlockContents): CompactForm => {
    let reading: Fiber.Fiber<Block | undefined> | undefined
    const outline = {
      header: headerOf(node.header.bytes),
      coinbase: Result.getOrThrow(decodeTransaction(coinbase)),
      witnessIds
    }
    return {
      message: compactBlockOfOutline(outline, unforeseeable(environment.random), crypto),
      block: Effect.suspend(() => Fiber.join(reading ??= fork(read(node))))
    }
  }

  const make = (node: HeaderIndexNode): Effect.Effect<CompactForm | undefined> =>
    Effect.suspend(() =>
      noted?.node === node
        ? Effect.succeed(madeOf(node, noted.contents))
        : Effect.map(read(node), (block) =>
          block && {
            message: compactBlockOf(block, unforeseeable(environment.random), crypto),
            block: Effect.succeed(block)
          })
    )

  const kept = (node: HeaderIndexNode): Effect.Effect<CompactForm | undefined> | undefined =>
    newest?.node === node ? Fiber.join(newest.form) : undefined

  return {
    kept,
    note: (node, contents) => {
      if (contents !== undefined) noted = { node, contents }
    },
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
