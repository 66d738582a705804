import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type EngineAnswers, hashOf, methodNode, shownHash } from "../method-node.ts"

const TIP = shownHash(7)

const shown = (answers: EngineAnswers, method: string, ...params: ReadonlyArray<unknown>) =>
  methodNode({ answers }).show(method, ...params)

describe("the mempool", () => {
  const entry = (byte: number) => ({
    txid: hashOf(byte),
    wtxid: hashOf(byte + 1),
    weight: 400,
    virtualSize: 100,
    fee: 1n,
    modifiedFee: 2n,
    time: 5,
    height: 6,
    ancestors: { count: 2, virtualSize: 200, fees: 3n },
    descendants: { count: 3, virtualSize: 300, fees: 4n },
    chunk: { fee: 5n, weight: 500 },
    depends: [hashOf(9), hashOf(8)],
    spentBy: [hashOf(9), hashOf(8)],
    isUnbroadcast: false
  })
  const described = {
    vsize: 100,
    weight: 400,
    time: 5,
    height: 6,
    descendantcount: 3,
    descendantsize: 300,
    ancestorcount: 2,
    ancestorsize: 200,
    wtxid: shownHash(2),
    chunkweight: 500,
    fees: { base: 1e-8, modified: 2e-8, ancestor: 3e-8, descendant: 4e-8, chunk: 5e-8 },
    depends: [shownHash(8), shownHash(9)],
    spentby: [shownHash(9), shownHash(8)],
    unbroadcast: false
  }
  const GONE = "-5 Transaction not in mempool"

  it.effect("lists ids, or what is known of each, with the number of its next event where that is wanted", () =>
    Effect.gen(function*() {
      const { show, text } = methodNode({
        answers: {
          mempoolIds: () => ({ txids: Buffer.concat([hashOf(1), hashOf(2)]), sequence: 44 }),
          mempoolEntries: () => [entry(1)]
        }
      })
      const ids = [shownHash(1), shownHash(2)]
      for (const params of [[], [false], [false, false]]) {
        assert.deepStrictEqual(yield* show("getrawmempool", ...params), ids)
      }
      assert.deepStrictEqual(yield* show("getrawmempool", false, true), { txids: ids, mempool_sequence: 44 })
      assert.deepStrictEqual(yield* show("getrawmempool", true), { [shownHash(1)]: described })
      assert.strictEqual(
        yield* text("getrawmempool", true, true),
        "-8 Verbose results cannot contain mempool sequence values."
      )
    }))

  it.effect("knows an entry and its relatives, with the old signal where the node keeps it", () =>
    Effect.gen(function*() {
      const answers: EngineAnswers = {
        mempoolEntry: () => entry(1),
        mempoolRelatives: () => [entry(1), entry(3)],
        mempoolSignals: ({ txids }) => txids.map(() => true)
      }
      const { calls, show } = methodNode({ answers })
      assert.deepStrictEqual(yield* show("getmempoolentry", TIP), described)
      assert.deepStrictEqual(yield* show("getmempoolancestors", TIP), [shownHash(1), shownHash(3)])
      const relatives = yield* show("getmempooldescendants", TIP, true)
      assert.deepStrictEqual(relatives, {
        [shownHash(1)]: described,
        [shownHash(3)]: { ...described, wtxid: shownHash(4) }
      })
      assert.deepStrictEqual(calls.map(([name, params]) => [name, (params as { readonly which?: string }).which]), [
        ["mempoolEntry", undefined],
        ["mempoolRelatives", "ancestors"],
        ["mempoolRelatives", "descendants"]
      ])
      const old = methodNode({ answers, more: { deprecated: new Set(["bip125"]) } })
      assert.deepStrictEqual(yield* old.show("getmempoolentry", TIP), { ...described, "bip125-replaceable": true })
      const none = { mempoolEntry: () => undefined, mempoolRelatives: () => undefined, mempoolCluster: () => undefined }
      for (const method of ["getmempoolentry", "getmempoolancestors", "getmempooldescendants", "getmempoolcluster"]) {
        assert.strictEqual(yield* shown(none, method, TIP), GONE)
      }
    }))

  it.effect("asks for what it must while it is full, and for the least feerate otherwise", () =>
    Effect.gen(function*() {
      const least = (rollingMinimum: number) =>
        Effect.map(
          shown({ mempoolFacts: () => ({ ...FACTS, rollingMinimum }) }, "getmempoolinfo"),
          (info) => [info.mempoolminfee, info.minrelaytxfee]
        )
      assert.deepStrictEqual(
        [yield* least(0), yield* least(99), yield* least(100), yield* least(101)],
        [[1e-6, 1e-6], [1e-6, 1e-6], [1e-6, 1e-6], [1.01e-6, 1e-6]]
      )
      const old = methodNode({ answers: { mempoolFacts: () => FACTS }, more: { deprecated: new Set(["fullrbf"]) } })
      const { fullrbf, ...info } = yield* old.show("getmempoolinfo")
      assert.isTrue(fullrbf)
      assert.deepStrictEqual(info, yield* shown({ mempoolFacts: () => FACTS }, "getmempoolinfo"))
    }))

  const FACTS = {
    loaded: true,
    count: 1,
    virtualSize: 2,
    usage: 3,
    fees: 4n,
    maxBytes: 5,
    rollingMinimum: 0,
    minRelayFee: 100n,
    incrementalRelayFee: 7n,
    unbroadcast: 8,
    permitBareMultisig: true,
    dataCarrierBytes: 9,
    clusterCount: 10,
    clusterSize: 11,
    isOptimal: true,
    replacesUnsignalled: true
  }

  it.effect("takes fees that an operator adds, and lists them", () =>
    Effect.gen(function*() {
      let isTaken = true
      const { calls, show, text } = methodNode({
        answers: {
          prioritise: () => isTaken,
          prioritised: () => [
            { txid: hashOf(1), delta: -5n, modifiedFee: undefined },
            { txid: hashOf(2), delta: 5n, modifiedFee: 0n }
          ]
        }
      })
      for (const dummy of [null, 0, 0.0]) {
        assert.strictEqual(yield* text("prioritisetransaction", TIP, dummy, -7), "true")
      }
      assert.deepStrictEqual(calls[0], ["prioritise", { txid: hashOf(7), delta: -7n }])
      assert.match(yield* text("prioritisetransaction", TIP, 1, 5), /^-8 Priority is no longer supported/)
      isTaken = false
      assert.match(
        yield* text("prioritisetransaction", TIP, 0, 5),
        /^-8 Priority is not supported for transactions with dust/
      )
      assert.deepStrictEqual(yield* show("getprioritisedtransactions"), {
        [shownHash(1)]: { fee_delta: -5, in_mempool: false },
        [shownHash(2)]: { fee_delta: 5, in_mempool: true, modified_fee: 0 }
      })
    }))
})

