import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hashOf, methodNode, shownHash } from "../method-node.ts"

const TIP = shownHash(7)

describe("scantxoutset", () => {
  const found = (txid: number, vout: number, value: bigint) => ({
    txid: hashOf(txid),
    vout,
    value,
    script: Uint8Array.of(0x51),
    height: 100,
    isCoinbase: vout === 1,
    block: hashOf(3)
  })
  const scan = { isComplete: true, height: 322, block: hashOf(7), coins: 9, found: [] }

  it.effect("adds up what it finds, in the order of ids and places, with the blocks up to the tip as confirmations", () =>
    Effect.gen(function*() {
      const { calls, show, text } = methodNode({
        answers: {
          scanProgress: () => undefined,
          scanCoins: () => ({ ...scan, found: [found(2, 0, 5n), found(1, 3, 20n), found(1, 1, 300n)] })
        }
      })
      const answer = yield* show("scantxoutset", "start", ["raw(51)"])
      assert.deepStrictEqual(
        answer.unspents.map(({ txid, vout }: { readonly txid: string; readonly vout: number }) => [txid, vout]),
        [[shownHash(1), 1], [shownHash(1), 3], [shownHash(2), 0]]
      )
      assert.deepStrictEqual(answer.unspents[0], {
        txid: shownHash(1),
        vout: 1,
        scriptPubKey: "51",
        desc: "raw(51)#8lvh9jxk",
        amount: 0.000003,
        coinbase: true,
        height: 100,
        blockhash: shownHash(3),
        confirmations: 223
      })
      assert.include(yield* text("scantxoutset", "start", ["raw(51)"]), "\"total_amount\":0.00000325}")
      assert.deepStrictEqual([answer.success, answer.txouts, answer.height, answer.bestblock], [true, 9, 322, TIP])
      assert.deepStrictEqual(calls[1], ["scanCoins", { scripts: [Uint8Array.of(0x51)] }])
    }))

  it.effect("finds nothing worth nothing, and is not a success where it was aborted", () =>
    Effect.gen(function*() {
      const { text } = methodNode({
        answers: { scanProgress: () => undefined, scanCoins: () => ({ ...scan, isComplete: false }) }
      })
      assert.strictEqual(
        yield* text("scantxoutset", "start", ["raw(51)"]),
        `{"success":false,"txouts":9,"height":322,"bestblock":"${TIP}","unspents":[],"total_amount":0.00000000}`
      )
    }))

  it.effect("is one at a time, whose progress is shown and which can be aborted", () =>
    Effect.gen(function*() {
      let progress: number | undefined = 0
      const { text } = methodNode({
        answers: { scanProgress: () => progress, abortScan: () => progress !== undefined }
      })
      const taken = "-8 Scan already in progress, use action \"abort\" or \"status\""
      assert.strictEqual(yield* text("scantxoutset", "start", ["raw(51)"]), taken)
      assert.strictEqual(yield* text("scantxoutset", "status"), "{\"progress\":0}")
      assert.strictEqual(yield* text("scantxoutset", "abort"), "true")
      progress = undefined
      assert.strictEqual(yield* text("scantxoutset", "status"), "null")
      assert.strictEqual(yield* text("scantxoutset", "abort"), "false")
      assert.strictEqual(
        yield* text("scantxoutset", "start"),
        "-1 scanobjects argument is required for the start action"
      )
      assert.strictEqual(yield* text("scantxoutset", "stop"), "-8 Invalid action 'stop'")
    }))
})

