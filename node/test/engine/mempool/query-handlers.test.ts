import { assert, describe, it } from "@effect/vitest"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { hexOf } from "../../../src/hex.ts"
import { coin, idsOf, nameOf, NOW, spend } from "../txmempool/mempools.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, PAY_TO_ANCHOR } from "./loose-transactions.ts"
import { queryEngine } from "./query-engine.ts"

const REWARD = 5_000_000_000n

const named = (entries: ReadonlyArray<{ readonly txid: Uint8Array }>): ReadonlyArray<string> =>
  entries.map(({ txid }) => hexOf(txid))

const inRawOrder = (...transactions: ReadonlyArray<Transaction>): ReadonlyArray<string> =>
  transactions.map(nameOf).sort()

/** A diamond: a parent, two children, and a grandchild of both; and a transaction by itself that pays most. */
const family = () => {
  const parent = spend([coin(1)])
  const left = spend([outputOf(parent, 0)], 1)
  const right = spend([outputOf(parent, 1)], 2)
  const last = spend([outputOf(left), outputOf(right)], 3)
  const alone = spend([coin(2)], 4)
  return { alone, last, left, parent, right }
}

const withFamily = Effect.gen(function*() {
  const { engine, enter, state } = yield* queryEngine()
  const all = family()
  enter(all.parent, 1_000)
  enter(all.left, 2_000)
  enter(all.right, 300)
  enter(all.last, 5_000, { time: NOW + 7, height: 201 })
  enter(all.alone, 90_000)
  return { ...all, engine, enter, state }
})

