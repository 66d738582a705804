import * as Result from "effect/Result"
import { readCompactSize } from "../bytes/compact-size.ts"
import { cursorOn, type MalformedBytes, nothingFollows, readBytes } from "../bytes/cursor.ts"
import type { Verdict } from "../verdict.ts"
import { type Header, headerOf } from "./header.ts"
import type { Bytes } from "../quantities.ts"
import { readTransaction } from "./transaction-codec.ts"
import type { Transaction } from "./transaction.ts"

/** A decoded block: `bytes` is the buffer everything in it is a view of. */
export interface Block {
  readonly bytes: Bytes
  readonly header: Header
  readonly transactions: ReadonlyArray<Transaction>
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
