import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { blockPlace } from "../../src/engine/header-index/block-place.ts"
import { HeaderStatus } from "../../src/engine/header-index/header-status.ts"
import { has } from "../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type MaintainedEngine, maintainedEngine } from "./maintained-engine.ts"

const FILES = { mockTime: 1_700_000_000, maxFileBytes: 8192 }
const HEIGHT = 60
const MISSING = 20

const storedBlocks = ({ chain: { tree } }: MaintainedEngine): number =>
  tree.nodes.filter((node) => has(tree, node, HeaderStatus.STORED)).length

const until = Effect.fnUntraced(function*(holds: () => boolean) {
  while (!holds()) yield* Effect.sleep("5 millis")
})

/**
 * A directory with a chain, and in `old` the store as it was before that. Answers one of the blocks, and where it is.
 */
const prepare = Effect.fnUntraced(function*(directory: string) {
  yield* Effect.scoped(Effect.flatMap(maintainedEngine(directory, FILES), ({ call }) => call("close", undefined)))
  fs.cpSync(join(directory, "store"), join(directory, "old"), { recursive: true })
  return yield* Effect.scoped(Effect.gen(function*() {
    const engine = yield* maintainedEngine(directory, FILES)
    yield* engine.call("generate", {
      script: Uint8Array.of(0x51),
      blocks: HEIGHT,
      maxTries: 1_000_000,
      transactions: [],
      submit: true
    })
    const { chain: { files, tree } } = engine
    const { file, offset, size } = blockPlace(tree, activeAt(tree, MISSING)!)!
    const bytes = Uint8Array.from(yield* files.readBlock({ file, offset, size }))
    yield* engine.call("close", undefined)
    const path = join(directory, "blocks", `blk${String(file).padStart(5, "0")}.dat`)
    return { path, offset, bytes }
  }))
})

/** What was said one after another. A new chain is committed, and reported, before the test looks at files. */
const observed = (news: ReadonlyArray<EngineNotification>): ReadonlyArray<boolean> => {
  const states = news.flatMap((item) => item._tag === "State" ? [item.state.loadingBlocks] : [])
  const changes = states.filter((loadingBlocks, i) => loadingBlocks !== states[i - 1])
  return changes[0] === true ? changes : changes.slice(1)
}

describe("that files are being taken in", () => {
  it.live("is reported from the start until it is done", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* prepare(directory)
      const news: Array<EngineNotification> = []
      const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh", news: (item) => news.push(item) })
      yield* engine.call("importFiles", { paths: [] })
      yield* until(() => !engine.chain.loadingBlocks)
      assert.deepStrictEqual(observed(news), [true, false])
      assert.strictEqual(storedBlocks(engine), HEIGHT + 1)
    }))

  it.live("is reported until what stood behind the last commit is there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* prepare(directory)
      const news: Array<EngineNotification> = []
      const engine = yield* maintainedEngine(directory, { ...FILES, anew: "old", news: (item) => news.push(item) })
      yield* until(() => !engine.chain.loadingBlocks)
      assert.deepStrictEqual(observed(news), [true, false])
      assert.strictEqual(storedBlocks(engine), HEIGHT + 1)
    }))

  it.live("is reported again, before the answer, when a header comes that blocks in the files wait for", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { bytes, offset, path } = yield* prepare(directory)
      const content = fs.readFileSync(path)
      // Where it begins cannot be seen any more.
      content[offset - 8]! ^= 1
      fs.writeFileSync(path, content)
      const news: Array<EngineNotification> = []
      const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh", news: (item) => news.push(item) })
      yield* engine.call("importFiles", { paths: [] })
      yield* until(() => !engine.chain.loadingBlocks)
      assert.strictEqual(storedBlocks(engine), MISSING)
      assert.deepStrictEqual(observed(news), [true, false])
      yield* engine.call("acceptHeaders", { headers: bytes.slice(0, 80) })
      // It may be over already.
      assert.deepStrictEqual(observed(news).slice(0, 3), [true, false, true])
      yield* until(() => !engine.chain.loadingBlocks)
      assert.deepStrictEqual(observed(news), [true, false, true, false])
      assert.strictEqual(storedBlocks(engine), HEIGHT)
      yield* engine.call("submitBlock", { bytes })
      assert.strictEqual(engine.chain.tree.tip.height, HEIGHT)
    }))
})
