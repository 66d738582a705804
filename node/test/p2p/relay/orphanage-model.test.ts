import { assert, describe, it } from "vitest"
import { orphanage } from "../../../src/p2p/relay/orphanage/orphanage.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { idOf, madeOrphan, outpointOf } from "./made-orphan.ts"
import { naiveOrphanage } from "./naive-orphanage.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const RUNS = 6
const STEPS = 250
const PEERS = 6
const PARENTS = 8
const ORPHANS = 60

describe("the orphanage and one that counts everything anew", () => {
  it(`agree after every step (LOCKSTEP_SEED=${SEED})`, () => {
    for (let run = 0; run < RUNS; run++) {
      const random = seededRandom(SEED + run)
      const pick = (count: number): number => random.below(count)
      const kept = orphanage(seededRandom(SEED + run + 1_000))
      const naive = naiveOrphanage(seededRandom(SEED + run + 1_000))
      const isHeavy = run % 2 === 0
      const spends = (): ReadonlyArray<Uint8Array> =>
        Array.from({ length: 1 + pick(3) }, () => outpointOf(idOf(pick(PARENTS), 1), pick(3)))
      // So few that the same ones come from several peers; so large that some 20 are too many.
      const orphans = Array.from({ length: ORPHANS }, (_, value) =>
        madeOrphan(100 + value, {
          spends: spends(),
          inputs: isHeavy ? pick(30) : pick(3_000),
          weight: isHeavy ? 1 + pick(401_000) : 1 + pick(20_000)
        }))
      const steps: ReadonlyArray<readonly [weight: number, step: () => void]> = [
        [20, () => {
          const [orphan, peer] = [orphans[pick(ORPHANS)]!, pick(PEERS)]
          kept.add(orphan, peer)
          naive.add(orphan, peer)
        }],
        [2, () => {
          const parent = pick(PARENTS)
          kept.assignChildren(madeOrphan(parent))
          naive.assignChildren([0, 1, 2].map((vout) => outpointOf(idOf(parent, 1), vout)))
        }],
        [3, () => {
          const peer = pick(PEERS)
          const [a, b] = [kept.nextToTry(peer), naive.nextToTry(peer)]
          assert.strictEqual(a && hashKey(a.wtxid), b && hashKey(b.wtxid))
        }],
        [1, () => {
          const orphan = orphans[pick(ORPHANS)]!
          kept.remove(orphan.wtxid)
          naive.remove(orphan)
        }],
        [1, () => {
          const outpoint = outpointOf(idOf(pick(PARENTS), 1), pick(3))
          if (pick(3) > 0) return
          kept.removeSpenders(outpoint)
          naive.removeSpenders(outpoint)
        }],
        [1, () => {
          const peer = pick(PEERS)
          if (pick(3) > 0) return
          kept.gone(peer)
          naive.gone(peer)
        }]
      ]
      const drawn = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step))
      for (let i = 0; i < STEPS; i++) {
        drawn[pick(drawn.length)]!()
        const found = kept.all().map(({ announcers, transaction }) =>
          [hashKey(transaction.wtxid), [...announcers].toSorted((a, b) => a - b)] as const
        )
        assert.deepStrictEqual(found, naive.all(), `run ${run}, step ${i}`)
        assert.deepStrictEqual(kept.sizes(), naive.sizes())
        assert.deepStrictEqual(kept.peersWithWork().toSorted((a, b) => a - b), naive.peersWithWork())
        const [parent, peer] = [idOf(pick(PARENTS), 1), pick(PEERS)]
        assert.deepStrictEqual(
          kept.childrenFrom(parent, peer).map(({ wtxid }) => hashKey(wtxid)),
          naive.childrenFrom(parent, peer)
        )
      }
    }
  })
})
