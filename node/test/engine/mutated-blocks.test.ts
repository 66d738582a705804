import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../src/engine/header-index/header-status.ts"
import { has, nodeOf } from "../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { plantChain, plantedRoot, PLANTED_AT, plantOn } from "./planted-blocks.ts"
import { testEngine } from "./test-engine.ts"

/** A block of a coinbase alone ends with its witness, one item of 32 bytes, and its lock time. */
const ITEM = 32
const LOCK_TIME = 4

const changed = (bytes: Uint8Array, fromEnd: number): Uint8Array => {
  const copy = bytes.slice()
  copy[copy.length - fromEnd]! ^= 1
  return copy
}

/** The same block, but for what its header does not say by itself. */
const MUTATIONS: ReadonlyArray<readonly [reason: string, mutate: (bytes: Uint8Array) => Uint8Array]> = [
  ["bad-witness-merkle-match", (bytes) => changed(bytes, LOCK_TIME + 1)],
  ["bad-witness-nonce-size", (bytes) => {
    const at = bytes.length - LOCK_TIME - ITEM
    return Uint8Array.from([...bytes.subarray(0, at - 1), ITEM + 1, 0, ...bytes.subarray(at)])
  }],
  // The coinbase itself is changed, so its id is.
  ["bad-txnmrklroot", (bytes) => changed(bytes, 1)]
]

describe("a block that is not what its header commits to", () => {
  for (const headerFirst of [false, true]) {
    for (const [reason, mutate] of MUTATIONS) {
      it.live(`leaves no mark on the header, ${headerFirst ? "known" : "unknown"} before: ${reason}`, () =>
        Effect.gen(function*() {
          const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
          const [first, second] = plantChain(plantedRoot(), 2)
          if (headerFirst) yield* call("submitHeader", { bytes: first!.bytes.slice(0, 80) })
          assert.deepStrictEqual(yield* call("submitBlock", { bytes: mutate(first!.bytes) }), { result: reason })
          const node = nodeOf(chain.tree, first!.node.hash)
          assert.isFalse(node !== undefined && has(chain.tree, node, HeaderStatus.INVALID))
          assert.isFalse(node !== undefined && has(chain.tree, node, HeaderStatus.STORED))
          for (const { bytes } of [first!, second!]) {
            assert.deepStrictEqual(yield* call("submitBlock", { bytes: bytes.slice() }), { result: undefined })
          }
          assert.deepStrictEqual(chain.tree.tip.hash, second!.node.hash)
        }))
    }
  }

  it.live("is distinguished from one that breaks a rule, whose header is marked for good", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const { bytes, node } = plantOn(plantedRoot(), 1, 1n)
      assert.deepStrictEqual(yield* call("submitBlock", { bytes: bytes.slice() }), { result: "bad-cb-amount" })
      assert.isTrue(has(chain.tree, nodeOf(chain.tree, node.hash)!, HeaderStatus.INVALID))
      assert.deepStrictEqual(yield* call("submitBlock", { bytes: bytes.slice() }), { result: "duplicate-invalid" })
    }))
})
