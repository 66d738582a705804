import { checkContents } from "@lockstep/kernel/internal/block/check-block.ts"
import { blockIdentity, type BlockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import { timeIsNotTooNew } from "@lockstep/kernel/internal/header/contextual.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import { headerOf, type Header } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import type { Verdict, Violation } from "@lockstep/kernel/internal/verdict.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import * as Result from "effect/Result"
import type { Field } from "../formats/field.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import type { Outcome } from "../judge/outcome.ts"
import { blockOf } from "./block-file.ts"
import type { Runner } from "./runner.ts"

/** What is asked of a row: whether it is a header alone, and whether its work counts. */
interface Question {
  readonly header: Header
  readonly block: Block | undefined
  readonly identity: BlockIdentity | undefined
  readonly countsWork: boolean
  readonly now: number
}

const questionOf = (row: Field, { crypto }: Bench): Question => {
  const { bytes } = row.at(4)
  const block = row.at(1).boolean ? undefined : blockOf(bytes)
  const countsWork = row.at(2).boolean
  // Rows that leave the work out have no time to speak of either.
  const now = countsWork ? row.at(3).integer : Infinity
  return {
    header: headerOf(bytes.subarray(0, 80)),
    block,
    identity: block && blockIdentity(block, crypto),
    countsWork,
    now
  }
}

const verdictOn = (
  { block, countsWork, header, identity, now }: Question,
  { crypto }: Bench
): Verdict<void, Violation> => {
  if (countsWork) {
    const work = proofOfWork(blockHash(header, crypto), header.bits, MAINNET.parameters.work.powLimit)
    if (Result.isFailure(work)) return work
  }
  const time = timeIsNotTooNew(header, now)
  return Result.isFailure(time) || block === undefined ? time : checkContents(block, identity!, crypto)
}

const rowsOf = (content: Field): ReadonlyArray<Field> => content.items.filter((row) => row.items.length > 1)

/** Blocks and headers that hold by themselves. */
export const blocksValid: Runner = function*(file) {
  for (const [i, row] of rowsOf(readJson(file)).entries()) {
    const judge = (bench: Bench): Outcome => {
      const verdict = verdictOn(questionOf(row, bench), bench)
      return Result.isSuccess(verdict) ? undefined : { expected: "holds", actual: "fails", rule: verdict.failure.rule }
    }
    yield { index: String(i), name: row.at(0).text, judge }
  }
}

/** Blocks and headers that fail by themselves. */
export const blocksInvalid: Runner = function*(file) {
  for (const [i, row] of rowsOf(readJson(file)).entries()) {
    const judge = (bench: Bench): Outcome => {
      const verdict = verdictOn(questionOf(row, bench), bench)
      if (Result.isSuccess(verdict)) return { expected: "fails", actual: "holds" }
      bench.coverage.rejected(verdict.failure.rule)
      return undefined
    }
    yield { index: String(i), name: row.at(0).text, judge }
  }
}
