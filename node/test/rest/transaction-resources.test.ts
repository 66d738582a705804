import { assert, describe, it } from "@effect/vitest"
import { headerOf, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { answerPath } from "../../src/core-rest/answer-path.ts"
import { TRANSACTION_ROUTES } from "../../src/rest/routes/transactions.ts"
import type { JsonRead } from "../../src/json/json-value.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { displayed, HEADER, hexOf, mined, nodeWith, pooled, text } from "./mined-node.ts"

describe("a transaction by Bitcoin Core's REST", () => {
  const asked = (path: string, isIndexed = true) =>
    Effect.map(
      answerPath("GET", `/rest/tx/${path}`, new Uint8Array(), {
        node: () => nodeWith(isIndexed ? {} : { answers: { indexes: () => [] } })
      }),
      ({ body, status }) => [status, typeof body === "string" ? body : Buffer.from(body as Uint8Array)] as const
    )
  const json = (path: string) => Effect.map(asked(path), ([, body]) => JSON.parse(String(body)))

  it.effect("comes in bytes and digits, from the mempool and from a block", () =>
    Effect.gen(function*() {
      for (const tx of [pooled, mined]) {
        assert.deepStrictEqual(yield* asked(`${displayed(tx)}.hex`), [200, `${hexOf(tx)}\n`])
        assert.deepStrictEqual(yield* asked(`${displayed(tx)}.bin`), [200, Buffer.from(tx.bytes)])
      }
    }))

  it.effect("has in JSON its bytes last and its block, where it has one, but not how deep that is", () =>
    Effect.gen(function*() {
      const inPool = yield* json(`${displayed(pooled)}.json`)
      assert.deepStrictEqual(Object.keys(inPool).slice(-2), ["vout", "hex"])
      assert.deepStrictEqual([inPool.txid, inPool.hex], [displayed(pooled), hexOf(pooled)])
      const inBlock = yield* json(`${displayed(mined)}.json`)
      assert.deepStrictEqual(Object.keys(inBlock).slice(-3), ["vout", "blockhash", "hex"])
      assert.deepStrictEqual([inBlock.blockhash, inBlock.hex], [text(9), hexOf(mined)])
      for (const name of ["confirmations", "time", "blocktime", "in_active_chain", "fee"]) {
        assert.notProperty(inBlock, name)
      }
    }))

  it.effect("is not found with status 404 and its id, and a text that is no hash is refused with 400", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* asked(`${text(0x77)}.hex`), [404, `${text(0x77)} not found\r\n`])
      assert.deepStrictEqual(yield* asked(`${text(0x77)}.hex`, false), [404, `${text(0x77)} not found\r\n`])
      assert.deepStrictEqual(yield* asked("xy.hex"), [400, "Invalid hash: xy\r\n"])
      assert.deepStrictEqual((yield* asked(displayed(pooled)))[0], 404)
    }))
})

describe("a transaction whose block cannot be read, by Bitcoin Core's REST", () => {
  it.effect("is there, so that its answer is the failure, with status 500", () =>
    Effect.gen(function*() {
      const blocks = { block: () => Effect.fail({ message: "gone", reason: "failed" }) }
      const { body, status } = yield* answerPath("GET", `/rest/tx/${displayed(mined)}.hex`, new Uint8Array(), {
        node: () => nodeWith({ parts: { blocks } })
      })
      assert.deepStrictEqual([status, body], [500, "Can't read block from disk: gone\r\n"])
    }))
})

describe("a transaction over REST", () => {
  const answered = (path: string, inputs: Readonly<Record<string, JsonRead>>, form: "json" | "hex" = "json") => {
    const route = TRANSACTION_ROUTES.find((each) => each.path === path && each.verb === "GET")!
    return Effect.map(
      route.answer(new Map(Object.entries(inputs)), nodeWith(), form),
      ({ data }) => form === "json" ? JSON.parse(writeJson(data)) : data
    )
  }
  const one = (tx: Transaction, more: Readonly<Record<string, JsonRead>> = {}, form: "json" | "hex" = "json") =>
    answered("/transactions/{txid}", { txid: displayed(tx), ...more }, form)

  it.effect("shows the outputs that it spends where prevouts is true, and not where it is false or missing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* one(mined, { prevouts: true })).vin[0].prevout.value, 0.000_03)
      for (const more of [{}, { prevouts: false }]) {
        const { vin } = yield* one(mined, more)
        assert.notProperty(vin[0], "prevout")
      }
    }))

  it.effect("comes in digits whatever is said about the outputs that it spends", () =>
    Effect.gen(function*() {
      for (const more of [{}, { prevouts: true }, { prevouts: false }]) {
        assert.strictEqual(yield* one(mined, more, "hex"), hexOf(mined))
      }
    }))

  it.effect("has its depth by its block, and 0 without a block in the mempool", () =>
    Effect.gen(function*() {
      const depth = (tx: Transaction) => answered("/transactions/{txid}/confirmations", { txid: displayed(tx) })
      assert.deepStrictEqual(yield* depth(mined), { txid: displayed(mined), blockhash: text(9), confirmations: 4 })
      assert.deepStrictEqual(yield* depth(pooled), { txid: displayed(pooled), confirmations: 0 })
    }))

  it.effect("has the time of its block, which is in the header", () =>
    Effect.gen(function*() {
      const { blocktime, confirmations, time } = yield* one(mined)
      assert.deepStrictEqual([confirmations, time, blocktime], [4, headerOf(HEADER).time, headerOf(HEADER).time])
    }))
})
