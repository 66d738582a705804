import type { Random } from "../../../../src/p2p/basics/environment.ts"
import { seededRandom } from "../../../../src/p2p/basics/seeded-random.ts"
import { BAD_ROLES } from "../peers/catalogue.ts"
import type { Plan, PlannedEvent, PlannedPeer, Timed } from "./plan.ts"

const all = (count: number): ReadonlyArray<number> => [...Array(count).keys()]
const pick = <A>({ below }: Random, items: ReadonlyArray<A>): A => items[below(items.length)]!
const oneIn = ({ below }: Random, n: number): boolean => below(n) === 0
const some = (random: Random, count: number): ReadonlyArray<number> => all(count).filter(() => oneIn(random, 2))

const DELAYS = [[1, 20], [20, 200], [5, 1_500]] as const

/** Some nodes, one at least. */
const targets = (random: Random, nodes: number): ReadonlyArray<number> => {
  const found = oneIn(random, 2) ? all(nodes) : some(random, nodes)
  return found.length === 0 ? [random.below(nodes)] : found
}

const honestPeers = (random: Random, nodes: number): ReadonlyArray<PlannedPeer> =>
  Array.from({ length: 2 + random.below(3) }, (_, i) => {
    const listens = i === 0 || oneIn(random, 2)
    return {
      role: i > 1 && oneIn(random, 2) ? "flaky" : "honest",
      listens,
      dials: !listens || i < 2 || oneIn(random, 2) ? targets(random, nodes) : [],
      isEmpty: i > 1 && oneIn(random, 4),
      // The first is quick, so that there is one.
      ...(i > 0 && oneIn(random, 3) ? { rate: pick(random, [0.5, 2, 10]) } : {})
    }
  })

const badPeers = (random: Random, nodes: number): ReadonlyArray<PlannedPeer> =>
  Array.from({ length: 3 + random.below(8) }, () => {
    const listens = oneIn(random, 2)
    return { role: pick(random, BAD_ROLES), listens, dials: !listens || oneIn(random, 2) ? targets(random, nodes) : [] }
  })

const eventsOf = (random: Random, plan: Omit<Plan, "events">): ReadonlyArray<Timed> => {
  const events: Array<Timed> = []
  const { honest, nodes, peers, seconds } = plan
  const miner = (): number => random.below(honest)
  const node = (): number => random.below(nodes)
  const now = (): number => random.below(seconds)
  const during = (most: number, make: () => PlannedEvent): void => {
    for (let i = random.below(most + 1); i > 0; i--) events.push({ at: now(), event: make() })
  }
  for (let at = 5; at < seconds; at += 1 + Math.floor(random.exponential(30))) {
    events.push({ at, event: { what: "mine", peer: miner(), loose: oneIn(random, 2) } })
  }
  during(4, () => ({ what: "branch", peer: miner(), depth: 1 + random.below(10), more: 1 + random.below(3) }))
  during(4, () => ({ what: "generate", node: node() }))
  during(12, () => ({ what: "transaction", peer: miner(), chained: random.below(4) }))
  during(6, () => ({ what: "drop", node: node(), peer: oneIn(random, 2) ? undefined : random.below(peers.length) }))
  during(3, () => ({ what: "crash", node: node(), seconds: 1 + random.below(60) }))
  during(1, () => ({ what: "offline", node: node(), seconds: 1 + random.below(100) }))
  during(1, () => ({ what: "low space", node: node(), seconds: 1 + random.below(100) }))
  during(2, () => ({ what: "stop", node: node(), seconds: 1 + random.below(60) }))
  for (let i = random.below(4); i > 0; i--) {
    const at = now()
    events.push({ at, event: { what: "partition", nodes: some(random, nodes), peers: some(random, peers.length) } })
    events.push({ at: at + 5 + random.below(120), event: { what: "heal" } })
  }
  return events.toSorted((a, b) => a.at - b.at)
}

/** What happens for this seed. `most`: seconds of trouble at most. */
export const planOf = (seed: number, most = 600): Plan => {
  const random = seededRandom(seed)
  const nodes = 2 + random.below(3)
  const good = honestPeers(random, nodes)
  const plan = {
    seed,
    nodes,
    base: oneIn(random, 12) ? 2_030 : pick(random, [120, 160, 260]),
    delay: pick(random, DELAYS),
    slowness: pick(random, [0, 1, 12]),
    fromOnePeer: oneIn(random, 6),
    // Hardly room for those that come, or plenty.
    connections: pick(random, [15, 18, 30]),
    hasIndex: oneIn(random, 3),
    seconds: Math.min(most, 180 + random.below(420)),
    peers: [...good, ...badPeers(random, nodes)],
    honest: good.length
  }
  return { ...plan, events: eventsOf(random, plan) }
}
