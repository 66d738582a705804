import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "@effect/vitest"
import { decodeBlock, headerOf, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { answerPath } from "../../src/core-rest/answer-path.ts"
import type { BlockFacts } from "../../src/engine/api/chain-calls.ts"
import type { EngineCallName } from "../../src/engine/api/engine-calls.ts"
import { TRANSACTION_ROUTES } from "../../src/rest/routes/transactions.ts"
import { activeCalls } from "../../src/rpc/method/active-calls.ts"
import type { JsonRead } from "../../src/rpc/json/json-value.ts"
import { writeJson } from "../../src/rpc/json/write-json.ts"
import type { RpcNode } from "../../src/rpc/rpc-node.ts"
import { idOf, loose } from "../engine/mempool/loose-transactions.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { STATE } from "../rpc/fake-chain.ts"

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const text = (byte: number): string => Buffer.from(hash(byte)).toString("hex")
const hexOf = ({ bytes }: Transaction): string => Buffer.from(bytes).toString("hex")
const displayed = (tx: Transaction): string => Buffer.from(idOf(tx)).reverse().toString("hex")

const pooled = loose({ inputs: [{ txid: hash(1), vout: 0 }], values: [1_000n] })
const coinbase = loose({ inputs: [{ txid: hash(0), vout: 0xffff_ffff }], values: [5_000_000_000n] })
const mined = loose({ inputs: [{ txid: hash(2), vout: 1 }], values: [2_000n] })

const HEADER = new Uint8Array(80).fill(1)
const BLOCK = Uint8Array.of(...HEADER, 2, ...coinbase.bytes, ...mined.bytes)
const PLACE = { file: 0, offset: 8, size: BLOCK.length }

const FACTS: BlockFacts = {
  hash: hash(9),
  header: HEADER,
  height: 3,
  confirmations: 4,
  medianTime: 1,
  chainWork: 1n,
  transactions: 2,
  next: undefined,
  block: PLACE,
  undo: PLACE,
  pruned: false
}

const INDEX = { name: "txindex", synced: true, bestBlockHeight: 3, lacksBlocks: false }

/** A node with a transaction in its mempool and one in block 3, which its index finds. */
const nodeWith = (isIndexed = true): RpcNode => {
  const known: Partial<Record<EngineCallName, (input: never) => unknown>> = {
    indexes: () => isIndexed ? [INDEX] : [],
    mempoolTransaction: ({ id }: { readonly id: Uint8Array }) =>
      Buffer.from(id).equals(idOf(pooled)) ? { bytes: pooled.bytes } : undefined,
    transactionPlace: ({ txid }: { readonly txid: Uint8Array }) =>
      Buffer.from(txid).equals(idOf(mined)) ? { block: hash(9) } : undefined,
    blockFacts: ({ hash: [byte] }: { readonly hash: Uint8Array }) => byte === 9 ? FACTS : undefined
  }
  return {
    network: NETWORKS.regtest,
    crypto: testCrypto,
    activeCalls: activeCalls(() => 0),
    deprecated: new Set(),
    chain: {
      state: () => STATE,
      call: (name: EngineCallName, input: never) => Effect.sync(() => known[name]!(input))
    },
    blocks: {
      block: () => Effect.succeed(Result.getOrThrow(decodeBlock(BLOCK))),
      undo: () =>
        Effect.succeed({ spent: [[{ script: Uint8Array.of(0x51), value: 3_000n, height: 1, isCoinbase: false }]] })
    }
  } as unknown as RpcNode
}

describe("a transaction by Bitcoin Core's REST", () => {
  const asked = (path: string, isIndexed = true) =>
    Effect.map(
      answerPath("GET", `/rest/tx/${path}`, new Uint8Array(), { node: () => nodeWith(isIndexed) }),
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