describe("questions about the mempool", () => {
  it.live("are answered from its settings and totals, whether it is loaded or not", () =>
    Effect.gen(function*() {
      let loaded = false
      const cluster = { count: 30, weight: 200_000 }
      const { engine, enter, state } = yield* queryEngine({
        isLoaded: () => loaded,
        maxBytes: 5_000_000,
        policy: { cluster, dataCarrierBytes: 0, permitBareMultisig: false, minRelayFee: { fee: 333n, size: 1000 } }
      })
      const empty = yield* engine.call("mempoolFacts", undefined)
      assert.deepStrictEqual(empty, {
        loaded: false,
        count: 0,
        virtualSize: 0,
        usage: 0,
        fees: 0n,
        maxBytes: 5_000_000,
        rollingMinimum: 0,
        minRelayFee: 333n,
        incrementalRelayFee: 100n,
        unbroadcast: 0,
        permitBareMultisig: false,
        dataCarrierBytes: 0,
        clusterCount: 30,
        clusterSize: 50_000,
        isOptimal: true,
        replacesUnsignalled: true
      })
      loaded = true
      const [first, second] = [spend([coin(1)]), spend([coin(2)], 1)]
      enter(first, 1_000)
      enter(second, 500)
      state.prioritise(idOf(first), 70n)
      state.markUnbroadcast(idOf(second))
      const facts = yield* engine.call("mempoolFacts", undefined)
      assert.deepStrictEqual({ ...facts, usage: 0 }, {
        ...empty,
        loaded: true,
        count: 2,
        virtualSize: 2 * first.bytes.length,
        fees: 1_500n,
        unbroadcast: 1
      })
      assert.strictEqual(facts.usage, state.totals().usage)
    }))

  it.live("say whether unsignalled transactions are replaced in the mode that is set", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = []
      for (const mode of ["disabled", "conservative", "standard", "aggressive"] as const) {
        const { engine } = yield* queryEngine({ mode })
        answers.push((yield* engine.call("mempoolFacts", undefined)).replacesUnsignalled)
      }
      assert.deepStrictEqual(answers, [false, false, true, true])
    }))

  it.live("say which transactions signal that they may be replaced, by themselves or by an ancestor", () =>
    Effect.gen(function*() {
      const { engine, enter } = yield* queryEngine()
      const withSequence = (inputs: ReadonlyArray<OutPoint>, sequence: number) =>
        loose({ inputs, values: [1_000n], sequence })
      const least = withSequence([coin(1)], 0xfffffffd)
      const final = withSequence([coin(2)], 0xfffffffe)
      const onLeast = withSequence([outputOf(least)], 0xffffffff)
      const onFinal = withSequence([outputOf(final)], 0xffffffff)
      const onBoth = withSequence([outputOf(onFinal), outputOf(onLeast)], 0xffffffff)
      for (const tx of [least, final, onLeast, onFinal, onBoth]) enter(tx, 1_000)
      const asked = [onBoth, onFinal, onLeast, final, least, onBoth, spend([coin(9)])]
      const answers = yield* engine.call("mempoolSignals", { txids: asked.map(idOf) })
      assert.deepStrictEqual(answers, [true, false, true, false, true, true, false])
    }))

  it.live("list entries in mining order, with the next sequence number", () =>
    Effect.gen(function*() {
      const { alone, engine, last, left, parent, right } = yield* withFamily
      const { sequence, txids } = yield* engine.call("mempoolIds", undefined)
      assert.strictEqual(sequence, 6)
      const entries = yield* engine.call("mempoolEntries", undefined)
      assert.deepStrictEqual(named(entries), [alone, parent, left, right, last].map(nameOf))
      assert.strictEqual(hexOf(txids), named(entries).join(""))
      for (const entry of entries) {
        assert.deepStrictEqual(yield* engine.call("mempoolEntry", { txid: entry.txid }), entry)
      }
      assert.isUndefined(yield* engine.call("mempoolEntry", { txid: new Uint8Array(32) }))
    }))

  it.live("say of an entry what it is, what it stands on and what stands on it", () =>
    Effect.gen(function*() {
      const { engine, last, left, parent, right, state } = yield* withFamily
      state.prioritise(idOf(left), -50n)
      state.markUnbroadcast(idOf(last))
      const size = (tx: Transaction): number => tx.bytes.length
      const entry = (tx: Transaction) => Effect.map(engine.call("mempoolEntry", { txid: idOf(tx) }), (each) => each!)
      const middle = yield* entry(left)
      const total = size(parent) + size(left) + size(right) + size(last)
      assert.deepStrictEqual(middle, {
        txid: idOf(left),
        wtxid: idOf(left),
        weight: 4 * size(left),
        virtualSize: size(left),
        fee: 2_000n,
        modifiedFee: 1_950n,
        time: middle.time,
        height: 200,
        ancestors: { count: 2, virtualSize: size(parent) + size(left), fees: 2_950n },
        descendants: { count: 2, virtualSize: size(left) + size(last), fees: 6_950n },
        chunk: { fee: 8_250n, weight: 4 * total },
        depends: [idOf(parent)],
        spentBy: [idOf(last)],
        isUnbroadcast: false
      })
      assert.strictEqual(middle.time, NOW)
      const grandchild = yield* entry(last)
      assert.deepStrictEqual(grandchild.depends.map(hexOf), inRawOrder(left, right))
      assert.deepStrictEqual(grandchild.ancestors, { count: 4, virtualSize: total, fees: 8_250n })
      assert.deepStrictEqual([Number(grandchild.time), grandchild.height], [NOW + 7, 201])
      assert.isTrue(grandchild.isUnbroadcast)
      assert.deepStrictEqual((yield* entry(parent)).spentBy.map(hexOf), inRawOrder(left, right))
    }))

  it.live("list ancestors and descendants in raw order of txids, without the entry", () =>
    Effect.gen(function*() {
      const { alone, engine, last, left, parent, right } = yield* withFamily
      const relatives = (tx: Transaction, which: "ancestors" | "descendants") =>
        Effect.map(engine.call("mempoolRelatives", { txid: idOf(tx), which }), (found) => found && named(found))
      assert.deepStrictEqual(yield* relatives(last, "ancestors"), inRawOrder(parent, left, right))
      assert.deepStrictEqual(yield* relatives(parent, "descendants"), inRawOrder(last, left, right))
      assert.deepStrictEqual(yield* relatives(left, "ancestors"), [nameOf(parent)])
      assert.deepStrictEqual(yield* relatives(alone, "descendants"), [])
      assert.isUndefined(yield* relatives(spend([coin(9)]), "ancestors"))
    }))

  it.live("show a cluster as chunks in the order of its linearization, and all chunks as a diagram", () =>
    Effect.gen(function*() {
      const { engine, enter } = yield* queryEngine()
      const parent = spend([coin(1)])
      const poor = spend([outputOf(parent)], 1)
      const rich = spend([coin(2)], 2)
      enter(parent, 3_000)
      enter(poor, 100)
      enter(rich, 9_000)
      const weight = 4 * parent.bytes.length
      assert.deepStrictEqual(yield* engine.call("mempoolCluster", { txid: idOf(poor) }), {
        weight: 2 * weight,
        count: 2,
        chunks: [
          { fee: 3_000n, weight, txids: [idOf(parent)] },
          { fee: 100n, weight, txids: [idOf(poor)] }
        ]
      })
      assert.isUndefined(yield* engine.call("mempoolCluster", { txid: new Uint8Array(32) }))
      assert.deepStrictEqual(yield* engine.call("feerateDiagram", undefined), [
        { weight: 0, fee: 0n },
        { weight, fee: 9_000n },
        { weight: 2 * weight, fee: 12_000n },
        { weight: 3 * weight, fee: 12_100n }
      ])
    }))

  it.live("find a transaction by either id, and who spends an output", () =>
    Effect.gen(function*() {
      const { engine, left, parent } = yield* withFamily
      const found = yield* engine.call("mempoolTransaction", { id: idOf(left), kind: "txid" })
      assert.deepStrictEqual(found, {
        txid: idOf(left),
        wtxid: idOf(left),
        bytes: new Uint8Array(left.bytes),
        fee: 2_000n,
        virtualSize: left.bytes.length,
        sequence: 2
      })
      assert.deepStrictEqual(yield* engine.call("mempoolTransaction", { id: idOf(left), kind: "wtxid" }), found)
      assert.isUndefined(yield* engine.call("mempoolTransaction", { id: new Uint8Array(32), kind: "wtxid" }))
      const ids = [idOf(left), new Uint8Array(32), idOf(left)]
      assert.deepStrictEqual(yield* engine.call("mempoolTransactions", { ids, kind: "txid" }), [
        found,
        undefined,
        found
      ])
      const outpoints = [coin(7), outputOf(parent), coin(1)]
      assert.deepStrictEqual(yield* engine.call("mempoolSpenders", { outpoints }), [
        undefined,
        { txid: idOf(left), bytes: new Uint8Array(left.bytes) },
        { txid: idOf(parent), bytes: new Uint8Array(parent.bytes) }
      ])
    }))

  it.live("find outputs of the chain, on disk alone, and of the mempool, and say which of them it spends", () =>
    Effect.gen(function*() {
      const { engine, enter } = yield* queryEngine({ dbcacheBytes: 1 })
      yield* mine(engine, 3)
      yield* engine.call("flush", undefined)
      const [first, second] = [yield* coinbaseAt(engine, 1), yield* coinbaseAt(engine, 3)]
      const tx = loose({ inputs: [first], values: [1_000n, 2_000n] })
      const child = loose({ inputs: [outputOf(tx, 1)], values: [500n] })
      enter(tx, 1_000)
      enter(child, 1_500)
      const outpoints = [first, second, outputOf(tx), outputOf(tx, 1), outputOf(tx, 2), coin(1)]
      const script = tx.outputs[0]!.script
      const { outputs, tip } = yield* engine.call("outputs", { outpoints })
      assert.deepStrictEqual(tip, engine.chain.tree.tip.hash)
      assert.deepStrictEqual(outputs, [
        { value: REWARD, script: PAY_TO_ANCHOR, isCoinbase: true, confirmations: 3, isSpent: true },
        { value: REWARD, script: PAY_TO_ANCHOR, isCoinbase: true, confirmations: 1, isSpent: false },
        { value: 1_000n, script, isCoinbase: false, confirmations: 0, isSpent: false },
        { value: 2_000n, script, isCoinbase: false, confirmations: 0, isSpent: true },
        undefined,
        undefined
      ])
    }))
})

