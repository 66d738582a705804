import { assert, describe, it } from "@effect/vitest"
import type { OutPoint } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { pool } from "../../src/engine/mempool/mempool-extension.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { hexOf } from "../../src/hex.ts"
import { coinbaseAt, idOf, loose, mine, PAY_TO_ANCHOR, rawOf } from "../engine/mempool/loose-transactions.ts"
import { PLANTED_AT } from "../engine/planted-blocks.ts"
import { randomFrom } from "../engine/session.ts"
import { testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type IndexedEngine, naiveOutputs, type NaiveOutputs } from "./naive-outputs.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const REWARD = 5_000_000_000n
const ALL = { offset: 0, limit: 100_000 }
const MOST = 2_100_000_000_000_000n

/** A standard script that no transaction here can spend: a witness program of 20 equal bytes. */
const program = (byte: number): Uint8Array => Uint8Array.from([0, 20, ...Array.from({ length: 20 }, () => byte)])
const SCRIPTS = [PAY_TO_ANCHOR, program(1), program(2)]

const opened = (directory: string, options: Partial<EngineOptions> = { addressIndex: true, valueIndex: true }) =>
  testEngine({ directory, options, extensions: [indexes, pool], mockTime: PLANTED_AT })

/** Waits until all indexes are at the tip. */
const synced = Effect.fnUntraced(function*({ call }: IndexedEngine) {
  while (!(yield* call("indexes", undefined)).every((state) => state.synced)) yield* Effect.sleep("2 millis")
})

const namesOf = (outputs: ReadonlyArray<{ readonly txid: Uint8Array; readonly vout: number }>) =>
  outputs.map(({ txid, vout }) => `${hexOf(txid)}:${vout}`)

const sumOf = (values: ReadonlyArray<bigint | undefined>): bigint =>
  values.reduce<bigint>((sum, value) => sum + (value ?? 0n), 0n)

const agreesOnScript = Effect.fnUntraced(function*(
  { call, chain }: IndexedEngine,
  script: Uint8Array,
  { confirmed, withMempool }: { readonly confirmed: NaiveOutputs; readonly withMempool: NaiveOutputs }
) {
  const key = hexOf(script)
  for (const [outputs, isWithMempool] of [[confirmed, false], [withMempool, true]] as const) {
    const answer = yield* call("scriptOutputs", { script, part: ALL, withMempool: isWithMempool })
    const wanted = outputs.unspent.filter((each) => each.script === key)
    assert.sameMembers(namesOf(answer.outputs), wanted.map(({ name }) => name))
    assert.strictEqual(answer.total, wanted.length)
    const heights = new Map(wanted.map(({ height, name, value }) => [name, `${height} ${value}`]))
    for (const [i, { height, value }] of answer.outputs.entries()) {
      assert.strictEqual(`${height} ${value}`, heights.get(namesOf(answer.outputs)[i]!))
    }
  }
  const touching = withMempool.movements.filter(({ received, sent }) => received.has(key) || sent.has(key))
  const history = yield* call("scriptTransactions", { script, part: ALL })
  const inChain = history.transactions.filter(({ block }) => block !== undefined)
  // Those of the chain are in its order, newest first.
  assert.deepStrictEqual(
    inChain.map(({ block, received, sent, txid }) => [hexOf(txid), block!.height, received, sent]),
    touching.filter(({ height }) => height !== undefined).toReversed()
      .map(({ height, received, sent, txid }) => [txid, height!, received.get(key) ?? 0n, sent.get(key) ?? 0n])
  )
  for (const { block } of inChain) {
    assert.deepStrictEqual(block!.hash, activeAt(chain.tree, block!.height)!.hash.slice())
  }
  assert.sameMembers(
    history.transactions.filter(({ block }) => block === undefined).map(({ txid }) => hexOf(txid)),
    touching.filter(({ height }) => height === undefined).map(({ txid }) => txid)
  )
  const summary = yield* call("scriptSummary", { script })
  const sums = (isConfirmed: boolean) => {
    const of = touching.filter(({ height }) => (height !== undefined) === isConfirmed)
    return {
      received: sumOf(of.map(({ received }) => received.get(key))),
      sent: sumOf(of.map(({ sent }) => sent.get(key))),
      transactions: of.length
    }
  }
  const unspent = confirmed.unspent.filter((each) => each.script === key)
  assert.deepStrictEqual(summary, {
    tipHeight: chain.tree.tip.height,
    confirmed: sums(true),
    unconfirmed: sums(false),
    balance: sumOf(unspent.map(({ value }) => value)),
    unspent: unspent.length
  })
})