describe("getdeploymentinfo", () => {
  const heights = { bip34: 10, bip66: 323, bip65: 324, csv: 1, segwit: 0 }
  const signalled = {
    name: "thing",
    bit: 5,
    startTime: 100,
    timeout: undefined,
    minActivationHeight: 7,
    state: "started",
    since: 144,
    next: "locked_in",
    counted: {
      period: 4,
      threshold: 3,
      elapsed: 3,
      count: 2,
      possible: true,
      signalling: [true, false, true]
    }
  }
  const facts = { hash: hashOf(7), height: 322, flags: 1 | (1 << 9), heights, signalled: [signalled] }
  const shown = (more: object) => {
    const { show } = methodNode({
      answers: { deployments: () => ({ ...facts, signalled: [{ ...signalled, ...more }] }) }
    })
    return Effect.map(show("getdeploymentinfo"), ({ deployments }) => deployments.thing)
  }

  it.effect("shows the largest time as the end of a deployment that never fails", () =>
    Effect.gen(function*() {
      const { text } = methodNode({ answers: { deployments: () => facts } })
      assert.include(yield* text("getdeploymentinfo"), "\"timeout\":9223372036854775807,")
      assert.strictEqual((yield* shown({ timeout: 500 })).bip9.timeout, 500)
    }))

  it.effect("has a buried deployment in force from the block before its height on", () =>
    Effect.gen(function*() {
      const { calls, show } = methodNode({ answers: { deployments: () => facts } })
      const { deployments, hash, height } = yield* show("getdeploymentinfo", shownHash(7))
      assert.deepStrictEqual([hash, height, calls[0]], [TIP, 322, ["deployments", { hash: hashOf(7) }]])
      assert.deepStrictEqual(deployments.bip66, { type: "buried", active: true, height: 323 })
      assert.deepStrictEqual(deployments.bip65, { type: "buried", active: false, height: 324 })
      assert.deepStrictEqual(Object.keys(deployments), ["bip34", "bip66", "bip65", "csv", "segwit", "thing"])
    }))

  it.effect("shows signals while they count, and the goal only while it has started", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* shown({})).bip9, {
        bit: 5,
        start_time: 100,
        timeout: 2 ** 63,
        min_activation_height: 7,
        status: "started",
        since: 144,
        status_next: "locked_in",
        statistics: { period: 4, elapsed: 3, count: 2, threshold: 3, possible: true },
        signalling: "#-#"
      })
      const locked = (yield* shown({ state: "locked_in" })).bip9
      assert.deepStrictEqual(locked.statistics, { period: 4, elapsed: 3, count: 2 })
      const quiet = (yield* shown({ counted: undefined })).bip9
      assert.deepStrictEqual(["bit" in quiet, "statistics" in quiet, "signalling" in quiet], [false, false, false])
    }))

  it.effect("is in force since it is active, or with the next block", () =>
    Effect.gen(function*() {
      const briefly = ({ active, height }: { readonly active: boolean; readonly height?: number }) => [active, height]
      assert.deepStrictEqual(briefly(yield* shown({ state: "active", next: "active" })), [true, 144])
      assert.deepStrictEqual(briefly(yield* shown({ state: "locked_in", next: "active" })), [true, 323])
      assert.deepStrictEqual(briefly(yield* shown({ state: "started", next: "locked_in" })), [false, undefined])
    }))

  it.effect("names the flags of scripts in order, and fails for a block that is not known", () =>
    Effect.gen(function*() {
      const { show } = methodNode({ answers: { deployments: () => facts } })
      const names: ReadonlyArray<string> = (yield* show("getdeploymentinfo")).script_flags
      assert.strictEqual(names.length, 2)
      assert.deepStrictEqual(names, names.toSorted())
      const none = methodNode({ answers: { deployments: () => undefined } })
      assert.strictEqual(yield* none.text("getdeploymentinfo", TIP), "-5 Block not found")
    }))
})

