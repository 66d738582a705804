import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { atRest } from "./at-rest.ts"
import { type Cast, happen, mine } from "./happenings.ts"
import { judgeEnd, judgeNow } from "./judge.ts"
import { judgeRelay } from "./judge-relay.ts"
import { simulatedNode } from "./node.ts"
import { ROLES } from "./peers/catalogue.ts"
import { type Offences, offences } from "./peers/offences.ts"
import { scriptedPeer } from "./peers/scripted-peer.ts"
import type { ScriptedPeer } from "./peers/behaviour.ts"
import type { Plan } from "./plan/plan.ts"
import { isAgreed } from "./agreement.ts"
import { makeWorld, publicPlaces, type World } from "./world.ts"

/** What came of a simulation. */
export interface Outcome {
  readonly faults: ReadonlyArray<string>
  /** The same whenever the same happened. */
  readonly digest: string
  readonly lines: number
  readonly last: ReadonlyArray<string>
  /** How many offences of each kind nodes noticed. */
  readonly noticed: ReadonlyMap<string, number>
  /** Seconds from the end of all trouble until all nodes agreed. */
  readonly agreedAfter: number | undefined
  readonly height: number
}

const SECOND = 1_000
/** Between two looks at everything. */
const LOOK = 500
/** Milliseconds from the end of trouble within which all nodes must agree. */
export const AGREEMENT = 15 * 60 * SECOND
/** Milliseconds between two blocks until then. */
const BLOCK_INTERVAL = 2 * 60 * SECOND

const enter = Effect.fnUntraced(
  function*(world: World, log: Offences): Effect.fn.Return<ReadonlyArray<ScriptedPeer>, never, Scope.Scope> {
    const { nodes, peers } = world.plan
    const places = publicPlaces(world.plan).slice(0, nodes)
    return yield* Effect.forEach(peers, ({ dials, isEmpty = false, listens, role }, index) =>
      scriptedPeer({
        world,
        index,
        kind: role,
        behaviour: { ...ROLES[role].behaviour(), isEmpty },
        dials: dials.map((node) => places[node]!),
        listens,
        offences: log
      }))
  }
)

/** Time passes, with a look at everything twice a second. */
const passing =
  (world: World, cast: Cast, log: Offences, due: Array<() => Promise<void>>) =>
  async (milliseconds: number): Promise<void> => {
    const { clock, pass } = world.time
    for (const end = clock.now() + milliseconds; clock.now() < end && world.faults.length === 0;) {
      await pass(Math.min(LOOK, end - clock.now()))
      for (const act of due.splice(0)) await act()
      log.judge(clock.now())
      judgeNow(world, cast)
    }
  }

type Pass = (milliseconds: number) => Promise<void>

const trouble = async (world: World, cast: Cast, pass: Pass, due: Array<() => Promise<void>>): Promise<void> => {
  const { plan: { events, seconds }, time: { clock } } = world
  const start = clock.now()
  for (const { at, event } of events) {
    if (at > seconds || world.faults.length > 0) break
    await pass(start + at * SECOND - clock.now())
    await happen(world, cast, event, due)
    await atRest()
  }
  await pass(start + seconds * SECOND - clock.now())
}

/** Everybody reaches everybody and all nodes are up: within a while they agree. Answers after how many seconds. */
const calm = async (world: World, cast: Cast, pass: Pass): Promise<number | undefined> => {
  const { network, time: { clock }, trace } = world
  trace.line("the trouble is over")
  network.heal()
  for (const node of cast.nodes) {
    node.setLow(false)
    if (node.running() === undefined) await node.start()
    node.running()!.p2p.connections.setActive(true)
  }
  const start = clock.now()
  await pass(10 * SECOND)
  for (let nextBlock: number = clock.now(); clock.now() - start < AGREEMENT && world.faults.length === 0;) {
    if (clock.now() >= nextBlock) {
      // Of two chains with as much work each node keeps the one it saw first: a node has to find the next block.
      mine(world, cast.peers[0]!, true)
      await atRest()
      nextBlock += BLOCK_INTERVAL
    }
    if (isAgreed(world, cast)) return (clock.now() - start) / SECOND
    await pass(SECOND)
  }
  return undefined
}

/** Plays the three acts; whatever is thrown on the way is a fault of its own. */
const play = async (world: World, cast: Cast, log: Offences): Promise<number | undefined> => {
  const due: Array<() => Promise<void>> = []
  const pass = passing(world, cast, log, due)
  try {
    for (const node of cast.nodes) await node.start()
    await trouble(world, cast, pass, due)
    const agreedAfter = await calm(world, cast, pass)
    if (agreedAfter !== undefined) await judgeRelay(world, cast, pass)
    await judgeEnd(world, cast, agreedAfter, pass)
    return agreedAfter
  } catch (error) {
    world.fault(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/** Plays a plan to its end. `eachLine` sees what happens. */
export const simulate = async (plan: Plan, eachLine?: (line: string) => void): Promise<Outcome> => {
  const world = makeWorld(plan, eachLine)
  const scope = Scope.makeUnsafe()
  try {
    const places = publicPlaces(plan)
    const nodes = Array.from({ length: plan.nodes }, (_, i) => simulatedNode(world, i, places))
    const log = offences(world, nodes)
    const peers = await Effect.runPromise(
      Scope.provide(enter(world, log), scope).pipe(Effect.provideService(Clock.Clock, world.time.effectClock))
    )
    const cast: Cast = { nodes, peers }
    const agreedAfter = await play(world, cast, log)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    return {
      faults: world.faults,
      digest: world.trace.digest(),
      lines: world.trace.count(),
      last: world.trace.last(),
      noticed: log.noticed,
      agreedAfter,
      height: peers[0]!.holdings.view.best().node.height
    }
  } finally {
    world.time.end()
  }
}
