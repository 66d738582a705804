import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantedRoot, plantOn } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const FIRST = plantOn(plantedRoot(), 1)
/** Claims a satoshi too much. */
const BAD = plantOn(FIRST.node, 30, 1n)

/** An engine without the first block, which has another on top of it on disk alone, from where these bytes are read. */
const withStored = Effect.fnUntraced(function*({ bytes, node }: typeof BAD, read = bytes) {
  const { call, chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    parts: (parts) => ({
      ...parts,
      files: { ...parts.files, readBlock: () => Effect.succeed(read.slice()) }
    })
  })
  for (const each of [FIRST.bytes, bytes]) yield* call("submitHeader", { bytes: each.slice(0, 80) })
  yield* call("submitBlock", { bytes: bytes.slice() })
  const stored = nodeOf(chain.tree, node.hash)!
  chain.recent.remove(stored.index)
  const outcome = yield* Effect.result(call("submitBlock", { bytes: FIRST.bytes.slice() }))
  return { outcome, seen: [isInvalid(chain.tree, stored), chain.tree.tip.height, chain.status._tag] }
})

describe("a block from disk that does not hold", () => {
  it.live("is invalid where it is what its sender sent, and the node goes on", () =>
    Effect.gen(function*() {
      const { outcome, seen } = yield* withStored(BAD)
      assert.deepStrictEqual([outcome._tag, seen], ["Success", [true, 1, "Running"]])
    }))

  it.live("is damaged, and not invalid, where its witnesses are not those that its coinbase commits to", () =>
    Effect.gen(function*() {
      const damaged = BAD.bytes.slice()
      // The nonce of the coinbase is the last witness before the lock time.
      damaged[damaged.length - 5]! ^= 1
      const { outcome, seen } = yield* withStored(BAD, damaged)
      assert.deepStrictEqual([outcome._tag, seen], ["Failure", [false, 1, "Broken"]])
      assert.match(outcome._tag === "Failure" ? JSON.stringify(outcome.failure) : "", /is damaged: it does not hold/)
    }))
})
