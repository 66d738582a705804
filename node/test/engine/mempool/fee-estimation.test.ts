import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { DEFAULT_MEMPOOL_SETTINGS, type MempoolSettings } from "../../../src/engine/options/settings.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { makeFailingDisk } from "../../storage/disk/failing-disk.ts"
import { patience } from "../../process/patience.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { coinbaseAt, loose, mine, rawOf } from "./loose-transactions.ts"
import { mempoolEngine, type MempoolEngine, REWARD } from "./mempool-engine.ts"

const BLOCKS = 150
const DAY = 86_400

const offer = Effect.fnUntraced(function*(engine: MempoolEngine, height: number, fee: bigint) {
  const tx = loose({ inputs: [yield* coinbaseAt(engine, height)], values: [REWARD - fee] })
  const { _tag } = yield* engine.call("acceptTransaction", { bytes: rawOf(tx) })
  assert.strictEqual(_tag, "Accepted")
  return tx
})

/** Ten blocks, each with four transactions of 10,000 satoshis. */
const history = Effect.fnUntraced(function*(engine: MempoolEngine) {
  yield* mine(engine, BLOCKS)
  for (let round = 0; round < 10; round++) {
    const transactions = yield* Effect.forEach([1, 2, 3, 4], (n) => offer(engine, 4 * round + n, 10_000n))
    yield* mine(engine, 1, transactions)
  }
})

const raw = ({ call }: MempoolEngine, target = 2) => call("estimateRawFee", { target, successShare: 0.85 })

const smart = ({ call }: MempoolEngine) => call("estimateFee", { target: 6, isConservative: false })

const linesOf = (news: ReadonlyArray<EngineNotification>) =>
  news.flatMap((each) => each._tag === "Log" && each.level === "warn" ? [each.message] : [])

