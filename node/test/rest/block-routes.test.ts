import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RestProblem } from "../../src/rest/rest-problem.ts"
import { BLOCK_ROUTES } from "../../src/rest/routes/blocks.ts"
import { CHAIN_ROUTES } from "../../src/rest/routes/chain.ts"
import type { Form } from "../../src/rest/route.ts"
import { JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { STATE } from "../rpc/fake-chain.ts"
import { BLOCK, coinbase, displayed, FACTS, hash, hexOf, mined, nodeWith, text } from "./mined-node.ts"

const answered = (
  path: string,
  inputs: Readonly<Record<string, JsonRead>>,
  over: Parameters<typeof nodeWith>[0] = {},
  form: Form = "json"
) => {
  const route = [...BLOCK_ROUTES, ...CHAIN_ROUTES].find((each) => each.path === path)!
  return Effect.map(route.answer(new Map(Object.entries(inputs)), nodeWith(over), form), ({ data, page }) => ({
    data: JSON.parse(writeJson(data)),
    page
  }))
}

const problem = (...row: Parameters<typeof answered>) =>
  Effect.map(Effect.flip(answered(...row)), (found) => [(found as RestProblem).status, found.message])

const number = (value: number): JsonNumber => new JsonNumber(String(value))

describe("the transactions of a block over REST", () => {
  const PATH = "/blocks/{hash}/transactions"
  const listed = (inputs: Readonly<Record<string, JsonRead>>) => answered(PATH, { hash: text(9), ...inputs })

  it.effect("are the part of them that is asked for, with their bytes and how many there are", () =>
    Effect.gen(function*() {
      const { data, page } = yield* listed({})
      assert.deepStrictEqual(
        data.map((each: { readonly txid: string; readonly hex: string }) => [each.txid, each.hex]),
        [
          [displayed(coinbase), hexOf(coinbase)],
          [displayed(mined), hexOf(mined)]
        ]
      )
      assert.deepStrictEqual(page, { offset: 0, limit: 25, total: 2 })
      const last = yield* listed({ offset: number(1), limit: number(1) })
      assert.deepStrictEqual(last.data.map(({ txid }: { readonly txid: string }) => txid), [displayed(mined)])
      assert.deepStrictEqual(last.page, { offset: 1, limit: 1, total: 2 })
      const first = yield* listed({ limit: number(1) })
      assert.deepStrictEqual(first.data.map(({ txid }: { readonly txid: string }) => txid), [displayed(coinbase)])
    }))

  it.effect("have their fee, and the outputs that they spend where these are wanted; the coinbase has neither", () =>
    Effect.gen(function*() {
      for (const offset of [0, 1]) {
        const shown = (yield* listed({ offset: number(offset), prevouts: true })).data.at(-1)
        assert.deepStrictEqual([shown.fee, shown.vin[0].prevout.value], [0.000_01, 0.000_03])
        const plain = (yield* listed({ offset: number(offset) })).data.at(-1)
        assert.deepStrictEqual([plain.fee, "prevout" in plain.vin[0]], [0.000_01, false])
      }
      const [first] = (yield* listed({ prevouts: true })).data
      assert.deepStrictEqual([first.fee, "prevout" in first.vin[0]], [undefined, false])
    }))

  it.effect("are refused where the block is not known", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(answered(PATH, { hash: text(8) }))
      assert.strictEqual(refused.message, "Block not found")
    }))
})

describe("a block over REST", () => {
  it.effect("is found by its height, with the ids of its transactions or as bytes", () =>
    Effect.gen(function*() {
      const over = {
        answers: { hashAt: ({ height }: { readonly height: number }) => height === 3 ? hash(9) : undefined }
      }
      const { data } = yield* answered("/blocks/height/{height}", { height: number(3) }, over)
      assert.deepStrictEqual([data.hash, data.tx], [text(9), [displayed(coinbase), displayed(mined)]])
      const bytes = yield* answered("/blocks/height/{height}", { height: number(3) }, over, "hex")
      assert.strictEqual(bytes.data, Buffer.from(BLOCK).toString("hex"))
      const header = yield* answered("/blocks/{hash}/header", { hash: text(9) }, over)
      assert.deepStrictEqual([header.data.hash, header.data.height], [text(9), 3])
      const raw = yield* answered("/blocks/{hash}/header", { hash: text(9) }, over, "hex")
      assert.strictEqual(raw.data, Buffer.from(FACTS.header).toString("hex"))
    }))

  it.effect("has a filter where the node keeps them, and says how to keep them where it does not", () =>
    Effect.gen(function*() {
      const index = { name: "basic block filter index", synced: true, bestBlockHeight: 3, lacksBlocks: false }
      const looked: Array<unknown> = []
      const kept = {
        answers: {
          indexes: () => [{ ...index, name: "txindex" }, index],
          blockFilters: (input: unknown) => {
            looked.push(input)
            return [{ block: hash(9), filterHash: hash(1), header: hash(2), filter: Uint8Array.of(1, 2) }]
          }
        }
      }
      const { data } = yield* answered("/blocks/{hash}/filter", { hash: text(9) }, kept)
      assert.deepStrictEqual(data, { filter: "0102", header: text(2) })
      assert.lengthOf(looked, 1)
      assert.deepStrictEqual(yield* problem("/blocks/{hash}/filter", { hash: text(9) }), [
        501,
        "This node keeps no index of block filters"
      ])
    }))

  it.effect("is named by the answer to what is done with it", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const answers = Object.fromEntries(
        ["invalidateBlock", "reconsiderBlock", "preciousBlock", "invalidate", "reconsider", "prefer"].map((name) => [
          name,
          () => void done.push(name)
        ])
      )
      for (const verb of ["invalidate", "reconsider", "precious"]) {
        const { data } = yield* answered(`/blocks/{hash}/${verb}`, { hash: text(9) }, { answers })
        assert.deepStrictEqual(data, { hash: text(9) })
      }
      assert.lengthOf(done, 3)
    }))
})

describe("what is pruned, over REST", () => {
  it.effect("has each of its members under its own name", () =>
    Effect.gen(function*() {
      const asked = (state: object, pruning: unknown) =>
        Effect.map(
          answered("/chain/prune-info", {}, {
            parts: {
              pruning,
              peers: () => undefined,
              chain: { state: () => ({ ...STATE, ...state }), call: () => Effect.die("no call") }
            }
          }),
          ({ data }) => data
        )
      assert.deepStrictEqual(yield* asked({}, "none"), { pruned: false, size_on_disk: 1234 })
      assert.deepStrictEqual(yield* asked({ pruned: true, pruneHeight: 7 }, { targetBytes: 550 }), {
        pruned: true,
        prune_height: 7,
        automatic: true,
        target_size: 550,
        size_on_disk: 1234
      })
      assert.deepStrictEqual(yield* asked({ pruned: true }, "manual"), {
        pruned: true,
        prune_height: 0,
        automatic: false,
        size_on_disk: 1234
      })
    }))
})
