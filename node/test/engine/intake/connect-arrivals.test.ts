import { assert, describe, it } from "@effect/vitest"
import { blockHash } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { acceptNewBlock } from "../../../src/engine/intake/accept-new-block.ts"
import { acceptNewHeaders } from "../../../src/engine/intake/accept-new-headers.ts"
import type { Arrival } from "../../../src/engine/intake/arrival.ts"
import { makeBacklog } from "../../../src/engine/intake/backlog.ts"
import { connectArrivals } from "../../../src/engine/intake/connect-arrivals.ts"
import type { Writer } from "../../../src/engine/chainstate/writer.ts"
import { isLinked } from "../../../src/engine/header-index/header-index.ts"
import { displayHash } from "../../../src/hex.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot } from "../planted-blocks.ts"
import { blockOn, matureChain, spend, SUBSIDY, TRUE } from "../spending-blocks.ts"
import { testCrypto, testEngine } from "../test-engine.ts"

const MATURE_CHAIN = matureChain(101)
const TIP = MATURE_CHAIN.at(-1)!.node
const [SPENDABLE] = MATURE_CHAIN
const MONTH = 30 * 24 * 60 * 60
const PAID = [{ value: SUBSIDY, script: TRUE }]

/** Three blocks with a script to verify, one on another, and another branch. */
const A1 = blockOn(TIP, [spend(SPENDABLE!.coinbase, 0, PAID)])
const A2 = blockOn(A1.node, [spend(MATURE_CHAIN[1]!.coinbase, 0, PAID)])
const A3 = blockOn(A2.node, [spend(MATURE_CHAIN[2]!.coinbase, 0, PAID)])
const [B1, B2, B3] = plantChain(TIP, 3, 50) as [Planned, Planned, Planned]

/** No turn here has so many. */
const MOST_ROUNDS = 100

const NAMES = new Map(
  Object.entries({ A1, A2, A3, B1, B2, B3 }).map(([name, { node }]) => [displayHash(node.hash), name])
)

const started = Effect.fnUntraced(function*(chainBelow: ReadonlyArray<Planned>) {
  const time = { now: 1_000 }
  const log: Array<string> = []
  const onVerified: Array<() => void> = []
  const news: Array<EngineNotification> = []
  const nameOf = (hash: Uint8Array): string => NAMES.get(displayHash(hash)) ?? "another"
  const { call, chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    // In the initial download a block waits for no commit: the chain below is there sooner.
    mockTime: PLANTED_AT + MONTH,
    news: (each) => news.push(each),
    parts: (parts) => ({
      ...parts,
      clock: { ...parts.clock, elapsed: () => time.now },
      pool: {
        ...parts.pool,
        judge: (block, collected) => {
          const name = nameOf(blockHash(block.header, testCrypto))
          log.push(`begun ${name}`)
          return Effect.tap(parts.pool.judge(block, collected), () =>
            Effect.sync(() => {
              log.push(`verified ${name}`)
              onVerified.shift()?.()
            }))
        }
      }
    })
  })
  for (const { bytes } of chainBelow) yield* call("submitBlock", { bytes: bytes.slice() })
  chain.hooks.push({
    connected: ({ node }) => void log.push(`connected ${nameOf(node.hash)}`),
    disconnected: ({ node }) => void log.push(`disconnected ${nameOf(node.hash)}`)
  })
  news.length = 0

  const arrivals: Array<Arrival> = []
  const backlog = makeBacklog(0)
  const judged: Array<readonly [name: string, reason: string | undefined]> = []
  const arrive = (take: Arrival["take"]): void => void arrivals.push({ take, refuse: () => assert.fail("refused") })
  const block = ({ bytes }: Planned): Arrival["take"] =>
    Effect.map(
      acceptNewBlock(chain, { bytes: bytes.slice() }, true),
      ({ stored }) => stored !== undefined && isLinked(chain.tree, stored.node)
    )
  return {
    arrivals,
    arrive,
    backlog,
    block,
    chain,
    judged,
    log,
    news,
    onVerified,
    time,
    /** One turn; `isWanted` is asked whether another task wants it. One that goes round and round fails. */
    turn: (isWanted: () => boolean = () => false) => {
      let rounds = 0
      const writer = { isWanted: () => ++rounds > MOST_ROUNDS ? assert.fail("the turn does not end") : isWanted() }
      return connectArrivals(chain, writer as Writer, arrivals, backlog, (node, rejection) => {
        judged.push([nameOf(node.hash), rejection?.reason])
      })
    }
  }
})

