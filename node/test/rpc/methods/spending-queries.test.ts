import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { callError, type CallErrorTag } from "../../../src/queries/call-error.ts"
import { hashOf, shownHash } from "../method-node.ts"
import { BLOCK, bytes, idOf, payment, plain, withBlock } from "./small-block.ts"

describe("getdescriptoractivity", () => {
  it.effect("shows what blocks, the lowest first, and the mempool spend and pay", () =>
    Effect.gen(function*() {
      const { show } = withBlock({}, {
        mempoolIds: () => ({ txids: Buffer.concat([hashOf(1), hashOf(2)]), sequence: 1 }),
        mempoolTransaction: ({ id }) => id[0] === 1 ? undefined : { bytes: plain.bytes },
        outputs: () => ({ tip: hashOf(9), outputs: [{ value: 5n, script: Uint8Array.of(0x53) }] })
      })
      const brief = ({ activity }: { readonly activity: ReadonlyArray<Readonly<Record<string, unknown>>> }) =>
        activity.map((
          { amount, height, prevout_vout, spend_vin, type, vout }
        ) => [type, amount, height, prevout_vout ?? vout, spend_vin])
      const ofBlock = [
        ["receive", 50, 300, 0, undefined],
        ["spend", 8e-6, 300, 4, 0],
        ["receive", 1e-6, 300, 0, undefined]
      ]
      assert.deepStrictEqual(brief(yield* show("getdescriptoractivity", [BLOCK, BLOCK], ["raw(51)"], false)), ofBlock)
      assert.deepStrictEqual(brief(yield* show("getdescriptoractivity", [], ["raw(53)"])), [
        ["spend", 5e-8, undefined, 1, 0],
        ["receive", 7e-8, undefined, 1, undefined]
      ])
      assert.strictEqual(
        yield* withBlock({ confirmations: 0 }).text("getdescriptoractivity", [BLOCK], []),
        "-8 Block is not in main chain"
      )
      assert.match(yield* withBlock().text("getdescriptoractivity", ["ab"], []), /^-8 blockhash must be of length 64/)
    }))
})

describe("gettxspendingprevout", () => {
  const outputs = [{ txid: shownHash(1), vout: 4 }, { txid: shownHash(6), vout: 0 }]
  const index = { indexes: () => [{ name: "txospenderindex" }] }
  const pooled = { mempoolSpenders: () => [undefined, { txid: hashOf(5), bytes: Uint8Array.of(1, 2) }] }
  const at = bytes.indexOf(payment.bytes)

  it.effect("shows the mempool's first, then those of the chain where there is an index, and bytes where wanted", () =>
    Effect.gen(function*() {
      const place = { block: hashOf(9), offset: at, size: payment.bytes.length }
      const { calls, show } = withBlock({}, { ...index, ...pooled, outputSpenders: () => [place] })
      const inPool = { ...outputs[1], spendingtxid: shownHash(5) }
      const inChain = { ...outputs[0], spendingtxid: idOf(payment), blockhash: BLOCK }
      assert.deepStrictEqual(yield* show("gettxspendingprevout", outputs), [inPool, inChain])
      assert.deepStrictEqual(calls.find(([name]) => name === "outputSpenders")?.[1], {
        outpoints: [{ txid: hashOf(1), vout: 4 }]
      })
      assert.deepStrictEqual(yield* show("gettxspendingprevout", outputs, { return_spending_tx: true }), [
        { ...inPool, spendingtx: "0102" },
        { ...inChain, spendingtx: Buffer.from(payment.bytes).toString("hex") }
      ])
      const alone = [outputs[0], inPool]
      assert.deepStrictEqual(yield* show("gettxspendingprevout", outputs, { mempool_only: true }), alone)
      const without = withBlock({}, pooled)
      assert.deepStrictEqual(yield* without.show("gettxspendingprevout", outputs), alone)
    }))

  it.effect("says what is wrong, and that the index is of no use", () =>
    Effect.gen(function*() {
      const failing = (tag: CallErrorTag) =>
        withBlock({}, { ...pooled, outputSpenders: () => Effect.fail(callError(tag, "other")) })
          .text("gettxspendingprevout", outputs, { mempool_only: false })
      const useless = "-1 Mempool lacks a relevant spend, and txospenderindex is unavailable."
      assert.deepStrictEqual(
        yield* Effect.forEach(["IndexNotEnabled", "IndexNotSynced", "Defect", "Misc"] as const, failing),
        [useless, useless, "-32603 other", "-1 other"]
      )
      const { text } = withBlock({}, pooled)
      assert.strictEqual(yield* text("gettxspendingprevout", []), "-8 Invalid parameter, outputs are missing")
      const wrong: ReadonlyArray<readonly [outputs: unknown, message: string]> = [
        [5, "-3 JSON value of type number is not of expected type object"],
        [{ txid: shownHash(1) }, "-3 Missing vout"],
        [{ txid: 5, vout: 1 }, "-3 JSON value of type number for field txid is not of expected type string"],
        [{ txid: shownHash(1), vout: 1, x: 1 }, "-3 Unexpected key x"],
        [{ txid: shownHash(1), vout: -1 }, "-8 Invalid parameter, vout cannot be negative"]
      ]
      for (const [output, message] of wrong) assert.strictEqual(yield* text("gettxspendingprevout", [output]), message)
      assert.strictEqual(
        yield* text("gettxspendingprevout", outputs, { mempool_only: 1 }),
        "-3 JSON value of type number for field mempool_only is not of expected type bool"
      )
      assert.strictEqual(yield* text("gettxspendingprevout", outputs, { x: true }), "-3 Unexpected key x")
      const torn = { block: hashOf(9), offset: at, size: payment.bytes.length - 1 }
      assert.strictEqual(
        yield* withBlock({}, { ...index, ...pooled, outputSpenders: () => [torn] }).text(
          "gettxspendingprevout",
          outputs
        ),
        "-1 Transaction decode failed"
      )
    }))
})
