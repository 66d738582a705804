import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import { replacementTerms } from "@lockstep/kernel/relay"
import { spamPolicy } from "@lockstep/kernel/spam"
import * as Effect from "effect/Effect"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { DEFAULT_MEMPOOL_SETTINGS, type MempoolSettings } from "../../../src/engine/options/settings.ts"
import { hexOf } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"
import { coinbaseAt, idOf, loose, mine, rawOf } from "./loose-transactions.ts"

const REWARD = 5_000_000_000n

const opened = Effect.fnUntraced(function*(settings: Partial<MempoolSettings>) {
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    extensions: [pool],
    options: { mempool: { ...DEFAULT_MEMPOOL_SETTINGS, persists: false, ...settings } }
  })
  yield* mine(engine, 110)
  return engine
})

type Opened = Effect.Success<ReturnType<typeof opened>>

const reasonFor = ({ call }: Opened, tx: Transaction) =>
  Effect.map(
    call("acceptTransaction", { bytes: rawOf(tx) }),
    (outcome) => outcome._tag === "Rejected" ? outcome.rejection.reason : outcome._tag
  )

const paying = Effect.fnUntraced(function*(engine: Opened, height: number, ...values: ReadonlyArray<bigint>) {
  return loose({ inputs: [yield* coinbaseAt(engine, height)], values, sequence: 0xfffffffd })
})

describe("settings of the mempool", () => {
  it("are Bitcoin Core's where nothing is set: 300 MB, two weeks, 100 transactions beside it", () => {
    const { policy: _policy, terms, ...others } = DEFAULT_MEMPOOL_SETTINGS
    assert.deepStrictEqual(others, {
      mode: "standard",
      spam: undefined,
      maxBytes: 300_000_000,
      maxTransactions: undefined,
      expirySeconds: 1_209_600,
      extraTransactions: 100,
      persists: true,
      file: undefined,
      estimatesFees: true,
      acceptsStaleEstimates: false
    })
    assert.deepStrictEqual(terms, replacementTerms("standard"))
  })

  it.live("outputs of unconfirmed transactions are recorded where addresses or values are indexed, and nowhere else", () =>
    Effect.gen(function*() {
      const indexes = [[{}, false], [{ addressIndex: true }, true], [{ valueIndex: true }, true]] as const
      for (const [switches, isRecorded] of indexes) {
        const { chain } = yield* testEngine({
          directory: yield* temporaryDirectory,
          extensions: [pool],
          options: switches
        })
        assert.strictEqual(chain.unconfirmed !== undefined, isRecorded, JSON.stringify(switches))
      }
    }))

  it.live("spam is refused only where that is asked, alone and in a package", () =>
    Effect.gen(function*() {
      const tolerant = yield* opened({})
      assert.strictEqual(yield* reasonFor(tolerant, yield* paying(tolerant, 1, 500n, REWARD - 10_000n)), "Accepted")
      const strict = yield* opened({ spam: spamPolicy("moderate") })
      const spam = yield* paying(strict, 1, 500n, REWARD - 10_000n)
      assert.strictEqual(yield* reasonFor(strict, spam), "spam-dust")
      const child = loose({ inputs: [{ txid: idOf(spam), vout: 1 }], values: [REWARD - 30_000n] })
      const { outcomes } = yield* strict.call("acceptPackage", { transactions: [rawOf(spam), rawOf(child)] })
      assert.strictEqual(outcomes[0]?._tag === "Rejected" && outcomes[0].rejection.reason, "spam-dust")
      assert.strictEqual(yield* reasonFor(strict, yield* paying(strict, 2, 546n, REWARD - 10_000n)), "Accepted")
    }))

  it.live("with a most number of transactions the cheapest leaves, and the minimum fee rises over it", () =>
    Effect.gen(function*() {
      const engine = yield* opened({ maxTransactions: 2 })
      const [cheap, dear, middling] = yield* Effect.forEach(
        [[1, 1_000n], [2, 3_000n], [3, 2_000n]] as const,
        ([height, fee]) => paying(engine, height, REWARD - fee)
      )
      for (const tx of [cheap!, dear!, middling!]) assert.strictEqual(yield* reasonFor(engine, tx), "Accepted")
      const entries = yield* engine.call("mempoolEntries", undefined)
      assert.deepStrictEqual(entries.map(({ txid }) => hexOf(txid)), [dear!, middling!].map((tx) => hexOf(idOf(tx))))
      assert.isAbove((yield* engine.call("mempoolFacts", undefined)).rollingMinimum, 0)
      assert.strictEqual(yield* reasonFor(engine, cheap!), "mempool min fee not met")
      assert.strictEqual(yield* reasonFor(engine, yield* paying(engine, 4, REWARD - 1_500n)), "mempool full")
    }))

  it.live("a single term of replacement changes the standard mode", () =>
    Effect.gen(function*() {
      const bump = { ...replacementTerms("standard"), bump: 5_000n }
      for (const [terms, reason] of [[bump, "insufficient fee"], [replacementTerms("standard"), "Accepted"]] as const) {
        const engine = yield* opened({ terms })
        assert.strictEqual(yield* reasonFor(engine, yield* paying(engine, 1, REWARD - 1_000n)), "Accepted")
        assert.strictEqual(yield* reasonFor(engine, yield* paying(engine, 1, REWARD - 6_000n)), reason)
        assert.strictEqual(yield* reasonFor(engine, yield* paying(engine, 1, REWARD - 20_000n)), "Accepted")
      }
    }))
})