describe("fee estimation", () => {
  it.live("follows the mempool and the chain, and goes on after a restart with the same averages", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* mempoolEngine(directory)
        assert.strictEqual(yield* engine.call("highestFeeTarget", undefined), 1_008)
        assert.deepStrictEqual(yield* smart(engine), { feerate: undefined, target: 0 })
        yield* history(engine)
        const { short } = yield* raw(engine)
        let total = 0
        for (let round = 0; round < 10; round++) total = total * 0.962 + 4
        assert.approximately(short!.pass!.totalConfirmed, total, 1e-9)
        assert.approximately(short!.pass!.withinTarget, total, 1e-9)
        const { feerate, target } = yield* smart(engine)
        assert.isAbove(feerate!, 50_000)
        assert.strictEqual(target, 4)
        return { raw: yield* raw(engine), smart: { feerate, target } }
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* mempoolEngine(directory)
        assert.deepStrictEqual(yield* raw(engine), before.raw)
        assert.deepStrictEqual(yield* smart(engine), before.smart)
      }))
    }))

  it.live("what is unconfirmed when the node stops has failed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* mempoolEngine(directory)
        yield* mine(engine, BLOCKS)
        yield* offer(engine, 1, 10_000n)
        yield* mine(engine, 3)
        assert.strictEqual((yield* raw(engine)).short!.fail!.inMempool, 1)
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* mempoolEngine(directory, { settings: { persists: false } })
        const { inMempool, leftMempool } = (yield* raw(engine)).short!.fail!
        assert.deepStrictEqual([inMempool, leftMempool], [0, 1])
      }))
    }))

  it.live("an answer is not below what the mempool asks for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(mempoolEngine(directory), history))
      const policy = { ...DEFAULT_MEMPOOL_SETTINGS.policy, minRelayFee: { fee: 1_000_000n, size: 1_000 } }
      const engine = yield* mempoolEngine(directory, { settings: { policy } })
      assert.deepStrictEqual(yield* smart(engine), { feerate: 1_000_000, target: 4 })
    }))

  it.live("after an initial download the height counts, though its blocks were not notified", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(mempoolEngine(directory), (engine) => mine(engine, BLOCKS)))
      rmSync(join(directory, "fee_estimates.dat"))
      const engine = yield* mempoolEngine(directory, { mockTime: PLANTED_AT + 3 * DAY })
      assert.isTrue(engine.chain.initialBlockDownload)
      yield* mine(engine, 1)
      const tx = yield* offer(engine, 1, 10_000n)
      yield* mine(engine, 1, [tx])
      assert.strictEqual((yield* raw(engine)).short!.fail!.totalConfirmed, 1)
    }))

  it.live("a file that is too old is not read, unless that is asked for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(mempoolEngine(directory), history))
      const file = join(directory, "fee_estimates.dat")
      const bytes = readFileSync(file)
      const age = (hours: number): void => {
        writeFileSync(file, bytes)
        const then = Date.now() / 1_000 - hours * 3_600
        utimesSync(file, then, then)
      }
      const answer = (settings: Partial<MempoolSettings>) =>
        Effect.scoped(Effect.flatMap(mempoolEngine(directory, { settings }), smart))
      age(60.5)
      assert.isDefined((yield* answer({})).feerate)
      age(61.1)
      assert.isUndefined((yield* answer({})).feerate)
      age(61.1)
      assert.isDefined((yield* answer({ acceptsStaleEstimates: true })).feerate)
    }))

  for (
    const [what, damage, fault] of [
      ["damaged", (file: string) => truncateSync(file, 1_000), "it ends early"],
      ["newer", (file: string) => writeFileSync(file, Uint8Array.of(0x9d, 0xba, 4, 0, 9)), "its version is 309917"],
      ["foreign", (file: string) => writeFileSync(file, "not estimates at all"), "its version is"],
      ["empty", (file: string) => truncateSync(file, 0), "it ends early"]
    ] as const
  ) {
    it.live(`a file that is ${what} is named and set aside, and the node starts without it`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        yield* Effect.scoped(Effect.flatMap(mempoolEngine(directory), history))
        const file = join(directory, "fee_estimates.dat")
        damage(file)
        const content = readFileSync(file)
        const news: Array<EngineNotification> = []
        yield* Effect.scoped(Effect.gen(function*() {
          assert.isUndefined((yield* smart(yield* mempoolEngine(directory, { news }))).feerate)
        }))
        const [line] = linesOf(news)
        assert.include(line, file)
        assert.include(line, fault)
        assert.deepStrictEqual(readFileSync(`${file}.damaged`), content)
        assert.isAbove(readFileSync(file).length, 10_000)
      }))
  }

  it.live(
    "the file is written every hour, which an operator of regtest can have come sooner",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const file = join(directory, "fee_estimates.dat")
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* mempoolEngine(directory)
          yield* history(engine)
          yield* engine.call("moveScheduler", { milliseconds: 3_000_000 })
          assert.isFalse(existsSync(file))
          yield* engine.call("moveScheduler", { milliseconds: 600_000 })
          const deadline = Date.now() + patience(10_000)
          while (!existsSync(file) && Date.now() < deadline) yield* Effect.sleep(20)
          assert.isAbove(readFileSync(file).length, 10_000)
        }))
      }),
    patience(30_000)
  )

  it.live("a disk that fails is logged, and harms nothing else", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(mempoolEngine(directory), history))
      const file = join(directory, "fee_estimates.dat")
      const content = readFileSync(file)
      const news: Array<EngineNotification> = []
      const plan = { fault: "failed-rename", at: 1, lasting: true } as const
      const { disk, failures } = makeFailingDisk(nodeDisk("block-files"), plan)
      yield* Effect.scoped(Effect.flatMap(mempoolEngine(directory, { disk, news }), (engine) => mine(engine, 1)))
      assert.isAbove(failures(), 0)
      assert.include(linesOf(news).join(), "The fee estimates could not be written")
      assert.deepStrictEqual(readFileSync(file), content)
    }))

  it.live("nothing is written for a node that estimates no fees, and its calls say so", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* mempoolEngine(directory, { settings: { estimatesFees: false } })
        for (const answer of [smart(engine), raw(engine), engine.call("highestFeeTarget", undefined)]) {
          assert.deepStrictEqual(yield* Effect.flip(answer as Effect.Effect<unknown, unknown>), {
            _tag: "FeeEstimationDisabled"
          })
        }
      }))
      assert.isFalse(existsSync(join(directory, "fee_estimates.dat")))
    }))
})
