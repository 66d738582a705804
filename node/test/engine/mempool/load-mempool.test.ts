import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { loadMempool, type LoadingParts } from "../../../src/engine/mempool/load-mempool.ts"
import { encodeMempoolFile } from "../../../src/engine/mempool/mempool-file.ts"
import { hexOf } from "../../../src/hex.ts"
import { testCrypto } from "../test-engine.ts"
import { coin, emptyMempool, nameOf, NOW, spend } from "../txmempool/mempools.ts"
import { idOf } from "./loose-transactions.ts"

const EXPIRY = 1_000
const [A, B, C] = [1, 2, 3].map((number) => spend([coin(number)])) as [Transaction, Transaction, Transaction]
const ABSENT = new Uint8Array(32).fill(9)

const FILE = encodeMempoolFile({
  transactions: [
    { tx: A, time: NOW - EXPIRY, feeDelta: 5n },
    { tx: B, time: NOW - EXPIRY + 1, feeDelta: 0n },
    { tx: C, time: NOW + 40, feeDelta: -7n }
  ],
  deltas: [{ txid: ABSENT, feeDelta: 11n }],
  unbroadcast: [idOf(B), ABSENT]
}, undefined)

const AS_IT_WAS = { usesCurrentTime: false, appliesDeltas: true, appliesUnbroadcast: true }

/** What a mempool is given of the file, and what it answers: a tag for each transaction. */
const loaded = Effect.fnUntraced(function*(choice: typeof AS_IT_WAS, tags: ReadonlyArray<string>, bytes = FILE) {
  const state = emptyMempool()
  const given: Array<string> = []
  const passed: Array<string> = []
  const accept = (tx: Transaction, options: { readonly time: number; readonly isSaved: boolean }) =>
    Effect.sync(() => {
      assert.isTrue(options.isSaved)
      given.push(`${nameOf(tx)} ${options.time - NOW}`)
      return { _tag: tags[given.length - 1] }
    })
  const parts = {
    acceptance: { accept },
    writer: { alone: (step: Effect.Effect<unknown>) => step },
    context: {
      state,
      settings: { expirySeconds: EXPIRY },
      engine: {
        clock: { now: () => NOW },
        crypto: testCrypto,
        notify: () => {},
        crashPoint: (name: string) => void passed.push(name)
      }
    }
  } as unknown as LoadingParts
  const { counts, fault } = yield* loadMempool(parts, bytes, choice)
  const deltas = Object.fromEntries(state.prioritised().map(({ delta, txid }) => [hexOf(txid), delta]))
  return { given, counts, fault, deltas, passed }
})

describe("a mempool that is loaded", () => {
  it.effect("has each transaction at its time, unless it has expired, with what was added to its fee", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* loaded(AS_IT_WAS, ["Accepted", "InMempool"]), {
        given: [`${nameOf(B)} ${1 - EXPIRY}`, `${nameOf(C)} 40`],
        counts: { accepted: 1, failed: 0, expired: 1, known: 1, unbroadcast: 0 },
        fault: undefined,
        deltas: { [nameOf(A)]: 5n, [nameOf(C)]: -7n, [hexOf(ABSENT)]: 11n },
        // Where a test has the process killed.
        passed: ["mempool-transaction-loaded", "mempool-transaction-loaded", "mempool-loaded"]
      })
    }))

  it.effect("has all of them at the present time where that is wanted, and no fees changed where that is not", () =>
    Effect.gen(function*() {
      const choice = { usesCurrentTime: true, appliesDeltas: false, appliesUnbroadcast: false }
      assert.deepStrictEqual(yield* loaded(choice, ["Accepted", "Rejected", "OtherWitness"]), {
        given: [A, B, C].map((tx) => `${nameOf(tx)} 0`),
        counts: { accepted: 1, failed: 2, expired: 0, known: 0, unbroadcast: 0 },
        fault: undefined,
        deltas: {},
        passed: [...Array.from({ length: 3 }, () => "mempool-transaction-loaded"), "mempool-loaded"]
      })
    }))

  it.effect("has what could be read of a file that is cut short, which is said", () =>
    Effect.gen(function*() {
      const { counts, fault } = yield* loaded(AS_IT_WAS, ["Accepted", "Accepted"], FILE.subarray(0, FILE.length - 1))
      assert.deepStrictEqual(counts, { accepted: 2, failed: 0, expired: 1, known: 0, unbroadcast: 0 })
      assert.isString(fault)
      const nothing = yield* loaded(AS_IT_WAS, [], FILE.subarray(0, 3))
      assert.deepStrictEqual([nothing.given, typeof nothing.fault], [[], "string"])
    }))
})
