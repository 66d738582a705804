import { ancestorAt, medianTimePast } from "@lockstep/kernel/chain"
import * as Result from "effect/Result"
import type { ChainWindow } from "../api/chain-calls.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { QueryError } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { isActive } from "../header-index/active-chain.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

const MONTH = 30 * 24 * 60 * 60

type WindowError = QueryError<"BlockNotFound" | "BlockNotInActiveChain" | "WindowTooLong">

const lastBlock = (
  { tree }: ChainEngine,
  hash: Uint8Array | undefined
): Result.Result<HeaderIndexNode, WindowError> => {
  if (hash === undefined) return Result.succeed(tree.tip)
  const node = nodeOf(tree, hash)
  if (node === undefined) return Result.fail({ _tag: "BlockNotFound", hash })
  return isActive(tree, node) ? Result.succeed(node) : Result.fail({ _tag: "BlockNotInActiveChain", hash })
}

/** Transactions and time over the last blocks up to one; by default over a month of blocks. */
export const chainWindow = (
  engine: ChainEngine,
  { blocks: wanted, last: hash }: EngineCalls["chainWindow"]["in"]
): Result.Result<ChainWindow, WindowError> =>
  Result.flatMap(lastBlock(engine, hash), (last) => {
    const { parameters: { work }, tree: { columns } } = engine
    const month = Math.floor(MONTH / work.targetSpacing)
    const blocks = wanted ?? Math.max(0, Math.min(month, last.height - 1))
    if (blocks < 0 || (blocks > 0 && blocks >= last.height)) {
      return Result.fail({ _tag: "WindowTooLong", blocks, height: last.height } as const)
    }
    const before = ancestorAt(last, last.height - blocks) as HeaderIndexNode
    return Result.succeed({
      hash: last.hash.slice(),
      height: last.height,
      time: last.header.time,
      transactions: columns.chainTransactions[last.index]!,
      blocks,
      seconds: medianTimePast(last) - medianTimePast(before),
      transactionsBefore: columns.chainTransactions[before.index]!
    })
  })
