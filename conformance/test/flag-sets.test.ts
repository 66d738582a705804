import { ScriptFlag } from "@lockstep/kernel/internal/script/flags.ts"
import { assert, describe, it } from "vitest"
import {
  CONSENSUS_SETS,
  isCoherent,
  lessOne,
  probes,
  withoutUnsupported,
  withRequired
} from "../src/judge/flag-sets.ts"

const { CLEANSTACK, DERSIG, P2SH, WITNESS } = ScriptFlag

describe("sets of flags", () => {
  it("brings along what a flag needs, or drops what lacks it", () => {
    assert.strictEqual(withRequired(CLEANSTACK | DERSIG), CLEANSTACK | WITNESS | P2SH | DERSIG)
    assert.strictEqual(withoutUnsupported(CLEANSTACK | WITNESS | DERSIG), DERSIG)
    assert.isFalse(isCoherent(WITNESS))
    assert.isTrue(isCoherent(WITNESS | P2SH))
  })

  it("leaves out each flag in turn, with what needs it", () => {
    assert.deepStrictEqual(lessOne(P2SH | WITNESS | DERSIG), [DERSIG | 0, P2SH | WITNESS, P2SH | DERSIG])
  })

  it("knows the 64 sets of consensus flags that make sense", () => {
    assert.strictEqual(CONSENSUS_SETS.length, 64)
    assert.strictEqual(new Set(CONSENSUS_SETS).size, 64)
  })

  it("probes the same sets on every run, and other ones for another seed", () => {
    assert.deepStrictEqual(probes(7), probes(7))
    assert.notDeepEqual(probes(7), probes(8))
  })
})
