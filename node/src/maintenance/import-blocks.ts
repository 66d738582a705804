import { type Block, blockHash } from "@lockstep/kernel/model"
import { proofOfWork } from "@lockstep/kernel/work"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { acceptBlock } from "../engine/validation/accept-block.ts"
import { isEnding } from "../engine/state/engine-status.ts"
import { activateBestChain } from "../engine/validation/activate-best-chain.ts"
import { periodicYield } from "../engine/options/yield-to-event-loop.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import { identified, type IdentifiedBlock } from "../engine/state/identified-block.ts"
import type { ConnectError } from "../engine/chainstate/connect-error.ts"
import { blockPipeline } from "../engine/validation/connect.ts"
import { displayHash } from "../hex.ts"
import { HeaderStatus } from "../engine/header-index/header-status.ts"
import { has, isInvalid, nodeOf } from "../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import { blockOf } from "../engine/validation/read-block.ts"
import { stateNotifier } from "../engine/chainstate/state-notifier.ts"
import { notifyLog } from "../engine/notify/notifications.ts"
import { type BlockSource, placeIn } from "./block-source.ts"
import type { Importer } from "./out-of-order-import.ts"

interface ReadBlock {
  readonly block: Block
  readonly hash: Uint8Array
  /** Not computed for a block that is stored already. */
  readonly found: IdentifiedBlock | undefined
}

/**
 * Reports a rejected block of a file. After the last commit a power cut may leave a record of the right length with
 * missing bytes. Such a block is no damage, and arrives again from its source.
 */
const reportRejected = (
  engine: ChainEngine,
  { number, path }: BlockSource,
  offset: number,
  hash: Uint8Array,
  { class: rejectionClass, reason }: Rejection
): void => {
  const facts = { file: path, offset, block: displayHash(hash), reason }
  const isBehind = number !== undefined && offset >= (engine.files.uncommitted.get(number) ?? Number.POSITIVE_INFINITY)
  if (isBehind && rejectionClass === "mutated") {
    return notifyLog(
      engine,
      "info",
      "A block behind the last commit is not on disk as a whole: the node passes over it",
      facts
    )
  }
  notifyLog(
    engine,
    "warn",
    number === undefined ? "A block of an imported file is refused" : "A block of a block file is refused",
    facts
  )
}

/**
 * Accepts whole blocks, in place or as copies, and connects them. It connects those on top of the chain at once, so
 * that the next ones are accepted while scripts are verified. The rest follow at the end of the turn. `imported` is
 * called for each new block.
 */
export const importBlocks = (engine: ChainEngine, imported: () => void): Importer<ReadBlock> => {
  const { crypto, parameters, tree } = engine
  const isStored = (hash: Uint8Array): boolean => {
    const node = nodeOf(tree, hash)
    return node !== undefined && has(tree, node, HeaderStatus.STORED)
  }
  const pipeline = blockPipeline(engine, () => {})
  const rest = periodicYield()
  const notify = stateNotifier(engine)
  const connectIfNext = Effect.fnUntraced(function*(node: HeaderIndexNode): Effect.fn.Return<void, ConnectError> {
    const isNext = node.parent === (pipeline.last() ?? tree.tip) && has(tree, node, HeaderStatus.LINKED) &&
      !isInvalid(tree, node)
    if (!isNext || isEnding(engine)) return
    yield* rest
    yield* pipeline.add(node)
    notify()
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
    // Without proof of work it is rejected for that, whatever its parent is.
    mayWait: ({ block, hash }) => Result.isSuccess(proofOfWork(hash, block.header.bits, parameters.work.powLimit)),
    isHere: ({ hash }) => isStored(hash),
    isParent: (hash) => nodeOf(tree, hash) !== undefined,
    accept: Effect.fnUntraced(function*({ block, found, hash }, source, offset) {
      const verdict = yield* acceptBlock(
        engine,
        found ?? identified(block, crypto),
        placeIn(source, offset, block.bytes.length)
      )
      if (Result.isFailure(verdict)) return reportRejected(engine, source, offset, hash, verdict.failure)
      if (verdict.success.isNew) imported()
      yield* connectIfNext(verdict.success.node)
    }),
    conclude: Effect.andThen(pipeline.drain, activateBestChain(engine)),
    release: pipeline.abandon
  }
}
