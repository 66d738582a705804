import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain, STATE } from "./fake-chain.ts"
import { ask, type RpcAnswer } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

const GENESIS_TIME = 1_600_000_000

/** A chain of blocks ten minutes apart whose median time is their own, and how far it was pruned. */
const prunable = Effect.fnUntraced(function*(height: number, isPruning = true) {
  const asked: Array<number> = []
  const state: ChainState = { ...STATE, height }
  const hash = (at: number): Uint8Array => {
    const bytes = new Uint8Array(32)
    new DataView(bytes.buffer).setUint32(0, at)
    return bytes
  }
  const chain = fakeChain({
    hashAt: (params) => Effect.succeed(params.height > height ? undefined : hash(params.height)),
    blockFacts: (params) => {
      const at = new DataView(params.hash.buffer, params.hash.byteOffset).getUint32(0)
      return Effect.succeed({ medianTime: GENESIS_TIME + 600 * at } as never)
    },
    pruneTo: (params) => {
      asked.push(params.height)
      return Effect.succeed(params.height - 7)
    }
  }, () => state)
  const pruning = isPruning ? { _tag: "Manual" as const } : { _tag: "Disabled" as const }
  const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain, pruning })
  const prune = (to: number): Effect.Effect<RpcAnswer> => Effect.promise(() => ask(address, "pruneblockchain", [to]))
  return { asked, prune }
})

describe("pruneblockchain", () => {
  it.live("answers with code -1 while the chain is shorter than 1,000 blocks on regtest", () =>
    Effect.gen(function*() {
      const { asked, prune } = yield* prunable(999)
      assert.deepStrictEqual((yield* prune(1)).error, { code: -1, message: "Blockchain is too short for pruning." })
      assert.deepStrictEqual((yield* prune(5_000)).error, { code: -1, message: "Blockchain is too short for pruning." })
      assert.deepStrictEqual(asked, [])
      const enough = yield* prunable(1_000)
      assert.strictEqual((yield* enough.prune(1)).result, -6)
      assert.deepStrictEqual(enough.asked, [1])
    }))

  it.live("answers with code -1 where pruning is off, and -8 to a height that cannot be", () =>
    Effect.gen(function*() {
      const off = yield* prunable(2_000, false)
      assert.deepStrictEqual((yield* off.prune(1)).error, {
        code: -1,
        message: "Cannot prune blocks because node is not in prune mode."
      })
      const { asked, prune } = yield* prunable(2_000)
      assert.deepStrictEqual((yield* prune(-1)).error, { code: -8, message: "Negative block height." })
      assert.deepStrictEqual((yield* prune(2_001)).error, {
        code: -8,
        message: "Blockchain is shorter than the attempted prune height."
      })
      assert.deepStrictEqual(asked, [])
    }))

  it.live("leaves the last 288 blocks", () =>
    Effect.gen(function*() {
      const { asked, prune } = yield* prunable(2_000)
      yield* prune(2_000)
      yield* prune(1_712)
      yield* prune(1_711)
      yield* prune(0)
      assert.deepStrictEqual(asked, [1_712, 1_712, 1_711, 0])
    }))

  it.live("takes a number above a billion for a time, two hours of which are left", () =>
    Effect.gen(function*() {
      const { asked, prune } = yield* prunable(2_000)
      const timeOf = (height: number): number => GENESIS_TIME + 600 * height + 7_200
      yield* prune(timeOf(1_000))
      yield* prune(timeOf(1_000) + 1)
      yield* prune(timeOf(2_000))
      assert.deepStrictEqual(asked, [1_000, 1_001, 1_712])
      const beyond = yield* prune(timeOf(2_000) + 1)
      assert.deepStrictEqual(beyond.error, {
        code: -8,
        message: "Could not find block with at least the specified timestamp."
      })
      const height = yield* prune(1_000_000_000)
      assert.deepStrictEqual(height.error, {
        code: -8,
        message: "Blockchain is shorter than the attempted prune height."
      })
    }))
})
