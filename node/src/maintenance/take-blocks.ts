import type { Block } from "@lockstep/kernel/model/block.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import { proofOfWork } from "@lockstep/kernel/work/proof-of-work.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { acceptBlock } from "../engine/accept.ts"
import { activateBestChain } from "../engine/activate.ts"
import { breather } from "../engine/breathe.ts"
import { type ChainEngine, identified, type IdentifiedBlock } from "../engine/chain-engine.ts"
import { blockPipeline, type ConnectError } from "../engine/connect.ts"
import { displayHash } from "../engine/display-hash.ts"
import { HeaderStatus } from "../engine/header-tree/header-status.ts"
import { has, isInvalid, nodeOf } from "../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../engine/header-tree/tree-node.ts"
import { blockOf } from "../engine/read-block.ts"
import { stateTeller } from "../engine/state-teller.ts"
import { tellLog } from "../engine/tell.ts"
import { placeIn } from "./block-source.ts"
import type { Taking } from "./parents-first.ts"

interface ReadBlock {
  readonly block: Block
  readonly hash: Uint8Array
  /** Not computed for a block that is here anyway. */
  readonly found: IdentifiedBlock | undefined
}

/**
 * Takes in whole blocks, where they stand or as copies, and connects them: what goes on top of the chain at once, so that
 * the next ones are taken in while scripts are judged; the rest when the turn ends. `taken` hears of each that is new.
 */
export const takeBlocks = (engine: ChainEngine, taken: () => void): Taking<ReadBlock> => {
  const { crypto, parameters, tree } = engine
  const isStored = (hash: Uint8Array): boolean => {
    const node = nodeOf(tree, hash)
    return node !== undefined && has(tree, node, HeaderStatus.STORED)
  }
  const pipeline = blockPipeline(engine, () => {})
  const rest = breather()
  const tell = stateTeller(engine)
  const connectIfNext = Effect.fnUntraced(function*(node: TreeNode): Effect.fn.Return<void, ConnectError> {
    const isNext = node.parent === (pipeline.last() ?? tree.tip) && has(tree, node, HeaderStatus.LINKED) && !isInvalid(tree, node)
    if (!isNext || engine.closing) return
    yield* rest
    yield* pipeline.add(node)
    tell()
  })
  return {
    head: undefined,
    // Decoded blocks take many times their bytes, so few of them wait.
    chunkBytes: 256 * 1024,
    decode: (bytes) => {
      const block = blockOf(bytes)
      if (block === undefined) return undefined
      const hash = blockHash(block.header, crypto)
      return { block, hash, found: isStored(hash) ? undefined : identified(block, crypto) }
    },
    hashOf: ({ hash }) => hash,
    previousOf: ({ block }) => block.header.previous,
    // Without proof of work it is refused for that, whatever it stands on.
    mayWait: ({ block, hash }) => Result.isSuccess(proofOfWork(hash, block.header.bits, parameters.work.powLimit)),
    isTaken: ({ hash }) => isStored(hash),
    isParent: (hash) => nodeOf(tree, hash) !== undefined,
    accept: Effect.fnUntraced(function*({ block, found, hash }, source, offset) {
      const verdict = yield* acceptBlock(engine, found ?? identified(block, crypto), placeIn(source, offset, block.bytes.length))
      if (Result.isFailure(verdict)) {
        const facts = { file: source.path, offset, block: displayHash(hash), reason: verdict.failure.reason }
        tellLog(engine, "warn", "A block of an imported file is refused", facts)
        return
      }
      if (verdict.success.isNew) taken()
      yield* connectIfNext(verdict.success.node)
    }),
    conclude: Effect.andThen(pipeline.drain, activateBestChain(engine)),
    release: pipeline.abandon
  }
}
