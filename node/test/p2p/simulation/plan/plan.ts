import type { Chance } from "../../../../src/p2p/environment.ts"
import { seededChance } from "../../../../src/p2p/seeded-chance.ts"
import { BAD_ROLES, type RoleName } from "../peers/catalogue.ts"

export interface PlannedPeer {
  readonly role: RoleName
  readonly listens: boolean
  /** Nodes that it connects to, by their number. */
  readonly dials: ReadonlyArray<number>
  /** Bytes a millisecond that it sends; none: any. */
  readonly rate?: number
  /** Whether it has no blocks at the start. */
  readonly isEmpty?: boolean
}

/** Something that happens at a time, to nodes or peers by their number. */
export type PlannedEvent =
  | { readonly what: "mine"; readonly peer: number; readonly loose: boolean }
  | { readonly what: "branch"; readonly peer: number; readonly depth: number; readonly more: number }
  | { readonly what: "generate"; readonly node: number }
  | { readonly what: "transaction"; readonly peer: number; readonly chained: number }
  | { readonly what: "partition"; readonly nodes: ReadonlyArray<number>; readonly peers: ReadonlyArray<number> }
  | { readonly what: "heal" }
  | { readonly what: "drop"; readonly node: number; readonly peer: number | undefined }
  | { readonly what: "offline"; readonly node: number; readonly seconds: number }
  | { readonly what: "low space"; readonly node: number; readonly seconds: number }
  | { readonly what: "crash"; readonly node: number; readonly seconds: number }
  | { readonly what: "stop"; readonly node: number; readonly seconds: number }

export interface Timed {
  /** Seconds from the start. */
  readonly at: number
  readonly event: PlannedEvent
}

/** All that a seed decides beforehand. */
export interface Plan {
  readonly seed: number
  readonly nodes: number
  /** Blocks of the chain that is there at the start. */
  readonly base: number
  /** Milliseconds that a message is on its way. */
  readonly delay: readonly [least: number, most: number]
  readonly slowness: number
  readonly fromOnePeer: boolean
  /** Connections of a node. */
  readonly connections: number
  /** Whether nodes keep statistics of their coins. */
  readonly hasIndex: boolean
  /** Seconds of trouble, after which everybody reaches everybody. */
  readonly seconds: number
  /** Honest peers come first. */
  readonly peers: ReadonlyArray<PlannedPeer>
  readonly honest: number
  readonly events: ReadonlyArray<Timed>
}

const all = (count: number): ReadonlyArray<number> => [...Array(count).keys()]
const pick = <A>({ below }: Chance, items: ReadonlyArray<A>): A => items[below(items.length)]!
const oneIn = ({ below }: Chance, n: number): boolean => below(n) === 0
const some = (chance: Chance, count: number): ReadonlyArray<number> => all(count).filter(() => oneIn(chance, 2))

const DELAYS = [[1, 20], [20, 200], [5, 1_500]] as const

/** Some nodes, one at least. */
const targets = (chance: Chance, nodes: number): ReadonlyArray<number> => {
  const found = oneIn(chance, 2) ? all(nodes) : some(chance, nodes)
  return found.length === 0 ? [chance.below(nodes)] : found
}

const honestPeers = (chance: Chance, nodes: number): ReadonlyArray<PlannedPeer> =>
  Array.from({ length: 2 + chance.below(3) }, (_, i) => {
    const listens = i === 0 || oneIn(chance, 2)
    return {
      role: i > 1 && oneIn(chance, 2) ? "flaky" : "honest",
      listens,
      dials: !listens || i < 2 || oneIn(chance, 2) ? targets(chance, nodes) : [],
      isEmpty: i > 1 && oneIn(chance, 4),
      // The first is quick, so that there is one.
      ...(i > 0 && oneIn(chance, 3) ? { rate: pick(chance, [0.5, 2, 10]) } : {})
    }
  })

