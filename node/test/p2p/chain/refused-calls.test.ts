import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { EngineFailure } from "../../../src/engine-client/chain.ts"
import type { ChainState } from "../../../src/engine/api/chain-state.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { addHeader, headerIndex } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { headerIndexReplication } from "../../../src/engine/state/header-index-replication.ts"
import { makeP2pChain } from "../../../src/p2p/chain/make-p2p-chain.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { GENESIS_HASH, hashOf, minedChain, REGTEST } from "../sync/chain-model.ts"

const CHAIN = minedChain(3)
const TXID = new Uint8Array(32).fill(7)
const pooled = { txid: TXID, wtxid: TXID, fee: 5n, sequence: 4, virtualSize: 100, bytes: new Uint8Array(1) }

/** The chain of the network layer, over an engine that answers what a test says. */
const world = Effect.sync(() => {
  const tree = headerIndex(REGTEST.genesisBlock.slice(0, 80), GENESIS_HASH)
  let last: HeaderIndexNode = tree.tip
  for (const header of CHAIN) last = addHeader(tree, last, header.bytes, hashOf(header))
  setTip(tree, tree.nodes[1]!)
  const calls: Array<readonly [string, unknown]> = []
  const observed: Array<unknown> = []
  const defects: Array<unknown> = []
  let send: (news: EngineNotification) => void = () => undefined
  const replication = headerIndexReplication(tree, (news) => send(news))
  const engine = {
    answers: new Map<string, Effect.Effect<unknown, unknown>>(),
    /** What the engine reports while its header index is being copied. */
    early: [] as ReadonlyArray<EngineNotification>,
    /** How many pieces of its header index are not the last. */
    piecesToCome: 0,
    /** Called before each piece. */
    beforePiece: () => {}
  }
  const call = (name: string, params: unknown) =>
    Effect.suspend((): Effect.Effect<unknown, unknown> => {
      calls.push([name, params])
      if (name === "followTree") {
        for (const news of engine.early) send(news)
        engine.beforePiece()
        const slice = replication.slice((params as { readonly from: number }).from)
        return Effect.succeed({ ...slice, isLast: slice.isLast && engine.piecesToCome-- <= 0 })
      }
      if (name === "followMempool") return Effect.succeed([pooled])
      return engine.answers.get(name) ?? Effect.succeed(undefined)
    })
  const start = makeP2pChain({
    chain: {
      subscribe: (news: (notification: EngineNotification) => void) => {
        send = news
        return () => void (send = () => undefined)
      },
      state: () => ({ height: 1 }) as ChainState,
      call
    } as unknown as Parameters<typeof makeP2pChain>[0]["chain"],
    filters: call as unknown as NonNullable<Parameters<typeof makeP2pChain>[0]["filters"]>,
    reader: { unjudgedBytes: () => Effect.succeed(Uint8Array.of(9)) },
    crypto: testCrypto,
    random: seededRandom(1),
    onDefect: (defect) => void defects.push(defect)
  })
  return { calls, defects, engine, replication, send: (news: EngineNotification) => send(news), start, observed, tree }
})

const state = (hash: Uint8Array, initialBlockDownload = false): EngineNotification => ({
  _tag: "State",
  state: { hash, initialBlockDownload } as ChainState
})

