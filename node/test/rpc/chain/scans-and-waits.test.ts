import { assert, describe, it } from "@effect/vitest"
import { basicFilter } from "@lockstep/protocol/filters/basic-filter.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import { waitForChain } from "../../../src/methods/chain/tip-wait.ts"
import { hasValidOperations } from "../../../src/methods/raw-transaction/valid-operations.ts"
import { hashTypeOf, sighashText } from "../../../src/methods/raw-transaction/sighash-name.ts"
import { CallPlace } from "../../../src/http/call-place.ts"
import { heightsToScan, scanFilters } from "../../../src/methods/scan/scan-filters.ts"
import { STATE } from "../fake-chain.ts"
import { hashOf, methodNode, type NodeParts, shownHash } from "../method-node.ts"

const TRUE = Uint8Array.of(0x51)
const OTHER = Uint8Array.of(0x52)

describe("a scan of filters", () => {
  /** Blocks from a height on, every third of which pays to {@link TRUE}; only at 6 that is in the block itself. */
  const scanned = (
    from: number,
    to: number,
    more: { readonly isExact?: boolean; readonly until?: number; readonly atOnce?: number } = {}
  ) => {
    const state = { progress: 0, height: 0, isAborted: false }
    const seen: Array<readonly [height: number, progress: number]> = []
    const asked: Array<number> = []
    const { node } = methodNode({
      answers: {
        hashAt: () => hashOf(to),
        blockFilters: ({ from: next, most }) => {
          asked.push(next)
          assert.strictEqual(most, 500)
          return Array.from({ length: Math.min(more.atOnce ?? 500, to - next + 1) }, (_, i) => {
            const height = next + i
            return {
              get block() {
                seen.push([state.height, state.progress])
                if (height === more.until) state.isAborted = true
                return hashOf(height)
              },
              filter: basicFilter(hashOf(height), [height % 3 === 0 ? TRUE : OTHER])
            }
          })
        },
        blockFacts: ({ hash }) => ({
          hash,
          block: {},
          undo: hash[0] === 9 ? undefined : {},
          header: new Uint8Array(80),
          height: hash[0]
        })
      },
      more: {
        blocks: {
          block: (_: unknown, hash: Uint8Array) =>
            Effect.succeed({ transactions: [{ outputs: [{ script: hash[0] === 6 ? TRUE : OTHER }] }] }),
          undo: () => Effect.succeed({ spent: [[{ script: OTHER }, { script: OTHER }]] })
        }
      }
    })
    const scripts = [TRUE, new Uint8Array()]
    return Effect.map(scanFilters({ from, to, scripts, isExact: more.isExact ?? false }, state, node), (answer) => ({
      answer,
      asked,
      seen,
      state
    }))
  }

  it.effect("finds blocks between two heights, both of them included, and says how far it is", () =>
    Effect.gen(function*() {
      const { answer, asked, seen, state } = yield* scanned(3, 10, { atOnce: 3 })
      assert.deepStrictEqual(answer, {
        from_height: 3,
        to_height: 10,
        relevant_blocks: [3, 6, 9].map(shownHash),
        completed: true
      })
      assert.deepStrictEqual(asked, [3, 6, 9])
      const first = seen.filter(([height], i) => i === 0 || height !== seen[i - 1]![0])
      assert.deepStrictEqual(first.slice(0, 4), [[3, 0], [4, 25], [5, 37], [6, 50]])
      assert.deepStrictEqual([state.progress, state.height], [100, 10])
      const one = yield* scanned(3, 3)
      assert.deepStrictEqual([one.answer.completed, one.answer.relevant_blocks], [true, [shownHash(3)]])
    }))

  it.effect("reads the blocks where only those are wanted that really have a script", () =>
    Effect.gen(function*() {
      const { answer } = yield* scanned(3, 10, { isExact: true })
      assert.deepStrictEqual(answer.relevant_blocks, [shownHash(6)])
    }))

  it.effect("ends where it is aborted, with what it has found so far", () =>
    Effect.gen(function*() {
      const { answer } = yield* scanned(3, 10, { until: 6 })
      assert.deepStrictEqual([answer.completed, answer.to_height, answer.relevant_blocks], [false, 5, [shownHash(3)]])
    }))

  it("is of heights that the chain has", () => {
    const heights = (from: number, to?: number): string => {
      const result = heightsToScan(from, to, 10)
      return Result.isSuccess(result) ? `${result.success.from}-${result.success.to}` : result.failure.message
    }
    assert.deepStrictEqual(
      [heights(0), heights(10), heights(3, 3), heights(0, 10), heights(-1), heights(11), heights(5, 4), heights(0, 11)],
      [
        "0-10",
        "10-10",
        "3-3",
        "0-10",
        "Invalid start_height",
        "Invalid start_height",
        "Invalid stop_height",
        "Invalid stop_height"
      ]
    )
  })
})

