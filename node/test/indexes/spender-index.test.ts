import { assert, describe, it } from "@effect/vitest"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { IndexCalls } from "../../src/engine/api/index-calls.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import { hexOf } from "../../src/hex.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { KeySpace, rangeOf } from "../../src/storage/key-space.ts"
import type { KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { coinbaseAt, idOf, loose, mine, outputOf } from "../engine/mempool/loose-transactions.ts"
import { testEngine } from "../engine/test-engine.ts"
import { entriesOf } from "../storage/key-value/behaviour.ts"
import { LEVELDB, LMDB } from "../storage/key-value/engines.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

type Engine = RunningEngine<OwnCall | keyof IndexCalls>

const REWARD = 5_000_000_000n

const opened = (directory: string, store: KeyValueStore, spenderIndex = true) =>
  testEngine({ directory, options: { spenderIndex }, extensions: [indexes], store: () => store })

const synced = Effect.fnUntraced(function*({ call }: Engine) {
  while (!(yield* call("indexes", undefined)).every((state) => state.synced)) yield* Effect.sleep("2 millis")
})

/** For each output, the id of the transaction that spends it, as its bytes in the block say, and that block's height. */
const spendersOf = Effect.fnUntraced(function*({ call, chain }: Engine, outpoints: ReadonlyArray<OutPoint>) {
  const places = yield* call("outputSpenders", { outpoints })
  return yield* Effect.forEach(places, (place) =>
    place === undefined ? Effect.undefined : Effect.gen(function*() {
      const node = chain.tree.nodes.find(({ hash }) => hexOf(hash) === hexOf(place.block))!
      const { block, identity } = yield* loadBlock(chain, node)
      const at = block.transactions.findIndex(({ bytes }) =>
        bytes.byteOffset - block.bytes.byteOffset === place.offset && bytes.length === place.size
      )
      return [hexOf(identity.transactionIds.subarray(32 * at, 32 * at + 32)), node.height] as const
    }))
})

const named = (tx: Transaction, height: number) => [hexOf(idOf(tx)), height] as const

/** Two transactions of one block, the second of which spends the first, beside an output of the first that stays. */
const family = Effect.fnUntraced(function*(engine: Engine) {
  const spent = yield* coinbaseAt(engine, 1)
  const parent = loose({ inputs: [spent], values: [REWARD / 2n, REWARD / 2n - 10_000n] })
  const child = loose({ inputs: [outputOf(parent)], values: [REWARD / 2n - 10_000n] })
  return { child, outpoints: [spent, outputOf(parent), outputOf(parent, 1)], parent, spent }
})

for (const { name, open } of [LMDB, LEVELDB]) {
  describe(`the index of spent outputs on ${name}`, () => {
    const storeIn = (directory: string) =>
      Effect.acquireRelease(open(`${directory}/entries`), ({ close }) => Effect.ignore(close))

    it.live("finds spenders before a commit and after a restart, and follows a reorganization", () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const before = yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* opened(directory, yield* storeIn(directory))
          yield* mine(engine, 102)
          const { child, outpoints, parent, spent } = yield* family(engine)
          assert.deepStrictEqual(yield* spendersOf(engine, outpoints), [undefined, undefined, undefined])
          yield* mine(engine, 1, [parent, child])
          const found = [named(parent, 103), named(child, 103), undefined]
          assert.deepStrictEqual(yield* spendersOf(engine, outpoints), found)
          yield* engine.call("flush", undefined)
          assert.deepStrictEqual(yield* spendersOf(engine, outpoints), found)
          return { found, outpoints, spent }
        }))
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* storeIn(directory)
          const engine = yield* opened(directory, store)
          assert.deepStrictEqual(yield* spendersOf(engine, before.outpoints), before.found)
          yield* engine.call("invalidateBlock", { hash: activeAt(engine.chain.tree, 103)!.hash.slice() })
          assert.deepStrictEqual(yield* spendersOf(engine, before.outpoints), [undefined, undefined, undefined])
          const other = loose({ inputs: [before.spent], values: [REWARD - 20_000n] })
          yield* mine(engine, 1)
          yield* mine(engine, 1, [other])
          const after = [named(other, 104), undefined, undefined]
          assert.deepStrictEqual(yield* spendersOf(engine, before.outpoints), after)
          yield* engine.call("flush", undefined)
          assert.deepStrictEqual(yield* spendersOf(engine, before.outpoints), after)
          assert.lengthOf(yield* entriesOf(store, rangeOf(KeySpace.spender)), 1)
        }))
      }))

    it.live("catches up when it is switched on later, also after the branch that it saw was left", () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const run = <A>(isOn: boolean, work: (engine: Engine) => Effect.Effect<A, unknown>) =>
          Effect.scoped(Effect.gen(function*() {
            const engine = yield* opened(directory, yield* storeIn(directory), isOn)
            if (isOn) yield* synced(engine)
            const result = yield* work(engine)
            yield* engine.call("flush", undefined)
            return result
          }))
        const { child, outpoints, parent, spent } = yield* run(false, (engine) =>
          Effect.gen(function*() {
            yield* mine(engine, 102)
            const made = yield* family(engine)
            yield* mine(engine, 1, [made.parent, made.child])
            return made
          }))
        const other = loose({ inputs: [spent], values: [REWARD - 20_000n] })
        yield* run(
          true,
          (engine) =>
            Effect.map(
              spendersOf(engine, outpoints),
              (found) => assert.deepStrictEqual(found, [named(parent, 103), named(child, 103), undefined])
            )
        )
        yield* run(false, (engine) =>
          Effect.andThen(
            engine.call("invalidateBlock", { hash: activeAt(engine.chain.tree, 103)!.hash.slice() }),
            mine(engine, 1, [other])
          ))
        yield* run(
          true,
          (engine) =>
            Effect.map(
              spendersOf(engine, outpoints),
              (found) => assert.deepStrictEqual(found, [named(other, 103), undefined, undefined])
            )
        )
      }))
  })
}

