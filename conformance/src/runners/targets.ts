import { headerOf, type Header } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import { blockWork } from "@lockstep/kernel/internal/work/block-work.ts"
import { compactTarget, expandTarget } from "@lockstep/kernel/internal/work/compact-target.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readJson, readText } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { fileAt, type VectorFile } from "../sources/source.ts"
import type { Runner } from "./runner.ts"

const { powLimit } = MAINNET.parameters.work
const EASIEST = compactTarget(powLimit)
const PERIOD = 2016

/** The first header of each period but the first, from the file beside; none when it is not there. */
const boundariesBeside = (file: VectorFile): ReadonlyArray<Header> => {
  const beside = fileAt(file.source, file.path.replace(/[^/]*$/, "mainnet_retarget_boundaries.json"))
  return existsSync(beside.absolute) ? readJson(beside).items.map((row) => headerOf(row.get("header").bytes)) : []
}

const bitsText = (bits: number): string => bits.toString(16).padStart(8, "0")

/** Whether a target is one that a chain could have, written as `bits` and back, and not too far from the one before. */
const judgeTarget = (target: bigint, before: bigint | undefined): Outcome => {
  const bits = compactTarget(target)
  const far = before !== undefined && (target > before * 4n || before > target * 4n + (target >> 10n))
  return same(`target written as ${bitsText(bits)}`, target, expandTarget(bits)) ??
    same("target not above the limit", true, target <= powLimit) ??
    same("target more than four times another", false, far)
}

const judgeBoundary = (row: Field, before: Field | undefined, { crypto }: Bench): Outcome => {
  const header = headerOf(row.get("header").bytes)
  const work = proofOfWork(blockHash(header, crypto), header.bits, powLimit)
  if (Result.isFailure(work)) return { expected: "holds", actual: "fails", rule: work.failure.rule }
  const bits = before === undefined ? EASIEST : headerOf(before.get("header").bytes).bits
  const blocks = before === undefined ? PERIOD : PERIOD - 1
  const worked = before === undefined ? 0n : BigInt(`0x${before.get("chainwork").text}`)
  return same(
    "work",
    BigInt(`0x${row.get("chainwork").text}`),
    worked + BigInt(blocks) * blockWork(bits) + blockWork(header.bits)
  ) ??
    judgeTarget(expandTarget(header.bits) ?? 0n, expandTarget(bits))
}

/** The first header of every difficulty period, and the work of the chain up to there. */
export const retargetBoundaries: Runner = function*(file) {
  const rows = readJson(file).items
  for (const [i, row] of rows.entries()) {
    yield {
      index: String(i),
      name: `height ${row.get("height").integer}`,
      judge: (bench) => judgeBoundary(row, rows[i - 1], bench)
    }
  }
}

/** The last hash of every period and the target of the next; the targets are too large for JSON numbers. */
export const checkpoints: Runner = function*(file) {
  const boundaries = boundariesBeside(file)
  const rows = [...readText(file).matchAll(/\[\s*"([0-9a-f]{64})",\s*([0-9]+)\s*\]/g)]
  if (rows.length === 0) throw new MalformedVector(file.display, "", "expected pairs of a hash and a target")
  for (const [i, [, hash, digits]] of rows.entries()) {
    const target = BigInt(digits!)
    const before = i === 0 ? powLimit : BigInt(rows[i - 1]![2]!)
    const boundary = boundaries[i]
    yield {
      index: String(i),
      name: `from height ${PERIOD * (i + 1)} on`,
      judge: () =>
        judgeTarget(target, before) ??
          (boundary &&
            (same("hash", hash, displayHexOf(boundary.previous)) ??
              same("target", target, expandTarget(boundary.bits))))
    }
  }
}

/** Heights and their targets. */
export const targetHistory: Runner = function*(file) {
  const boundaries = boundariesBeside(file)
  for (const [i, line] of readText(file).split("\n").filter((each) => each !== "").entries()) {
    const [, digits, targetDigits] = /^([0-9]+),([0-9]+)\r?$/.exec(line) ?? []
    if (targetDigits === undefined) {
      throw new MalformedVector(file.display, `line ${i + 1}`, "expected a height and a target")
    }
    const period = Math.floor(Number(digits) / PERIOD)
    const bits = period === 0 ? EASIEST : boundaries[period - 1]?.bits
    const target = BigInt(targetDigits)
    yield {
      index: digits!,
      name: `height ${digits}`,
      judge: () => {
        const outcome = judgeTarget(target, undefined)
        return outcome !== undefined || bits === undefined
          ? outcome
          : same("bits", bitsText(bits), bitsText(compactTarget(target)))
      }
    }
  }
}