describe("gettxout", () => {
  const script = Uint8Array.of(0x51)
  const output = { value: 5n, script, isCoinbase: true, confirmations: 0, isSpent: false }

  it.effect("counts the mempool unless it is not wanted", () =>
    Effect.gen(function*() {
      let present: object | undefined = output
      const { calls, show } = methodNode({
        answers: {
          outputs: () => ({ tip: hashOf(7), outputs: [present] }),
          coin: () => ({ bestBlock: hashOf(7), bestHeight: 322, value: 6n, script, height: 320, isCoinbase: false })
        }
      })
      const pooled = yield* show("gettxout", shownHash(1), 4)
      assert.deepStrictEqual([pooled.bestblock, pooled.confirmations, pooled.value, pooled.coinbase], [
        TIP,
        0,
        5e-8,
        true
      ])
      const confirmed = yield* show("gettxout", shownHash(1), 4, false)
      assert.deepStrictEqual([confirmed.confirmations, confirmed.value, confirmed.coinbase], [3, 6e-8, false])
      assert.deepStrictEqual(calls, [
        ["outputs", { outpoints: [{ txid: hashOf(1), vout: 4 }] }],
        ["coin", { txid: hashOf(1), vout: 4 }]
      ])
      present = { ...output, isSpent: true }
      assert.isNull(yield* show("gettxout", shownHash(1), 4))
      present = undefined
      assert.isNull(yield* show("gettxout", shownHash(1), 4))
    }))

  it.effect("takes a place of 32 bits without sign", () =>
    Effect.gen(function*() {
      const { text } = methodNode({ answers: { outputs: () => ({ tip: hashOf(7), outputs: [undefined] }) } })
      const range = "-1 JSON integer out of range"
      const places = [[0, "null"], [2 ** 32 - 1, "null"], [-1, range], [2 ** 32, range]] as const
      for (const [place, answer] of places) {
        assert.strictEqual(yield* text("gettxout", TIP, place), answer, String(place))
      }
    }))
})

describe("getblockhash", () => {
  it.effect("knows the blocks from the first to the tip, and asks the engine for no others", () =>
    Effect.gen(function*() {
      const { calls, text } = methodNode({ answers: { hashAt: () => hashOf(9) } })
      for (const height of [0, 322]) assert.strictEqual(yield* text("getblockhash", height), `"${shownHash(9)}"`)
      for (const height of [-1, 323]) {
        assert.strictEqual(yield* text("getblockhash", height), "-8 Block height out of range")
      }
      assert.deepStrictEqual(calls, [["hashAt", { height: 0 }], ["hashAt", { height: 322 }]])
    }))
})

describe("getchaintxstats", () => {
  const window = {
    hash: hashOf(7),
    height: 322,
    time: 1_700_000_000,
    transactions: 1_000,
    transactionsBefore: 400,
    blocks: 10,
    seconds: 1_200
  }
  const answered = (more: object, ...params: ReadonlyArray<unknown>) => {
    const { calls, show } = methodNode({ answers: { chainWindow: () => ({ ...window, ...more }) } })
    return Effect.map(show("getchaintxstats", ...params), (answer) => ({ answer, calls }))
  }
  const whole = {
    time: 1_700_000_000,
    txcount: 1_000,
    window_final_block_hash: TIP,
    window_final_block_height: 322,
    window_block_count: 10,
    window_interval: 1_200,
    window_tx_count: 600,
    txrate: 0.5
  }
  const { txcount: _count, txrate: _rate, window_interval: _interval, window_tx_count: _transactions, ...known } = whole

  it.effect("leaves out what is not known of the window", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* answered({})).answer, whole)
      const { txrate: _, ...withoutRate } = whole
      assert.deepStrictEqual((yield* answered({ seconds: 0 })).answer, { ...withoutRate, window_interval: 0 })
      assert.strictEqual((yield* answered({ seconds: 1 })).answer.txrate, 600)
      const uncounted = { ...known, window_interval: 1_200 }
      assert.deepStrictEqual((yield* answered({ transactionsBefore: 0 })).answer, { ...uncounted, txcount: 1_000 })
      assert.deepStrictEqual((yield* answered({ transactions: 0 })).answer, uncounted)
      assert.deepStrictEqual((yield* answered({ transactions: 1, transactionsBefore: 1, blocks: 1 })).answer, {
        ...whole,
        txcount: 1,
        window_block_count: 1,
        window_tx_count: 0,
        txrate: 0
      })
      assert.deepStrictEqual((yield* answered({ blocks: 0 })).answer, {
        ...known,
        window_block_count: 0,
        txcount: 1_000
      })
    }))

  it.effect("asks for a month up to the tip, or for what was given", () =>
    Effect.gen(function*() {
      const before = { last: undefined, blocks: undefined }
      assert.deepStrictEqual((yield* answered({})).calls, [["chainWindow", before]])
      const { calls } = yield* answered({}, 5, shownHash(3))
      assert.deepStrictEqual(calls, [["chainWindow", { last: hashOf(3), blocks: 5 }]])
    }))
})