describe("calls of the network layer that the engine refuses", () => {
  it.effect("answer after a second that nothing was taken in, so that what was sent comes again", () =>
    Effect.gen(function*() {
      const { engine, start } = yield* world
      const chain = yield* start
      const refused = Effect.fnUntraced(function*<A>(name: string, call: Effect.Effect<A>) {
        engine.answers.set(name, Effect.fail({ _tag: "DiskFull", cause: "full" }))
        const fiber = yield* Effect.forkChild(call, { startImmediately: true })
        yield* TestClock.adjust(999)
        const before = fiber.pollUnsafe()
        yield* TestClock.adjust(1)
        assert.isUndefined(before, name)
        return yield* Fiber.join(fiber)
      })
      const bytes = CHAIN[1]!.bytes
      assert.deepStrictEqual(yield* refused("acceptHeaders", chain.acceptHeaders(bytes)), {
        accepted: 0,
        rejection: undefined
      })
      assert.deepStrictEqual(yield* refused("acceptBlock", chain.acceptBlock(bytes, true)), {
        hash: hashOf(CHAIN[1]!),
        isNew: false,
        rejection: undefined,
        isRefused: true
      })
      for (
        const [name, call] of [
          ["acceptTransaction", chain.acceptTransaction(bytes, "peer" as never)],
          ["acceptPackage", chain.acceptPackage([bytes])],
          ["beginCompactBlock", chain.beginCompactBlock(1, bytes)],
          ["fillCompactBlock", chain.fillCompactBlock(1, undefined)],
          ["dropCompactBlock", chain.dropCompactBlock(1)],
          ["blocksConnected", chain.blocksConnected!],
          ["mempoolTransaction", chain.mempoolTransaction("txid", TXID)],
          ["mempoolIds", chain.mempoolIds],
          ["inMiningOrder", chain.inMiningOrder([TXID])],
          ["blockFilters", chain.blockFilters!({} as never)],
          ["filterHeaders", chain.filterHeaders!({} as never)]
        ] as ReadonlyArray<readonly [string, Effect.Effect<unknown>]>
      ) assert.isUndefined(yield* refused(name, call), name)
      assert.deepStrictEqual(yield* refused("unbroadcast", chain.unbroadcast), [])
    }).pipe(Effect.scoped))

  it.effect("answer at once where what was sent is none, or there is no index", () =>
    Effect.gen(function*() {
      const { engine, start } = yield* world
      const chain = yield* start
      for (const tag of ["Undecodable", "IndexNotEnabled"]) {
        engine.answers.set("acceptTransaction", Effect.fail({ _tag: tag }))
        assert.isUndefined(yield* chain.acceptTransaction(Uint8Array.of(1), "peer" as never))
      }
    }).pipe(Effect.scoped))

  it.effect("never answer when the engine is gone", () =>
    Effect.gen(function*() {
      const { engine, start } = yield* world
      const chain = yield* start
      engine.answers.set("mempoolIds", Effect.fail(new EngineFailure({ message: "gone" })))
      const fiber = yield* Effect.forkChild(chain.mempoolIds, { startImmediately: true })
      yield* TestClock.adjust(60_000)
      assert.isUndefined(fiber.pollUnsafe())
    }).pipe(Effect.scoped))
})

describe("what goes to the engine", () => {
  it.effect("are the bytes themselves where they have their buffer alone, and a copy of them where not", () =>
    Effect.gen(function*() {
      const { calls, start } = yield* world
      const chain = yield* start
      const whole = Uint8Array.of(1, 2, 3)
      const part = Uint8Array.of(0, 1, 2, 3).subarray(1)
      for (const bytes of [whole, part, Buffer.from([1, 2, 3])]) yield* chain.acceptTransaction(bytes, "peer" as never)
      const sent = calls.slice(-3).map(([, params]) => (params as { readonly bytes: Uint8Array }).bytes)
      assert.deepStrictEqual(sent.map((bytes) => bytes === whole), [true, false, false])
      for (const bytes of sent) {
        assert.deepStrictEqual([[...bytes], bytes.buffer.byteLength, Buffer.isBuffer(bytes)], [[1, 2, 3], 3, false])
      }
    }).pipe(Effect.scoped))

  it.effect("is once that a peer fetched one of our transactions", () =>
    Effect.gen(function*() {
      const { calls, start } = yield* world
      const chain = yield* start
      const cleared = () => calls.filter(([name]) => name === "clearUnbroadcast").length
      yield* chain.fetched(new Uint8Array(32))
      assert.strictEqual(cleared(), 0)
      yield* chain.fetched(TXID)
      yield* chain.fetched(TXID)
      assert.strictEqual(cleared(), 1)
    }).pipe(Effect.scoped))
})

