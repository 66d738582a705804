import { assert, describe, it } from "@effect/vitest"
import { Field } from "@lockstep/conformance/formats/field.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import { displayHash } from "../../../src/hex.ts"
import { isLinked, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { modelOf } from "../../engine/model.ts"
import { pick, plant, type Planned, PLANTED_AT, type Random } from "../../engine/planted-blocks.ts"
import { randomFrom, viewOf } from "../../engine/session.ts"
import { answerTo, type VerdictRow } from "../../engine/verdict-rows.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { assertSameTree } from "./same-tree.ts"
import { settled, type TestP2pChain, testP2pChain } from "./test-p2p-chain.ts"

const SEEDS = [20_261_121, 20_261_122, 20_261_123, 20_261_124, 20_261_125, 20_261_126, 20_261_127, 20_261_128]

const rowOf = (number: number, op: string, { bytes, node }: Planned): VerdictRow => ({
  number,
  row: new Field({ op, hash: displayHash(node.hash) }, "random", `step ${number}`),
  bytes: () => bytes
})

const CHOICES = ["invalidateblock", "reconsiderblock", "preciousblock"]

/** Blocks that wait for one parent count in the order of headers in the model, of blocks here. */
const waitsWithOthers = ({ engine: { chain: { tree } } }: TestP2pChain, { node }: Planned): boolean => {
  const parent = nodeOf(tree, node.parent!.hash)
  return parent !== undefined && !isLinked(tree, parent) && tree.unlinked.has(parent.index)
}

/** Does one thing on both sides: an operator's choice, or a header or block, by RPC or from a peer. */
const step = Effect.fnUntraced(function*(
  number: number,
  parts: TestP2pChain,
  model: ReturnType<typeof modelOf>,
  planned: ReadonlyArray<Planned>,
  random: Random
) {
  const { chain, engine } = parts
  const { tree } = engine.chain
  const dice = random()
  const known = pick(planned, random)
  if (dice < 0.25 && nodeOf(tree, known.node.hash) !== undefined) {
    const row = rowOf(number, pick(CHOICES, random), known)
    model.perform(row)
    yield* answerTo(engine.call, row)
    return
  }
  const early = pick(planned.slice(0, Math.floor(tree.nodes.length * 1.3) + 3), random)
  const isHeader = dice < 0.4 || waitsWithOthers(parts, early)
  const row = rowOf(number, isHeader ? "submitheader" : "submitblock", early)
  model.perform(row)
  if (random() < 0.2) yield* answerTo(engine.call, row)
  else if (isHeader) yield* chain.acceptHeaders(early.bytes.slice(0, 80))
  else yield* chain.acceptBlock(early.bytes.slice(), true)
})

const compare = Effect.fnUntraced(function*(seed: number) {
  const random = randomFrom(seed)
  const planned = plant(40, random)
  const parts = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
  const model = modelOf(REGTEST.parameters, PLANTED_AT)
  for (let i = 0; i < 120; i++) {
    const what = `seed ${seed}, step ${i}`
    yield* step(i, parts, model, planned, random)
    // Whatever has been answered is seen; the rest when nothing is under way.
    if (random() < 0.5) yield* parts.engine.call("chainTips", undefined)
    assertSameTree(parts.engine, parts.chain, what)
    yield* settled(parts.engine)
    assertSameTree(parts.engine, parts.chain, what)
    assert.deepStrictEqual(viewOf(parts.engine), model.view(), what)
    assert.deepStrictEqual(parts.chain.state().hash, parts.chain.tree.tip.hash, what)
  }
}, Effect.scoped)

describe("trees at random", () => {
  it.live(
    "peers' blocks lead where submitted ones lead, and the network layer's copy is the engine's tree",
    () =>
      Effect.gen(function*() {
        for (const seed of SEEDS) yield* compare(seed)
      })
  )
})
