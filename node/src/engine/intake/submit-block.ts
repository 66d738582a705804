import { checkBlockInContext, checkBody, checkContents } from "@lockstep/kernel/block"
import { collectBlock, concludeBlock } from "@lockstep/kernel/connect"
import { checkHeader } from "@lockstep/kernel/header"
import { childOf } from "@lockstep/kernel/chain"
import { bytesEqual } from "@lockstep/kernel/bytes"
import { blockHash, headerOf } from "@lockstep/kernel/model"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { acceptBlock, acceptHeader } from "../validation/accept-block.ts"
import { activateBestChain } from "../validation/activate-best-chain.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { SubmitAnswer } from "../api/chain-calls.ts"
import type { QueryError } from "../api/engine-error.ts"
import type { ChainEngine, Judged } from "../state/chain-engine.ts"
import { identified, type IdentifiedBlock } from "../state/identified-block.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { has, isInvalid, nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { LONGEST_TURN } from "../options/limits.ts"
import { connectAllHistorical } from "../snapshot/background-validation.ts"
import { prefetchToConnect } from "../validation/block-prevouts.ts"
import { blockRejection } from "../validation/offender.ts"
import { blockAtStart, withWitnessNonce } from "../validation/read-block.ts"

const ACCEPTED: SubmitAnswer = { result: undefined }
const UNDECODABLE: QueryError<"Undecodable"> = { _tag: "Undecodable", what: "block" }

/** Decodes a block and adds the witness of the coinbase, which mining software may omit. */
const completedBlock = ({ crypto, parameters, tree }: ChainEngine, bytes: Uint8Array): IdentifiedBlock | undefined => {
  const block = blockAtStart(bytes)
  if (block === undefined) return undefined
  const parent = nodeOf(tree, block.header.previous)
  const completed = parent === undefined
    ? block
    : withWitnessNonce(block, parent.height + 1 >= parameters.heights.segwit)
  return identified(completed, crypto)
}

/** Accepts a block and activates the best chain. Returns the verdict on this block. */
export const submitFound = Effect.fnUntraced(function*(
  engine: ChainEngine,
  found: IdentifiedBlock
): Effect.fn.Return<SubmitAnswer, ConnectError> {
  const accepted = yield* acceptBlock(engine, found)
  if (Result.isFailure(accepted)) return { result: accepted.failure.reason }
  const { isNew, node } = accepted.success
  let verdict: { readonly rejection: Rejection | undefined } | undefined
  const judged: Judged = (each, rejection) => {
    if (each === node) verdict = { rejection }
  }
  yield* activateBestChain(engine, judged)
  const since = engine.clock.elapsed()
  yield* connectAllHistorical(engine, () => engine.clock.elapsed() - since > LONGEST_TURN, judged)
  if (!isNew) return { result: "duplicate" }
  return verdict === undefined ? { result: "inconclusive" } : { result: verdict.rejection?.reason }
})

/** `submitblock`. */
export const submitBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  bytes: Uint8Array
): Effect.fn.Return<SubmitAnswer, ConnectError | QueryError<"Undecodable">> {
  const found = completedBlock(engine, bytes)
  return found === undefined ? yield* Effect.fail(UNDECODABLE) : yield* submitFound(engine, found)
})

/** `submitheader`: adds a header to the index and ignores bytes after it. */
export const submitHeader = (
  engine: ChainEngine,
  bytes: Uint8Array
): Result.Result<void, EngineCalls["submitHeader"]["fails"]> => {
  if (bytes.length < 80) return Result.fail({ _tag: "Undecodable", what: "header" })
  const header = headerOf(bytes.subarray(0, 80))
  if (nodeOf(engine.tree, header.previous) === undefined) {
    return Result.fail({ _tag: "PreviousHeaderNotFound", previous: header.previous.slice() })
  }
  const accepted = acceptHeader(engine, header, blockHash(header, engine.crypto))
  return Result.isFailure(accepted)
    ? Result.fail({ _tag: "HeaderRejected", rejection: accepted.failure })
    : Result.succeed(undefined)
}

const knownAs = ({ tree }: ChainEngine, node: HeaderIndexNode): string =>
  isInvalid(tree, node)
    ? "duplicate-invalid"
    : has(tree, node, HeaderStatus.CONNECTED)
    ? "duplicate"
    : "duplicate-inconclusive"

/** Checks of a block that has no proof of work yet. */
export interface Scrutiny {
  readonly scripts: boolean
  /**
   * False for a block that was just assembled by the node, which has the right merkle root. Bitcoin Core does not
   * search it for repetitions either.
   */
  readonly merkleRoot: boolean
}

/** Validates a block as the next one of the chain, proof of work apart. Stores nothing. */
export const wrongAsNext = Effect.fnUntraced(function*(
  engine: ChainEngine,
  found: IdentifiedBlock,
  { merkleRoot, scripts }: Scrutiny = { scripts: true, merkleRoot: true }
): Effect.fn.Return<Rejection | undefined, ConnectError> {
  const { clock, coins, crypto, parameters, pool, tree: { tip } } = engine
  const { block, identity } = found
  const contents = merkleRoot ? checkContents(block, identity, crypto) : checkBody(block)
  if (Result.isFailure(contents)) return blockRejection(contents.failure, block, crypto)
  const header = checkHeader(block.header, tip, clock.now(), parameters)
  if (Result.isFailure(header)) return rejectionOf(header.failure)
  const inContext = checkBlockInContext(block, identity, tip, parameters, crypto)
  if (Result.isFailure(inContext)) return rejectionOf(inContext.failure)
  const node = childOf(tip, block.header, identity.hash)
  yield* prefetchToConnect(coins, found, node, parameters)
  const collected = collectBlock(block, node, identity, parameters, coins)
  const isJudged = scripts && collected.jobs.length > 0
  const scriptFailure = isJudged ? yield* pool.judge(block, collected) : undefined
  const verdict = concludeBlock(collected, scriptFailure)
  return Result.isFailure(verdict) ? blockRejection(verdict.failure, block, crypto, collected.jobs.length) : undefined
})

/** `getblocktemplate` in proposal mode: checks whether this block could be the next one once it has proof of work. */
export const proposeBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  bytes: Uint8Array
): Effect.fn.Return<SubmitAnswer, ConnectError | QueryError<"Undecodable">> {
  const { crypto, tree } = engine
  const block = blockAtStart(bytes)
  if (block === undefined) return yield* Effect.fail(UNDECODABLE)
  const found = identified(block, crypto)
  const known = nodeOf(tree, found.identity.hash)
  if (known !== undefined) return { result: knownAs(engine, known) }
  if (!bytesEqual(block.header.previous, tree.tip.hash)) return { result: "inconclusive-not-best-prevblk" }
  const wrong = yield* wrongAsNext(engine, found)
  return wrong === undefined ? ACCEPTED : { result: wrong.reason }
})
