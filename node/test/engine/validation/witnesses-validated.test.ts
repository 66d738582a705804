import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { witnessesValidated } from "../../../src/engine/validation/witnesses-validated.ts"
import { KeySpace, namedKey } from "../../../src/storage/key-space.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { request } from "../generate-request.ts"
import { testEngine } from "../test-engine.ts"

/** Starts a node whose segwit begins at a height, has it make blocks, and stops it. */
const run = (directory: string, segwit: number, blocks: number) =>
  Effect.scoped(Effect.gen(function*() {
    const options = { activationHeights: { segwit } }
    const { call, chain } = yield* testEngine({ directory, options, extensions: [witnessesValidated] })
    if (blocks > 0) yield* call("generate", request(blocks))
    yield* call("flush", undefined)
    return yield* chain.store.get(namedKey(KeySpace.meta, "witnesses"))
  }))

/** Why such a start is refused. */
const refusal = (directory: string, segwit: number) =>
  Effect.map(Effect.flip(run(directory, segwit, 0)), (error) => "message" in error ? error.message : error._tag)

describe("blocks that were connected before segwit", () => {
  it.live("are refused by a start after which they would be after it, and taken by others", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      assert.deepEqual(yield* run(directory, 10, 8), Uint8Array.of(10, 0, 0, 0))
      assert.match(
        yield* refusal(directory, 5),
        /^Witness data for blocks after height 5 requires validation: .*`lockstep rebuild`/
      )
      // Above the tip no block was connected.
      yield* run(directory, 9, 0)
      yield* run(directory, 10, 0)
    }))

  it.live("are none where segwit was put off only above the blocks there were", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* run(directory, 0, 8)
      yield* run(directory, 6, 2)
      yield* run(directory, 0, 0)
      yield* run(directory, 20, 0)
      yield* run(directory, 0, 0)
      yield* run(directory, 20, 1)
      assert.include(yield* refusal(directory, 0), "after height 0 requires")
      yield* run(directory, 20, 0)
    }))

  it.live("are none in a chain that has gone back to its genesis block", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const options = { activationHeights: { segwit: 10 } }
        const { call } = yield* testEngine({ directory, options, extensions: [witnessesValidated] })
        const { hashes } = yield* call("generate", request(1))
        yield* call("invalidateBlock", { hash: hashes[0]! })
        yield* call("flush", undefined)
      }))
      assert.deepEqual(yield* run(directory, 0, 0), Uint8Array.of(10, 0, 0, 0))
    }))
})
