import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import { strippedSize, blockWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { decodeHeader, type Header } from "@lockstep/kernel/internal/model/header.ts"
import * as Result from "effect/Result"
import type { Field } from "../formats/field.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, Refused, same } from "../judge/outcome.ts"
import { blockOf } from "./block-file.ts"
import { judgeBlock } from "./blocks.ts"
import type { Runner } from "./runner.ts"

const HEADER_SIZE = 80

const headerIn = (bytes: Uint8Array): Header => {
  const verdict = decodeHeader(bytes.subarray(0, HEADER_SIZE))
  if (Result.isFailure(verdict)) throw new Refused("the header", verdict.failure.rule)
  return verdict.success
}

const judgeHeader = (header: Header, row: Field, { crypto }: Bench): Outcome =>
  same("hash", row.get("hash").text, hexOf(blockHash(header, crypto))) ??
    same("id", row.get("id").text, displayHexOf(blockHash(header, crypto))) ??
    same("version", row.get("version").integer, header.version) ??
    same("previous hash", row.get("prevHash").text, hexOf(header.previous)) ??
    same("merkle root", row.get("merkleRoot").text, hexOf(header.merkleRoot)) ??
    same("time", row.get("timestamp").integer, header.time) ??
    same("bits", row.get("bits").integer, header.bits) ??
    same("nonce", row.get("nonce").integer, header.nonce)

const judgeTransactions = (bytes: Uint8Array, row: Field, { crypto }: Bench): Outcome => {
  const block = blockOf(bytes)
  const witnessSize = block.transactions.reduce((sum, tx) => sum + tx.bytes.length - strippedSize(tx), 0)
  return judgeBlock(block, crypto) ??
    same("size", row.find("size")?.integer ?? bytes.length, bytes.length) ??
    same(
      "stripped size",
      row.find("strippedSize")?.integer ?? bytes.length - witnessSize,
      bytes.length - witnessSize
    ) ??
    same("weight", row.find("weight")?.integer ?? blockWeight(block), blockWeight(block))
}

const judgeValid = (row: Field, bench: Bench): Outcome => {
  const bytes = row.get("hex").bytes
  return judgeHeader(headerIn(bytes), row, bench) ??
    (bytes.length > HEADER_SIZE ? judgeTransactions(bytes, row, bench) : undefined)
}

const judgeInvalid = (row: Field, { coverage }: Bench): Outcome => {
  const verdict = decodeHeader(row.get("hex").bytes)
  if (Result.isSuccess(verdict)) return { expected: "no header", actual: "a header" }
  coverage.rejected(verdict.failure.rule)
  return undefined
}

/**
 * Tests of bitcoinjs-lib: headers and blocks field by field (`valid`), bytes that are no header (`invalid`). Proof of
 * work and `targets` belong to the difficulty rules and are not judged here.
 */
export const bitcoinjsBlocks: Runner = function*(file) {
  const vectors = readJson(file)
  for (const [index, row] of vectors.get("valid").items.entries()) {
    yield { index: `valid-${index}`, name: row.get("description").text, judge: (bench) => judgeValid(row, bench) }
  }
  for (const [index, row] of vectors.get("invalid").items.entries()) {
    yield { index: `invalid-${index}`, name: row.get("exception").text, judge: (bench) => judgeInvalid(row, bench) }
  }
}
