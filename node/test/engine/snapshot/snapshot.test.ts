import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CrashPoint } from "../../../src/engine/crash-point.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { has, isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import {
  BASE,
  coinsOf,
  type Loading,
  loadingEngine,
  otherCoins,
  prepare,
  record,
  type Records,
  submit,
  TOP
} from "./snapshot-rig.ts"

const heights = ({ chain: { snapshot, tree } }: Loading) => ({
  tip: tree.tip.height,
  behind: snapshot?.background?.tip.height,
  assumed: tree.assumed?.height
})

let recorded: Records
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lockstep-snapshot-"))
  recorded = await Effect.runPromise(record(folder))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a snapshot of coins", () => {
  it.live("becomes the tip, goes on, and is confirmed by the chain behind it, over restarts", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        yield* prepare(engine, recorded, 3)
        const { coins, height } = yield* engine.call("loadCoins", { file: recorded.file })
        assert.deepStrictEqual([coins, height], [BASE, BASE])
        assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 3, assumed: BASE })
        yield* submit(engine, recorded, BASE, TOP - 1)
        yield* submit(engine, recorded, 3, 5)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
        // Out of order: it waits for the ones before it.
        yield* submit(engine, recorded, 6, BASE)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: 5, assumed: BASE })
        yield* submit(engine, recorded, 5, 6)
        assert.deepStrictEqual(heights(engine), { tip: TOP - 1, behind: undefined, assumed: undefined })
        yield* submit(engine, recorded, TOP - 1, TOP)
      }))
      const engine = yield* loadingEngine(directory, recorded)
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
      assert.strictEqual(yield* coinsOf(engine), recorded.top)
      // The chain goes back behind the snapshot and forward again, as any other.
      const { hash } = recorded.chain[4]!.node
      yield* engine.call("invalidateBlock", { hash })
      assert.strictEqual(engine.chain.tree.tip.height, 4)
      yield* engine.call("reconsiderBlock", { hash })
      assert.strictEqual(engine.chain.tree.tip.height, TOP)
      assert.strictEqual(yield* otherCoins(engine), 0)
    }))

  it.live("is refused with its file unless it is the known one, and leaves nothing behind", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* loadingEngine(directory, recorded)
      const bad = join(directory, "bad.dat")
      const refusal = (bytes: Uint8Array) =>
        Effect.gen(function*() {
          writeFileSync(bad, bytes)
          const error = yield* Effect.flip(engine.call("loadCoins", { file: bad }))
          return "cause" in error ? error.cause : error._tag
        })
      const good = readFileSync(recorded.file)
      assert.match(yield* refusal(good), /must appear in the headers chain/)
      yield* prepare(engine, recorded, 2)
      assert.match(yield* refusal(good.subarray(0, -1)), /truncated snapshot after deserializing 7 coins/)
      assert.match(yield* refusal(Buffer.concat([good, Buffer.of(0)])), /coins left over after deserializing 8/)
      const other = Buffer.from(good)
      other[good.length - 1]! ^= 1
      assert.match(yield* refusal(other), /Bad snapshot content hash: expected/)
      rmSync(bad)
      const missing = yield* Effect.flip(engine.call("loadCoins", { file: bad }))
      assert.strictEqual(missing._tag, "SnapshotNotOpened")
      assert.strictEqual(yield* otherCoins(engine), 0)
      yield* submit(engine, recorded, 2, BASE)
      const late = yield* Effect.flip(engine.call("loadCoins", { file: recorded.file }))
      assert.propertyVal(late, "cause", "Population failed: Work does not exceed active chainstate")
    }))

  it.live("does not let the chain go back behind it, nor another chain be the best, before it is confirmed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* loadingEngine(directory, recorded)
      yield* prepare(engine, recorded, 3)
      yield* engine.call("loadCoins", { file: recorded.file })
      const refused = yield* Effect.flip(engine.call("invalidateBlock", { hash: recorded.chain[1]!.node.hash }))
      assert.deepStrictEqual(refused, { _tag: "SnapshotNotConfirmed", height: BASE })
      for (const { bytes } of plantChain(plantedRoot(), TOP + 1, 50)) yield* engine.call("submitBlock", { bytes })
      assert.deepStrictEqual(heights(engine), { tip: BASE, behind: 3, assumed: BASE })
      yield* submit(engine, recorded, 3, BASE)
      assert.deepStrictEqual(heights(engine), { tip: TOP + 1, behind: undefined, assumed: undefined })
    }))

  it.live("is refused with pruning or an index, at the load and at the next start", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded, { options: { pruning: { _tag: "Manual" } } })
        yield* prepare(engine, recorded, 0)
        const error = yield* Effect.flip(engine.call("loadCoins", { file: recorded.file }))
        assert.match("cause" in error ? error.cause : "", /with pruning switched on/)
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        yield* prepare(engine, recorded, 0)
        yield* engine.call("loadCoins", { file: recorded.file })
      }))
      const error = yield* Effect.scoped(
        Effect.flip(loadingEngine(directory, recorded, { options: { transactionIndex: true } }))
      )
      assert.match(error.message, /is not confirmed yet, and the transaction index needs blocks/)
    }))

  it.live("that was wrong is dropped: the node stops, and goes on from the chain behind it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { file, known } = recorded.wrong
      const fatal: Array<string> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded, {
          known,
          news: (news) => void (news._tag === "Fatal" && fatal.push(news.message))
        })
        yield* prepare(engine, recorded, 0)
        yield* engine.call("loadCoins", { file })
        yield* submit(engine, recorded, BASE, TOP)
        assert.strictEqual(heights(engine).tip, TOP)
        yield* submit(engine, recorded, 0, BASE)
        assert.strictEqual(engine.chain.status._tag, "Broken")
      }))
      assert.lengthOf(fatal, 1)
      assert.match(fatal[0]!, /failed to validate the -assumeutxo snapshot state.* from 10 to 8\./)
      const engine = yield* loadingEngine(directory, recorded, { known })
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
      assert.strictEqual(yield* coinsOf(engine), recorded.top)
    }))
})

