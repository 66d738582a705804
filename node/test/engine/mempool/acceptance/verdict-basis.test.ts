import { assert, describe, it } from "vitest"
import type { MempoolCandidate } from "../../../../src/engine/mempool/acceptance/candidate.ts"
import type { Rig } from "../../../../src/engine/mempool/acceptance/rig.ts"
import { basisOf, hasSameBasis, standsAlone } from "../../../../src/engine/mempool/acceptance/verdict-basis.ts"
import { idOf, outputOf } from "../loose-transactions.ts"
import { add, coin, emptyMempool, spend } from "../../txmempool/mempools.ts"

const place = () => {
  const state = emptyMempool()
  const engine = { tree: { tip: { height: 1 } } }
  let fee = 0
  const rig = { engine, state, foreseenMinimumFee: () => fee } as unknown as Rig
  const tx = spend([coin(1), coin(2)])
  const candidate = { tx, txid: idOf(tx), conflicts: [], parents: new Map() } as unknown as MempoolCandidate
  return { candidate, engine, rig, state, tx, setFee: (to: number) => void (fee = to) }
}

describe("a verdict on a transaction", () => {
  it("rests on the tip, on what a full mempool asks for, and on what the operator added", () => {
    const { candidate, engine, rig, setFee, state } = place()
    const basis = basisOf(rig, candidate)
    assert.isTrue(hasSameBasis(rig, candidate, basis))
    const { tip } = engine.tree
    engine.tree.tip = { height: 1 }
    assert.isFalse(hasSameBasis(rig, candidate, basis))
    engine.tree.tip = tip
    setFee(1)
    assert.isFalse(hasSameBasis(rig, candidate, basis))
    setFee(0)
    state.prioritise(candidate.txid, 1n)
    assert.isFalse(hasSameBasis(rig, candidate, basis))
    state.prioritise(candidate.txid, -1n)
    assert.isTrue(hasSameBasis(rig, candidate, basis))
  })

  it("holds whatever else comes, where the transaction met no other and meets none", () => {
    const { candidate, rig, state, tx } = place()
    add(state, spend([coin(7)]), 100)
    assert.isTrue(standsAlone(rig, candidate))
    assert.isFalse(standsAlone(rig, { ...candidate, conflicts: [1] } as unknown as MempoolCandidate))
    assert.isFalse(standsAlone(rig, { ...candidate, parents: new Map([[1, tx]]) } as unknown as MempoolCandidate))
  })

  it("does not where another one has come that it meets", () => {
    for (const other of ["conflict", "parent", "itself"] as const) {
      const { candidate, rig, state, tx } = place()
      const parent = spend([coin(5)])
      const child = spend([coin(1), outputOf(parent)])
      add(state, other === "conflict" ? spend([coin(2)], 1) : other === "parent" ? parent : tx, 100)
      const met = other === "parent" ? { ...candidate, tx: child, txid: idOf(child) } : candidate
      assert.isFalse(standsAlone(rig, met), other)
    }
  })
})
