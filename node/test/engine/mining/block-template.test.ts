import { assert, describe, it } from "@effect/vitest"
import { decodeBlock, decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockTemplate } from "../../../src/engine/api/mining-calls.ts"
import { shownError } from "../../rpc/shown-error.ts"
import { displayHash, hexOf } from "../../../src/hex.ts"
import { loose, outputOf } from "../mempool/loose-transactions.ts"
import { add, coin, nameOf } from "../txmempool/mempools.ts"
import { blockVersion } from "../../../src/engine/deployments/block-version.ts"
import { DEFAULT_MINING_OPTIONS } from "../../../src/engine/options/mining-options.ts"
import { nextVersion } from "../../../src/engine/deployments/signalled-deployments.ts"
import { MATURE, mineTemplate, miningEngine, START } from "./mining-engine.ts"

const namesIn = ({ transactions }: BlockTemplate): ReadonlyArray<string> =>
  transactions.map(({ bytes }) => nameOf(Result.getOrThrow(decodeTransaction(bytes))))

const spendOf = (parent: Transaction, fee: bigint, vouts: ReadonlyArray<number> = [0]): Transaction =>
  loose({
    inputs: vouts.map((vout) => outputOf(parent, vout)),
    values: [vouts.reduce((sum, vout) => sum + parent.outputs[vout]!.value, 0n) - fee]
  })

