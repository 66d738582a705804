import { assert, describe, it } from "@effect/vitest"
import { blockHash, transactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { EngineParts } from "../../src/engine/state/chain-engine.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import type { MakeExtension } from "../../src/engine/chainstate/extension.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { PLANTED_AT } from "./planted-blocks.ts"
import { blockOn, decoded, FALSE, MATURE, matureChain, spend, SUBSIDY, TRUE } from "./spending-blocks.ts"
import { testCrypto, testEngine } from "./test-engine.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** A chain; on it a good block, on that one whose script fails, and two good ones on top of that. */
const plantedChain = (() => {
  const mature = matureChain()
  const paid = { value: SUBSIDY, script: TRUE }
  const last = mature.at(-1)!.node
  const first = spend(mature[0]!.coinbase, 0, [{ value: SUBSIDY - 1n, script: FALSE }, { value: 1n, script: TRUE }])
  const good = blockOn(last, [first])
  // Spends what the block before made, and something old; what it makes is spent in the blocks behind it.
  const old = spend(mature[1]!.coinbase, 0, [paid])
  const bad = blockOn(good.node, [
    old,
    spend(transactionId(first, testCrypto), 0, [{ value: SUBSIDY - 1n, script: TRUE }])
  ])
  const behind = blockOn(bad.node, [spend(transactionId(old, testCrypto), 0, [paid])])
  const last2 = blockOn(behind.node, [
    spend(mature[2]!.coinbase, 0, [paid]),
    spend(transactionId(first, testCrypto), 1, [])
  ])
  // Another branch with more work, whose second block's script fails.
  const other = blockOn(last, [spend(mature[1]!.coinbase, 0, [{ value: SUBSIDY, script: FALSE }])])
  const otherBad = blockOn(other.node, [spend(transactionId(decoded(other).transactions[1]!, testCrypto), 0, [paid])])
  return { mature, good, bad, onTop: [behind, last2], branch: [other, otherBad] as const }
})()

/** Notes what it receives; idle or not as asked. */
const listener = (received: Array<string>, isIdle: () => boolean): MakeExtension => () =>
  Effect.succeed({
    hooks: [{
      isIdle,
      connected: ({ block, node, undo }) =>
        void received.push(`${node.height}: ${block.transactions.length}, ${undo.spent.flat().length}`)
    }]
  })

const coinsOf = ({ call }: RunningEngine) =>
  Effect.map(
    call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false }),
    ({ setHash, txouts }) => ({ setHash, txouts })
  )

describe("a script that fails below blocks that are under way", () => {
  const { bad, good, mature, onTop } = plantedChain
  const chain = [...mature, good]

  it.live.each(["one subscriber", "no subscriber"] as const)(
    "takes all of them back while %s follows",
    (who) =>
      Effect.gen(function*() {
        const received: Array<string> = []
        const engine = yield* testEngine({
          directory: yield* temporaryDirectory,
          mockTime: PLANTED_AT,
          extensions: [listener(received, () => who === "no subscriber")]
        })
        const plain = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
        for (const { bytes } of chain) yield* plain.call("submitBlock", { bytes })
        for (const { bytes } of mature) yield* engine.call("submitBlock", { bytes })
        for (const { bytes } of [good, bad, ...onTop]) {
          yield* engine.call("submitHeader", { bytes: bytes.subarray(0, 80) })
        }
        // Stored in the wrong order, so that they are connected one behind another as soon as the first is here.
        for (const { bytes } of [...onTop.toReversed(), bad]) yield* engine.call("submitBlock", { bytes })
        yield* engine.call("submitBlock", { bytes: good.bytes })
        assert.deepStrictEqual(engine.chain.tree.tip.hash, good.node.hash)
        assert.deepStrictEqual(yield* coinsOf(engine), yield* coinsOf(plain))
        assert.strictEqual(received.at(-1), who === "no subscriber" ? undefined : `${MATURE + 1}: 2, 1`)
      }).pipe(Effect.scoped)
  )

  it.live("notifies a subscriber that comes meanwhile of the blocks that were connected since", () =>
    Effect.gen(function*() {
      const received: Array<string> = []
      let asked = 0
      // Idle when the block is collected, no longer so when it is settled.
      const engine = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        extensions: [listener(received, () => asked++ === 2 * MATURE)]
      })
      for (const { bytes } of mature) yield* engine.call("submitBlock", { bytes })
      assert.strictEqual(asked, 2 * MATURE)
      yield* engine.call("submitBlock", { bytes: good.bytes })
      assert.strictEqual(received.at(-1), `${MATURE + 1}: 2, 1`)
    }).pipe(Effect.scoped))
})

/** Notes of which blocks the scripts are judged. */
const noting = (judged: Array<string>) => (parts: EngineParts): EngineParts => ({
  ...parts,
  pool: {
    ...parts.pool,
    judge: (block, collected) => {
      judged.push(hex(blockHash(block.header, testCrypto)))
      return parts.pool.judge(block, collected)
    }
  }
})

describe("scripts that were judged and hold", () => {
  const { branch: [other, otherBad], good, mature } = plantedChain

  it.live("are not judged again when the chain comes back from an invalid branch", () =>
    Effect.gen(function*() {
      const judged: Array<string> = []
      const engine = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        parts: noting(judged)
      })
      for (const { bytes } of [...mature, good]) yield* engine.call("submitBlock", { bytes })
      const before = yield* coinsOf(engine)
      for (const { bytes } of [other, otherBad]) yield* engine.call("submitBlock", { bytes })
      assert.deepStrictEqual(engine.chain.tree.tip.hash, good.node.hash)
      assert.deepStrictEqual(yield* coinsOf(engine), before)
      assert.deepStrictEqual(judged, [good, other, otherBad].map(({ node }) => hex(node.hash)))
    }).pipe(Effect.scoped))

  it.live("are judged again after a start, and those that failed whenever they are asked for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const first: Array<string> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* testEngine({ directory, mockTime: PLANTED_AT, parts: noting(first) })
        for (const { bytes } of [...mature, good, other, otherBad]) yield* engine.call("submitBlock", { bytes })
        yield* engine.call("reconsiderBlock", { hash: otherBad.node.hash })
        yield* engine.call("flush", undefined)
      }))
      assert.strictEqual(first.filter((hash) => hash === hex(otherBad.node.hash)).length, 2)
      const second: Array<string> = []
      const engine = yield* testEngine({ directory, mockTime: PLANTED_AT, parts: noting(second) })
      for (let time = 0; time < 2; time++) {
        yield* engine.call("invalidateBlock", { hash: good.node.hash })
        assert.deepStrictEqual(engine.chain.tree.tip.hash, other.node.hash)
        yield* engine.call("reconsiderBlock", { hash: good.node.hash })
        assert.deepStrictEqual(engine.chain.tree.tip.hash, good.node.hash)
      }
      assert.deepStrictEqual(second, [other, good].map(({ node }) => hex(node.hash)))
    }).pipe(Effect.scoped))
})
