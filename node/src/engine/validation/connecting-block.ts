import type { Milliseconds } from "../../quantities.ts"
import { type Collected, tableSeed } from "@lockstep/kernel/connect"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/utxo"
import type { Violation } from "@lockstep/kernel/verdict"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ChainEngine } from "../state/chain-engine.ts"
import { identified, type IdentifiedBlock } from "../state/identified-block.ts"
import type { ChainHook } from "../state/chain-hook.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { blockOf } from "./read-block.ts"
import type { JobFailure, ScriptPoolFailure } from "../script-pool/script-pool.ts"

/**
 * A connecting block: its coins are changed in the cache and its scripts are being verified.
 *
 * It waits as bytes. Decoded it is many small objects, each of which the collector would copy several times while the
 * scripts are verified. Only the hooks, or a rollback, decode it again.
 */
export interface ConnectingBlock {
  readonly node: HeaderIndexNode
  readonly bytes: Uint8Array
  readonly undo: Uint8Array
  readonly transactions: number
  /** The decoded block, if a hook will read it. */
  readonly decoded: DecodedBlock | undefined
  /** True if this is the only reference to its bytes. */
  readonly isAlone: boolean
  readonly fromDisk: boolean
  /** The rule that it breaks, scripts apart. Its changes are then not in the cache. */
  readonly failure: Violation | undefined
  /** Number of transactions with valid coins, without the coinbase. */
  readonly jobs: number
  /** Inputs of all its transactions except the coinbase. */
  readonly inputs: number
  readonly scripts: Effect.Effect<JobFailure | undefined, ScriptPoolFailure>
  /**
   * Time of the coin look-up, and time at which the scripts went to the workers. The latter is `undefined` if it has
   * none to verify.
   */
  readonly since: Milliseconds
  readonly judgedSince: Milliseconds | undefined
}

export interface DecodedBlock {
  readonly found: IdentifiedBlock
  readonly undo: BlockUndo
}

const listens = (hook: ChainHook): boolean => hook.connected !== undefined && hook.isIdle?.() !== true

/** Returns the hooks that subscribe to connected blocks. */
export const listeners = ({ hooks }: ChainEngine): ReadonlyArray<ChainHook> => hooks.filter(listens)

/** Returns the part of a collected block that is kept until it is connected or rejected. */
export const retain = (
  engine: ChainEngine,
  found: IdentifiedBlock,
  { failure, jobs, undo }: Collected
): Pick<ConnectingBlock, "bytes" | "decoded" | "failure" | "jobs" | "transactions" | "undo"> => ({
  bytes: found.block.bytes,
  undo: engine.undoCodec.encode(undo),
  transactions: found.block.transactions.length,
  decoded: engine.hooks.some(listens) ? { found, undo } : undefined,
  failure,
  jobs: jobs.length
})

/** Decodes the block again. Precondition: `failure` is `undefined`, because only then are the undo data complete. */
export const decodedBlock = (
  { crypto, undoCodec }: ChainEngine,
  { bytes, decoded, undo }: ConnectingBlock
): DecodedBlock => decoded ?? { found: identified(blockOf(bytes)!, crypto), undo: undoCodec.decode(undo)! }

const empty = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/**
 * Frees the memory of a connected block at once. The block has survived collections while it waited, so only a full
 * collection would free it. V8 begins one for every few dozen megabytes of blocks that it considers alive.
 */
export const releaseBuffers = ({ bytes, decoded, isAlone, undo }: ConnectingBlock): void => {
  if (decoded !== undefined || !isAlone) return
  empty(bytes)
  empty(undo)
}

/** Reverts the changes of a block in the cache. Precondition: those of all blocks on top of it are reverted. */
export const rollBack = (engine: ChainEngine, step: ConnectingBlock): void => {
  if (step.failure !== undefined) return
  const { found: { block, identity }, undo } = decodedBlock(engine, step)
  const { hash, transactionIds } = identity
  const reverse = disconnectBlock(block, transactionIds, step.node.height, undo, engine.coins, tableSeed(hash))
  if (Result.isFailure(reverse)) throw new Error("a block under way does not fit the coins it has changed")
  engine.coins.apply(reverse.success)
}