describe("getnetworkhashps", () => {
  const rate = (work: bigint, seconds: number, ...params: ReadonlyArray<unknown>) => {
    const { calls, show } = methodNode({ answers: { networkWork: () => ({ work, seconds }) } })
    return Effect.map(show("getnetworkhashps", ...params), (answer) => ({ answer, asked: calls[0]![1] }))
  }

  it.effect("judges by 120 blocks up to the tip unless something else is asked for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rate(500n, 2), { answer: 250, asked: { blocks: 120, height: -1 } })
      assert.deepStrictEqual(yield* rate(500n, 1, 5, 10), { answer: 500, asked: { blocks: 5, height: 10 } })
      assert.strictEqual((yield* rate(500n, 0)).answer, 0)
    }))

  it.effect("keeps the size of work that takes more than 32 bits", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        (yield* rate(2n ** 80n + 2n ** 33n + 5n, 1)).answer,
        Number((2 ** 80 + 2 ** 33).toPrecision(16))
      )
      assert.strictEqual((yield* rate(2n ** 32n, 1)).answer, 2 ** 32)
      assert.strictEqual((yield* rate(2n ** 32n - 1n, 1)).answer, 2 ** 32 - 1)
      assert.strictEqual((yield* rate(0n, 1)).answer, 0)
    }))
})

describe("verifychain", () => {
  it.effect("verifies six blocks at level 3 unless asked otherwise, at a level from 0 to 4, and no more than there are", () =>
    Effect.gen(function*() {
      const verified = { isSound: true, limit: undefined, problem: undefined, transactions: 9, valid: true }
      const { calls, text } = methodNode({ answers: { verifyChain: () => verified } })
      const asked = [[], [-1, 1], [0, 0], [4, -1], [5, 322], [4, 323], [1, 321]]
      for (const params of asked) assert.strictEqual(yield* text("verifychain", ...params), "true")
      assert.deepStrictEqual(calls.map(([, params]) => params), [
        { level: 3, blocks: 6 },
        { level: 0, blocks: 1 },
        { level: 0, blocks: 322 },
        { level: 4, blocks: 322 },
        { level: 4, blocks: 322 },
        { level: 4, blocks: 322 },
        { level: 1, blocks: 321 }
      ])
    }))
})

describe("getindexinfo", () => {
  it.effect("shows all indexes, or the one of a name that is not empty", () =>
    Effect.gen(function*() {
      const indexes = [
        { name: "txindex", synced: true, bestBlockHeight: 322 },
        { name: "coinstatsindex", synced: false, bestBlockHeight: 5 }
      ]
      const { text } = methodNode({ answers: { indexes: () => indexes } })
      const [one, other] = [
        "\"txindex\":{\"synced\":true,\"best_block_height\":322}",
        "\"coinstatsindex\":{\"synced\":false,\"best_block_height\":5}"
      ]
      for (const params of [[], [""]]) assert.strictEqual(yield* text("getindexinfo", ...params), `{${one},${other}}`)
      assert.strictEqual(yield* text("getindexinfo", "coinstatsindex"), `{${other}}`)
      assert.strictEqual(yield* text("getindexinfo", "txospenderindex"), "{}")
    }))
})