describe("block templates of the mempool", () => {
  it.live("hold its transactions with what they need, and commit to their witnesses", () =>
    Effect.gen(function*() {
      const { call, enter, mempool } = yield* miningEngine()
      const parent = loose({
        inputs: [outputOf(yield* enter(1, 700))],
        values: [2_000_000_000n, 2_000_000_000n]
      })
      add(mempool, parent, 999_999_300)
      const child = spendOf(parent, 40_000n, [0, 1])
      add(mempool, child, 40_000)
      const other = yield* enter(2, 300)
      const template = yield* call("blockTemplate", undefined)
      const [, second, third] = template.transactions
      assert.deepStrictEqual(namesIn(template).slice(1), [parent, child, other].map(nameOf))
      assert.deepStrictEqual(template.transactions.map(({ depends }) => depends), [[], [1], [2, 2], []])
      assert.deepStrictEqual([second!.fee, third!.fee, template.fees], [999_999_300n, 40_000n, 1_000_040_300n])
      assert.strictEqual(hexOf(third!.txid), nameOf(child))
      const { block } = yield* call("generate", { ...mineTemplate(), submit: false })
      const { transactions: [coinbase, ...others] } = Result.getOrThrow(decodeBlock(block!))
      assert.deepStrictEqual(others.map(nameOf), namesIn(template))
      assert.strictEqual(hexOf(coinbase!.outputs[1]!.script), hexOf(template.witnessCommitment!))
      assert.strictEqual(coinbase!.outputs[0]!.value, template.subsidy + template.fees)
      const facts = yield* call("miningFacts", undefined)
      const weight = template.transactions.reduce((sum, each) => sum + each.weight, 8_000)
      assert.deepStrictEqual([facts.last, facts.pooled, facts.blockMinFee], [{ weight, transactions: 4 }, 4, 1n])
    }))

  it.live("are kept for five seconds of the node's clock, unless the tip changes", () =>
    Effect.gen(function*() {
      const { call, enter, events, mempool } = yield* miningEngine()
      const count = Effect.map(call("blockTemplate", undefined), ({ transactions }) => transactions.length)
      const none = { now: mempool.updates(), atTemplate: 0 }
      assert.deepStrictEqual(yield* call("mempoolUpdates", undefined), none)
      assert.strictEqual(yield* count, 0)
      const tx = yield* enter(1, 1_000)
      const updates = mempool.updates()
      assert.strictEqual(yield* count, 0)
      assert.deepStrictEqual(yield* call("mempoolUpdates", undefined), { now: updates, atTemplate: updates - 1 })
      yield* call("setMockTime", { time: START + 5 })
      assert.strictEqual(yield* count, 0)
      yield* call("setMockTime", { time: START + 6 })
      assert.deepStrictEqual(events("BlockTemplateUpdated"), [])
      assert.strictEqual(yield* count, 1)
      assert.deepStrictEqual(yield* call("mempoolUpdates", undefined), { now: updates, atTemplate: updates })
      const { height, previous } = yield* call("blockTemplate", undefined)
      const observed = { previous_hash: displayHash(previous), height, transactions: 1 }
      assert.deepStrictEqual(events("BlockTemplateUpdated"), [observed])
      yield* call("setMockTime", { time: START + 600 })
      assert.strictEqual(yield* count, 1, "nothing changed")
      yield* enter(2, 1_000)
      yield* call("generate", { ...mineTemplate(), transactions: [{ txid: outputOf(tx).txid }] })
      const [after] = events("BlockTemplateUpdated")
      assert.deepInclude(after, { height: height + 1, transactions: 1 })
      const next = yield* call("blockTemplate", undefined)
      assert.deepStrictEqual([next.height, next.transactions.length], [height + 1, 1])
    }))

  it.live("have the time of the clock, but none before that at which they were made", () =>
    Effect.gen(function*() {
      const { call, enter } = yield* miningEngine()
      const time = Effect.map(call("blockTemplate", undefined), (template) => template.time)
      const at = (seconds: number) => Effect.andThen(call("setMockTime", { time: START + seconds }), time)
      assert.strictEqual(yield* at(1_000), START + 1_000)
      assert.strictEqual(yield* at(1_400), START + 1_400)
      assert.strictEqual(yield* at(1_200), START + 1_200)
      assert.strictEqual(yield* at(900), START + 1_000)
      yield* enter(1, 1_000)
      assert.strictEqual(yield* at(1_300), START + 1_300, "another template")
      assert.strictEqual(yield* at(1_200), START + 1_300)
    }))

  it.live("are of the weight and version that the options allow", () =>
    Effect.gen(function*() {
      const mining = { blockMaxWeight: 4_400, blockReservedWeight: 4_000, blockMinFee: 20n, blockVersion: 5 }
      const { call, enter } = yield* miningEngine({ mining })
      yield* enter(1, 1_000)
      const best = yield* enter(2, 2_000)
      const template = yield* call("blockTemplate", undefined)
      assert.deepStrictEqual([template.version, namesIn(template)], [5, [nameOf(best)]])
      const { blockMinFee, last } = yield* call("miningFacts", undefined)
      assert.deepStrictEqual([blockMinFee, last], [20n, {
        weight: 4_000 + template.transactions[0]!.weight,
        transactions: 1
      }])
      const { block } = yield* call("generate", { ...mineTemplate(), submit: false })
      assert.strictEqual(Result.getOrThrow(decodeBlock(block!)).header.version, 5)
    }))

  it.live("commit to no witnesses before blocks may have them", () =>
    Effect.gen(function*() {
      const at = (segwit: number) =>
        Effect.scoped(Effect.gen(function*() {
          const { call } = yield* miningEngine({ activationHeights: { segwit } })
          const { hasWitness, witnessCommitment } = yield* call("blockTemplate", undefined)
          return [hasWitness, witnessCommitment?.length]
        }))
      assert.deepStrictEqual(yield* at(MATURE + 1), [true, 38])
      assert.deepStrictEqual(yield* at(MATURE + 2), [false, undefined])
    }))

  it.live("have the version that signals, whatever the options say, where blocks are not mined on demand", () =>
    Effect.gen(function*() {
      const { chain } = yield* miningEngine({ mining: { ...DEFAULT_MINING_OPTIONS, blockVersion: 5 } })
      assert.strictEqual(blockVersion(chain), 5)
      const elsewhere = { ...chain, network: { ...chain.network, name: "signet" as const } }
      assert.strictEqual(blockVersion(elsewhere), nextVersion(chain.tree.tip, elsewhere.network))
    }))

  it.live("notify of what was selected, with the fees that an operator changed, where the options say so", () =>
    Effect.gen(function*() {
      for (const notifiesSelections of [true, undefined]) {
        const { call, enter, mempool, received } = yield* miningEngine(
          notifiesSelections === undefined ? {} : { notifiesSelections }
        )
        const tx = yield* enter(1, 1_000)
        mempool.prioritise(outputOf(tx).txid, 7n)
        yield* call("blockTemplate", undefined)
        const { virtualSize } = mempool.entry(mempool.ofTxid(outputOf(tx).txid)!)
        const selected = { txid: outputOf(tx).txid, modifiedFee: 1_007n, virtualSize }
        const news = received.filter(({ _tag }) => _tag === "Selected")
        assert.deepEqual(news, notifiesSelections === true ? [{ _tag: "Selected", transactions: [selected] }] : [])
      }
    }))

  it.live("are not asked whether transactions stand there twice: the second one spends what is spent", () =>
    Effect.gen(function*() {
      const { call, enter } = yield* miningEngine()
      const [first, second] = [outputOf(yield* enter(1, 1_000)), outputOf(yield* enter(2, 1_000))]
      const request = { ...mineTemplate(), transactions: [first, second, second].map(({ txid }) => ({ txid })) }
      assert.deepInclude(shownError(yield* Effect.flip(call("generate", request))), {
        code: -25,
        message:
          `TestBlockValidity failed: bad-txns-inputs-missingorspent, CheckTxInputs: inputs missing/spent in transaction ${
            displayHash(second.txid)
          }`
      })
    }))

  it.live("are refused when they would be invalid", () =>
    Effect.gen(function*() {
      const { call, mempool } = yield* miningEngine()
      const tx = loose({ inputs: [coin(1)], values: [1_000n] })
      add(mempool, tx, 1_000)
      const message =
        `TestBlockValidity failed: bad-txns-inputs-missingorspent, CheckTxInputs: inputs missing/spent in transaction ${
          displayHash(outputOf(tx).txid)
        }`
      const refused = yield* Effect.flip(call("blockTemplate", undefined))
      assert.deepInclude(shownError(refused), { code: -1, message })
      assert.deepInclude(shownError(yield* Effect.flip(call("generate", mineTemplate()))), { code: -1, message })
      mempool.removeRecursive(tx, outputOf(tx).txid, "reorg")
      assert.lengthOf((yield* call("blockTemplate", undefined)).transactions, 0)
    }))
})
