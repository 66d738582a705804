import { assert, describe, it } from "@effect/vitest"
import { Field } from "@lockstep/conformance/formats/field.ts"
import type { HeaderNode } from "@lockstep/kernel/chain"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import { displayHash } from "../../src/hex.ts"
import { type HeaderIndex, isLinked, nodeOf } from "../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { modelOf } from "./model.ts"
import { pick, plant, type Planned, PLANTED_AT, type Random } from "./planted-blocks.ts"
import { closeSession, forgetsAnOrder, openSession, randomFrom, reopen, viewOf } from "./session.ts"
import { answerTo, setFacts, type VerdictRow } from "./verdict-rows.ts"
import { patience } from "../process/patience.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)

const rowOf = (number: number, op: string, { bytes, node }: Planned): VerdictRow => ({
  number,
  row: new Field({ op, hash: displayHash(node.hash) }, "random", `step ${number}`),
  bytes: () => bytes
})

const CHOICES = ["invalidateblock", "reconsiderblock", "preciousblock"]

/**
 * Whether `tree` has a block that waits for the same ancestor as `node`'s would. In which order two such blocks count
 * as seen depends on whether headers or blocks are counted; the model counts headers, the engine, as the reference
 * node, blocks.
 */
const waitsWithOthers = (tree: HeaderIndex, node: HeaderNode): boolean => {
  const parent = nodeOf(tree, node.parent!.hash)
  return parent !== undefined && !isLinked(tree, parent) && tree.unlinked.has(parent.index)
}

/** Which call comes next: mostly a block, now and then a header alone or an operator's choice among known blocks. */
const nextRow = (number: number, planned: ReadonlyArray<Planned>, tree: HeaderIndex, random: Random): VerdictRow => {
  const chosen = pick(planned, random)
  const dice = random()
  if (dice < 0.25 && nodeOf(tree, chosen.node.hash) !== undefined) return rowOf(number, pick(CHOICES, random), chosen)
  const early = pick(planned.slice(0, Math.floor(tree.nodes.length * 1.3) + 3), random)
  return rowOf(number, dice < 0.4 || waitsWithOthers(tree, early.node) ? "submitheader" : "submitblock", early)
}

const compareChains = Effect.fnUntraced(function*(seed: number) {
  const random = randomFrom(seed)
  const planned = plant(40, random)
  const session = yield* openSession({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
  const model = modelOf(REGTEST.parameters, PLANTED_AT)
  for (let i = 0; i < 150; i++) {
    const what = `seed ${seed}, step ${i}`
    if (random() < 0.2 && !forgetsAnOrder(session.engine.chain.tree)) {
      yield* session.engine.call("flush", undefined)
      yield* reopen(session, PLANTED_AT)
      model.restart()
      assert.deepStrictEqual(viewOf(session.engine), model.view(), `${what}: restart`)
    }
    const row = nextRow(i, planned, session.engine.chain.tree, random)
    const answer = yield* answerTo(session.engine.call, row)
    assert.strictEqual(answer, model.perform(row), `${what}: ${row.row.get("op").text}`)
    assert.deepStrictEqual(viewOf(session.engine), model.view(), what)
    if (i % 25 === 0) assert.include(yield* setFacts(session.engine.call), model.muHash(), what)
  }
  assert.include(yield* setFacts(session.engine.call), model.muHash(), `seed ${seed}`)
  yield* closeSession(session)
}, Effect.scoped)

describe("chains at random", () => {
  it.live(`the engine does what the model does, from seed ${SEED} on`, () =>
    Effect.gen(function*() {
      for (let i = 0; i < 25; i++) yield* compareChains(SEED + i)
    }), patience(240_000))
})
