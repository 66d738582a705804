import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { EngineParts } from "../../src/engine/state/chain-engine.ts"
import { RUNNING } from "../../src/engine/state/engine-status.ts"
import type { MakeExtension } from "../../src/engine/chainstate/extension.ts"
import { blockPlace } from "../../src/engine/header-index/block-place.ts"
import { addHeader, has, isLinked } from "../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../src/engine/header-index/header-status.ts"
import { identified } from "../../src/engine/state/identified-block.ts"
import { acceptBlock } from "../../src/engine/validation/accept-block.ts"
import { blockOf } from "../../src/engine/validation/read-block.ts"
import { openChain, resume } from "../../src/engine/host/start.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "./planted-blocks.ts"
import { testCrypto, testEngine } from "./test-engine.ts"

const CHAIN = plantChain(plantedRoot(), 3)

/** The parts of an engine, which is opened here as well, and what is notified and called on the way. */
const opened = Effect.fnUntraced(function*(directory: string) {
  let parts: EngineParts | undefined
  const news: Array<EngineNotification> = []
  const { call } = yield* testEngine({
    directory,
    mockTime: PLANTED_AT,
    news: (each) => void news.push(each),
    parts: (made) => parts = made
  })
  return { call, news, parts: parts! }
})

describe("an engine at its start", () => {
  it.live("has a chain of the genesis block, which is on disk once, and has done nothing yet", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { news, parts } = yield* opened(directory)
      news.splice(0)
      const { feed, recent, scriptCache, tree, verifiedScripts, ...engine } = yield* openChain({
        ...parts,
        coins: parts.coins
      })
      const { tip } = tree
      assert.deepStrictEqual(
        Object.fromEntries(Object.entries(engine).filter(([name]) => !(name in parts) && name !== "extra")),
        {
          snapshot: undefined,
          unconfirmed: undefined,
          hooks: [],
          changedFiles: new Map(),
          pendingNotifications: [],
          verdicts: [],
          dirty: false,
          ahead: undefined,
          lastCommit: engine.lastCommit,
          initialBlockDownload: true,
          underWay: 0,
          status: RUNNING,
          pauses: 0,
          pauseListeners: new Set<(cause: string) => void>(),
          warnings: new Set<string>(),
          scriptsTold: undefined,
          loadingBlocks: false,
          isReplaying: false,
          isAwaited: undefined,
          inputs: 0
        }
      )
      assert.deepStrictEqual([tip.height, tree.nodes.length, tip.hash], [0, 1, REGTEST.parameters.genesisHash])
      assert.isTrue(has(tree, tip, HeaderStatus.CONNECTED | HeaderStatus.STORED) && isLinked(tree, tip))
      assert.strictEqual(tree.columns.transactions[0], 1)
      const bytes = yield* parts.files.readBlock(blockPlace(tree, tip)!)
      assert.deepStrictEqual(bytes, REGTEST.genesisBlock)
      assert.isTrue(scriptCache.isEmpty())
      assert.isUndefined(recent.get(0))
      assert.isFalse(feed.isFollowed())
      assert.deepStrictEqual(verifiedScripts.bits, new Uint8Array(128))
      assert.deepStrictEqual(news, [], "the first state is sent once the chain is activated")
    }))

  it.live("connects what was stored and not connected, commits that, and then notifies of the state; much is left for later", () =>
    Effect.gen(function*() {
      for (const rebuildCoins of [true, false]) {
        const directory = yield* temporaryDirectory
        yield* Effect.scoped(Effect.gen(function*() {
          const { call } = yield* opened(directory)
          for (const { bytes } of CHAIN.slice(0, 2)) yield* call("submitBlock", { bytes: bytes.slice() })
          yield* call("close", undefined)
        }))
        const { news, parts } = yield* opened(directory)
        const engine = yield* openChain({ ...parts, options: { ...parts.options, rebuildCoins } })
        assert.deepStrictEqual([engine.tree.tip.height, engine.initialBlockDownload], [2, false])
        yield* acceptBlock(engine, identified(blockOf(CHAIN[2]!.bytes.slice())!, testCrypto))
        news.splice(0)
        engine.lastCommit = -1
        yield* resume(engine)
        assert.deepStrictEqual([engine.isReplaying, engine.tree.tip.height], [rebuildCoins, rebuildCoins ? 2 : 3])
        const states = news.flatMap((each) => each._tag === "State" ? [each.state.height] : [])
        assert.strictEqual(states.at(-1), engine.tree.tip.height)
        assert.strictEqual(news.at(-1)?._tag, "State")
        assert.deepStrictEqual([engine.tree.changed.size, engine.dirty], [0, false])
        assert.isAtLeast(engine.lastCommit, 0)
      }
    }))

  it.live("heeds that it is to close, with a chain that is new as with one that is loaded", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { parts } = yield* opened(directory)
      for (const store of [parts.store, { ...parts.store, get: () => Effect.succeed(undefined) }]) {
        const listeners: Array<() => void> = []
        const engine = yield* openChain({ ...parts, store, onClose: (listener) => void listeners.push(listener) })
        assert.strictEqual(engine.status._tag, "Running")
        for (const listener of listeners) listener()
        assert.strictEqual(engine.status._tag as string, "Closing")
      }
    }))

  it.live("does not write the genesis block where its files hold it already", () =>
    Effect.gen(function*() {
      const { parts } = yield* opened(yield* temporaryDirectory)
      const place = { file: 0, offset: 8, size: REGTEST.genesisBlock.length }
      const files = {
        ...parts.files,
        findFirst: (bytes: Uint8Array) =>
          Effect.sync(() => (assert.deepStrictEqual(bytes, REGTEST.genesisBlock), place)),
        appendBlock: () => Effect.die("it was written")
      }
      const store = { ...parts.store, get: () => Effect.succeed(undefined) }
      const { tree } = yield* openChain({ ...parts, files, store })
      assert.deepStrictEqual(blockPlace(tree, tree.tip), place)
    }))
})

