import type { Height } from "@lockstep/kernel/quantities"
import { type Block, decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { idsOf, setNonce } from "./block-assembly.ts"
import { draftBlock } from "./draft-block.ts"
import { type BlockBody, emptyContents, type PooledContents, pooledContents } from "./pooled-contents.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { QueryError } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { identified } from "../state/identified-block.ts"
import { isEnding } from "../state/engine-status.ts"
import { commit } from "../chainstate/commit.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { displayHash } from "../../hex.ts"
import { submitFound } from "../intake/submit-block.ts"
import { notifyEvent } from "../notify/notifications.ts"

type Request = EngineCalls["generate"]["in"]
type Answer = EngineCalls["generate"]["out"]

const MAX_NONCE = 0xffffffff
/** Blocks made in one call between commits, in the initial block download and while no peer can fetch them. */
const BLOCKS_PER_COMMIT = 5_000
/** Otherwise the milliseconds between commits. Each commit announces the blocks, and peers fetch them while more are made. */
const COMMIT_PACE = 50

/** Tries before other work gets its turn. */
const TRIES_AT_ONCE = 10_000

/** Tries that remain for one call. */
interface Tries {
  left: number
}

/** Returns the block with the first nonce that gives enough work, or `undefined` when the tries run out. */
const grind = Effect.fnUntraced(function*(block: Block, engine: ChainEngine, tries: Tries, rest: Effect.Effect<void>) {
  const { crypto } = engine
  const target = expandTarget(block.header.bits)!
  const header = block.bytes.subarray(0, 80)
  const view = new DataView(header.buffer, header.byteOffset, 80)
  for (let nonce = 0; nonce <= MAX_NONCE && tries.left > 0; nonce++, tries.left--) {
    if (nonce % TRIES_AT_ONCE === TRIES_AT_ONCE - 1) yield* rest
    if (isEnding(engine)) return undefined
    view.setUint32(76, nonce, true)
    if (hashNumber(crypto.sha256d(header)) <= target) return setNonce(block, nonce)
  }
  return undefined
})

/** Reports whether the node can make blocks: on regtest, and on a custom signet whose script needs no solution. */
const makesBlocks = ({ network, options }: ChainEngine): boolean =>
  network.name === "regtest" || options.networkChanges?.signet !== undefined

type Given = NonNullable<Request["transactions"]>

/** Collects the transactions that a request names, in its order. Their fees are not claimed. */
const givenContents = (
  engine: ChainEngine,
  mempool: TxMempool,
  given: Given
): Result.Result<BlockBody, QueryError<"NotInMempool" | "Undecodable">> => {
  const transactions: Array<Transaction> = []
  for (const each of given) {
    if (each instanceof Uint8Array) {
      const decoded = decodeTransaction(each)
      if (Result.isFailure(decoded)) return Result.fail({ _tag: "Undecodable", what: "transaction" })
      transactions.push(decoded.success)
    } else {
      const tx = mempool.ofTxid(each.txid)
      if (tx === undefined) return Result.fail({ _tag: "NotInMempool", txid: each.txid })
      transactions.push(mempool.transaction(tx))
    }
  }
  return Result.succeed({ transactions, ids: idsOf(transactions, engine.crypto), fees: 0n })
}

/**
 * Reports whether the block is committed and announced now. Peers request only the last 288 blocks from a pruned node.
 * Each of its blocks is announced before the next one is made, so that they keep up.
 */
const isCommitDue = (engine: ChainEngine, made: number): boolean => {
  if (engine.coins.isFull()) return true
  const isFetched = !engine.initialBlockDownload && engine.feed.isFollowed()
  if (!isFetched) return made % BLOCKS_PER_COMMIT === 0
  return engine.options.pruning._tag !== "Disabled" || engine.clock.elapsed() - engine.lastCommit >= COMMIT_PACE
}

const notifyMined = (engine: ChainEngine, block: Block, hash: Uint8Array, height: Height): void => {
  let reward = 0n
  for (const { value } of block.transactions[0]!.outputs) reward += value
  notifyEvent(engine, "BlockMined", { block_hash: displayHash(hash), height, reward: Number(reward) })
}

/**
 * Makes the block to find a nonce for. `onMade` gets the template that it came from, which is empty for given
 * transactions.
 */
const draftOf = Effect.fnUntraced(function*(
  engine: ChainEngine,
  mempool: TxMempool,
  { script, transactions: given }: Request,
  onMade: (contents: PooledContents) => void
): Effect.fn.Return<Block, ConnectError | EngineCalls["generate"]["fails"]> {
  if (given === undefined) {
    const contents = pooledContents(engine, mempool)
    onMade(contents)
    const { block, rejection } = yield* draftBlock(engine, contents, script, { scripts: false })
    return rejection === undefined ? block : yield* Effect.fail({ _tag: "TemplateRejected", rejection } as const)
  }
  const contents = yield* Effect.fromResult(givenContents(engine, mempool, given))
  onMade(emptyContents(engine))
  const { block, rejection } = yield* draftBlock(engine, contents, script, { scripts: true })
  return rejection === undefined ? block : yield* Effect.fail({ _tag: "CandidateRejected", rejection } as const)
})

/** Makes a chain of blocks on top of the tip. */
export const generate = Effect.fnUntraced(function*(
  engine: ChainEngine,
  mempool: TxMempool,
  request: Request,
  onMade: (contents: PooledContents) => void
): Effect.fn.Return<Answer, ConnectError | EngineCalls["generate"]["fails"]> {
  const { crypto, tree } = engine
  if (!makesBlocks(engine)) {
    return yield* Effect.fail({ _tag: "OnlyOnRegtest", call: "generate" } as const)
  }
  const tries: Tries = { left: request.maxTries }
  const hashes: Array<Uint8Array> = []
  const rest = periodicYield()
  const { pauses } = engine
  // The call was rejected when the disk became full, so it ends after the present block.
  while (hashes.length < request.blocks && !isEnding(engine) && engine.pauses === pauses) {
    yield* rest
    const block = yield* grind(yield* draftOf(engine, mempool, request, onMade), engine, tries, rest)
    if (block === undefined) break
    const found = identified(block, crypto)
    const { hash } = found.identity
    if (!request.submit) return { hashes: [hash], block: block.bytes }
    const { result } = yield* submitFound(engine, found)
    if (result !== undefined) {
      return yield* Effect.fail({ _tag: "MinedBlockNotAccepted", reason: result } as const)
    }
    notifyMined(engine, block, hash, tree.tip.height)
    hashes.push(hash)
    if (hashes.length < request.blocks && isCommitDue(engine, hashes.length)) yield* commit(engine)
  }
  return { hashes, block: undefined }
})
