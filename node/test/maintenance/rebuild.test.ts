import { assert, describe, it } from "@effect/vitest"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import * as Effect from "effect/Effect"
import { hash as digest } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { blockPlace } from "../../src/engine/header-index/block-place.ts"
import { engineParts } from "../../src/engine/host/open-engine.ts"
import { openChain } from "../../src/engine/host/start.ts"
import { inThreadPool } from "../../src/engine/script-pool/in-thread.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { regtestOptions, testCrypto } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type MaintainedEngine, maintainedEngine } from "./maintained-engine.ts"
import { frames, recorded } from "./recorded-state.ts"
import { patience } from "../process/patience.ts"

const START = 1_700_000_000
const FILES = { mockTime: START, maxFileBytes: 8192 }

const mine = ({ call }: MaintainedEngine, blocks: number, script: number) =>
  call("generate", { script: Uint8Array.of(script), blocks, maxTries: 1_000_000, transactions: [], submit: true })

const stateOf = Effect.fnUntraced(function*({ call, chain }: MaintainedEngine) {
  const { setHash } = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
  return { tip: displayHexOf(chain.tree.tip.hash), height: chain.tree.tip.height, coins: displayHexOf(setHash!) }
})

/** A directory with a chain of 150 blocks, and a branch that lost; yields where the chain stood. */
const prepare = Effect.fnUntraced(function*(directory: string, damage: (engine: MaintainedEngine) => void = () => {}) {
  return yield* Effect.scoped(Effect.gen(function*() {
    const engine = yield* maintainedEngine(directory, FILES)
    yield* mine(engine, 100, 0x51)
    const fork = (yield* engine.call("hashAt", { height: 91 }))!
    yield* engine.call("invalidateBlock", { hash: fork })
    yield* mine(engine, 60, 0x52)
    yield* engine.call("reconsiderBlock", { hash: fork })
    damage(engine)
    const state = yield* stateOf(engine)
    yield* engine.call("close", undefined)
    return state
  }))
})

/** What stands in a block file, without the key it is XORed with. */
const plain = (directory: string, bytes: Uint8Array): Uint8Array => {
  const key = fs.readFileSync(join(directory, "blocks", "xor.dat"))
  return bytes.map((byte, i) => byte ^ key[i % key.length]!)
}

/** Every other header has the work that regtest asks for: a bit after whose change this one has not. */
const bitThatSpoils = (block: Uint8Array, place: number): number => {
  if (place < 0) return 1
  const bits = [1, 2, 4, 8, 16, 32, 64, 128]
  return bits.find((bit) => {
    const header = block.slice(0, 80)
    header[place]! ^= bit
    return digest("sha256", digest("sha256", header, "buffer"), "buffer")[31]! > 0x7f
  })!
}

