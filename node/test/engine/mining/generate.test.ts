import { assert, describe, it } from "@effect/vitest"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { fileAt, type Source } from "@lockstep/conformance/sources/source.ts"
import { decodeBlock, transactionId, transactionOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import type { MakeExtension } from "../../../src/engine/chainstate/extension.ts"
import { shownError } from "../../rpc/shown-error.ts"
import { displayHash } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testCrypto, testEngine } from "../test-engine.ts"
import { coinbaseAt, idOf, loose } from "../mempool/loose-transactions.ts"
import { nameOf } from "../txmempool/mempools.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { mineTemplate, miningEngine } from "./mining-engine.ts"
import { verdictRows } from "../verdict-rows.ts"

const source: Source = { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" }
const recorded = fileAt(source, "oracle/verdicts/rpc_invalidateblock.jsonl.gz")

const TRUE = Uint8Array.of(0x51)

const request = (blocks: number) => ({ script: TRUE, blocks, maxTries: 1_000_000, transactions: [], submit: true })

/** Whether old blocks are removed, whether the node has peers, and the most blocks of 400 that one notification covers. */
const NOTIFIED = [["Manual", true, 1], ["Disabled", true, 399], ["Disabled", false, 400]] as const

describe("blocks made here", () => {
  it.live.skipIf(!existsSync(recorded.absolute))(
    "are those that Bitcoin Core makes, byte for byte",
    () =>
      Effect.gen(function*() {
        const rows = yield* Effect.promise(() => verdictRows(recorded, Infinity))
        const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
        let made = 0
        for (const { bytes, row } of rows) {
          const isMined = row.find("src")?.text === "generatetoaddress" && row.find("result") === undefined
          if (bytes === undefined || !isMined) continue
          const block = Result.getOrThrow(decodeBlock(bytes()))
          if (displayHexOf(block.header.previous) !== displayHexOf(chain.tree.tip.hash)) continue
          yield* call("setMockTime", { time: block.header.time })
          const { hashes } = yield* call("generate", {
            ...request(1),
            script: block.transactions[0]!.outputs[0]!.script
          })
          assert.strictEqual(displayHexOf(hashes[0]!), row.get("hash").text, `row ${row.get("i").integer}`)
          made++
        }
        assert.isAbove(made, 3)
      })
  )

  it.live("are as many as the tries allow", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      const none = yield* call("generate", { ...request(50), maxTries: 0 })
      assert.deepStrictEqual(none.hashes, [])
      // Every second try fails; only those that fail count.
      const { hashes } = yield* call("generate", { ...request(200), maxTries: 10 })
      assert.isBelow(hashes.length, 200)
      assert.strictEqual(chain.tree.tip.height, hashes.length)
    }))

  it.live("are notified of while more are made if peers can fetch them: each by itself where old blocks are removed", () =>
    Effect.gen(function*() {
      for (const [pruning, isFollowed, most] of NOTIFIED) {
        const observed: Array<number> = []
        const { call, chain } = yield* testEngine({
          directory: yield* temporaryDirectory,
          options: { pruning: pruning === "Manual" ? { _tag: "Manual" } : { _tag: "Disabled" } },
          news: (news) => {
            if (news._tag === "State") observed.push(news.state.height)
          }
        })
        yield* call("generate", request(1))
        if (isFollowed) yield* call("followTree", { from: 0 })
        observed.length = 0
        yield* call("generate", request(400))
        assert.strictEqual(chain.tree.tip.height, 401)
        const steps = observed.map((height, i) => height - (observed[i - 1] ?? 1))
        assert.isAtMost(Math.max(...steps), most, `${pruning}: ${observed.length} states`)
        assert.strictEqual(observed.at(-1), 401)
      }
    }))

  it.live("are notified of to peers at once when 50 ms have gone by since the last ones, and not before", () =>
    Effect.gen(function*() {
      for (
        const [pace, isFollowed, heights] of [
          [0, true, [11]],
          [49, true, [3, 5, 7, 9, 11]],
          [50, true, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
          [50, false, [11]]
        ] as const
      ) {
        let elapsed = 0
        const observed: Array<number> = []
        const { call } = yield* testEngine({
          directory: yield* temporaryDirectory,
          parts: (parts) => ({ ...parts, clock: { ...parts.clock, elapsed: () => elapsed } }),
          news: (news) => {
            if (news._tag === "State") observed.push(news.state.height)
          },
          extensions: [() => Effect.succeed({ hooks: [{ connected: () => elapsed += pace, disconnected: () => {} }] })]
        })
        yield* call("generate", request(1))
        if (isFollowed) yield* call("followTree", { from: 0 })
        observed.length = 0
        yield* call("generate", request(10))
        assert.deepStrictEqual([...new Set(observed)], [...heights], `${pace} ms a block, ${isFollowed}`)
      }
    }))

  it.live("take work on a signet of the operator's own, with turns for others meanwhile; no other network has any", () =>
    Effect.gen(function*() {
      const challenge = { challenge: TRUE, magic: Uint8Array.of(1, 2, 3, 4), dnsSeeds: [] }
      const own = yield* testEngine({
        directory: yield* temporaryDirectory,
        options: { network: "signet", networkChanges: { signet: challenge } }
      })
      let turns = 0
      const others = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(Effect.sleep(1), Effect.sync(() => turns++))),
        { startImmediately: true }
      )
      // One try in a few millions is enough.
      const { hashes } = yield* own.call("generate", { ...request(1), maxTries: 200_000 })
      yield* Fiber.interrupt(others)
      assert.deepStrictEqual(hashes, [])
      assert.isAbove(turns, 1)
      const standard = yield* testEngine({ directory: yield* temporaryDirectory, options: { network: "signet" } })
      const refused = yield* Effect.flip(standard.call("generate", request(1)))
      assert.deepStrictEqual(refused, { _tag: "OnlyOnRegtest", call: "generate" })
    }))

  it.live("hold the transactions they are given, or say what is wrong with them", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      yield* call("generate", request(101))
      const first = (yield* call("generate", { ...request(1), submit: false })).block!
      assert.strictEqual(chain.tree.tip.height, 101, "a block that is not to be submitted is only made")
      assert.isUndefined((yield* call("submitBlock", { bytes: first })).result)
      const missing = transactionOf({
        version: 2,
        inputs: [{
          prevout: { txid: new Uint8Array(32).fill(7), vout: 0 },
          script: new Uint8Array(),
          sequence: 0,
          witness: []
        }],
        outputs: [{ value: 1n, script: TRUE }],
        lockTime: 0
      })
      const refused = yield* Effect.flip(call("generate", { ...request(1), transactions: [missing.bytes] }))
      const id = displayHash(transactionId(missing, testCrypto))
      const reason = `bad-txns-inputs-missingorspent, CheckTxInputs: inputs missing/spent in transaction ${id}`
      assert.deepInclude(shownError(refused), { code: -25, message: `TestBlockValidity failed: ${reason}` })
      const garbled = yield* Effect.flip(call("generate", { ...request(1), transactions: [Uint8Array.of(1, 2, 3)] }))
      assert.deepStrictEqual(garbled, { _tag: "Undecodable", what: "transaction" })
      assert.strictEqual(chain.tree.tip.height, 102)
    }))

  it.live("hold no transaction whose script fails, be it the only one", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      yield* call("generate", { ...request(1), script: Uint8Array.of(0x00) })
      yield* call("generate", request(100))
      const inputs = [yield* coinbaseAt({ chain }, 1)]
      const failing = loose({ inputs, values: [1_000n] })
      const refused = yield* Effect.flip(call("generate", { ...request(1), transactions: [failing.bytes.slice()] }))
      assert.match(shownError(refused).message, /^TestBlockValidity failed: block-script-verify-flag-failed \(/)
      assert.strictEqual(chain.tree.tip.height, 101)
    }))

  it.live("hold what a template would, and claim its fees; the next block has what is left", () =>
    Effect.gen(function*() {
      const { call, chain, enter, mempool } = yield* miningEngine()
      yield* enter(1, 1_500)
      yield* enter(2, 500)
      const { hashes } = yield* call("generate", mineTemplate(2))
      assert.deepStrictEqual([hashes.length, mempool.totals().count], [2, 0])
      const { block } = yield* loadBlock(chain, chain.tree.tip.parent!)
      assert.lengthOf(block.transactions, 3)
      assert.strictEqual(block.transactions[0]!.outputs[0]!.value, 5_000_002_000n)
      assert.lengthOf((yield* loadBlock(chain, chain.tree.tip)).block.transactions, 1)
    }))

  it.live("hold transactions of the mempool by their ids among others, and claim none of their fees", () =>
    Effect.gen(function*() {
      const { call, chain, enter, mempool } = yield* miningEngine()
      const pooled = yield* enter(1, 1_500)
      yield* enter(2, 700)
      const raw = loose({ inputs: [yield* coinbaseAt({ chain }, 3)], values: [4_000_000_000n] })
      const mixed = { ...mineTemplate(), transactions: [new Uint8Array(raw.bytes), { txid: idOf(pooled) }] }
      yield* call("generate", mixed)
      const { block } = yield* loadBlock(chain, chain.tree.tip)
      assert.deepStrictEqual(block.transactions.slice(1).map(nameOf), [raw, pooled].map(nameOf))
      assert.strictEqual(block.transactions[0]!.outputs[0]!.value, 5_000_000_000n)
      assert.strictEqual(mempool.totals().count, 1)
      assert.deepStrictEqual((yield* call("miningFacts", undefined)).last, { weight: 8_000, transactions: 0 })
      const gone = yield* Effect.flip(call("generate", { ...mineTemplate(), transactions: [{ txid: idOf(pooled) }] }))
      assert.deepStrictEqual(gone, { _tag: "NotInMempool", txid: idOf(pooled) })
    }))

  it.live("are committed by five thousand in a long call without subscribers", () =>
    Effect.gen(function*() {
      const heights: Array<number> = []
      const watch: MakeExtension = ({ tree }) =>
        Effect.succeed({ hooks: [{ committed: () => void heights.push(tree.tip.height) }] })
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, extensions: [watch] })
      heights.length = 0
      yield* call("generate", request(5_001))
      assert.deepStrictEqual([...new Set(heights)], [5_000, 5_001])
      assert.strictEqual(chain.tree.changed.size, 0)
    }))
})
