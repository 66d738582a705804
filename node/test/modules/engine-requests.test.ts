import { assert, describe, it } from "@effect/vitest"
import type { IpcError, ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import { chainFollower } from "../../src/modules/api/chain-follower.ts"
import { MEMPOOL_REQUESTS } from "../../src/modules/api/mempool-requests.ts"
import { MINING_REQUESTS } from "../../src/modules/api/mining-requests.ts"
import type { ModuleContext } from "../../src/modules/api/module-context.ts"
import { MAX_RECEIVED_BLOCKS, receivedBlocks } from "../../src/modules/api/received-blocks.ts"

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

type Answers = Readonly<Record<string, (input: never) => unknown>>

/** The node's side over an engine that answers as a test says, and keeps what it was asked. */
const contextOf = (answers: Answers, parts: object = {}) => {
  const asked: Array<readonly [name: string, input: unknown]> = []
  const call = (name: string, input: unknown) =>
    Effect.suspend(() => {
      asked.push([name, input])
      const answer = answers[name]!(input as never)
      return Effect.isEffect(answer) ? answer as Effect.Effect<unknown> : Effect.succeed(answer)
    })
  const context = {
    chain: { call, state: () => ({ initialBlockDownload: false, hash: hash(1) }), states: Stream.never },
    network: REGTEST,
    peers: () => undefined,
    ...parts
  } as unknown as ModuleContext
  return { asked, context }
}

const textOf = (answer: Effect.Effect<unknown, IpcError>) => Effect.map(Effect.flip(answer), ({ text }) => text)

describe("requests of a module about fees", () => {
  it.effect.each<readonly [target: number, answer: string]>([
    [0, "target_blocks must be from 1 to 6"],
    [7, "target_blocks must be from 1 to 6"],
    [1, "2"],
    [6, "2"]
  ])("for %d blocks are answered %s", ([target_blocks, wanted]) =>
    Effect.gen(function*() {
      const { asked, context } = contextOf({ highestFeeTarget: () => 6, estimateFee: () => ({ feerate: 1_001 }) })
      const answer = MEMPOOL_REQUESTS.GetFeeEstimate(context, { _tag: "GetFeeEstimate", target_blocks })
      const found = yield* Effect.match(answer, { onFailure: ({ text }) => text, onSuccess: ({ value }) => `${value}` })
      assert.strictEqual(found, wanted)
      const estimate = ["estimateFee", { target: target_blocks, isConservative: false }] as const
      assert.deepStrictEqual(asked.slice(1), wanted === "2" ? [estimate] : [])
    }))

  it.effect("are rounded up to whole satoshis for a byte, and refused where too little is known", () =>
    Effect.gen(function*() {
      const feerates = [1, 1_000, 1_001, 2_000, undefined]
      const { context } = contextOf({ highestFeeTarget: () => 6, estimateFee: () => ({ feerate: feerates.shift() }) })
      const ask = MEMPOOL_REQUESTS.GetFeeEstimate(context, { _tag: "GetFeeEstimate", target_blocks: 1 })
      const found: Array<number> = []
      for (let i = 0; i < 4; i++) found.push((yield* ask).value)
      assert.deepStrictEqual(found, [1, 1, 2, 2])
      assert.strictEqual(yield* textOf(ask), "too little is known to estimate fees")
    }))
})

describe("requests of a module about the mempool", () => {
  it.effect("have its size, its transactions in order, and whether it has one", () =>
    Effect.gen(function*() {
      const { asked, context } = contextOf({
        mempoolIds: () => ({ txids: new Uint8Array([...hash(1), ...hash(2)]) }),
        mempoolFacts: () => ({ count: 3, virtualSize: 4, fees: 5n }),
        mempoolEntry: ({ txid }: { readonly txid: Uint8Array }) => txid[0] === 1 ? {} : undefined,
        mempoolTransaction: ({ id }: { readonly id: Uint8Array }) => id[0] === 1 ? { bytes: hash(9) } : undefined
      })
      const { value: ids } = yield* MEMPOOL_REQUESTS.GetMempoolTransactions(context)
      assert.deepStrictEqual(ids.map((each) => [each.length, each[0], each[31]]), [[32, 1, 1], [32, 2, 2]])
      const { value: size } = yield* MEMPOOL_REQUESTS.GetMempoolSize(context)
      assert.deepStrictEqual(size, { transaction_count: 3, size_bytes: 4, total_fee_sats: 5 })
      const has = (tx_hash: Uint8Array) =>
        MEMPOOL_REQUESTS.CheckTransactionInMempool(context, { _tag: "CheckTransactionInMempool", tx_hash })
      assert.deepStrictEqual([(yield* has(hash(1))).value, (yield* has(hash(2))).value], [true, false])
      const of = (tx_hash: Uint8Array) =>
        MEMPOOL_REQUESTS.GetMempoolTransaction(context, { _tag: "GetMempoolTransaction", tx_hash })
      assert.deepStrictEqual([(yield* of(hash(1))).value, (yield* of(hash(2))).value], [hash(9), undefined])
      assert.deepStrictEqual(asked.at(-1), ["mempoolTransaction", { id: hash(2), kind: "txid" }])
    }))
})

const TEMPLATE = {
  version: -1,
  previous: hash(1),
  height: 3,
  bits: 5,
  time: 6,
  minTime: 7,
  subsidy: 50n,
  fees: 8n,
  witnessCommitment: hash(4),
  hasWitness: false,
  updates: 12,
  transactions: [
    { bytes: hash(5), txid: hash(6), wtxid: hash(7), depends: [], fee: 3n, sigOpCost: 9, weight: 400 },
    { bytes: hash(5), txid: hash(8), wtxid: hash(9), depends: [1, 2], fee: 5n, sigOpCost: 4, weight: 404 }
  ]
}

const ASKED = { rules: ["segwit"], coinbase_script: undefined, coinbase_address: undefined }

describe("requests of a miner's module", () => {
  it.effect("have the whole template, with positions from zero and the costs of before witnesses", () =>
    Effect.gen(function*() {
      for (const hasWitness of [false, true]) {
        const { context } = contextOf({ blockTemplate: () => ({ ...TEMPLATE, hasWitness }) })
        const { value } = yield* MINING_REQUESTS.GetBlockTemplate(context, {
          _tag: "GetBlockTemplate",
          ...ASKED,
          coinbase_script: hash(3)
        })
        assert.deepStrictEqual(value, {
          version: 0xffff_ffff,
          previous_hash: hash(1),
          height: 3,
          bits: 5,
          current_time: 6,
          min_time: 7,
          coinbase_value: 58,
          coinbase_script: hash(3),
          default_witness_commitment: hash(4),
          sigop_limit: hasWitness ? 80_000 : 20_000,
          weight_limit: 4_000_000,
          transactions: [
            {
              data: hash(5),
              txid: hash(6),
              wtxid: hash(7),
              fee: 3,
              sigops: hasWitness ? 9 : 2,
              weight: 400,
              depends: []
            },
            {
              data: hash(5),
              txid: hash(8),
              wtxid: hash(9),
              fee: 5,
              sigops: hasWitness ? 4 : 1,
              weight: 404,
              depends: [0, 1]
            }
          ],
          longpoll_id: `${"01".repeat(32)}12`
        } as never)
      }
    }))

  const ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
  const peersOf = (count: number) => () => ({ peers: new Map(Array.from({ length: count }, (_, i) => [i, {}])) })
  const network = (name: string, signetChallenge?: Uint8Array) => ({
    network: { ...REGTEST, name, parameters: { ...REGTEST.parameters, signetChallenge } }
  })

  it.effect.each<readonly [name: string, asked: object, parts: object, answer: string]>([
    ["without segwit", { rules: ["taproot"] }, {}, "rules must hold segwit"],
    ["on a signet without its rule", {}, network("signet", hash(1)), "rules must hold signet"],
    ["on a signet with both", { rules: ["segwit", "signet"] }, network("signet", hash(1)), "a template"],
    ["on mainnet without peers yet", {}, network("mainnet"), "the node has no peers"],
    ["on mainnet without a peer", {}, { ...network("mainnet"), peers: peersOf(0) }, "the node has no peers"],
    ["on mainnet with one", {}, { ...network("mainnet"), peers: peersOf(1) }, "a template"],
    [
      "with a script and an address",
      { coinbase_script: hash(1), coinbase_address: ADDRESS },
      {},
      "coinbase_script and coinbase_address exclude each other"
    ],
    ["with an address", { coinbase_address: ADDRESS }, {}, "a template"],
    ["with an address of another kind", { coinbase_address: "x" }, {}, "x is no address of regtest"]
  ])("%s are answered as a miner must know", ([, more, parts, wanted]) =>
    Effect.gen(function*() {
      const { context } = contextOf({ blockTemplate: () => TEMPLATE }, parts)
      const answer = MINING_REQUESTS.GetBlockTemplate(context, { _tag: "GetBlockTemplate", ...ASKED, ...more })
      const found = yield* Effect.match(answer, {
        onFailure: ({ text }) => text,
        onSuccess: ({ value }) => {
          if ("coinbase_address" in more) assert.strictEqual(value.coinbase_script?.length, 22)
          return "a template"
        }
      })
      assert.strictEqual(found, wanted)
    }))

  it.effect("on mainnet wait for the initial block download, and all of them for the start", () =>
    Effect.gen(function*() {
      const state = { initialBlockDownload: true, hash: hash(1) }
      const chain = { call: () => Effect.succeed(TEMPLATE), state: () => state, states: Stream.never }
      const ask = (parts: object) =>
        MINING_REQUESTS.GetBlockTemplate(contextOf({}, { chain, ...parts }).context, {
          _tag: "GetBlockTemplate",
          ...ASKED
        })
      const isolated = yield* textOf(ask({ ...network("mainnet"), peers: peersOf(1) }))
      assert.strictEqual(isolated, "the node is in the initial block download")
      assert.strictEqual((yield* ask({})).value.height, 3)
      const starting = { ...chain, state: () => undefined }
      assert.strictEqual(yield* textOf(ask({ chain: starting })), "the node is still starting")
    }))

  it.effect("for the next template are answered with another tip, or when their time is over", () =>
    Effect.scoped(Effect.gen(function*() {
      const states = yield* SubscriptionRef.make({ hash: hash(1) })
      const chain = {
        call: () => Effect.succeed(TEMPLATE),
        state: () => ({ initialBlockDownload: false }),
        states: SubscriptionRef.changes(states)
      }
      const { context } = contextOf({}, { chain })
      const longpoll_id = `${"01".repeat(32)}5`
      const wait = (timeout_seconds: number) =>
        MINING_REQUESTS.WaitForBlockTemplate(context, {
          _tag: "WaitForBlockTemplate",
          ...ASKED,
          longpoll_id,
          timeout_seconds
        })
      assert.strictEqual(yield* textOf(wait(26)), "timeout_seconds is up to 25")
      const late = yield* Effect.forkScoped(wait(25))
      yield* TestClock.adjust(24_999)
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(late)).value.height, 3)
      const early = yield* Effect.forkScoped(wait(25))
      yield* TestClock.adjust(1)
      assert.isUndefined(early.pollUnsafe())
      yield* SubscriptionRef.set(states, { hash: hash(2) })
      assert.strictEqual((yield* Fiber.join(early)).value.height, 3)
    })))

  it.effect("hand blocks on, whose refusal is logged and whose success is not", () =>
    Effect.scoped(Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ fiber, message }) => {
        lines.push(`${message} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
      })
      const module = { name: "miner", blocks: receivedBlocks(yield* Effect.scope) }
      const results: Array<unknown> = [
        { result: undefined },
        { result: "duplicate" },
        { result: "high-hash" },
        Effect.fail({ _tag: "Undecodable" })
      ]
      const { asked, context } = contextOf({ submitBlock: () => results.shift() }, { module })
      const bytes = hash(3)
      for (let i = 0; i < 4; i++) {
        yield* MINING_REQUESTS.QueueReceivedBlock(context, { _tag: "QueueReceivedBlock", block_bytes: bytes }).pipe(
          Effect.provide(Logger.layer([logger]))
        )
        yield* TestClock.adjust(1)
      }
      bytes.fill(0)
      assert.deepStrictEqual(asked, Array.from({ length: 4 }, () => ["submitBlock", { bytes: hash(3) }] as const))
      const line = (reason: string) =>
        `a block that a module received was refused ${JSON.stringify({ category: "modules", module: "miner", reason })}`
      assert.deepStrictEqual(lines, [line("high-hash"), line("these bytes are no block or transaction")])
    })))

  it.effect("may have eight blocks that wait for their validation", () =>
    Effect.scoped(Effect.gen(function*() {
      const { queue } = receivedBlocks(yield* Effect.scope)
      assert.strictEqual(MAX_RECEIVED_BLOCKS, 8)
      for (let i = 0; i < 7; i++) yield* queue(Effect.never)
      yield* queue(Effect.sleep(10))
      assert.deepStrictEqual(yield* Effect.flip(queue(Effect.void)), {
        kind: "ResourceExhausted",
        text: "8 blocks of the module wait for validation"
      })
      yield* TestClock.adjust(10)
      yield* queue(Effect.void)
    })))
})

describe("a module that follows the chain", () => {
  /** A chain of so many blocks whose hashes are their heights, and its tip. */
  const aChain = Effect.fnUntraced(function*(height: number) {
    const tip = yield* SubscriptionRef.make({ hash: hash(height) })
    let highest = height
    const facts = ({ hash: [at] }: { readonly hash: Uint8Array }) =>
      at! > highest ? undefined : {
        hash: hash(at!),
        header: new Uint8Array(80),
        height: at!,
        confirmations: 1,
        next: at! < highest ? hash(at! + 1) : undefined
      }
    const chain = {
      call: (_name: string, input: never) => Effect.sync(() => facts(input)),
      state: () => ({ hash: hash(highest) }),
      states: SubscriptionRef.changes(tip)
    }
    const grow = Effect.suspend(() => SubscriptionRef.set(tip, { hash: hash(++highest) }))
    return { api: { chain } as never, grow }
  })

  it.effect("gets each block once, also where it begins anew, and none before it does", () =>
    Effect.scoped(Effect.gen(function*() {
      const { api, grow } = yield* aChain(3)
      const seen: Array<number> = []
      const send = (event: ModuleEventPayload) =>
        Effect.sync(() => void (event._tag === "NewBlock" && seen.push(event.height)))
      const { follow, isFollowing } = chainFollower(api, yield* Effect.scope, send)
      assert.isFalse(isFollowing())
      assert.strictEqual(yield* textOf(follow(hash(9))), "the node knows no block of this hash")
      assert.isFalse(isFollowing())
      yield* follow(undefined)
      assert.isTrue(isFollowing())
      yield* TestClock.adjust(1)
      yield* grow
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(seen.splice(0), [4])
      const from = hash(2)
      yield* follow(from)
      // The bytes of a request are the frame's.
      from.fill(9)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(seen.splice(0), [3, 4])
      yield* grow
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(seen, [5])
    })))
})
