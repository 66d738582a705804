import { assert, describe, it } from "@effect/vitest"
import { transactionId } from "@lockstep/kernel/model"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { isInvalid } from "../../../src/engine/header-index/header-index.ts"
import { identified } from "../../../src/engine/state/identified-block.ts"
import { acceptBlock } from "../../../src/engine/validation/accept-block.ts"
import { blockPipeline } from "../../../src/engine/validation/connect.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import type { EngineParts } from "../../../src/engine/state/chain-engine.ts"
import { displayHash } from "../../../src/hex.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { blockOn, FALSE, matureChain, spend, type SpendableBlock, SUBSIDY, TRUE } from "../spending-blocks.ts"
import { testCrypto, testEngine } from "../test-engine.ts"

const PAID = [{ value: SUBSIDY, script: TRUE }]
/** More than may be under way at a time. */
const SPENDING = 20

const mature = matureChain(100 + SPENDING)
const last = mature.at(-1)!.node

/** A chain on top, each block of which spends a coinbase. */
const spendingChain = (() => {
  const chain: Array<SpendableBlock> = []
  for (let i = 0; i < SPENDING; i++) {
    chain.push(blockOn(chain.at(-1)?.node ?? last, [spend(mature[i]!.coinbase, 0, PAID)]))
  }
  return chain
})()

const submitting = Effect.fnUntraced(function*(more: {
  readonly parts?: (parts: EngineParts) => EngineParts
  readonly onExamine?: () => void
} = {}) {
  const received: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    news: (news) => received.push(news),
    store: (store) => ({ ...store, examine: Effect.andThen(Effect.sync(() => more.onExamine?.()), store.examine) }),
    ...more.parts === undefined ? {} : { parts: more.parts }
  })
  for (const { bytes } of mature) yield* engine.call("submitBlock", { bytes })
  received.splice(0)
  const events = () =>
    received.splice(0).flatMap((news) =>
      news._tag === "Event" && news.event.type !== "BlockTemplateUpdated" ? [news.event] : []
    )
  return { ...engine, events }
})

describe("a block with scripts", () => {
  /** A clock that goes on by a second whenever it is looked at: what took a while never took long. */
  const ticking = (parts: EngineParts): EngineParts => {
    let at = 1_000_000
    return { ...parts, clock: { ...parts.clock, elapsed: () => at += 1_000 } }
  }

  it.live("is reported at each step, with how long it took", () =>
    Effect.gen(function*() {
      const { call, events } = yield* submitting({ parts: ticking })
      const [{ bytes, node }] = spendingChain as unknown as [SpendableBlock]
      yield* call("submitBlock", { bytes })
      const about = { block_hash: displayHash(node.hash), height: mature.length + 1 }
      const observed = events()
      const durations = observed.map(({ payload }) => Number((payload as { duration_ms?: number }).duration_ms ?? 0))
      assert.isTrue(durations.every((each) => each >= 0 && each < 100_000), durations.join())
      assert.deepStrictEqual(
        observed.map(({ payload, type }) => {
          const { duration_ms, ...rest } = payload as { readonly duration_ms?: number }
          return [type, rest, duration_ms !== undefined]
        }),
        [
          ["BlockValidationStarted", about, false],
          ["UTXOValidationStarted", { ...about, inputs: 1 }, false],
          ["UTXOValidationCompleted", { ...about, valid: true }, true],
          ["ScriptVerificationStarted", { block_hash: about.block_hash, inputs: 1 }, false],
          ["ScriptVerificationCompleted", { block_hash: about.block_hash, inputs: 1, valid: true }, true],
          ["BlockValidationCompleted", { ...about, valid: true }, true],
          ["NewBlock", { ...about, transactions: 2 }, false]
        ]
      )
    }).pipe(Effect.scoped))

  it.live("whose coins are missing has the store examined, once, before it is invalid; one whose script fails has not", () =>
    Effect.gen(function*() {
      let examined = 0
      const { call, chain, events } = yield* submitting({ onExamine: () => examined++ })
      const verdictsOn = Effect.fnUntraced(function*({ bytes }: SpendableBlock) {
        yield* call("submitBlock", { bytes })
        return events().flatMap(({ payload, type }) => "valid" in payload ? [[type, payload.valid]] : [])
      })
      const unspendable = spend(mature[0]!.coinbase, 0, [{ value: SUBSIDY, script: FALSE }])
      const first = blockOn(last, [unspendable])
      yield* verdictsOn(first)
      const missing = blockOn(first.node, [spend(new Uint8Array(32).fill(7), 0, PAID)])
      assert.deepStrictEqual(yield* verdictsOn(missing), [
        ["UTXOValidationCompleted", false],
        ["BlockValidationCompleted", false]
      ])
      assert.strictEqual(examined, 1)
      const failing = blockOn(first.node, [spend(transactionId(unspendable, testCrypto), 0, PAID)])
      assert.deepStrictEqual(yield* verdictsOn(failing), [
        ["UTXOValidationCompleted", true],
        ["ScriptVerificationCompleted", false],
        ["BlockValidationCompleted", false]
      ])
      assert.deepStrictEqual([examined, chain.tree.tip.height, chain.underWay], [1, mature.length + 1, 0])
    }).pipe(Effect.scoped))
})

