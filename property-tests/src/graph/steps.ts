import { compareDiagrams } from "@lockstep/txgraph"
import { diagramOrder } from "../oracles/linearization.ts"
import {
  isWithin,
  naiveAncestors,
  naiveClusters,
  naiveDescendants,
  naiveDiagram,
  type NaiveGraph,
  naiveTrim,
  withDependency,
  withFee,
  without
} from "../oracles/tx-graph.ts"
import { ascending, FEW, wrongState, wrongWhenRebuilt } from "./judge.ts"
import {
  type Addition,
  additionsFor,
  handles,
  keysOf,
  naiveWith,
  noteAdded,
  noteRemoved,
  type Players
} from "./players.ts"

/** One step of a history. Picks choose among what is there then, so any numbers make a step. */
export interface GraphStep {
  readonly kind: number
  readonly picks: ReadonlyArray<number>
  readonly fees: ReadonlyArray<number>
  readonly sizes: ReadonlyArray<number>
}

type Play = (at: Players, step: GraphStep) => string | undefined

const picked = (keys: ReadonlyArray<number>, picks: ReadonlyArray<number>): ReadonlyArray<number> =>
  keys.length === 0 ? [] : [...new Set(picks.map((pick) => keys[pick % keys.length]!))]

/** What is there, the newest first: small picks make long chains. */
const live = (at: Players): ReadonlyArray<number> => [...at.naive.keys()].toReversed()

/** Tries changes, compares what the graph says about them, and makes them if they fit. */
const change = (at: Players, additions: ReadonlyArray<Addition>, gone: ReadonlySet<number>): string | undefined => {
  const { graph, keys: first, limits } = at
  const changes = { removals: handles(at, gone), additions: additionsFor(at, additions, first) }
  const after = naiveWith(without(at.naive, gone), additions, first)
  const clusters = naiveClusters(after)
  const expected = clusters.every((cluster) => isWithin(cluster, limits))
  if (graph.fits(changes) !== expected) return `fits: ${!expected}, expected ${expected}`
  const before = gone.size > 0 ? [...graph.miningOrder()] : undefined
  const wrong = limits.transactions <= FEW ? wrongDiagrams(at, after, gone, additions, expected) : undefined
  if (wrong !== undefined) return wrong
  if (before !== undefined && before.join() !== [...graph.miningOrder()].join()) return "a look changed the order"
  const added = graph.apply(changes)
  if ((added === undefined) === expected) return `applied: ${!expected}, expected ${expected}`
  if (added === undefined) return undefined
  noteRemoved(at, gone)
  noteAdded(at, added)
  at.naive = after
  return undefined
}

const wrongDiagrams = (
  at: Players,
  after: NaiveGraph,
  gone: ReadonlySet<number>,
  additions: ReadonlyArray<Addition>,
  fits: boolean
): string | undefined => {
  const { keys: first } = at
  const said = at.graph.diagrams({ removals: handles(at, gone), additions: additionsFor(at, additions, first) })
  if ((said !== undefined) !== fits) return `diagrams of what does ${fits ? "" : "not "}fit`
  if (said === undefined) return undefined
  const touched = new Set([...gone, ...additions.flatMap(({ parents }) => parents)].filter((key) => key < first))
  const neighbours = naiveClusters(at.naive).filter((cluster) => cluster.some(({ key }) => touched.has(key))).flat()
  const wanted = [
    naiveDiagram(at.naive, touched),
    naiveDiagram(after, new Set([...neighbours.map(({ key }) => key), ...additions.map((_, i) => first + i)]))
  ] as const
  const plain = wanted.map((chunks) => chunks.map(({ fee, size }) => ({ fee: Number(fee), size: Number(size) })))
  if (JSON.stringify([said.before, said.after]) !== JSON.stringify(plain)) {
    return `diagrams: ${JSON.stringify(said)}, expected ${JSON.stringify(plain)}`
  }
  const order = compareDiagrams(said.after, said.before)
  return order === diagramOrder(wanted[1], wanted[0]) ? undefined : `the new diagram is said to be ${order}`
}

const addOne: Play = (at, { fees, picks, sizes }) =>
  change(at, [{ fee: fees[0]!, size: sizes[0]!, parents: picked(live(at), picks) }], new Set())

/** Several at once, each spending the one before it and maybe more. */
const addPackage: Play = (at, { fees, picks, sizes }) => {
  const first = at.keys
  const keys = live(at)
  const additions = fees.map((fee, i): Addition => ({
    fee,
    size: sizes[i]!,
    parents: [...picked(keys, picks.slice(i, i + 1)), ...(i > 0 ? [first + i - 1] : [])]
  }))
  return change(at, additions, new Set())
}

