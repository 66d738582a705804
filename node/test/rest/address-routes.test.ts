import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineCallName, EngineCalls } from "../../src/engine/api/engine-calls.ts"
import { RestProblem } from "../../src/rest/rest-problem.ts"
import type { RequestInputs } from "../../src/rest/route.ts"
import { ADDRESS_ROUTES } from "../../src/rest/routes/addresses.ts"
import { JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { writeJson } from "../../src/json/write-json.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"

const ANCHOR = "bcrt1pfeesnyr2tx"
const ANCHOR_SCRIPT = "51024e73"

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const text = (byte: number): string => Buffer.from(hash(byte)).toString("hex")

interface Asked {
  readonly name: EngineCallName
  readonly input: unknown
}

type Answers = { readonly [N in EngineCallName]?: EngineCalls[N]["out"] }

const INDEXES: Answers = {
  indexes: ["addressindex", "valueindex"].map((name) => ({
    name,
    synced: true,
    bestBlockHeight: 9,
    lacksBlocks: false
  }))
}

/** A resource of a node that answers so, what it gives as JSON, and what it asked the engine. */
const given = (path: string, answers: Answers, inputs: Readonly<Record<string, JsonRead>> = {}) => {
  const asked: Array<Asked> = []
  const node = {
    network: NETWORKS.regtest,
    chain: {
      call: (name: EngineCallName, input: unknown) => {
        asked.push({ name, input })
        return Effect.succeed({ ...INDEXES, ...answers }[name])
      }
    }
  } as unknown as MethodNode
  const route = ADDRESS_ROUTES.find((each) => each.path === path)!
  const all: RequestInputs = new Map(Object.entries({ address: ANCHOR, ...inputs }))
  return Effect.map(route.answer(all, node, "json"), ({ data, page }) => ({
    data: JSON.parse(writeJson(data)) as unknown,
    page,
    asked: asked.filter(({ name }) => name !== "indexes").map(({ input }) => input)
  }))
}

const problemOf = (...row: Parameters<typeof given>) =>
  Effect.map(Effect.flip(given(...row)), (problem) => {
    assert.instanceOf(problem, RestProblem)
    const { message, status, suggestions } = problem as RestProblem
    return { message, status, suggestions }
  })

const SCRIPT = new Uint8Array(Buffer.from(ANCHOR_SCRIPT, "hex"))
const PATHS = {
  balance: "/addresses/{address}/balance",
  transactions: "/addresses/{address}/transactions",
  utxos: "/addresses/{address}/utxos",
  outputs: "/outputs"
} as const

describe("what an address has over REST", () => {
  it.effect("adds the mempool to the balance of the chain", () =>
    Effect.gen(function*() {
      const { asked, data } = yield* given(PATHS.balance, {
        scriptSummary: {
          tipHeight: 9,
          balance: 700n,
          unspent: 3,
          confirmed: { received: 1_000n, sent: 300n, transactions: 4 },
          unconfirmed: { received: 50n, sent: 600n, transactions: 2 }
        }
      })
      assert.deepStrictEqual(asked, [{ script: SCRIPT }])
      assert.deepStrictEqual<unknown>(data, {
        address: ANCHOR,
        balance: 7e-6,
        utxos: 3,
        height: 9,
        received: 1e-5,
        sent: 3e-6,
        transactions: 4,
        unconfirmed: { received: 5e-7, sent: 6e-6, transactions: 2 },
        unconfirmed_balance: 1.5e-6
      })
    }))

  it.effect("lists transactions with their depth; one of the mempool has none, and no block", () =>
    Effect.gen(function*() {
      const found = yield* given(PATHS.transactions, {
        scriptTransactions: {
          tipHeight: 9,
          total: 70,
          transactions: [
            { txid: hash(1), received: 2n, sent: 0n, block: undefined },
            { txid: hash(2), received: 0n, sent: 3n, block: { height: 9, hash: hash(0x99) } },
            { txid: hash(3), received: 0n, sent: 4n, block: { height: 4, hash: hash(0x44) } }
          ]
        }
      }, { offset: new JsonNumber("7"), limit: new JsonNumber("3") })
      assert.deepStrictEqual(found.asked, [{ script: SCRIPT, part: found.page && { ...found.page, total: 0 } }])
      assert.deepStrictEqual(found.page, { offset: 7, limit: 3, total: 70 })
      assert.deepStrictEqual<unknown>(found.data, [
        { txid: text(1), received: 2e-8, sent: 0, confirmations: 0 },
        { txid: text(2), received: 0, sent: 3e-8, confirmations: 1, height: 9, blockhash: text(0x99) },
        { txid: text(3), received: 0, sent: 4e-8, confirmations: 6, height: 4, blockhash: text(0x44) }
      ])
    }))

  it.effect("lists unspent outputs, of the mempool as well unless that is left out", () =>
    Effect.gen(function*() {
      const answers: Answers = {
        scriptOutputs: {
          tipHeight: 9,
          total: 2,
          outputs: [
            { txid: hash(1), vout: 3, value: 5n, height: 8, isCoinbase: true },
            { txid: hash(2), vout: 0, value: 6n, height: undefined, isCoinbase: false }
          ]
        }
      }
      const found = yield* given(PATHS.utxos, answers)
      assert.deepStrictEqual<unknown>(found.data, [
        { txid: text(1), vout: 3, value: 5e-8, confirmations: 2, height: 8, coinbase: true },
        { txid: text(2), vout: 0, value: 6e-8, confirmations: 0, coinbase: false }
      ])
      assert.strictEqual(found.page!.total, 2)
      for (
        const [inputs, withMempool] of [[{}, true], [{ include_mempool: true }, true], [
          { include_mempool: false },
          false
        ]] as const
      ) {
        const [asked] = (yield* given(PATHS.utxos, answers, inputs)).asked
        assert.deepInclude(asked, { withMempool, script: SCRIPT })
      }
    }))

  it.effect("finds outputs by value, from nothing to all there is where no limit is said", () =>
    Effect.gen(function*() {
      const answers: Answers = { outputsOfValue: { tipHeight: 9, total: 0, outputs: [] } }
      const rangeOf = (inputs: Readonly<Record<string, JsonRead>>) =>
        Effect.map(given(PATHS.outputs, answers, inputs), ({ asked: [asked] }) => {
          const { least, most, withMempool } = asked as { least: bigint; most: bigint; withMempool: boolean }
          return [least, most, withMempool]
        })
      assert.deepStrictEqual(yield* rangeOf({}), [0n, 2_100_000_000_000_000n, true])
      assert.deepStrictEqual(yield* rangeOf({ min_value: "0.00000001", max_value: "2", include_mempool: false }), [
        1n,
        200_000_000n,
        false
      ])
      assert.deepStrictEqual(yield* rangeOf({ min_value: "1", max_value: "1" }), [100_000_000n, 100_000_000n, true])
      assert.deepStrictEqual(yield* problemOf(PATHS.outputs, answers, { min_value: "1.00000001", max_value: "1" }), {
        status: 400,
        message: "min_value must not be above max_value",
        suggestions: []
      })
      for (const name of ["min_value", "max_value"]) {
        for (const bad of ["-1", "x", "21000000.00000001", "0.000000001"]) {
          const { message, status } = yield* problemOf(PATHS.outputs, answers, { [name]: bad })
          assert.deepStrictEqual([status, message], [
            400,
            `${name} must be an amount of 0 to 21000000 BTC, not '${bad}'`
          ])
        }
      }
    }))

  it.effect("is refused for what is no address here", () =>
    Effect.gen(function*() {
      for (const path of [PATHS.balance, PATHS.transactions, PATHS.utxos]) {
        const { message, status } = yield* problemOf(path, {}, { address: "bc1pfeessrawgf" })
        assert.strictEqual(status, 400, path)
        assert.match(message, /^'bc1pfeessrawgf' is no address here: ./)
      }
    }))

  it.effect("is refused without its index, with the key that switches it on, and while that is behind", () =>
    Effect.gen(function*() {
      const rows = [
        [PATHS.balance, "addressindex", "addresses", "enable_address_index"],
        [PATHS.transactions, "addressindex", "addresses", "enable_address_index"],
        [PATHS.utxos, "addressindex", "addresses", "enable_address_index"],
        [PATHS.outputs, "valueindex", "values", "enable_value_index"]
      ] as const
      for (const [path, index, what, key] of rows) {
        assert.deepStrictEqual(
          yield* problemOf(path, { indexes: INDEXES.indexes!.filter(({ name }) => name !== index) }),
          {
            status: 501,
            message: `This node keeps no index of ${what}`,
            suggestions: [`Set [storage.indexing].${key} = true`]
          }
        )
        const behind = INDEXES.indexes!.map((each) => ({ ...each, synced: each.name !== index }))
        assert.deepStrictEqual(yield* problemOf(path, { indexes: behind }), {
          status: 503,
          message: `The index of ${what} is behind the chain: it has come to block 9`,
          suggestions: []
        })
      }
    }))
})
