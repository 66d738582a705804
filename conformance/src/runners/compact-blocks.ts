import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { witnessTransactionId } from "@lockstep/kernel/internal/model/identity.ts"
import {
  completed,
  missingIndexes,
  offerTransaction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { sipHash, sipKey, sipNumber } from "@lockstep/protocol/siphash/sip-hash.ts"
import { faultText } from "@lockstep/protocol/wire/fault.ts"
import { decodeMessage, encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import * as Result from "effect/Result"
import { hexOf } from "../formats/hex.ts"
import { readBytes, readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { fileAt, type VectorFile } from "../sources/source.ts"
import type { Runner } from "./runner.ts"

/** The block that a compact block is of, from the file beside it. */
const blockBeside = (file: VectorFile): Uint8Array =>
  readBytes(fileAt(file.source, file.path.replace(/compact_([^/]*)\.raw$/, "block_$1.blk")))

const judgeCompactBlock = (file: VectorFile, { crypto }: Bench): Outcome => {
  const payload = readBytes(file)
  const decoded = decodeMessage("cmpctblock", payload)
  if (Result.isFailure(decoded)) return { expected: "a compact block", actual: faultText(decoded.failure) }
  const bytes = blockBeside(file)
  const block = decodeBlock(bytes)
  const begun = reconstruction(decoded.success.message, crypto)
  if (Result.isFailure(block) || Result.isFailure(begun)) return { expected: "a block", actual: "none" }
  const parts = begun.success
  for (const tx of block.success.transactions) offerTransaction(parts, witnessTransactionId(tx, crypto), () => tx.bytes)
  const whole = completed(parts, [])
  return same("message", hexOf(payload), hexOf(encodeMessage(decoded.success.message))) ??
    same("missing", 0, missingIndexes(parts).length) ??
    same("block", hexOf(bytes), Result.isSuccess(whole) ? hexOf(whole.success) : "none")
}

/** One compact block; its block stands beside it and has every transaction that it names. */
export const compactBlocks: Runner = function*(file) {
  yield { index: "0", name: file.path, judge: (bench) => judgeCompactBlock(file, bench) }
}

/** Keys as two numbers, messages in parts, and their SipHash-2-4. */
export const sipHashes: Runner = function*(file) {
  for (const [i, row] of readJson(file).items.entries()) {
    yield {
      index: String(i),
      name: "SipHash-2-4",
      judge: () => {
        const key = sipKey(concatBytes(row.get("key").items.map((half) => half.displayBytes)))
        const digest = sipHash(key, concatBytes(row.get("input").items.map(({ bytes }) => bytes)))
        return same("hash", row.get("expected").get("siphash24").text, sipNumber(digest).toString(16).padStart(16, "0"))
      }
    }
  }
}
