import { type Collected, tableSeed } from "@lockstep/kernel/connect/collect.ts"
import type { ScriptFailure } from "@lockstep/kernel/script/fault.ts"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/utxo/undo.ts"
import type { Violation } from "@lockstep/kernel/verdict.ts"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ChainEngine, identified, type IdentifiedBlock } from "./chain-engine.ts"
import type { ChainHook } from "./chain-hook.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { blockOf } from "./read-block.ts"
import type { ScriptPoolFailure } from "./script-pool/script-pool.ts"

/**
 * A block whose coins are changed in the cache and whose scripts are being judged.
 *
 * It waits as bytes. Decoded it is many small objects, of which the collector would copy each several times while the
 * scripts are judged; they are asked for again only by an index that follows, and when the block has to be taken back.
 */
export interface UnderWay {
  readonly node: TreeNode
  readonly bytes: Uint8Array
  readonly undo: Uint8Array
  readonly transactions: number
  /** Decoded, where somebody will want that. */
  readonly decoded: DecodedBlock | undefined
  /** Nobody else has the bytes. */
  readonly isAlone: boolean
  readonly fromDisk: boolean
  /** What it breaks, scripts apart. Then its changes are not in the cache. */
  readonly failure: Violation | undefined
  readonly scripts: Effect.Effect<ScriptFailure | undefined, ScriptPoolFailure>
  /** When the coins were looked at, and when the scripts went to the workers; none: nothing was to be judged. */
  readonly since: number
  readonly judgedSince: number | undefined
}

export interface DecodedBlock {
  readonly found: IdentifiedBlock
  readonly undo: BlockUndo
}

const listens = (hook: ChainHook): boolean => hook.connected !== undefined && hook.isIdle?.() !== true

/** The hooks that want to hear of a block that is connected. */
export const listeners = ({ hooks }: ChainEngine): ReadonlyArray<ChainHook> => hooks.filter(listens)

/** What of a block that was collected is kept until it is settled. */
export const keptOf = (
  engine: ChainEngine,
  found: IdentifiedBlock,
  { failure, undo }: Collected
): Pick<UnderWay, "bytes" | "decoded" | "failure" | "transactions" | "undo"> => ({
  bytes: found.block.bytes,
  undo: engine.undoCodec.encode(undo),
  transactions: found.block.transactions.length,
  decoded: engine.hooks.some(listens) ? { found, undo } : undefined,
  failure
})

/** The block as it was when it was collected. Precondition: `failure` is none, as undo data are whole only then. */
export const decodedBlock = ({ crypto, undoCodec }: ChainEngine, { bytes, decoded, undo }: UnderWay): DecodedBlock =>
  decoded ?? { found: identified(blockOf(bytes)!, crypto), undo: undoCodec.decode(undo)! }

const empty = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/**
 * Gives the memory of a block that is connected back at once. It has survived collections while it waited, so only one of the
 * whole heap would do that; and V8 begins such a one for every few dozen megabytes of blocks that it thinks are still there.
 */
export const giveBack = ({ bytes, decoded, isAlone, undo }: UnderWay): void => {
  if (decoded !== undefined || !isAlone) return
  empty(bytes)
  empty(undo)
}

/** Takes the changes of a block out of the cache again. Precondition: those of all blocks on top of it are out. */
export const takeBack = (engine: ChainEngine, step: UnderWay): void => {
  if (step.failure !== undefined) return
  const { found: { block, identity }, undo } = decodedBlock(engine, step)
  const { hash, transactionIds } = identity
  const reverse = disconnectBlock(block, transactionIds, step.node.height, undo, engine.coins, tableSeed(hash))
  if (Result.isFailure(reverse)) throw new Error("a block under way does not fit the coins it has changed")
  engine.coins.apply(reverse.success)
}
