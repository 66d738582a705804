import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import { clearStatus, nodeOf, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { displayHash } from "../../../src/hex.ts"
import { invalidateBlock } from "../../../src/engine/validation/manual-choice.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const MAIN = plantChain(plantedRoot(), 6)
/** Of equal work as the tip, and of one block less. */
const EQUAL = plantChain(MAIN[3]!.node, 2, 40)
const LESS = plantChain(MAIN[3]!.node, 1, 60)

const started = Effect.gen(function*() {
  const news: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT,
    news: (each) => void news.push(each)
  })
  for (const { bytes } of [...MAIN, ...EQUAL, ...LESS]) yield* engine.call("submitBlock", { bytes: bytes.slice() })
  news.splice(0)
  /** The reorganizations that were reported since this was last asked. */
  const moves = () =>
    news.splice(0).flatMap((each) =>
      each._tag === "Event" && each.event.type === "ChainReorg" ? [each.event.payload] : []
    )
  return { ...engine, moves }
})

const hashOf = ({ node }: (typeof MAIN)[number]): Uint8Array => node.hash.slice()

describe("a choice of the operator", () => {
  it.live("of a precious block changes the tip to a chain of equal work, and never to one of less", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* started
      const tip = () => chain.tree.tip.hash
      assert.deepStrictEqual(tip(), MAIN[5]!.node.hash)
      yield* call("preciousBlock", { hash: hashOf(LESS[0]!) })
      assert.deepStrictEqual(tip(), MAIN[5]!.node.hash)
      yield* call("preciousBlock", { hash: hashOf(EQUAL[1]!) })
      assert.deepStrictEqual(tip(), EQUAL[1]!.node.hash)
      yield* call("preciousBlock", { hash: hashOf(MAIN[5]!) })
      assert.deepStrictEqual(tip(), MAIN[5]!.node.hash)
    }))

  it.live("of a precious block puts it before all that were precious at this work, and begins anew at more work", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* started
      const { columns } = chain.tree
      const choose = Effect.fnUntraced(function*(block: (typeof MAIN)[number]) {
        yield* call("preciousBlock", { hash: hashOf(block) })
        return [columns.sequence[nodeOf(chain.tree, block.node.hash)!.index], chain.tree.tip.height]
      })
      assert.deepStrictEqual(yield* choose(EQUAL[1]!), [-1, 6])
      assert.deepStrictEqual(yield* choose(MAIN[5]!), [-2, 6])
      assert.deepStrictEqual(yield* choose(EQUAL[1]!), [-3, 6])
      const [next, beside] = [plantOn(EQUAL[1]!.node, 80), plantOn(MAIN[5]!.node, 81)]
      for (const { bytes } of [next, beside]) yield* call("submitBlock", { bytes: bytes.slice() })
      assert.deepStrictEqual(chain.tree.tip.hash, next.node.hash)
      assert.deepStrictEqual(yield* choose(beside), [-1, 7])
      assert.deepStrictEqual(chain.tree.tip.hash, beside.node.hash)
      assert.deepStrictEqual(yield* choose(next), [-2, 7])
      assert.deepStrictEqual(chain.tree.tip.hash, next.node.hash)
    }))

  it.live("of a precious block does not move to one that is invalid, or not here", () =>
    Effect.gen(function*() {
      const { call, chain, moves } = yield* started
      yield* call("invalidateBlock", { hash: hashOf(MAIN[5]!) })
      assert.deepStrictEqual(chain.tree.tip.hash, EQUAL[1]!.node.hash)
      moves()
      const header = plantOn(MAIN[4]!.node, 82)
      yield* call("submitHeader", { bytes: header.bytes.slice(0, 80) })
      for (const block of [MAIN[5]!, header]) {
        yield* call("preciousBlock", { hash: hashOf(block) })
        assert.deepStrictEqual(chain.tree.tip.hash, EQUAL[1]!.node.hash)
        assert.isFalse(chain.tree.candidates.has(nodeOf(chain.tree, block.node.hash)!))
      }
      assert.deepStrictEqual(moves(), [])
    }))

  it.live("against a block moves the chain once, and back when it is considered again", () =>
    Effect.gen(function*() {
      const { call, chain, moves } = yield* started
      const move = (from: (typeof MAIN)[number], to: (typeof MAIN)[number]) => ({
        old_tip: displayHash(from.node.hash),
        new_tip: displayHash(to.node.hash),
        fork_hash: displayHash(MAIN[3]!.node.hash),
        fork_height: 4,
        disconnected: 2,
        connected: 2
      })
      yield* call("invalidateBlock", { hash: hashOf(MAIN[4]!) })
      assert.deepStrictEqual(chain.tree.tip.hash, EQUAL[1]!.node.hash)
      assert.deepStrictEqual(moves(), [move(MAIN[5]!, EQUAL[1]!)])
      yield* call("invalidateBlock", { hash: hashOf(LESS[0]!) })
      assert.deepStrictEqual(moves(), [])
      yield* call("reconsiderBlock", { hash: hashOf(MAIN[5]!) })
      assert.deepStrictEqual(chain.tree.tip.hash, MAIN[5]!.node.hash)
      assert.deepStrictEqual(moves(), [move(EQUAL[1]!, MAIN[5]!)])
    }))

  it.live("against a block brings the transactions of the ten newest blocks back, and not of more", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const blocks = plantChain(plantedRoot(), 12)
      for (const { bytes } of blocks) yield* call("submitBlock", { bytes: bytes.slice() })
      const settled: Array<string> = []
      chain.hooks.push({
        disconnected: ({ node }) => void settled.push(`${node.height} off`),
        reorganized: (comesBack) => Effect.sync(() => void settled.push(`back: ${comesBack}`))
      })
      yield* call("invalidateBlock", { hash: blocks[0]!.node.hash.slice() })
      assert.deepStrictEqual(
        settled,
        Array.from({ length: 12 }, (_, i) => [`${12 - i} off`, `back: ${i < 10}`]).flat()
      )
    }))

  it.live("against a block is refused where the chain cannot go back behind one on the way, and nothing changes", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* started
      const at = (planned: (typeof MAIN)[number]) => nodeOf(chain.tree, planned.node.hash)!
      const refused = Effect.fnUntraced(function*(block: (typeof MAIN)[number]) {
        const error = yield* Effect.flip(call("invalidateBlock", { hash: hashOf(block) }))
        assert.deepStrictEqual(chain.tree.tip.hash, MAIN[5]!.node.hash)
        return error
      })
      const pruned = (block: (typeof MAIN)[number]) =>
        ({ _tag: "BlockPruned", hash: hashOf(block), height: block.node.height }) as const
      forgetPlaces(chain.tree, at(MAIN[1]!))
      assert.deepEqual(yield* refused(MAIN[0]!), pruned(MAIN[1]!))
      assert.deepEqual(yield* refused(MAIN[1]!), pruned(MAIN[1]!))
      clearStatus(chain.tree, at(MAIN[2]!), HeaderStatus.UNDO)
      assert.deepEqual(yield* refused(MAIN[1]!), pruned(MAIN[2]!))
      clearStatus(chain.tree, at(MAIN[4]!), HeaderStatus.STORED)
      assert.deepEqual(yield* refused(MAIN[1]!), pruned(MAIN[4]!), "the highest is named")
      setStatus(chain.tree, at(MAIN[4]!), HeaderStatus.STORED)
      yield* call("invalidateBlock", { hash: hashOf(MAIN[3]!) })
      assert.deepStrictEqual(chain.tree.tip.hash, MAIN[2]!.node.hash, "nothing below matters")
    }))

  it.live("of a block that is not known is refused", () =>
    Effect.gen(function*() {
      const { call } = yield* started
      const hash = new Uint8Array(32).fill(7)
      for (const choice of ["invalidateBlock", "reconsiderBlock", "preciousBlock"] as const) {
        assert.deepStrictEqual(yield* Effect.flip(call(choice, { hash })), { _tag: "BlockNotFound", hash })
      }
    }))

  it.live("against the genesis block changes nothing", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* started
      yield* call("invalidateBlock", { hash: chain.tree.nodes[0]!.hash.slice() })
      assert.deepStrictEqual(chain.tree.tip.hash, MAIN[5]!.node.hash)
    }))

  it.live("against a block up to the base of a snapshot that is not confirmed is refused, and not against others", () =>
    Effect.gen(function*() {
      const { chain } = yield* started
      const at = (planned: (typeof MAIN)[number]) => nodeOf(chain.tree, planned.node.hash)!
      const assumed = at(MAIN[4]!)
      const engine = { ...chain, tree: Object.assign(Object.create(chain.tree) as typeof chain.tree, { assumed }) }
      for (const node of [at(MAIN[2]!), assumed]) {
        const refused = yield* Effect.flip(invalidateBlock(engine, node))
        assert.deepStrictEqual(refused as unknown, { _tag: "SnapshotNotConfirmed", height: 5 })
      }
      yield* invalidateBlock(engine, at(LESS[0]!))
      assert.deepStrictEqual(chain.tree.tip.hash, MAIN[5]!.node.hash)
    }))
})

describe("a header that is submitted", () => {
  it.live("is refused where it is cut short, stands on nothing known, or breaks a rule", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* started
      const next = plantOn(MAIN[5]!.node, 90).bytes.slice(0, 80)
      const answer = (bytes: Uint8Array) => Effect.flip(call("submitHeader", { bytes: bytes.slice() }))
      assert.deepStrictEqual(yield* answer(next.subarray(0, 79)), { _tag: "Undecodable", what: "header" })
      const orphan = next.slice()
      orphan.fill(9, 4, 36)
      assert.deepEqual(yield* answer(orphan), { _tag: "PreviousHeaderNotFound", previous: orphan.slice(4, 36) })
      const easy = next.slice()
      easy[72] = 1
      assert.strictEqual((yield* answer(easy))._tag, "HeaderRejected")
      assert.strictEqual(chain.tree.bestHeader.height, 6)
      yield* call("submitHeader", { bytes: new Uint8Array([...next, 1, 2, 3]) })
      assert.strictEqual(chain.tree.bestHeader.height, 7)
      const { hash, header } = chain.tree.bestHeader
      assert.deepStrictEqual([hash, header.bytes], [plantOn(MAIN[5]!.node, 90).node.hash, next])
    }))
})