describe("blocks whose scripts are being verified", () => {
  /** Submits a chain; `most` blocks of it are under way while no script ends. */
  const verifying = Effect.fnUntraced(function*(blocks: ReadonlyArray<SpendableBlock>, most: number) {
    const gate = yield* Deferred.make<void>()
    const judged: Array<number> = []
    const gated = (parts: EngineParts): EngineParts => ({
      ...parts,
      pool: {
        ...parts.pool,
        judge: (block, collected) => {
          judged.push(collected.jobs.length)
          return Effect.andThen(Deferred.await(gate), parts.pool.judge(block, collected))
        }
      }
    })
    const { call, chain } = yield* submitting({ parts: gated })
    for (const { bytes } of blocks) yield* call("submitHeader", { bytes: bytes.slice(0, 80) })
    for (const { bytes } of blocks.slice(1).toReversed()) yield* call("submitBlock", { bytes: bytes.slice() })
    const connecting = yield* Effect.forkChild(call("submitBlock", { bytes: blocks[0]!.bytes.slice() }))
    while (judged.length < most) yield* Effect.sleep(5)
    yield* Effect.sleep(50)
    assert.deepStrictEqual([judged.length, chain.underWay, chain.tree.tip.height], [most, most, mature.length])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(connecting)
    assert.deepStrictEqual(
      [judged.length, chain.underWay, chain.tree.tip.height],
      [blocks.length, 0, mature.length + blocks.length]
    )
  }, Effect.scoped)

  it.live("are settled one by one from the oldest on, or taken back together", () =>
    Effect.gen(function*() {
      const { chain } = yield* submitting()
      const { coins, tree } = chain
      const base = mature.length
      const accept = ({ bytes }: SpendableBlock) =>
        Effect.map(acceptBlock(chain, identified(blockOf(bytes.slice())!, testCrypto)), (each) =>
          Result.getOrThrow(each).node)
      const [one, two] = yield* Effect.forEach(spendingChain.slice(0, 2), accept)
      const missing = yield* accept(blockOn(spendingChain[1]!.node, [spend(new Uint8Array(32).fill(7), 0, PAID)]))
      const judged: Array<unknown> = []
      const pipeline = blockPipeline(chain, (node, rejection) =>
        void judged.push([node.height - base, rejection?.reason]))
      const spent = () =>
        spendingChain.slice(0, 2).map((_, i) =>
          coins.coinAt({ txid: mature[i]!.coinbase, vout: 0 }) === undefined
        )
      const seen = () => [(pipeline.last()?.height ?? base) - base, chain.underWay, tree.tip.height - base, spent()]
      assert.deepStrictEqual([seen(), pipeline.last()], [[0, 0, 0, [false, false]], undefined])
      assert.deepStrictEqual([yield* pipeline.settle, yield* pipeline.drain], [true, true])
      assert.isTrue(yield* pipeline.add(one!))
      assert.deepStrictEqual(seen(), [1, 1, 0, [true, false]])
      assert.isTrue(yield* pipeline.add(two!))
      assert.deepStrictEqual(seen(), [2, 2, 0, [true, true]])
      assert.deepStrictEqual(judged, [])
      yield* pipeline.abandon
      assert.deepStrictEqual([seen(), pipeline.last()], [[0, 0, 0, [false, false]], undefined])
      for (const node of [one!, two!]) {
        assert.isTrue(yield* pipeline.add(node))
      }
      assert.isTrue(yield* pipeline.settle)
      assert.deepStrictEqual(seen(), [2, 1, 1, [true, true]])
      assert.deepStrictEqual(judged.splice(0), [[1, undefined]])
      // Its coins are not there, so those before it are waited for, and it is refused.
      assert.isFalse(yield* pipeline.add(missing))
      assert.deepStrictEqual([seen(), pipeline.last()], [[0, 0, 2, [true, true]], undefined])
      assert.deepStrictEqual(judged, [[2, undefined], [3, "bad-txns-inputs-missingorspent"]])
      assert.isTrue(isInvalid(tree, missing))
    }).pipe(Effect.scoped))

  it.live("are sixteen at most, counted until each is the tip", () => verifying(spendingChain, 16))

  /** A block of so many bytes, most of them in an output that cannot be spent. */
  const padded = (parent: SpendableBlock["node"], at: number, size: number): SpendableBlock => {
    const withPad = (length: number) =>
      blockOn(parent, [spend(mature[at]!.coinbase, 0, [{ value: 0n, script: new Uint8Array(length).fill(0x6a) }])])
    const trial = withPad(size - 500)
    const block = withPad(2 * size - 500 - trial.bytes.length)
    assert.strictEqual(block.bytes.length, size)
    return block
  }

  it.live("have eight MiB at most, the last beyond that or just at it", () =>
    Effect.gen(function*() {
      const total = 8 * 1024 * 1024
      const large: Array<SpendableBlock> = []
      const size = Math.floor(total / 10)
      for (let i = 0; i < 11; i++) {
        large.push(padded(large.at(-1)?.node ?? last, i, i === 0 ? total - 9 * size : size))
      }
      yield* verifying(large, 10)
    }))
})