describe("what the engine reports", () => {
  it.effect("reaches listeners, who may fail one by one", () =>
    Effect.gen(function*() {
      const { defects, replication, send, start, observed, tree } = yield* world
      const chain = yield* start
      chain.listen({
        tip: () => {
          throw new Error("a listener")
        }
      })
      const stop = chain.listen({
        tip: (tip, fork, initial) => void observed.push(["tip", tip.height, fork.height, initial]),
        judged: (node, rejection) => void observed.push(["judged", node.height, rejection?.reason]),
        newBlock: (node) => void observed.push(["newBlock", node.height]),
        transactionAdded: ({ sequence }, isNew) => void observed.push(["added", sequence, isNew]),
        transactionRemoved: ({ sequence }, reason) => void observed.push(["removed", sequence, reason]),
        confirmed: (transactions) => void observed.push(["confirmed", transactions])
      })
      const news = (notification: EngineNotification) => {
        send(notification)
        return observed.splice(0)
      }
      assert.deepStrictEqual(news(state(hashOf(CHAIN[0]!))), [])
      setTip(tree, tree.nodes[3]!)
      replication.flush()
      assert.deepStrictEqual(news(state(hashOf(CHAIN[2]!), true)), [["tip", 3, 1, true]])
      assert.deepStrictEqual(news(state(hashOf(CHAIN[2]!))), [])
      assert.deepStrictEqual(news(state(TXID)), [])
      assert.strictEqual(defects.length, 1)
      assert.deepStrictEqual(
        news({ _tag: "Judged", index: 2, rejection: { reason: "no", class: "invalid", rule: undefined } }),
        [["judged", 2, "no"]]
      )
      assert.deepStrictEqual(
        news({ _tag: "NewBlock", index: 3, place: { file: 0, offset: 8, size: 1 }, contents: undefined }),
        [["newBlock", 3]]
      )
      assert.deepStrictEqual(yield* chain.blockBytes(chain.tree.nodes[3]!), Uint8Array.of(9))
      assert.deepStrictEqual(news({ _tag: "TransactionRemoved", txid: TXID, reason: "expiry", sequence: 1 }), [[
        "removed",
        4,
        "expiry"
      ]])
      assert.deepStrictEqual(news({ _tag: "TransactionRemoved", txid: TXID, reason: "expiry", sequence: 1 }), [])
      assert.deepStrictEqual(news({ _tag: "TransactionAdded", transaction: pooled, isNew: false, sequence: 1 }), [[
        "added",
        4,
        false
      ]])
      assert.deepStrictEqual([chain.mempool.size(), chain.mempool.sequence()], [1, 5])
      const transactions = { any: 1 } as never
      assert.deepStrictEqual(news({ _tag: "Confirmed", transactions }), [["confirmed", transactions]])
      stop()
      assert.deepStrictEqual(news({ _tag: "Confirmed", transactions }), [])
    }).pipe(Effect.scoped))

  it.effect("before its header index is copied is received afterwards", () =>
    Effect.gen(function*() {
      const { engine, start } = yield* world
      engine.early = [{ _tag: "PoolRate", rate: 33 }]
      const chain = yield* start
      assert.deepStrictEqual([chain.poolRate!(), chain.mempool.size()], [33, 1])
    }).pipe(Effect.scoped))

  it.effect("of its header index comes in pieces, between which this thread does other work", () =>
    Effect.gen(function*() {
      const { engine, start } = yield* world
      const done: Array<number> = []
      let others = 0
      engine.piecesToCome = 2
      engine.beforePiece = () => {
        done.push(others)
        setImmediate(() => others++)
      }
      const chain = yield* start
      assert.deepStrictEqual([...done, others, chain.tree.nodes.length], [0, 1, 2, 3, 4])
    }).pipe(Effect.scoped))

  it.effect("of a failure halts the chain, and of the rate of the mempool is kept", () =>
    Effect.gen(function*() {
      const { engine, send, start } = yield* world
      const chain = yield* start
      assert.deepStrictEqual([chain.state().halted, chain.poolRate!()], [undefined, 0])
      send({ _tag: "Fatal", message: "the disk" })
      assert.deepStrictEqual([chain.state().halted, chain.state().height], ["the disk", 1])
      send({ _tag: "PoolRate", rate: 12 })
      assert.strictEqual(chain.poolRate!(), 12)
      engine.answers.set("mempoolFacts", Effect.succeed({ rollingMinimum: 5 }))
      yield* chain.refreshPoolRate!
      assert.strictEqual(chain.poolRate!(), 5)
    }).pipe(Effect.scoped))

  it.effect("is not received after the end", () =>
    Effect.gen(function*() {
      const { send, start } = yield* world
      const chain = yield* Effect.scoped(start)
      send({ _tag: "PoolRate", rate: 12 })
      assert.strictEqual(chain.poolRate!(), 0)
    }))
})

describe("the bytes of a block", () => {
  it.effect("are looked for once more where the engine had another place for them", () =>
    Effect.gen(function*() {
      const { calls, engine, start } = yield* world
      const chain = yield* start
      const places = () => calls.filter(([name]) => name === "blockPlaces").length
      engine.answers.set("blockPlaces", Effect.succeed([undefined]))
      assert.isUndefined(yield* chain.blockBytes(chain.tree.nodes[2]!))
      assert.strictEqual(places(), 2)
      engine.answers.set("blockPlaces", Effect.succeed([{ file: 0, offset: 8, size: 1 }]))
      assert.deepStrictEqual(yield* chain.blockBytes(chain.tree.nodes[2]!), Uint8Array.of(9))
      assert.strictEqual(places(), 3)
      yield* chain.blockBytes(chain.tree.nodes[2]!)
      assert.strictEqual(places(), 3)
    }).pipe(Effect.scoped))
})
