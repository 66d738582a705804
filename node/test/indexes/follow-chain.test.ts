import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { Pruning } from "../../src/engine/options/engine-options.ts"
import type { ChainEngine } from "../../src/engine/state/chain-engine.ts"
import type { ChainStep } from "../../src/engine/state/chain-hook.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import type { MakeExtension } from "../../src/engine/chainstate/extension.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { forgetPlaces, setBlockPlace, setUndoPlace } from "../../src/engine/header-index/block-place.ts"
import type { ChainIndex } from "../../src/indexes/chain-index.ts"
import { type Follower, followChain } from "../../src/indexes/follow-chain.ts"
import { decodeIndexRecord, encodeIndexRecord, indexKey } from "../../src/indexes/index-record.ts"
import { KeySpace, rangeOf } from "../../src/storage/key-space.ts"
import { entriesOf } from "../storage/key-value/behaviour.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine, type TestEngineOptions } from "../engine/test-engine.ts"
import { request } from "../engine/generate-request.ts"

interface Probe {
  readonly index: ChainIndex
  /** Heights of the blocks it stands on. */
  readonly heights: Array<number>
  readonly seen: Array<string>
}

/** An index that notes what it is given, and keeps the heights as its state. */
const probe = (change: Partial<ChainIndex> = {}): Probe => {
  const heights: Array<number> = []
  const seen: Array<string> = []
  return {
    heights,
    seen,
    index: {
      name: "probe",
      connected: ({ node: { height } }: ChainStep) => {
        heights.push(height)
        seen.push(`+${height}`)
      },
      disconnected: ({ node: { height } }: ChainStep) => {
        assert.strictEqual(heights.pop(), height)
        seen.push(`-${height}`)
      },
      writeChanges: (batch) => batch.put(Uint8Array.of(KeySpace.indexState, 1), Uint8Array.from(heights)),
      committed: () => seen.push("committed"),
      isFull: () => false,
      state: () => Uint8Array.from(heights),
      restore: (state) => {
        heights.push(...state)
        return true
      },
      ...change
    }
  }
}

const upTo = (height: number): ReadonlyArray<number> => Array.from({ length: height + 1 }, (_, n) => n)

interface Following extends RunningEngine {
  readonly follower: Follower
}

const breakBlock = ({ tree }: ChainEngine, height: number): void => forgetPlaces(tree, activeAt(tree, height)!)

/** `brokenAt`: a block that is not there when the index begins. */
const following = (index: ChainIndex, options: TestEngineOptions, brokenAt?: number) =>
  Effect.gen(function*() {
    let follower: Follower | undefined
    const extension: MakeExtension = (engine, writer) => {
      if (brokenAt !== undefined) breakBlock(engine, brokenAt)
      return Effect.map(followChain(engine, writer, index), (made) => {
        follower = made
        return { hooks: [made.hook], background: made.catchUp }
      })
    }
    const engine = yield* testEngine({ ...options, extensions: [extension] })
    return { ...engine, follower: follower! } satisfies Following
  })

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let round = 0; round < 1000; round++) {
      if (holds()) return
      yield* Effect.sleep("5 millis")
    }
    assert.fail("waited in vain")
  })

/** A chain of so many blocks without the index. */
const chainOf = (directory: string, blocks: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { call } = yield* testEngine({ directory })
    yield* call("generate", request(blocks))
    yield* call("flush", undefined)
  }))

