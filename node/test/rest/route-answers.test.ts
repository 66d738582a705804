import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../src/engine/api/chain-calls.ts"
import type { EngineCallName, EngineCalls } from "../../src/engine/api/engine-calls.ts"
import type { RestProblem } from "../../src/rest/rest-problem.ts"
import { BLOCK_ROUTES } from "../../src/rest/routes/blocks.ts"
import { CHAIN_ROUTES } from "../../src/rest/routes/chain.ts"
import { NETWORK_ROUTES } from "../../src/rest/routes/network.ts"
import { TRANSACTION_ROUTES } from "../../src/rest/routes/transactions.ts"
import type { Route } from "../../src/rest/route.ts"
import { JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { writeJson } from "../../src/json/write-json.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { STATE } from "../rpc/fake-chain.ts"

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const text = (byte: number): string => Buffer.from(hash(byte)).toString("hex")

const ALL: ReadonlyArray<Route> = [...BLOCK_ROUTES, ...CHAIN_ROUTES, ...NETWORK_ROUTES, ...TRANSACTION_ROUTES]

type Answers = { readonly [N in EngineCallName]?: (input: EngineCalls[N]["in"]) => EngineCalls[N]["out"] }

const FACTS: BlockFacts = {
  hash: hash(3),
  header: new Uint8Array(80).fill(1),
  height: 3,
  confirmations: 1,
  medianTime: 1,
  chainWork: 1n,
  transactions: 1,
  next: undefined,
  block: { file: 0, offset: 8, size: 80 },
  undo: undefined,
  pruned: false
}

const answered = (
  verb: string,
  path: string,
  answers: Answers = {},
  inputs: Readonly<Record<string, JsonRead>> = {},
  more: object = {}
) => {
  const node = {
    network: NETWORKS.regtest,
    crypto: testCrypto,
    peers: () => undefined,
    deprecated: new Set(),
    chain: {
      state: () => ({ ...STATE, height: 3, hash: hash(3) }),
      call: (name: EngineCallName, input: never) =>
        Effect.sync(() => (answers[name] as (input: never) => unknown)(input))
    },
    ...more
  } as unknown as MethodNode
  const route = ALL.find((each) => each.path === path && each.verb === verb)!
  return Effect.map(route.answer(new Map(Object.entries(inputs)), node, "json"), ({ data, page }) => ({
    data: JSON.parse(writeJson(data)),
    page
  }))
}

const problem = (...row: Parameters<typeof answered>) =>
  Effect.map(Effect.flip(answered(...row)), (found) => {
    const { message, status } = found as RestProblem
    return [status, message]
  })

describe("resources over REST that say more than their method", () => {
  it.effect("list headers up to the tip, and no further than the chain is by then", () =>
    Effect.gen(function*() {
      const heights = (hashAt: (height: number) => Uint8Array | undefined, inputs = {}) =>
        Effect.map(
          answered("GET", "/blocks", {
            hashAt: ({ height }) => hashAt(height),
            blockFacts: ({ hash: [height] }) => ({ ...FACTS, height: height! })
          }, inputs),
          ({ data, page }) => [data.map(({ height }: { readonly height: number }) => height), page!.total]
        )
      assert.deepStrictEqual(yield* heights(hash), [[0, 1, 2, 3], 4])
      assert.deepStrictEqual(yield* heights(hash, { offset: new JsonNumber("1"), limit: new JsonNumber("2") }), [
        [1, 2],
        4
      ])
      assert.deepStrictEqual(yield* heights((height) => height < 2 ? hash(height) : undefined), [[0, 1], 4])
    }))

  it.effect("have no statistics of a block that was never connected", () =>
    Effect.gen(function*() {
      const asked = (facts: Partial<BlockFacts>) =>
        problem("GET", "/blocks/{hash}/stats", { blockFacts: () => ({ ...FACTS, ...facts }) }, { hash: text(3) })
      assert.deepStrictEqual(yield* asked({}), [
        404,
        "There are no statistics of a block that was never part of the active chain"
      ])
      // The method itself says what it lacks of others.
      for (const facts of [{ undo: FACTS.block }, { height: 0 }, { block: undefined }, { pruned: true }]) {
        const path = "/blocks/{hash}/stats"
        const ended = yield* Effect.exit(
          answered("GET", path, { blockFacts: () => ({ ...FACTS, ...facts }) }, { hash: text(3) })
        )
        assert.notInclude(JSON.stringify(ended), "never part of the active chain", JSON.stringify(facts))
      }
    }))

  it.effect("say how deep a transaction is, not where in the chain", () =>
    Effect.gen(function*() {
      const without = { indexes: () => [], mempoolTransaction: () => undefined }
      for (const path of ["/transactions/{txid}", "/transactions/{txid}/confirmations"]) {
        assert.deepStrictEqual(yield* problem("GET", path, without, { txid: text(7) }), [
          501,
          "It is not in the mempool, and this node keeps no index of transactions"
        ])
      }
      // Another index does not find it; with the block that it is in, none is needed.
      const other = { name: "coinstatsindex", synced: true, bestBlockHeight: 3, lacksBlocks: false }
      assert.deepStrictEqual(
        yield* problem("GET", "/transactions/{txid}", { ...without, indexes: () => [other] }, { txid: text(7) }),
        [501, "It is not in the mempool, and this node keeps no index of transactions"]
      )
      const inBlock = yield* problem("GET", "/transactions/{txid}", { ...without, blockFacts: () => undefined }, {
        txid: text(7),
        block: text(9)
      })
      assert.strictEqual(inBlock[1], "Block hash not found")
    }))

  it.effect("have the members of the tip and of pruning under their own names", () =>
    Effect.gen(function*() {
      const { data: tip } = yield* answered("GET", "/chain/tip", {}, {}, { warnings: () => [] })
      assert.deepStrictEqual(Object.keys(tip), ["height", "hash", "time", "mediantime", "difficulty", "chainwork"])
      assert.deepStrictEqual([tip.height, tip.hash, tip.time, tip.mediantime, Number.parseInt(tip.chainwork, 16)], [
        3,
        text(3),
        STATE.time,
        STATE.medianTime,
        646
      ])
    }))

  it.effect("are done where their method answers nothing", () =>
    Effect.gen(function*() {
      let pings = 0
      const peers = () => ({ pingAll: () => void pings++ })
      const { data } = yield* answered("POST", "/network/ping", {}, {}, { peers })
      assert.deepStrictEqual([data, pings], [{ done: true }, 1])
      const [, message] = yield* problem("POST", "/network/ping", {}, {}, { peers: () => undefined })
      assert.match(String(message), /Peer-to-peer functionality missing or disabled/)
    }))
})
