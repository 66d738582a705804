import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import { type Header, headerOf } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import { compactTarget, expandTarget } from "@lockstep/kernel/internal/work/compact-target.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { retarget } from "@lockstep/kernel/internal/header/required-work.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import * as Result from "effect/Result"
import { type ChainEnd, detachedChain } from "../chain/detached-chain.ts"
import { inOrder } from "../chain/in-order.ts"
import type { Field } from "../formats/field.ts"
import { bytesOf, displayHexOf, hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

const { parameters } = MAINNET

/** Hashes in these files may lack leading zeros. */
const hashOf = (field: Field): Uint8Array => bytesOf(field.text.padStart(64, "0")).reverse()

/** The end of a chain, from what such files say about it. */
export const chainEndOf = (state: Field): ChainEnd => ({
  height: state.get("block_height").integer,
  hash: hashOf(state.get("best_block_hash")),
  bits: compactTarget(state.get("current_target").bigint),
  periodStart: state.get("epoch_start_time").integer,
  times: state.get("prev_timestamps").items.map(({ integer }) => integer),
  chainWork: state.get("total_work").bigint
})

/** Puts `header` on top of `parent`, if it holds there. */
const next = (parent: HeaderNode, header: Header, crypto: Crypto): HeaderNode | Outcome => {
  const hash = blockHash(header, crypto)
  const wrong = same("previous hash", displayHexOf(parent.hash), displayHexOf(header.previous))
  if (wrong !== undefined) return wrong
  const work = proofOfWork(hash, header.bits, parameters.work.powLimit)
  for (const verdict of [work, checkHeader(header, parent, header.time, parameters)]) {
    if (Result.isFailure(verdict)) return { expected: "holds", actual: "fails", rule: verdict.failure.rule }
  }
  return childOf(parent, header, hash)
}

const isNode = (answer: HeaderNode | Outcome): answer is HeaderNode => answer !== undefined && "header" in answer

/** Whether `header` holds on top of the chain that ends in `before`, and the chain then is as `after` says. */
export const judgeHeaderStep = (before: ChainEnd, header: Header, after: Field, crypto: Crypto): Outcome => {
  const node = next(detachedChain(before), header, crypto)
  if (!isNode(node)) return node
  const times = after.get("prev_timestamps").items.map(({ integer }) => integer).sort((a, b) => a - b)
  return same("height", after.get("block_height").integer, node.height) ??
    same("hash", hexOf(hashOf(after.get("best_block_hash"))), hexOf(node.hash)) ??
    same("work", after.get("total_work").bigint, node.chainWork) ??
    same("target", after.get("current_target").bigint, expandTarget(header.bits)) ??
    same("median time past", times[times.length >> 1], medianTimePast(node))
}

/** A chain as far as difficulty and time need it, a header, and the chain behind it. */
export const headerSteps: Runner = function*(file) {
  for (const [i, row] of readJson(file).items.entries()) {
    const before = chainEndOf(row.get("chain_state"))
    const header = row.get("blocks").at(0).get("headerHex")
    yield {
      index: String(i),
      name: `height ${before.height + 1}`,
      judge: ({ crypto }) => judgeHeaderStep(before, headerOf(header.bytes), row.get("expected"), crypto)
    }
  }
}

/** First and last time of a period, its bits, and the bits of the next. */
export const retargets: Runner = function*(file) {
  for (const [i, row] of readJson(file).items.entries()) {
    yield {
      index: String(i),
      name: `height ${row.get("nextHeight").integer}`,
      judge: () => {
        const bits = Number.parseInt(row.get("lastBits").text, 16)
        const actual = retarget(row.get("firstTime").integer, row.get("lastTime").integer, bits, parameters.work)
        return same("bits", row.get("expectedBits").text, actual.toString(16).padStart(8, "0"))
      }
    }
  }
}

const withoutPrefix = (field: Field): Field => field.replaced(field.text.replace(/^0x/, ""))

const headerIn = (row: Field): Header => headerOf(withoutPrefix(row.get("hex")).bytes)

/** Headers around a retarget, with the first of the period that ends there. */
export const retargetedHeaders: Runner = function*(file) {
  const content = readJson(file)
  const [base, first] = [content.get("genesis"), content.get("oldPeriodStart")]
  const step = inOrder()
  let node: HeaderNode | undefined
  for (const [i, row] of content.get("chain").items.entries()) {
    const header = headerIn(row)
    const judge = step(({ crypto }) => {
      node ??= detachedChain({
        height: base.get("height").integer,
        hash: blockHash(headerIn(base), crypto),
        bits: headerIn(base).bits,
        periodStart: headerIn(first).time,
        times: [headerIn(base).time],
        chainWork: 0n
      })
      const answer = next(node, header, crypto)
      if (!isNode(answer)) return answer
      node = answer
      return same("height", row.get("height").integer, node.height) ??
        same("hash", withoutPrefix(row.get("digest_le")).text, hexOf(node.hash))
    })
    yield { index: String(i), name: `height ${row.get("height").integer}`, judge }
  }
}