describe("what an operator adds to fees", () => {
  it.live("is remembered for entries and for what may come, in raw order of txids, until it sums up to nothing", () =>
    Effect.gen(function*() {
      const { engine, parent } = yield* withFamily
      const later = spend([coin(5)], 9)
      const [here, there] = [idOf(parent), idOf(later)]
      assert.isTrue(yield* engine.call("prioritise", { txid: here, delta: 5_000n }))
      assert.isTrue(yield* engine.call("prioritise", { txid: there, delta: -7n }))
      const all = [
        { txid: here, delta: 5_000n, modifiedFee: 6_000n },
        { txid: there, delta: -7n, modifiedFee: undefined }
      ].toSorted((a, b) => hexOf(a.txid) < hexOf(b.txid) ? -1 : 1)
      assert.deepStrictEqual(yield* engine.call("prioritised", undefined), all)
      assert.isTrue(yield* engine.call("prioritise", { txid: there, delta: 7n }))
      assert.lengthOf(yield* engine.call("prioritised", undefined), 1)
    }))

  for (const requireStandard of [true, false]) {
    it.live(
      `is ${requireStandard ? "refused for" : "taken for"} an entry with dust, where dust is ${
        requireStandard ? "judged" : "not judged"
      }`,
      () =>
        Effect.gen(function*() {
          const { engine, enter } = yield* queryEngine({ policy: { requireStandard } })
          const dusty = loose({ inputs: [coin(1)], values: [10_000n, 1n] })
          enter(dusty, 0)
          const isTaken = yield* engine.call("prioritise", { txid: idOf(dusty), delta: 100n })
          assert.strictEqual(isTaken, !requireStandard)
          assert.lengthOf(yield* engine.call("prioritised", undefined), requireStandard ? 0 : 1)
          const unknown = loose({ inputs: [coin(2)], values: [1n] })
          assert.isTrue(yield* engine.call("prioritise", { txid: idOf(unknown), delta: 100n }))
        })
    )
  }

  it.live("waits until no check uses what it changes", () =>
    Effect.gen(function*() {
      const { engine, parent, state } = yield* withFamily
      const changed = yield* engine.writer.alone(Effect.gen(function*() {
        yield* Effect.forkChild(engine.call("prioritise", { txid: idOf(parent), delta: 1n }))
        yield* Effect.yieldNow
        yield* Effect.yieldNow
        return state.prioritised().length
      }))
      assert.strictEqual(changed, 0)
    }))
})

describe("the txids of entries", () => {
  it.live("come one after another, in the given order", () =>
    Effect.gen(function*() {
      const { last, parent, state } = yield* withFamily
      const handles = [last, parent].map((tx) => state.ofTxid(idOf(tx))!)
      assert.deepStrictEqual(state.txids(handles), idsOf([last, parent]))
      assert.lengthOf(state.txids([]), 0)
    }))
})
