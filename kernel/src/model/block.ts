import * as Result from "effect/Result"
import { readCompactSize } from "../bytes/compact-size.ts"
import { cursorOn, type MalformedBytes, nothingFollows, readBytes } from "../bytes/cursor.ts"
import type { Verdict } from "../verdict.ts"
import { type Header, headerOf } from "./header.ts"
import type { Bytes, Hash } from "../quantities.ts"
import { readTransaction } from "./transaction-codec.ts"
import type { Transaction } from "./transaction.ts"

/** A merkle root in wire order, and whether two siblings are the same on some level. */
export interface MerkleRoot {
  readonly root: Hash
  readonly mutated: boolean
}

/** The merkle roots of a block's transactions, by their ids and by their witness ids. */
export interface BlockRoots {
  readonly merkle?: MerkleRoot | undefined
  readonly witness?: MerkleRoot | undefined
}

/**
 * A decoded block: `bytes` is the buffer everything in it is a view of. `roots`: those of exactly these transactions that
 * were computed already, so that no rule computes them again.
 */
export interface Block {
  readonly bytes: Bytes
  readonly header: Header
  readonly transactions: ReadonlyArray<Transaction>
  readonly roots?: BlockRoots
}

/**
 * Decodes a block: header, count, that many transactions, and not a byte more.
 *
 * @spec SER-021 #946080f8
 */
export const decodeBlock = (bytes: Bytes): Verdict<Block, MalformedBytes> => {
  const cursor = cursorOn(bytes)
  const headerBytes = readBytes(cursor, 80)
  const count = readCompactSize(cursor)
  const transactions: Array<Transaction> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) transactions.push(readTransaction(cursor))
  const end = nothingFollows(cursor)
  return Result.isFailure(end)
    ? Result.fail(end.failure)
    : Result.succeed({ bytes, header: headerOf(headerBytes), transactions })
}