describe("a wait for the chain", () => {
  const waiting = (isWanted: (state: ChainState) => boolean, milliseconds: number, hasPlace = true) =>
    Effect.gen(function*() {
      const states = yield* SubscriptionRef.make(STATE)
      const stop = yield* Deferred.make<void>()
      const steps: Array<string> = []
      const node = {
        shutdown: { requested: Deferred.await(stop) },
        chain: { state: () => SubscriptionRef.getUnsafe(states), states: SubscriptionRef.changes(states) }
      }
      const place = {
        stepAside: () => {
          steps.push("aside")
          return hasPlace
        },
        stepBack: () => void steps.push("back")
      }
      const wait = Effect.provideService(waitForChain(node as never, isWanted, milliseconds as never), CallPlace, place)
      const fiber = yield* Effect.forkChild(Effect.result(wait), { startImmediately: true })
      const ended = Effect.map(
        Fiber.join(fiber),
        (result) => Result.isSuccess(result) ? result.success._tag : result.failure.message
      )
      return {
        ended,
        fiber,
        mine: SubscriptionRef.set(states, { ...STATE, height: 323 }),
        steps,
        stop: Deferred.succeed(stop, undefined)
      }
    })
  const isNext = ({ height }: ChainState): boolean => height === 323

  it.effect("ends at once where the chain is as wanted, and otherwise gives its place to others meanwhile", () =>
    Effect.gen(function*() {
      const now = yield* waiting(() => true, 1)
      assert.deepStrictEqual([yield* now.ended, now.steps], ["Wanted", []])
      const later = yield* waiting(isNext, 0)
      yield* TestClock.adjust("10 days")
      assert.isUndefined(later.fiber.pollUnsafe())
      assert.deepStrictEqual(later.steps, ["aside"])
      yield* later.mine
      assert.deepStrictEqual([yield* later.ended, later.steps], ["Wanted", ["aside", "back"]])
    }))

  it.effect("is over after its milliseconds, or when the node stops, and fails where too many wait", () =>
    Effect.gen(function*() {
      const timed = yield* waiting(isNext, 1_000)
      yield* TestClock.adjust(999)
      assert.isUndefined(timed.fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([yield* timed.ended, timed.steps], ["TimeUp", ["aside", "back"]])
      const stopped = yield* waiting(isNext, 0)
      yield* stopped.stop
      assert.strictEqual(yield* stopped.ended, "Over")
      const crowded = yield* waiting(isNext, 5, false)
      assert.match(yield* crowded.ended, /^Too many calls wait for blocks at the moment/)
      assert.deepStrictEqual(crowded.steps, ["aside"])
    }))

  it.effect("answers the tip, for a block, a height or another tip, and for no negative time", () =>
    Effect.gen(function*() {
      const { text } = methodNode({ more: { shutdown: { requested: Effect.void } } })
      const tip = `{"hash":"${shownHash(7)}","height":322}`
      const rows = [
        ["waitforblock", shownHash(7)],
        ["waitforblock", shownHash(8)],
        ["waitforblockheight", 322],
        ["waitforblockheight", 323],
        ["waitfornewblock"],
        ["waitfornewblock", 0, shownHash(8)]
      ] as const
      for (const [method, ...params] of rows) assert.strictEqual(yield* text(method, ...params), tip)
      for (
        const [method, ...params] of [["waitforblock", shownHash(8), -1], ["waitforblockheight", 323, -1], [
          "waitfornewblock",
          -1
        ]] as const
      ) {
        assert.strictEqual(yield* text(method, ...params), "-1 Negative timeout")
      }
    }))
})

describe("scripts and hash types", () => {
  it("have valid operations up to the last of those before taproot, with no push that is too long or cut off", () => {
    const push = (length: number, prefix: ReadonlyArray<number>) => Uint8Array.of(...prefix, ...new Uint8Array(length))
    const valid: ReadonlyArray<Uint8Array> = [
      new Uint8Array(),
      Uint8Array.of(0xb9),
      Uint8Array.of(1, 9),
      push(520, [0x4d, 8, 2]),
      push(255, [0x4c, 255]),
      push(520, [0x4e, 8, 2, 0, 0])
    ]
    const invalid: ReadonlyArray<Uint8Array> = [
      Uint8Array.of(0xba),
      Uint8Array.of(0x51, 0xff),
      Uint8Array.of(2, 9),
      push(521, [0x4d, 9, 2]),
      push(521, [0x4e, 9, 2, 0, 0]),
      Uint8Array.of(0x4c)
    ]
    assert.isTrue(valid.every(hasValidOperations))
    for (const script of invalid) {
      assert.isFalse(hasValidOperations(script), Buffer.from(script).toString("hex").slice(0, 20))
    }
  })

  it("have names, by their last byte", () => {
    const names = ["ALL", "NONE", "SINGLE", "ALL|ANYONECANPAY", "NONE|ANYONECANPAY", "SINGLE|ANYONECANPAY"]
    const types = [1, 2, 3, 0x81, 0x82, 0x83]
    assert.deepStrictEqual(types.map(sighashText), names)
    assert.deepStrictEqual([0x101, 0, 4, 0x80].map(sighashText), ["ALL", "", "", ""])
    assert.deepStrictEqual([...names, "DEFAULT"].map((name) => Result.getOrUndefined(hashTypeOf(name))), [...types, 0])
  })
})

describe("statistics and tips of the chain", () => {
  const answered = (parts: NodeParts, method: string, ...params: ReadonlyArray<unknown>) =>
    methodNode(parts).show(method, ...params)

  it.effect("are of all coins, with what only the index or only a walk has", () =>
    Effect.gen(function*() {
      const walked = {
        height: 322,
        block: hashOf(7),
        txouts: 5,
        bogoSize: 2n ** 60n,
        total: 9n,
        setHash: hashOf(8),
        transactions: 4,
        sizeOnDisk: 3,
        index: undefined
      }
      const unspendables = { genesisBlock: 1n, bip30: 2n, scripts: 3n, unclaimedRewards: 4n }
      const blockInfo = { prevoutSpent: 5n, coinbase: 6n, newOutputsExceptCoinbase: 7n, unspendable: 8n, unspendables }
      const indexed = {
        ...walked,
        transactions: undefined,
        sizeOnDisk: undefined,
        index: { unspendable: 10n, blockInfo }
      }
      const names = { indexes: () => [{ name: "coinstatsindex" }] }
      const { calls, text } = methodNode({ answers: { ...names, setStatistics: () => walked } })
      const head = `{"height":322,"bestblock":"${shownHash(7)}","txouts":5,"bogosize":1152921504606846976,`
      const tail = "\"total_amount\":0.00000009,\"transactions\":4,\"disk_size\":3}"
      assert.strictEqual(yield* text("gettxoutsetinfo"), `${head}"hash_serialized_3":"${shownHash(8)}",${tail}`)
      assert.strictEqual(yield* text("gettxoutsetinfo", "muhash"), `${head}"muhash":"${shownHash(8)}",${tail}`)
      assert.strictEqual(yield* text("gettxoutsetinfo", "none", null, false), `${head}${tail}`)
      yield* text("gettxoutsetinfo", "muhash", 5)
      assert.deepStrictEqual(calls.filter(([name]) => name === "setStatistics").map(([, params]) => params), [
        { hashType: "hash_serialized_3", at: undefined, useIndex: true },
        { hashType: "muhash", at: undefined, useIndex: true },
        { hashType: "none", at: undefined, useIndex: false },
        { hashType: "muhash", at: { height: 5 }, useIndex: true }
      ])
      const shown = yield* answered({ answers: { setStatistics: () => indexed } }, "gettxoutsetinfo", "muhash")
      assert.deepStrictEqual([shown.total_unspendable_amount, shown.block_info], [1e-7, {
        prevout_spent: 5e-8,
        coinbase: 6e-8,
        new_outputs_ex_coinbase: 7e-8,
        unspendable: 8e-8,
        unspendables: { genesis_block: 1e-8, bip30: 2e-8, scripts: 3e-8, unclaimed_rewards: 4e-8 }
      }])
      const wrong = [
        [["x"], "-8 'x' is not a valid hash_type"],
        [["hash_serialized_3", 5], "-8 hash_serialized_3 hash type cannot be queried for a specific block"],
        [["muhash", 5, false], "-8 Cannot set use_index to false when querying for a specific block"]
      ] as const
      for (const [params, message] of wrong) assert.strictEqual(yield* text("gettxoutsetinfo", ...params), message)
      assert.strictEqual(
        yield* answered({ answers: { indexes: () => [{ name: "txindex" }] } }, "gettxoutsetinfo", "muhash", 5),
        "-8 Querying specific block heights requires coinstatsindex"
      )
    }))

  it.effect("say of a branch that began at a known split why it is not followed", () =>
    Effect.gen(function*() {
      const tips = (status: string, height: number, branchLength: number) => [
        { height: 961_700, hash: hashOf(1), branchLength: 0, status: "active" },
        { height, hash: hashOf(2), branchLength, status }
      ]
      const split = (status: string, height: number, branchLength: number, more: object = {}) =>
        Effect.map(
          answered(
            { network: "mainnet", answers: { chainTips: () => tips(status, height, branchLength) }, more },
            "getchaintips"
          ),
          (all) => all[1].split as string | undefined
        )
      assert.match(
        (yield* split("invalid", 961_640, 9)) ?? "",
        /^a chain that is invalid here has left this one behind height 961631 \(BIP110/
      )
      assert.match(
        (yield* split("valid-fork", 961_640, 9)) ?? "",
        /^a minority chain has left this one behind height 961631 .*: the active chain has 69 blocks since, and the most work$/
      )
      for (const [height, length] of [[961_640, 8], [961_640, 10], [961_631, 0]] as const) {
        assert.isUndefined(yield* split("valid-fork", height, length))
      }
      assert.isUndefined(yield* split("invalid", 961_640, 9, { isStandIn: true }))
    }))

  it.effect("are what there is to know before mining", () =>
    Effect.gen(function*() {
      const next = { height: 323, bits: 0x1d00ffff, signetChallenge: Uint8Array.of(0x51) }
      const facts = { blockMinFee: 1n, last: { weight: 4_000, transactions: 2 }, next, pooled: 3 }
      const { calls, show } = methodNode({
        answers: { miningFacts: () => facts, networkWork: () => ({ work: 10n, seconds: 4 }) }
      })
      assert.deepStrictEqual(yield* show("getmininginfo"), {
        blocks: 322,
        currentblockweight: 4_000,
        currentblocktx: 2,
        bits: "207fffff",
        difficulty: 4.656542373906925e-10,
        target: `7fffff${"0".repeat(58)}`,
        networkhashps: 2.5,
        pooledtx: 3,
        blockmintxfee: 1e-8,
        chain: "regtest",
        next: { height: 323, bits: "1d00ffff", difficulty: 1, target: `00000000ffff${"0".repeat(52)}` },
        signet_challenge: "51",
        warnings: []
      })
      assert.deepStrictEqual(calls[1], ["networkWork", { blocks: 120, height: -1 }])
      const none = yield* answered(
        {
          answers: { miningFacts: () => ({ ...facts, last: undefined }), networkWork: () => ({ work: 0n, seconds: 0 }) }
        },
        "getmininginfo"
      )
      assert.deepStrictEqual([none.currentblockweight, none.currentblocktx, none.networkhashps], [
        undefined,
        undefined,
        0
      ])
    }))
})
