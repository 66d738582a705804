import { assert, describe, it } from "@effect/vitest"
import { type StemGraph, stemGraph } from "../../../src/p2p/relay/dandelion/stem-graph.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const NODES = 200
const SPIES = 20
const OUTBOUND = 8
const SHARE = SPIES / NODES

/**
 * A bound for stems on one line that the spies do not know: 2p²/(1−p)·log(2/p), and 1/n for so many honest
 * nodes.
 */
const LINE_BOUND = (2 * SHARE ** 2 / (1 - SHARE)) * Math.log(2 / SHARE) + 1 / (NODES - SPIES)

type Run = (isStemming: boolean, seed: number) => number

/** Each honest node sends one transaction. Answers the precision of spies that name the first one to send it to them. */
const precision: Run = (isStemming, seed) => {
  const random = seededRandom(seed)
  // The last ones are spies.
  const isSpy = (node: number): boolean => node >= NODES - SPIES
  const outbound: ReadonlyArray<ReadonlyArray<number>> = Array.from({ length: NODES }, (_, node) => {
    const chosen = new Set<number>()
    while (chosen.size < OUTBOUND) {
      const other = random.below(NODES)
      if (other !== node) chosen.add(other)
    }
    return [...chosen]
  })
  const neighbours = outbound.map((own, node) => [
    ...own,
    ...outbound.flatMap((theirs, other) => theirs.includes(node) ? [other] : [])
  ])
  const graphs: ReadonlyArray<StemGraph> = outbound.map(() => stemGraph(random, 0.1))
  const now = unixMilliseconds(0)

  /** Who fluffs the transaction of a node, or hands it to a spy. */
  const stem = (source: number): { readonly last: number; readonly toSpy: boolean } => {
    let [from, node]: [number | "own", number] = ["own", source]
    for (let hops = 0; hops < 100; hops++) {
      const next: number | undefined = graphs[node]!.route(from, outbound[node]!, now)
      if (next === undefined) break
      if (isSpy(next)) return { last: node, toSpy: true }
      ;[from, node] = [node, next]
    }
    return { last: node, toSpy: false }
  }

  /** Who is the first to tell a spy, when a node announces to all. */
  const fluff = (source: number): number => {
    const due: Array<{ readonly at: number; readonly from: number; readonly to: number }> = []
    const reached = new Set<number>()
    const reach = (node: number, at: number): void => {
      reached.add(node)
      for (const to of neighbours[node]!) due.push({ at: at + random.exponential(2_000), from: node, to })
    }
    reach(source, 0)
    for (;;) {
      const next = due.reduce((least, each, i) => each.at < due[least]!.at ? i : least, 0)
      const [{ at, from, to }] = due.splice(next, 1) as [typeof due[number]]
      if (isSpy(to)) return from
      if (!reached.has(to)) reach(to, at)
    }
  }

  const named = Array.from({ length: NODES - SPIES }, (_, source) => {
    if (!isStemming) return fluff(source)
    const { last, toSpy } = stem(source)
    return toSpy ? last : fluff(last)
  })
  const counts = new Map<number, number>()
  for (const node of named) counts.set(node, (counts.get(node) ?? 0) + 1)
  const hits = named.map((node, source) => node === source ? 1 / counts.get(node)! : 0)
  return hits.reduce<number>((sum, hit) => sum + hit, 0) / named.length
}

const mean = (isStemming: boolean): number => {
  const runs = Array.from({ length: 8 }, (_, seed) => precision(isStemming, seed + 1))
  return runs.reduce((sum, each) => sum + each, 0) / runs.length
}

describe("200 nodes, of which a tenth are spies", () => {
  it("the first spy's guess is no better than on a line of stems, and far better without them", () => {
    const [stems, diffusion] = [mean(true), mean(false)]
    assert.isAtMost(stems, LINE_BOUND)
    assert.isAbove(stems, 0)
    assert.isAbove(diffusion, 2 * LINE_BOUND)
  })
})
