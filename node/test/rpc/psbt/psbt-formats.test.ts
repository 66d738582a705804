import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { fakeChain } from "../fake-chain.ts"
import { ask } from "../rpc-client.ts"
import { testServer } from "../test-server.ts"

const bip174 = JSON.parse(readFileSync(new URL("../../../../protocol/test/psbt/bip174.json", import.meta.url), "utf8"))

const A = { txid: "11".repeat(32), vout: 0 }
const B = { txid: "22".repeat(32), vout: 3, sequence: 5 }
const DATA = [{ data: "00010203" }]

const base64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64")

/** What a test reads of an answer. */
// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const served = Effect.gen(function*() {
  const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
  const answer = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(() => ask(address, method, params))
  return {
    call: (method: string, ...params: ReadonlyArray<unknown>) =>
      Effect.map(answer(method, ...params), ({ error, result }) => {
        assert.isUndefined(error, JSON.stringify(error))
        return result as Shown
      }),
    refused: (method: string, ...params: ReadonlyArray<unknown>) =>
      Effect.map(answer(method, ...params), ({ error }) => error as { readonly code: number; readonly message: string })
  }
})

describe("partially signed transactions by RPC", () => {
  it.live("a transaction becomes one of either version, and both show it", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* served
      const raw = yield* call("createrawtransaction", [A, B], DATA, 7)
      const made = yield* call("createpsbt", [A, B], DATA, 7)
      assert.strictEqual(made, yield* call("converttopsbt", raw))
      const shown = yield* call("decodepsbt", made)
      assert.deepInclude(shown, { psbt_version: 2, tx_version: 2, fallback_locktime: 7, input_count: 2, unknown: {} })
      assert.notProperty(shown, "tx")
      assert.deepStrictEqual(shown.inputs[1], { previous_txid: B.txid, previous_vout: 3, sequence: 5 })
      assert.strictEqual(shown.outputs[0].script.hex, "6a0400010203")
      const old = yield* call("createpsbt", [A, B], DATA, 7, true, 2, 0)
      assert.strictEqual(old, yield* call("converttopsbt", raw, false, null, 0))
      const { tx } = yield* call("decodepsbt", old)
      assert.deepStrictEqual(tx, yield* call("decoderawtransaction", raw))
      const bad = yield* refused("createpsbt", [A], DATA, 0, true, 2, 1)
      assert.deepStrictEqual(bad, { code: -8, message: "The PSBT version can only be 2 or 0" })
    }))

  it.live("one without inputs is shown, and a text that is none is refused with the reason", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* served
      const { tx } = yield* call("decodepsbt", yield* call("createpsbt", [], DATA, 0, true, 2, 0))
      assert.deepStrictEqual([tx.vin.length, tx.vout.length, tx.size], [0, 1, 25])
      const cases: ReadonlyArray<readonly [text: string, reason: string]> = [
        ["foo", "invalid base64"],
        ["cHNidP9=", "invalid base64"],
        ["", "SpanReader::read(): end of data: iostream error"],
        [base64("70736274fe00"), "Invalid PSBT magic bytes: iostream error"],
        [base64("70736274ff00"), "No unsigned transaction was provided: iostream error"]
      ]
      for (const [text, reason] of cases) {
        const expected = { code: -22, message: `TX decode failed ${reason}` }
        assert.deepStrictEqual(yield* refused("decodepsbt", text), expected)
        assert.deepStrictEqual(yield* refused("combinepsbt", [text]), expected)
      }
    }))

  it.live("signatures are left out where that is allowed, and refused otherwise", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* served
      const { result } = bip174.extracted
      const expected = { code: -22, message: "Inputs must not have scriptSigs and scriptWitnesses" }
      assert.deepStrictEqual(yield* refused("converttopsbt", result), expected)
      const shown = yield* call("decodepsbt", yield* call("converttopsbt", result, true))
      assert.deepStrictEqual(Object.keys(shown.inputs[0]), ["previous_txid", "previous_vout", "sequence"])
      assert.deepStrictEqual(yield* refused("converttopsbt", "00"), { code: -22, message: "TX decode failed" })
    }))

  it.live("those of one transaction are combined, others not", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* served
      for (const { psbts, result } of bip174.combined) {
        assert.strictEqual(yield* call("combinepsbt", psbts.map(base64)), base64(result))
      }
      const others = [yield* call("createpsbt", [A], DATA), yield* call("createpsbt", [B], DATA)]
      assert.deepStrictEqual(yield* refused("combinepsbt", others), {
        code: -8,
        message: "PSBTs not compatible (different transactions)"
      })
      assert.deepStrictEqual(yield* refused("combinepsbt", []), {
        code: -8,
        message: "Parameter 'txs' cannot be empty"
      })
    }))

  it.live("those of different inputs are joined, with the greatest version and the least lock time", () =>
    Effect.gen(function*() {
      const { call, refused } = yield* served
      const a = yield* call("createpsbt", [A], DATA, 9, true, 1, 0)
      const b = yield* call("createpsbt", [B], [{ data: "aa" }], 7, true, 2, 0)
      const { tx } = yield* call("decodepsbt", yield* call("joinpsbts", [a, b]))
      assert.deepStrictEqual([tx.version, tx.locktime], [2, 7])
      assert.sameMembers(tx.vin.map(({ txid }: { readonly txid: string }) => txid), [A.txid, B.txid])
      assert.strictEqual(tx.vout.length, 2)
      const refusals: ReadonlyArray<readonly [txs: ReadonlyArray<string>, message: string]> = [
        [[a], "At least two PSBTs are required to join PSBTs."],
        [[a, a], `Input ${A.txid}:0 exists in multiple PSBTs`],
        [[a, yield* call("createpsbt", [B], DATA)], "joinpsbts only operates on version 0 PSBTs"]
      ]
      for (const [txs, message] of refusals) {
        assert.deepStrictEqual(yield* refused("joinpsbts", txs), { code: -8, message })
      }
    }))
})