describe("a block before the snapshot that is invalid", () => {
  it.live("ends the use of the snapshot, and stays invalid; what was built on it is not connected any more", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const before = plantChain(plantedRoot(), 4, 60)
      const bad = plantOn(before.at(-1)!.node, 70, 1n)
      const after = plantChain(bad.node, TOP - 5, 71)
      const chain = [...before, bad, ...after]
      const { hash } = chain[BASE - 1]!.node
      const file = join(directory, "liar.dat")
      writeFileSync(file, readFileSync(recorded.file).fill(hash, 11, 43))
      const known = { ...recorded.known, hash }
      const other = { ...recorded, chain }
      const fatal: Array<string> = []
      const verdicts: Array<string> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, other, {
          known,
          news: (news) => {
            if (news._tag === "Fatal") fatal.push(news.message)
            if (JSON.stringify(news, (_, value) => typeof value === "bigint" ? `${value}` : value).includes("bad-cb-amount")) {
              verdicts.push(news._tag)
            }
          }
        })
        yield* prepare(engine, other, 0)
        yield* engine.call("loadCoins", { file })
        yield* submit(engine, other, BASE, TOP)
        yield* submit(engine, other, 0, 4)
        assert.deepStrictEqual(heights(engine), { tip: TOP, behind: 4, assumed: BASE })
        yield* submit(engine, other, 4, 5)
        assert.strictEqual(engine.chain.status._tag, "Broken")
      }))
      assert.match(fatal.join(), /resetting the chain height from 10 to 4\. .* resume syncing from 4 without/)
      assert.isAbove(verdicts.length, 0)
      const engine = yield* loadingEngine(directory, other, { known })
      assert.deepStrictEqual(heights(engine), { tip: 4, behind: undefined, assumed: undefined })
      const { tree } = engine.chain
      const nodes = chain.map(({ node }) => nodeOf(tree, node.hash)!)
      assert.deepStrictEqual(nodes.map((node) => isInvalid(tree, node)), chain.map((_, at) => at >= 4))
      const connected = nodes.map((node) => has(tree, node, HeaderStatus.CONNECTED))
      assert.deepStrictEqual(connected, chain.map((_, at) => at < 4))
      assert.strictEqual(yield* otherCoins(engine), 0)
    }))
})

const CRASHES: ReadonlyArray<CrashPoint> = [
  "snapshot-coins",
  "before-snapshot-activated",
  "snapshot-activated",
  "background-connected",
  "snapshot-confirmed"
]

describe("a node that is killed while it loads or confirms a snapshot", () => {
  it.live.each(CRASHES)("at %s goes on to the same coins", (crashAt) =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(loadingEngine(directory, recorded), (engine) => prepare(engine, recorded, 3)))
      const work = (engine: Loading) =>
        Effect.gen(function*() {
          if (engine.chain.snapshot === undefined) yield* engine.call("loadCoins", { file: recorded.file })
          yield* submit(engine, recorded, BASE, TOP)
          yield* submit(engine, recorded, 3, BASE)
        })
      const killed = yield* Effect.exit(
        Effect.scoped(Effect.flatMap(loadingEngine(directory, recorded, { crashAt }), work))
      )
      assert.isTrue(Exit.isFailure(killed) || crashAt === "snapshot-confirmed")
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        if (heights(engine).tip < BASE) yield* engine.call("loadCoins", { file: recorded.file })
        yield* submit(engine, recorded, BASE, TOP)
        yield* submit(engine, recorded, 3, BASE)
        assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
        assert.strictEqual(yield* coinsOf(engine), recorded.top)
      }))
    }))
})