describe("following the chain", () => {
  it.live("a new index on a new chain goes along from the genesis block on, in the chain's own commits", () =>
    Effect.gen(function*() {
      const { heights, index, seen } = probe()
      const { call, follower } = yield* following(index, { directory: yield* temporaryDirectory })
      assert.deepStrictEqual(heights, [0])
      const { hashes } = yield* call("generate", request(5))
      assert.deepStrictEqual(heights, upTo(5))
      assert.strictEqual(seen.at(-1), "committed")
      assert.deepStrictEqual(follower.state(), { name: "probe", synced: true, bestBlockHeight: 5, lacksBlocks: false })
      assert.isUndefined(follower.hook.neededFrom!())
      yield* call("invalidateBlock", { hash: hashes[2]! })
      assert.deepStrictEqual(heights, upTo(2))
      yield* call("reconsiderBlock", { hash: hashes[2]! })
      assert.deepStrictEqual(heights, upTo(5))
      assert.deepStrictEqual(seen.filter((each) => each.startsWith("-")), ["-5", "-4", "-3"])
    }))

  it.live("one that is switched on later catches up in between, and starts where its last commit left it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* chainOf(directory, 60)
      const first = probe()
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, follower } = yield* following(first.index, { directory })
        yield* until(() => follower.state().synced)
        yield* call("generate", request(2))
        assert.deepStrictEqual(first.heights, upTo(62))
      }))
      const again = probe()
      const { follower } = yield* following(again.index, { directory })
      assert.deepStrictEqual(again.heights, upTo(62))
      assert.isTrue(follower.state().synced)
      assert.deepStrictEqual(again.seen, [])
    }))

  it.live("one that was off during a reorganisation goes back first", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { call } = yield* following(probe().index, { directory })
        yield* call("generate", request(10))
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* testEngine({ directory })
        yield* call("invalidateBlock", { hash: activeAt(chain.tree, 7)!.hash })
        yield* call("generate", request(6, 0x52))
      }))
      const { heights, index, seen } = probe()
      const { follower } = yield* following(index, { directory })
      assert.strictEqual(follower.hook.neededFrom!(), 7)
      yield* until(() => follower.state().synced)
      assert.deepStrictEqual(heights, upTo(12))
      assert.deepStrictEqual(seen.filter((each) => each !== "committed"), [
        "-10",
        "-9",
        "-8",
        "-7",
        "+7",
        "+8",
        "+9",
        "+10",
        "+11",
        "+12"
      ])
    }))

  it.live("one of an older form is made anew", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* following(probe().index, { directory })
        yield* call("generate", request(3))
        const record = (yield* chain.store.get(indexKey("probe")))!
        record[0] = 0
        yield* chain.store.write((batch) => batch.put(indexKey("probe"), record))
      }))
      const { heights, index, seen } = probe()
      const { follower } = yield* following(index, { directory })
      yield* until(() => follower.state().synced)
      assert.deepStrictEqual(heights, upTo(3))
      assert.strictEqual(seen[0], "+0")
    }))

  it.live("a block that is not on disk stops the index, with a warning, and nothing else", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* chainOf(directory, 8)
      const { heights, index } = probe()
      const logged: Array<string> = []
      const news = (each: EngineNotification) => {
        if (each._tag === "Log" && each.level === "warn") logged.push(each.message)
      }
      const { call, chain, follower } = yield* following(index, { directory, news }, 5)
      yield* until(() =>
        [...chain.warnings].some((warning) => warning.includes("probe") && warning.includes("height 5"))
      )
      assert.deepStrictEqual(logged, [...chain.warnings])
      assert.deepStrictEqual(heights, upTo(4))
      assert.deepStrictEqual(follower.state(), { name: "probe", synced: false, bestBlockHeight: 4, lacksBlocks: true })
      yield* call("generate", request(2))
      assert.strictEqual(chain.tree.tip.height, 10)
      assert.strictEqual(chain.status._tag, "Running")
    }))

  it.live("a block that a peer sent again comes without what it spent: the index still lacks it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* chainOf(directory, 8)
      const { index } = probe()
      const { chain: { tree }, follower } = yield* following(index, { directory }, 5)
      yield* until(() => follower.state().bestBlockHeight === 4)
      const again = activeAt(tree, 5)!
      setBlockPlace(tree, again, { file: 0, offset: 8, size: 80 }, 1)
      assert.isTrue(follower.state().lacksBlocks)
      setUndoPlace(tree, again, { file: 0, offset: 8, size: 1 })
      assert.isFalse(follower.state().lacksBlocks)
    }))

  it.live("an index that goes back with the chain holds back pruning from a lower block on, which is logged", () =>
    Effect.gen(function*() {
      const heightsTold = (pruning: Pruning) =>
        Effect.gen(function*() {
          const { index } = probe()
          const told: Array<unknown> = []
          const { call, chain: { tree } } = yield* following(index, {
            directory: yield* temporaryDirectory,
            options: { pruning },
            news: (each) => {
              if (each._tag === "Log" && each.fields["index"] === "probe") told.push(each.fields["height"])
            }
          })
          yield* call("generate", request(4))
          yield* call("invalidateBlock", { hash: activeAt(tree, 3)!.hash })
          return told
        })
      assert.deepStrictEqual(yield* heightsTold({ _tag: "Manual" }), [3, 2])
      assert.deepStrictEqual(yield* heightsTold({ _tag: "Disabled" }), [])
    }))

  it.live("an index that is behind is not called for blocks that come and go above it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* chainOf(directory, 8)
      const { heights, index, seen } = probe()
      const { call, chain, follower } = yield* following(index, { directory }, 5)
      yield* until(() => chain.warnings.size > 0)
      assert.match([...chain.warnings].join("\n"), /^The index probe cannot go on: .*$/)
      yield* call("generate", request(2))
      yield* call("invalidateBlock", { hash: activeAt(chain.tree, 7)!.hash })
      assert.strictEqual(chain.tree.tip.height, 6)
      assert.deepStrictEqual(heights, upTo(4))
      assert.deepStrictEqual(seen.filter((each) => each !== "committed"), upTo(4).map((height) => `+${height}`))
      assert.deepStrictEqual(follower.state(), { name: "probe", synced: false, bestBlockHeight: 4, lacksBlocks: true })
      assert.strictEqual(follower.hook.neededFrom!(), 5)
    }))

  it.live("catching up is notified at its start and at its end; an index that is there notifies nothing", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* chainOf(directory, 6)
      const news: Array<EngineNotification> = []
      const observed = () =>
        news.flatMap((each) => each._tag === "Log" && each.message.startsWith("An index") ? [each] : [])
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, follower } = yield* following(probe().index, { directory, news: (each) => news.push(each) })
        yield* until(() => follower.state().synced && observed().length > 1)
        yield* call("generate", request(1))
      }))
      assert.deepStrictEqual(observed().map(({ message, level }) => [level, message]), [
        ["info", "An index is behind the chain and catches up"],
        ["info", "An index has caught up with the chain"]
      ])
      news.length = 0
      const { call } = yield* following(probe().index, { directory, news: (each) => news.push(each) })
      yield* call("generate", request(1))
      assert.deepStrictEqual(observed(), [])
    }))

  it.live("a defect of the index is reported and stops the index alone; what it had is there at the next start", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const news: Array<EngineNotification> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const { heights, index } = probe()
        const broken: ChainIndex = {
          ...index,
          connected: (step) => {
            if (step.node.height === 4) throw new Error("a bug")
            index.connected(step)
          }
        }
        const { call, chain, follower } = yield* following(broken, { directory, news: (each) => news.push(each) })
        yield* call("generate", request(3))
        yield* call("generate", request(3))
        assert.strictEqual(chain.tree.tip.height, 6)
        assert.deepStrictEqual(heights, upTo(3))
        assert.isFalse(follower.state().synced)
      }))
      const observed = news.filter((each) => each._tag === "Log" && each.message.includes("the index probe"))
      assert.strictEqual(observed.length, 1)
      const { heights, index } = probe()
      const { follower } = yield* following(index, { directory })
      yield* until(() => follower.state().synced)
      assert.deepStrictEqual(heights, upTo(6))
    }))

  it.live("an index with a defect in the middle of a call has nothing written any more, and goes on from its last commit", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { heights, index, seen } = probe()
        const broken: ChainIndex = {
          ...index,
          connected: (step) => {
            // Half way: what it has put down by then belongs to no state.
            index.connected(step)
            if (step.node.height === 5) throw new Error("a bug")
          }
        }
        const { call, chain, follower } = yield* following(broken, { directory })
        yield* call("generate", request(3))
        yield* call("generate", request(3))
        assert.strictEqual(chain.tree.tip.height, 6)
        assert.deepStrictEqual(heights, upTo(5))
        assert.strictEqual(follower.state().bestBlockHeight, 4)
        assert.strictEqual(seen.at(-1), "+5", "no commit is reported to it")
        const entries = yield* entriesOf(chain.store, rangeOf(KeySpace.indexState))
        const own = entries.find(([key]) => key.length === 2)!
        // A slow call commits on its way, too.
        const written = Number(seen[seen.lastIndexOf("committed") - 1])
        assert.include([3, 4], written)
        assert.deepStrictEqual(Array.from(own[1]), upTo(written))
        const record = decodeIndexRecord(yield* chain.store.get(indexKey("probe")))!
        assert.deepStrictEqual(record.block, activeAt(chain.tree, written)!.hash)
        assert.deepStrictEqual(Array.from(record.state), upTo(written))
      }))
      const { heights, index } = probe()
      const { follower } = yield* following(index, { directory })
      yield* until(() => follower.state().synced)
      assert.deepStrictEqual(heights, upTo(6))
    }))

  it.live("an index that is full makes a commit due, in the initial download as well", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* chainOf(directory, 20)
      let waiting = 0
      let most = 0
      const { index, seen } = probe()
      const small: ChainIndex = {
        ...index,
        connected: (step) => {
          index.connected(step)
          most = Math.max(most, ++waiting)
        },
        committed: () => {
          index.committed()
          waiting = 0
        },
        isFull: () => waiting >= 4
      }
      // A clock far ahead: the tip is old, so this is the initial download.
      const { chain, follower } = yield* following(small, { directory, mockTime: 4_000_000_000 })
      assert.isTrue(chain.initialBlockDownload)
      yield* until(() => follower.state().synced)
      assert.strictEqual(most, 4)
      assert.isAtLeast(seen.filter((each) => each === "committed").length, 5)
    }))

  it("a record comes back as it was, and is none when it is cut or of another version", () => {
    const record = { block: new Uint8Array(32).fill(7), state: Uint8Array.of(1, 2, 3) }
    const bytes = encodeIndexRecord(record)
    assert.deepStrictEqual(decodeIndexRecord(bytes), record)
    assert.isUndefined(decodeIndexRecord(undefined))
    // Most indexes have no state but their entries.
    const plain = { block: new Uint8Array(32).fill(9), state: new Uint8Array(0) }
    assert.deepStrictEqual(decodeIndexRecord(encodeIndexRecord(plain)), plain)
    assert.isUndefined(decodeIndexRecord(bytes.subarray(0, 32)))
    assert.isUndefined(decodeIndexRecord(Uint8Array.of(9, ...bytes.subarray(1))))
  })
})