describe("a turn in which arrivals are validated and blocks connected", () => {
  it.live("finishes what it has begun before it changes to another branch", () =>
    Effect.gen(function*() {
      const { arrive, block, chain, judged, log, turn } = yield* started(MATURE_CHAIN)
      for (const each of [B1, B2, B3]) acceptNewHeaders(chain, each.bytes.slice(0, 80))
      for (const each of [B3, B2, A1, B1]) arrive(block(each))
      assert.isFalse(yield* turn())
      assert.deepStrictEqual(log, [
        "begun A1",
        "verified A1",
        "connected A1",
        "disconnected A1",
        "connected B1",
        "connected B2",
        "connected B3"
      ])
      assert.deepStrictEqual(judged, ["A1", "B1", "B2", "B3"].map((name) => [name, undefined]))
      assert.deepStrictEqual([chain.tree.tip.height, chain.underWay], [104, 0])
    }))

  it.live("begins with blocks while the scripts of others are verified, and looks at arrivals after each of those", () =>
    Effect.gen(function*() {
      const { arrive, arrivals, block, chain, log, onVerified, turn } = yield* started(MATURE_CHAIN)
      for (const each of [A1, A2]) arrive(block(each))
      onVerified.push(() => arrive(block(A3)))
      assert.isFalse(yield* turn())
      assert.deepStrictEqual(log, [
        "begun A1",
        "begun A2",
        "verified A1",
        "connected A1",
        "begun A3",
        "verified A2",
        "connected A2",
        "verified A3",
        "connected A3"
      ])
      assert.deepStrictEqual([chain.tree.tip.height, arrivals], [104, []])
    }))

  it.live("does something, and ends with nothing half done when another task wants the next one", () =>
    Effect.gen(function*() {
      const { arrive, arrivals, backlog, block, chain, judged, turn } = yield* started(MATURE_CHAIN)
      backlog.add({ index: 1 } as never, 1)
      const room = yield* Effect.forkChild(backlog.room, { startImmediately: true })
      for (const each of [A1, A2, A3]) arrive(block(each))
      const left: Array<number> = []
      const isWanted = (): boolean => left.push(arrivals.length) > 0
      assert.isTrue(yield* turn(isWanted))
      assert.deepStrictEqual([left, judged, chain.underWay], [[1], [["A1", undefined]], 0])
      assert.isUndefined(room.pollUnsafe())
      assert.isTrue(yield* turn(isWanted))
      assert.deepStrictEqual([left, judged.length, chain.underWay], [[1, 0], 2, 0])
      assert.isFalse(yield* turn())
      assert.deepStrictEqual([judged.length, chain.tree.tip.height], [3, 104])
      yield* Effect.yieldNow
      assert.isDefined(room.pollUnsafe())
    }))

  it.live("ends where the engine ends: what is begun is finished, and nothing else is", () =>
    Effect.gen(function*() {
      const { arrive, backlog, block, chain, judged, turn } = yield* started(MATURE_CHAIN)
      backlog.add({ index: 1 } as never, 1)
      const room = yield* Effect.forkChild(backlog.room, { startImmediately: true })
      arrive(block(A1))
      arrive(Effect.andThen(Effect.sync(() => void (chain.status = { _tag: "Closing" })), block(A2)))
      assert.isFalse(yield* turn())
      assert.deepStrictEqual([judged, chain.tree.tip.height, chain.underWay], [[["A1", undefined]], 102, 0])
      yield* Effect.yieldNow
      assert.isDefined(room.pollUnsafe())
      assert.isFalse(yield* turn())
      assert.strictEqual(chain.tree.tip.height, 102)
    }))

  it.live("takes back what it has begun when an arrival cannot be validated, which is the next one still", () =>
    Effect.gen(function*() {
      const { arrive, arrivals, block, chain, judged, log, turn } = yield* started(MATURE_CHAIN)
      let isBroken = true
      const broken = new StorageError({
        part: "block-files",
        operation: "read",
        reason: "io",
        message: "out of cheese"
      })
      arrive(block(A1))
      arrive(Effect.suspend(() => isBroken ? Effect.fail(broken) : Effect.succeed(false)))
      const failing = arrivals[1]
      assert.strictEqual(yield* Effect.flip(turn()), broken)
      assert.deepStrictEqual([log, judged, chain.underWay, chain.tree.tip.height], [["begun A1"], [], 0, 101])
      assert.deepStrictEqual(arrivals, [failing!])
      isBroken = false
      assert.isFalse(yield* turn())
      assert.deepStrictEqual([log.slice(1), arrivals], [["begun A1", "verified A1", "connected A1"], []])
    }))

  it.live("validates for 20 milliseconds or up to a block that can be connected, and then goes on", () =>
    Effect.gen(function*() {
      const { arrive, arrivals, block, chain, time, turn } = yield* started([])
      const taken: Array<number> = []
      const lasting = (milliseconds: number): Arrival["take"] =>
        Effect.sync(() => {
          time.now += milliseconds
          return false
        })
      for (const milliseconds of [10, 10, 19.9, 0.1, 50, 1, 1]) arrive(lasting(milliseconds))
      for (const each of plantChain(plantedRoot(), 2)) arrive(block(each))
      assert.isFalse(
        yield* turn(() => {
          taken.push(9 - arrivals.length)
          return false
        })
      )
      assert.deepStrictEqual([taken, chain.tree.tip.height], [[4, 5, 8, 9, 9], 2])
    }))

  it.live("takes what arrives while it looks up for the last time", () =>
    Effect.gen(function*() {
      const { arrive, block, chain, turn } = yield* started([])
      const [first] = plantChain(plantedRoot(), 1)
      setImmediate(() => arrive(block(first!)))
      assert.isFalse(yield* turn())
      assert.strictEqual(chain.tree.tip.height, 1)
    }))

  it.live("sends the state now and then in the initial download", () =>
    Effect.gen(function*() {
      const { arrive, chain, news, time, turn } = yield* started([])
      const states = (isDownloading: boolean) =>
        Effect.gen(function*() {
          chain.initialBlockDownload = isDownloading
          news.length = 0
          for (let i = 0; i < 4; i++) arrive(Effect.sync(() => (time.now += 60, false)))
          yield* turn()
          return news.filter(({ _tag }) => _tag === "State").length
        })
      assert.deepStrictEqual([yield* states(false), yield* states(true)], [0, 2])
    }))
})