const badPeers = (chance: Chance, nodes: number): ReadonlyArray<PlannedPeer> =>
  Array.from({ length: 3 + chance.below(8) }, () => {
    const listens = oneIn(chance, 2)
    return { role: pick(chance, BAD_ROLES), listens, dials: !listens || oneIn(chance, 2) ? targets(chance, nodes) : [] }
  })

const eventsOf = (chance: Chance, plan: Omit<Plan, "events">): ReadonlyArray<Timed> => {
  const events: Array<Timed> = []
  const { honest, nodes, peers, seconds } = plan
  const miner = (): number => chance.below(honest)
  const node = (): number => chance.below(nodes)
  const now = (): number => chance.below(seconds)
  const during = (most: number, make: () => PlannedEvent): void => {
    for (let i = chance.below(most + 1); i > 0; i--) events.push({ at: now(), event: make() })
  }
  for (let at = 5; at < seconds; at += 1 + Math.floor(chance.exponential(30))) {
    events.push({ at, event: { what: "mine", peer: miner(), loose: oneIn(chance, 2) } })
  }
  during(4, () => ({ what: "branch", peer: miner(), depth: 1 + chance.below(10), more: 1 + chance.below(3) }))
  during(4, () => ({ what: "generate", node: node() }))
  during(12, () => ({ what: "transaction", peer: miner(), chained: chance.below(4) }))
  during(6, () => ({ what: "drop", node: node(), peer: oneIn(chance, 2) ? undefined : chance.below(peers.length) }))
  during(3, () => ({ what: "crash", node: node(), seconds: 1 + chance.below(60) }))
  during(1, () => ({ what: "offline", node: node(), seconds: 1 + chance.below(100) }))
  during(1, () => ({ what: "low space", node: node(), seconds: 1 + chance.below(100) }))
  during(2, () => ({ what: "stop", node: node(), seconds: 1 + chance.below(60) }))
  for (let i = chance.below(4); i > 0; i--) {
    const at = now()
    events.push({ at, event: { what: "partition", nodes: some(chance, nodes), peers: some(chance, peers.length) } })
    events.push({ at: at + 5 + chance.below(120), event: { what: "heal" } })
  }
  return events.toSorted((a, b) => a.at - b.at)
}

/** What happens for this seed. `most`: seconds of trouble at most. */
export const planOf = (seed: number, most = 600): Plan => {
  const chance = seededChance(seed)
  const nodes = 2 + chance.below(3)
  const good = honestPeers(chance, nodes)
  const plan = {
    seed,
    nodes,
    base: oneIn(chance, 12) ? 2_030 : pick(chance, [120, 160, 260]),
    delay: pick(chance, DELAYS),
    slowness: pick(chance, [0, 1, 12]),
    fromOnePeer: oneIn(chance, 6),
    // Hardly room for those that come, or plenty.
    connections: pick(chance, [15, 18, 30]),
    hasIndex: oneIn(chance, 3),
    seconds: Math.min(most, 180 + chance.below(420)),
    peers: [...good, ...badPeers(chance, nodes)],
    honest: good.length
  }
  return { ...plan, events: eventsOf(chance, plan) }
}

/** The plan in a few lines. */
export const planText = ({ base, connections, delay, events, fromOnePeer, nodes, peers, seconds, seed, slowness }: Plan): string => {
  const counts = new Map<string, number>()
  for (const { event: { what } } of events) counts.set(what, (counts.get(what) ?? 0) + 1)
  return [
    `seed ${seed}: ${nodes} nodes, ${base} blocks, ${seconds} s of trouble, delays ${delay.join(" to ")} ms, slowness ${slowness} ms, ` +
    `${connections} connections` +
    (fromOnePeer ? ", blocks from one peer" : ""),
    `  peers: ${peers.map(({ dials, listens, rate, role }, i) =>
      `${i} ${role}${listens ? " listens" : ""}${dials.length > 0 ? ` dials ${dials.join("+")}` : ""}${rate === undefined ? "" : ` ${rate} bytes/ms`}`).join(", ")}`,
    `  events: ${[...counts].map(([what, count]) => `${count} ${what}`).join(", ")}`
  ].join("\n")
}