const replace: Play = (at, { fees, picks, sizes }) => {
  const gone = naiveDescendants(at.naive, picked(live(at), picks.slice(0, 2)))
  const parents = picked(live(at), picks.slice(2)).filter((key) => !gone.has(key))
  return change(at, [{ fee: fees[0]!, size: sizes[0]!, parents }], gone)
}

const drop = (at: Players, gone: ReadonlySet<number>): undefined => {
  at.graph.remove(handles(at, gone))
  at.naive = without(at.naive, gone)
  noteRemoved(at, gone)
}

const confirm: Play = (at, { picks }) => drop(at, naiveAncestors(at.naive, picked(live(at), picks)))

const removeAny: Play = (at, { picks }) => drop(at, new Set(picked(live(at), picks)))

const evict: Play = (at) => {
  const worst = at.graph.worstChunk()
  return worst === undefined ? undefined : drop(at, new Set(keysOf(at, at.graph.chunk(worst).transactions)))
}

const prioritise: Play = (at, { fees, picks }) => {
  for (const key of picked(live(at), picks.slice(0, 2))) {
    at.graph.setFee(at.handleOf.get(key)!, fees[0]!)
    at.naive = withFee(at.naive, key, fees[0]!)
  }
  return undefined
}

/** What was spent already comes back: dependencies to transactions that are there, as far as they make no circle. */
const resurrect: Play = (at, { fees, picks, sizes }) => {
  const keys = live(at)
  const key = at.keys
  const wrong = change(at, [{ fee: fees[0]!, size: sizes[0]!, parents: picked(keys, picks.slice(0, 1)) }], new Set())
  if (wrong !== undefined || !at.naive.has(key)) return wrong
  const parents = [key, ...picked(keys, picks.slice(1, 3))]
  const dependencies: Array<readonly [number, number]> = []
  let grown = at.naive
  for (const [i, child] of picked(keys, picks.slice(1)).entries()) {
    const parent = parents[i % parents.length]!
    if (parent === child || grown.get(parent)!.ancestors.has(child)) continue
    dependencies.push([parent, child])
    grown = withDependency(grown, parent, child)
  }
  return connect(at, dependencies, grown)
}

const connect = (
  at: Players,
  dependencies: ReadonlyArray<readonly [number, number]>,
  grown: NaiveGraph
): string | undefined => {
  const tooLarge = naiveClusters(grown).filter((cluster) => !isWithin(cluster, at.limits))
  // The old orders are the graph's own: what they must be is judged after every step.
  const wanted = tooLarge.flatMap((cluster) => {
    const keys = new Set(cluster.map(({ key }) => key))
    const old = naiveClusters(at.naive).filter(([entry]) => keys.has(entry!.key))
    const orders = old.map(([entry]) =>
      keysOf(at, at.graph.cluster(at.handleOf.get(entry!.key)!).flatMap(({ transactions }) => transactions))
        .map((key) => at.naive.get(key)!)
    )
    return [...naiveTrim(orders, dependencies.filter(([parent]) => keys.has(parent)), at.limits)]
  })
  const said = at.graph.connect(
    dependencies.map(([parent, child]) => ({ parent: at.handleOf.get(parent)!, child: at.handleOf.get(child)! }))
  )
  const gone = keysOf(at, said)
  if (ascending(gone).join() !== ascending(wanted).join()) {
    return `cut off: ${ascending(gone).join()}, expected ${ascending(wanted).join()}`
  }
  at.naive = without(grown, new Set(gone))
  noteRemoved(at, gone)
  return undefined
}

const workABit: Play = (at, { fees }) => {
  at.graph.work(Math.abs(fees[0]!) % 3_000)
  return undefined
}

const PLAYS: ReadonlyArray<Play> = [
  addOne,
  addOne,
  addOne,
  addPackage,
  replace,
  confirm,
  removeAny,
  evict,
  prioritise,
  resurrect,
  workABit
]

/** Kinds of steps there are. */
export const STEP_KINDS: number = PLAYS.length

/** Takes a step on both graphs; answers how they differ then. */
export const playStep = (at: Players, step: GraphStep): string | undefined => PLAYS[step.kind % PLAYS.length]!(at, step)

/** Takes steps on both graphs, comparing everything after each `every` of them and at the end, and builds it again. */
export const playSteps = (at: Players, steps: ReadonlyArray<GraphStep>, every: number): string | undefined => {
  for (const [i, step] of steps.entries()) {
    const wrong = playStep(at, step) ?? ((i + 1) % every === 0 || i + 1 === steps.length ? wrongState(at) : undefined)
    if (wrong !== undefined) return `step ${i}, kind ${step.kind % PLAYS.length}: ${wrong}`
  }
  return wrongWhenRebuilt(at)
}