describe("extensions of an engine", () => {
  it.live("are made in their order, follow the chain in it, and are done with their first work before calls", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const note = (what: string) => Effect.sync(() => void done.push(what))
      const extension = (name: string): MakeExtension => ({ hooks, tree }) =>
        Effect.as(note(`${name} made at ${tree.tip.height} with ${hooks.length} hooks`), {
          hooks: [{ connected: ({ node }) => void done.push(`${name} connected ${node.height}`) }],
          first: note(`${name} first`),
          background: note(`${name} background`)
        })
      const { call } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        extensions: [extension("one"), () => Effect.succeed({}), extension("two")]
      })
      const begun = done.splice(0)
      assert.deepStrictEqual(begun.slice(0, 4), [
        "one made at 0 with 0 hooks",
        "two made at 0 with 1 hooks",
        "one first",
        "two first"
      ])
      yield* call("submitBlock", { bytes: CHAIN[0]!.bytes.slice() })
      const after = [...begun.slice(4), ...done]
      const of = (what: string) => after.filter((each) => each.includes(what))
      assert.deepStrictEqual(of("background"), ["one background", "two background"])
      assert.deepStrictEqual(of("connected"), ["one connected 1", "two connected 1"])
    }))

  it.live("answer after the replica of the header index was updated, also where they refuse", () =>
    Effect.gen(function*() {
      const news: Array<string> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (each) => void news.push(each._tag === "Tree" ? `headers from ${each.update.from}` : each._tag)
      })
      chain.feed.slice(0)
      news.splice(0)
      yield* call("submitHeader", { bytes: CHAIN[0]!.bytes.slice(0, 80) })
      assert.include(news.splice(0), "headers from 1")
      addHeader(chain.tree, chain.tree.tip, CHAIN[1]!.bytes.slice(0, 80), CHAIN[1]!.node.hash)
      yield* Effect.flip(call("submitHeader", { bytes: new Uint8Array(3) }))
      assert.include(news, "headers from 2")
    }).pipe(Effect.scoped))
})
