import { headerOf } from "@lockstep/kernel/internal/model/header.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { TESTNET3 } from "@lockstep/protocol/networks/testnet3.ts"
import * as Result from "effect/Result"
import { acceptHeader } from "../chain/accept.ts"
import { inOrder } from "../chain/in-order.ts"
import { networkOfFile } from "../chain/network-of-file.ts"
import { storeOf } from "../chain/offer.ts"
import type { Store } from "../chain/store.ts"
import type { Field } from "../formats/field.ts"
import { bytesOf, isHex } from "../formats/hex.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readBytes, readJson, readText } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

const SIZE = 80

/** Offers a header to the tree: it must be taken, at `height` if that is known. */
const offer = (store: Store, bytes: Uint8Array, height?: number): Outcome => {
  const accepted = acceptHeader(store, headerOf(bytes))
  if (Result.isFailure(accepted)) {
    return { expected: "accepted", actual: accepted.failure.reason, rule: accepted.failure.rule }
  }
  return height === undefined ? undefined : same("height", height, accepted.success.node.height)
}

/** The headers of a chain from the genesis block on, one behind the other. */
export const headerChains: Runner = function*(file) {
  const network = networkOfFile(file)
  const bytes = readBytes(file)
  if (bytes.length % SIZE !== 0) {
    throw new MalformedVector(file.display, "", `expected headers of ${SIZE} bytes, found ${bytes.length} bytes`)
  }
  const step = inOrder()
  let store: Store | undefined
  for (let height = 0; height * SIZE < bytes.length; height++) {
    const header = bytes.subarray(height * SIZE, height * SIZE + SIZE)
    const judge = step(({ crypto }) => offer(store ??= storeOf(network, crypto), header, height))
    yield { index: String(height), name: `header ${height}`, judge }
  }
}

const bestHeight = ({ entries }: Store): number => {
  let [height, work] = [0, 0n]
  for (const { node } of entries.values()) {
    if (node.chainWork <= work) continue
    height = node.height
    work = node.chainWork
  }
  return height
}

/** Headers of testnet3 as lines, a short branch with a prefix among them; the long branch is the best. */
export const headerBranches: Runner = function*(file) {
  const lines = readText(file).split("\n").filter((line) => line !== "")
  const step = inOrder()
  let store: Store | undefined
  const heights = { branch: 0, chain: 0 }
  for (const [i, line] of lines.entries()) {
    const digits = line.replace(/^fork:/, "")
    if (!isHex(digits) || digits.length !== 2 * SIZE) {
      throw new MalformedVector(file.display, `line ${i + 1}`, "expected a header")
    }
    const height = ++heights[line === digits ? "chain" : "branch"]
    const judge = step(({ crypto }) => offer(store ??= storeOf(TESTNET3, crypto), bytesOf(digits), height))
    yield { index: String(i), name: line === digits ? `header ${height}` : `header ${height} of the branch`, judge }
  }
  yield { index: "best", name: "best header", judge: step(() => same("height", heights.chain, bestHeight(store!))) }
}

interface Path {
  readonly comment: string
  readonly headers: ReadonlyArray<Field>
}

/** Every way from the root to a node that has a comment. */
const pathsIn = (node: Field, before: ReadonlyArray<Field>): ReadonlyArray<Path> => {
  const headers = [...before, ...node.get("block_headers").items]
  const comment = node.find("comment")?.text
  const longer = (node.find("extensions")?.items ?? []).flatMap((each) => pathsIn(each, headers))
  return comment === undefined ? longer : [{ comment, headers }, ...longer]
}

/**
 * Header chains with real work and hostile times, as a tree. All are valid: what the file calls so is a rule not in
 * force.
 */
export const headerTrees: Runner = function*(file) {
  for (const [i, { comment, headers }] of pathsIn(readJson(file), []).entries()) {
    const judge = ({ crypto }: { readonly crypto: Store["crypto"] }): Outcome => {
      const store = storeOf(MAINNET, crypto)
      for (const [height, { bytes }] of headers.entries()) {
        const outcome = offer(store, bytes, height)
        if (outcome !== undefined) return { ...outcome, actual: `${outcome.actual} at height ${height}` }
      }
      return undefined
    }
    yield { index: String(i), name: comment, judge }
  }
}
