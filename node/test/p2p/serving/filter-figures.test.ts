import { assert, describe, it } from "@effect/vitest"
import { filterCounts } from "../../../src/p2p/serving/filter-figures.ts"
import { scriptedPeer } from "../sync/chain-model.ts"

const NONE = { cfilter: 0, cfheaders: 0, cfcheckpt: 0, merkleblock: 0 }

describe("answers about filters", () => {
  it("are counted for each peer and in all, and of a peer that is gone in all alone", () => {
    const [one, other] = [scriptedPeer(1, "inbound"), scriptedPeer(2, "inbound")]
    const counts = filterCounts()
    assert.deepStrictEqual([counts.of(one), counts.all()], [NONE, NONE])
    for (const [peer, answer] of [[one, "cfilter"], [one, "cfilter"], [other, "merkleblock"]] as const) {
      counts.count(peer, answer)
    }
    assert.deepStrictEqual(counts.of(one), { ...NONE, cfilter: 2 })
    assert.deepStrictEqual(counts.of(other), { ...NONE, merkleblock: 1 })
    assert.deepStrictEqual(counts.all(), { ...NONE, cfilter: 2, merkleblock: 1 })
    counts.forget(one)
    assert.deepStrictEqual(counts.of(one), NONE)
    assert.deepStrictEqual(counts.all(), { ...NONE, cfilter: 2, merkleblock: 1 })
  })
})