describe("a rebuild from block files", () => {
  it.live("ends where the chain was, with no block copied, and goes on from there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const before = yield* prepare(directory)
      assert.strictEqual(before.height, 150)
      const blocks = join(directory, "blocks")
      const bytes = new Map(
        fs.readdirSync(blocks).filter((name) => name.startsWith("blk")).map((
          name
        ) => [name, fs.readFileSync(join(blocks, name))])
      )
      assert.isAbove(bytes.size, 3)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh" })
        assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
          blocks: 160,
          waiting: 0,
          withoutBlocks: []
        })
        assert.deepStrictEqual(yield* stateOf(engine), before)
        assert.deepInclude(yield* engine.call("verifyChain", { level: 4, blocks: 0 }), {
          valid: true,
          problem: undefined
        })
        for (const [name, content] of bytes) assert.deepStrictEqual(fs.readFileSync(join(blocks, name)), content)
        assert.strictEqual((yield* engine.call("chainTips", undefined)).length, 2)
      }))
      // The store is an ordinary one from now on.
      fs.rmSync(join(directory, "store"), { recursive: true })
      fs.renameSync(join(directory, "fresh"), join(directory, "store"))
      const engine = yield* maintainedEngine(directory, FILES)
      assert.deepStrictEqual(yield* stateOf(engine), before)
      assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
        blocks: 0,
        waiting: 0,
        withoutBlocks: []
      })
      yield* mine(engine, 3, 0x51)
      assert.strictEqual(engine.chain.tree.tip.height, 153)
    }))

  it.live("that died at its first commit goes on at the next start, and loses no file", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const before = yield* prepare(directory)
      const names = fs.readdirSync(join(directory, "blocks")).filter((name) => name.startsWith("blk"))
      fs.rmSync(join(directory, "store"), { recursive: true })
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* Effect.acquireRelease(openLmdbStore(join(directory, "store")), ({ close }) =>
          Effect.ignore(close))
        const parts = yield* engineParts(regtestOptions(directory), {
          disk: nodeDisk("block-files"),
          store,
          crypto: testCrypto,
          pool: inThreadPool(testCrypto),
          notify: () => {},
          mockTime: START,
          needsRebuild: true
        })
        yield* openChain(parts)
      }))
      const engine = yield* maintainedEngine(directory, FILES)
      assert.includeMembers(fs.readdirSync(join(directory, "blocks")), names)
      assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
        blocks: 160,
        waiting: 0,
        withoutBlocks: []
      })
      assert.deepStrictEqual(yield* stateOf(engine), before)
    }))

  it.live("uses what can be read, and takes the rest from elsewhere", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const copy = yield* temporaryDirectory
      let damaged: { readonly path: string; readonly at: number } | undefined
      const before = yield* prepare(directory, ({ chain: { tree } }) => {
        const { file, offset } = blockPlace(tree, activeAt(tree, 60)!)!
        damaged = { path: join(directory, "blocks", `blk${String(file).padStart(5, "0")}.dat`), at: offset + 40 }
      })
      const { at, path } = damaged!
      const content = fs.readFileSync(path)
      fs.cpSync(join(directory, "blocks"), copy, { recursive: true })
      content[at]! ^= 1
      fs.writeFileSync(path, content)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh" })
        assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
          blocks: 59,
          waiting: 100,
          withoutBlocks: []
        })
        assert.strictEqual(engine.chain.tree.tip.height, 59)
        const paths = fs.readdirSync(copy).filter((name) => name.startsWith("blk")).map((name) => join(copy, name))
        assert.strictEqual((yield* engine.call("importFiles", { paths })).waiting, 0)
        assert.deepStrictEqual(yield* stateOf(engine), before)
      }))
    }))

  const HEAD_DAMAGES: ReadonlyArray<readonly [what: string, at: number]> = [
    ["the magic before it", -8],
    ["its length", -4],
    ["its length, much longer", -2],
    ["its header", 40],
    ["its header, which names another parent", 10]
  ]
  for (const [what, place] of HEAD_DAMAGES) {
    it.live(`needs no more than one block again when ${what} is damaged, also after another start`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        let spot: { readonly path: string; readonly at: number } | undefined
        let lost = new Uint8Array()
        const before = yield* prepare(directory, ({ chain: { tree } }) => {
          const { file, offset, size } = blockPlace(tree, activeAt(tree, 60)!)!
          const path = join(directory, "blocks", `blk${String(file).padStart(5, "0")}.dat`)
          spot = { path, at: offset }
          lost = Uint8Array.from(plain(directory, fs.readFileSync(path)).subarray(offset, offset + size))
        })
        const { at, path } = spot!
        const content = fs.readFileSync(path)
        content[at + place]! ^= bitThatSpoils(lost, place)
        fs.writeFileSync(path, content)
        const sizes = (): number =>
          fs.readdirSync(join(directory, "blocks")).filter((name) => name.startsWith("blk"))
            .reduce((sum, name) => sum + fs.statSync(join(directory, "blocks", name)).size, 0)
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh" })
          yield* engine.call("importFiles", { paths: [] })
          assert.strictEqual(engine.chain.tree.tip.height, 59)
          yield* engine.call("close", undefined)
        }))
        const bytes = sizes()
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh" })
          yield* engine.call("importFiles", { paths: [] })
          assert.strictEqual(engine.chain.tree.tip.height, 59)
          yield* engine.call("submitBlock", { bytes: lost })
          const end = performance.now() + patience(10_000)
          while (performance.now() < end && engine.chain.tree.tip.height < before.height) yield* Effect.sleep(50)
          assert.deepStrictEqual(yield* stateOf(engine), before)
          assert.strictEqual(sizes(), bytes + lost.length + 8)
          assert.deepInclude(yield* engine.call("verifyChain", { level: 4, blocks: 0 }), {
            valid: true,
            problem: undefined
          })
          yield* engine.call("close", undefined)
        }))
        // What cannot be a block waits for nothing: no file is looked at again.
        const news: Array<EngineNotification> = []
        const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh", news: (item) => news.push(item) })
        yield* engine.call("importFiles", { paths: [] })
        assert.isFalse(news.some((item) => item._tag === "Log" && item.message.includes("Block files")))
      }))
  }

  it.live("counts blocks that cannot be connected, since one below is damaged", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      let path = ""
      let at = 0
      yield* prepare(directory, ({ chain: { tree } }) => {
        const { file, offset } = blockPlace(tree, activeAt(tree, 100)!)!
        path = join(directory, "blocks", `blk${String(file).padStart(5, "0")}.dat`)
        at = offset + 130
      })
      const content = fs.readFileSync(path)
      content[at]! ^= 1
      fs.writeFileSync(path, content)
      const engine = yield* maintainedEngine(directory, { ...FILES, anew: "fresh" })
      assert.deepStrictEqual(yield* engine.call("importFiles", { paths: [] }), {
        blocks: 159,
        waiting: 50,
        withoutBlocks: []
      })
      // The branch that lost is the longer one now.
      assert.strictEqual(engine.chain.tree.tip.height, 100)
      assert.strictEqual(engine.chain.tree.bestHeader.height, 150)
    }))
})

describe.skipIf(recorded === undefined)("a rebuild of a chain that is vouched for", () => {
  it.live("judges no scripts below the block that is assumed to be valid, since headers are known first", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const options = { mockTime: recorded!.mockTime }
      fs.writeFileSync(join(directory, "bootstrap.dat"), Buffer.concat(frames()))
      let judged = 0
      const judging = () => void judged++
      const hash = yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* maintainedEngine(directory, { ...options, judging })
        yield* engine.call("importFiles", { paths: [join(directory, "bootstrap.dat")] })
        const { hash: tip } = engine.chain.tree.tip
        // Two weeks of work on top.
        yield* mine(engine, 2100, 0x51)
        return displayHexOf(tip)
      }))
      assert.isAbove(judged, 100)
      judged = 0
      const engine = yield* maintainedEngine(directory, {
        ...options,
        judging,
        anew: "fresh",
        options: { assumedValid: { _tag: "Block", hash } }
      })
      yield* engine.call("importFiles", { paths: [] })
      assert.strictEqual(engine.chain.tree.tip.height, 322 + 2100)
      // Branches are not vouched for.
      assert.isBelow(judged, 40)
    }))
})