describe("the index of spent outputs", () => {
  it.live("does not answer where it is off", () =>
    Effect.gen(function*() {
      const engine = yield* testEngine({ directory: yield* temporaryDirectory, extensions: [indexes] })
      assert.deepStrictEqual(yield* Effect.flip(engine.call("outputSpenders", { outpoints: [] })), {
        _tag: "IndexNotEnabled",
        index: "txospenderindex"
      })
    }))

  it.live("does not answer before it has caught up with the chain", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* testEngine({ directory, extensions: [indexes] })
        yield* mine(engine, 4)
        yield* engine.call("flush", undefined)
      }))
      const engine = yield* testEngine({
        directory,
        options: { spenderIndex: true },
        extensions: [indexes],
        // A block that is not read yet keeps it from going on.
        parts: (parts) => ({ ...parts, files: { ...parts.files, readBlock: () => Effect.never } })
      })
      assert.deepStrictEqual(yield* Effect.flip(engine.call("outputSpenders", { outpoints: [] })), {
        _tag: "IndexNotSynced",
        index: "txospenderindex",
        height: -1
      })
    }))

  it.live("does not answer while it is behind, and says how far it has come", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const mined = Effect.fnUntraced(function*(blocks: number, spenderIndex: boolean) {
        const engine = yield* testEngine({ directory, options: { spenderIndex }, extensions: [indexes] })
        yield* mine(engine, blocks)
        if (spenderIndex) yield* synced(engine)
        yield* engine.call("flush", undefined)
        return yield* coinbaseAt(engine, 1)
      }, Effect.scoped)
      const spent = yield* mined(4, true)
      yield* mined(3, false)
      let isHeld = true
      const engine = yield* testEngine({
        directory,
        options: { spenderIndex: true },
        extensions: [indexes],
        parts: (parts) => ({
          ...parts,
          files: {
            ...parts.files,
            readBlock: (place) => isHeld ? Effect.never : parts.files.readBlock(place)
          }
        })
      })
      for (const outpoints of [[], [spent], [spent, spent]]) {
        assert.deepStrictEqual(yield* Effect.flip(engine.call("outputSpenders", { outpoints })), {
          _tag: "IndexNotSynced",
          index: "txospenderindex",
          height: 4
        })
      }
      isHeld = false
    }))
})