const agreesOnValues = Effect.fnUntraced(function*(
  { call }: IndexedEngine,
  [least, most]: readonly [bigint, bigint],
  outputs: NaiveOutputs,
  withMempool: boolean
) {
  const answer = yield* call("outputsOfValue", { least, most, part: ALL, withMempool })
  const wanted = outputs.unspent.filter(({ value }) => value >= least && value <= most)
  assert.sameMembers(namesOf(answer.outputs), wanted.map(({ name }) => name))
  const values = answer.outputs.filter(({ height }) => height !== undefined).map(({ value }) => value)
  assert.deepStrictEqual(values, values.toSorted((a, b) => a < b ? -1 : a > b ? 1 : 0))
})

/** Every answer is what the blocks and the mempool say. */
const agrees = Effect.fnUntraced(function*(engine: IndexedEngine) {
  yield* synced(engine)
  const all = yield* naiveOutputs(engine)
  for (const script of SCRIPTS) yield* agreesOnScript(engine, script, all)
  for (const range of [[0n, MOST], [0n, 0n], [1_000n, 1_000_000n], [REWARD, REWARD]] as const) {
    yield* agreesOnValues(engine, range, all.confirmed, false)
    yield* agreesOnValues(engine, range, all.withMempool, true)
  }
})

/** A transaction that spends one to three outputs that are free, and pays to some scripts. */
const randomSpend = Effect.fnUntraced(function*({ call }: IndexedEngine, random: () => number) {
  const { outputs, tipHeight } = yield* call("scriptOutputs", { script: PAY_TO_ANCHOR, part: ALL, withMempool: true })
  const free = outputs.filter(({ height, isCoinbase }) => !isCoinbase || tipHeight + 1 - height! >= 100)
  const chosen = free.filter(() => random() < 3 / free.length).slice(0, 3)
  const sum = sumOf(chosen.map(({ value }) => value))
  if (sum < 100_000n) return
  const parts = 1n + BigInt(Math.floor(random() * 3))
  const values = Array.from({ length: Number(parts) }, () => (sum - 10_000n) / parts)
  const outputScript = SCRIPTS[Math.floor(random() * SCRIPTS.length)]!
  const inputs = chosen.map(({ txid, vout }) => ({ txid, vout }) as OutPoint)
  const isMixed = random() < 0.5
  const tx = isMixed || outputScript === PAY_TO_ANCHOR
    ? loose({ inputs, values })
    : loose({ inputs, values: [...values, 330n], outputScript })
  yield* call("acceptTransaction", { bytes: rawOf(tx) })
})

const mineMempool = ({ call }: IndexedEngine, blocks: number, script: Uint8Array = PAY_TO_ANCHOR) =>
  call("generate", { script, blocks, maxTries: 1_000_000, transactions: undefined, submit: true })

/** Leaves a branch, and builds another one with the first block paid to a script that no block had. */
const reorganize = Effect.fnUntraced(function*(engine: IndexedEngine, depth: number, script: Uint8Array) {
  const { tree } = engine.chain
  yield* engine.call("invalidateBlock", { hash: activeAt(tree, tree.tip.height - depth)!.hash.slice() })
  yield* mineMempool(engine, 1, script)
})

const step = Effect.fnUntraced(function*(engine: IndexedEngine, random: () => number, number: number) {
  const { call } = engine
  const dice = random()
  if (dice < 0.6) return yield* randomSpend(engine, random)
  if (dice < 0.8) return yield* Effect.asVoid(mineMempool(engine, 1))
  if (dice < 0.9) return yield* call("flush", undefined)
  yield* reorganize(engine, 1 + Math.floor(random() * 4), program(10 + number))
})

