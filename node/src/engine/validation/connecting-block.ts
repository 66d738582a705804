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
 * It waits as bytes. Decoded it is many small objects, of which the collector would copy each several times while the
 * scripts are verified. Only an index that follows, or the way back, decodes it again.
 */
export interface ConnectingBlock {
  readonly node: HeaderIndexNode
  readonly bytes: Uint8Array
  readonly undo: Uint8Array
  readonly transactions: number
  /** Decoded, where a hook will read it. */
  readonly decoded: DecodedBlock | undefined
  /** Whether this is the only reference to its bytes. */
  readonly isAlone: boolean
  readonly fromDisk: boolean
  /** The rule it breaks, scripts apart. Then its changes are not in the cache. */
  readonly failure: Violation | undefined
  /** Transactions whose coins hold, the coinbase apart. */
  readonly jobs: number
  /** Of all its transactions but the coinbase. */
  readonly inputs: number
  readonly scripts: Effect.Effect<JobFailure | undefined, ScriptPoolFailure>
  /** When the coins were looked up, and when the scripts went to the workers. None: there was nothing to verify. */
  readonly since: Milliseconds
  readonly judgedSince: Milliseconds | undefined
}

export interface DecodedBlock {
  readonly found: IdentifiedBlock
  readonly undo: BlockUndo
}

const listens = (hook: ChainHook): boolean => hook.connected !== undefined && hook.isIdle?.() !== true

/** The hooks that subscribe to connected blocks. */
export const listeners = ({ hooks }: ChainEngine): ReadonlyArray<ChainHook> => hooks.filter(listens)

/** The part of a collected block that is kept until it is connected or rejected. */
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

/** The block as it was when it was collected. Precondition: `failure` is none, as undo data are whole only then. */
export const decodedBlock = (
  { crypto, undoCodec }: ChainEngine,
  { bytes, decoded, undo }: ConnectingBlock
): DecodedBlock => decoded ?? { found: identified(blockOf(bytes)!, crypto), undo: undoCodec.decode(undo)! }

const empty = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/**
 * Gives the memory of a block that is connected back at once. It has survived collections while it waited, so only one
 * of the whole heap would do that. V8 begins such a one for every few dozen megabytes of blocks that it thinks are
 * still there.
 */
export const releaseBuffers = ({ bytes, decoded, isAlone, undo }: ConnectingBlock): void => {
  if (decoded !== undefined || !isAlone) return
  empty(bytes)
  empty(undo)
}

/** Takes the changes of a block out of the cache again. Precondition: those of all blocks on top of it are out. */
export const rollBack = (engine: ChainEngine, step: ConnectingBlock): void => {
  if (step.failure !== undefined) return
  const { found: { block, identity }, undo } = decodedBlock(engine, step)
  const { hash, transactionIds } = identity
  const reverse = disconnectBlock(block, transactionIds, step.node.height, undo, engine.coins, tableSeed(hash))
  if (Result.isFailure(reverse)) throw new Error("a block under way does not fit the coins it has changed")
  engine.coins.apply(reverse.success)
}
