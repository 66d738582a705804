import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { invalidateBlock } from "../../../src/engine/validation/manual-choice.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const MAIN = plantChain(plantedRoot(), 6)
/** Of equal work as the tip, and of one block less. */
const EQUAL = plantChain(MAIN[3]!.node, 2, 40)
const LESS = plantChain(MAIN[3]!.node, 1, 60)

const started = Effect.gen(function*() {
  const engine = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
  for (const { bytes } of [...MAIN, ...EQUAL, ...LESS]) yield* engine.call("submitBlock", { bytes: bytes.slice() })
  return engine
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
    }))
})