describe("the indexes of addresses and of values", () => {
  it.live("say what the blocks and the mempool say, through reorganizations, commits and restarts", () =>
    Effect.gen(function*() {
      const random = randomFrom(SEED)
      const directory = yield* temporaryDirectory
      for (let round = 0; round < 3; round++) {
        const scope = yield* Scope.make()
        const engine = yield* Scope.provide(opened(directory), scope)
        if (round === 0) yield* mine(engine, 110)
        for (let n = 0; n < 12; n++) {
          yield* step(engine, random, round * 12 + n)
          if (n % 4 === 0) yield* agrees(engine)
        }
        yield* agrees(engine)
        yield* engine.call("flush", undefined)
        yield* Scope.close(scope, Exit.void)
      }
    }))

  it.live("catch up when they are switched on later, also after the branch that they saw was left", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const work = Effect.fnUntraced(function*(options: Partial<EngineOptions>, blocks: number, leave: number) {
        const scope = yield* Scope.make()
        const engine = yield* Scope.provide(opened(directory, options), scope)
        if (leave > 0) yield* reorganize(engine, leave, program(9))
        yield* mine(engine, blocks)
        if (options.addressIndex === true) yield* agrees(engine)
        yield* engine.call("flush", undefined)
        yield* Scope.close(scope, Exit.void)
      })
      const on = { addressIndex: true, valueIndex: true }
      yield* work({}, 103, 0)
      yield* work(on, 2, 0)
      yield* work({}, 7, 3)
      yield* work(on, 1, 0)
    }))

  it.live("answer part by part, and one after another without gap", () =>
    Effect.gen(function*() {
      const engine = yield* opened(yield* temporaryDirectory)
      yield* mine(engine, 108)
      const tx = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - 10_000n] })
      yield* engine.call("acceptTransaction", { bytes: rawOf(tx) })
      const parts = yield* Effect.forEach([0, 40, 80, 120], (offset) =>
        engine.call("scriptOutputs", { script: PAY_TO_ANCHOR, part: { offset, limit: 40 }, withMempool: true }))
      assert.deepStrictEqual(parts.map(({ outputs, total }) => [outputs.length, total]), [
        [40, 108],
        [40, 108],
        [28, 108],
        [0, 108]
      ])
      const whole = yield* engine.call("scriptOutputs", { script: PAY_TO_ANCHOR, part: ALL, withMempool: true })
      assert.deepStrictEqual(
        parts.flatMap(({ outputs }) =>
          outputs
        ),
        whole.outputs
      )
      // The output of the mempool comes last, and the one it spends is not there.
      assert.deepStrictEqual(whole.outputs.at(-1)!.txid, idOf(tx))
      assert.strictEqual(whole.outputs[0]!.height, 2)
      const newest = yield* engine.call("scriptTransactions", { script: PAY_TO_ANCHOR, part: { offset: 0, limit: 2 } })
      assert.deepStrictEqual(newest.transactions.map(({ block }) => block?.height), [undefined, 108])
      assert.strictEqual(newest.total, 109)
    }))

  it.live("are off unless they are asked for, and a question to one that is off says which", () =>
    Effect.gen(function*() {
      const engine = yield* opened(yield* temporaryDirectory, {})
      const asked = { script: PAY_TO_ANCHOR, part: ALL, withMempool: true }
      const failures: ReadonlyArray<unknown> = yield* Effect.all([
        Effect.flip(engine.call("scriptSummary", asked)),
        Effect.flip(engine.call("scriptOutputs", asked)),
        Effect.flip(engine.call("scriptTransactions", asked)),
        Effect.flip(engine.call("outputsOfValue", { ...asked, least: 0n, most: MOST }))
      ])
      assert.deepStrictEqual<ReadonlyArray<unknown>>(failures, [
        ...Array.from({ length: 3 }, () => ({ _tag: "IndexNotEnabled", index: "addressindex" } as const)),
        { _tag: "IndexNotEnabled", index: "valueindex" }
      ])
      assert.isUndefined(engine.chain.unconfirmed)
    }))
})