describe("estimates of fees", () => {
  it.effect("are of a target within bounds and a mode in any letters", () =>
    Effect.gen(function*() {
      let feerate: number | undefined = 1_234
      const { calls, text } = methodNode({
        answers: { highestFeeTarget: () => 1_008, estimateFee: ({ target }) => ({ feerate, target }) }
      })
      assert.strictEqual(yield* text("estimatesmartfee", 1), "{\"feerate\":0.00001234,\"blocks\":1}")
      yield* text("estimatesmartfee", 1_008, "CONSERVATIVE")
      yield* text("estimatesmartfee", 2, "unset")
      feerate = undefined
      assert.strictEqual(
        yield* text("estimatesmartfee", 2, "economical"),
        "{\"errors\":[\"Insufficient data or no feerate found\"],\"blocks\":2}"
      )
      assert.deepStrictEqual(calls.filter(([name]) => name === "estimateFee").map(([, params]) => params), [
        { target: 1, isConservative: false },
        { target: 1_008, isConservative: true },
        { target: 2, isConservative: false },
        { target: 2, isConservative: false }
      ])
      for (const target of [0, 1_009]) {
        const message = "-8 Invalid conf_target, must be between 1 and 1008"
        assert.strictEqual(yield* text("estimatesmartfee", target), message)
        assert.strictEqual(yield* text("estimaterawfee", target), message)
      }
      assert.strictEqual(
        yield* text("estimatesmartfee", 1, "x"),
        "-8 Invalid estimate_mode parameter, must be one of: \"unset\", \"economical\", \"conservative\""
      )
    }))

  it.effect("show where they come from, with hundredths of transactions", () =>
    Effect.gen(function*() {
      const range = {
        start: 999.5,
        end: 1_000.4,
        withinTarget: 1.005_1,
        totalConfirmed: 2.334,
        inMempool: 3,
        leftMempool: 0.999
      }
      const written = {
        startrange: 1_000,
        endrange: 1_000,
        withintarget: 1.01,
        totalconfirmed: 2.33,
        inmempool: 3,
        leftmempool: 1
      }
      const { calls, show, text } = methodNode({
        answers: {
          highestFeeTarget: () => 1_008,
          estimateRawFee: () => ({
            short: { decay: 0.9, scale: 1, feerate: 5, pass: range, fail: undefined },
            medium: { decay: 0.8, scale: 2, feerate: undefined, pass: undefined, fail: range },
            long: undefined
          })
        }
      })
      assert.deepStrictEqual(yield* show("estimaterawfee", 6), {
        short: { feerate: 5e-8, decay: 0.9, scale: 1, pass: written },
        medium: {
          decay: 0.8,
          scale: 2,
          fail: written,
          errors: ["Insufficient data or no feerate found which meets threshold"]
        }
      })
      for (const share of [0, 1]) yield* show("estimaterawfee", 6, share)
      assert.deepStrictEqual(calls.filter(([name]) => name === "estimateRawFee").map(([, params]) => params), [
        { target: 6, successShare: 0.95 },
        { target: 6, successShare: 0 },
        { target: 6, successShare: 1 }
      ])
      for (const share of [-0.01, 1.01]) {
        assert.strictEqual(yield* text("estimaterawfee", 6, share), "-8 Invalid threshold")
      }
    }))
})
