import { assert } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import type { EngineOptions } from "../../../src/engine/options/engine-options.ts"
import { bestCandidate } from "../../../src/engine/header-index/candidates.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testP2pChain, type TestP2pChain } from "../chain/test-p2p-chain.ts"
import { NODE, testLayer, type TestLayer } from "../connections/test-layer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { coreNode, type CoreNode } from "./core-node.ts"
import { type CoreTraits, hex } from "./core-state.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

/** When these worlds begin, in seconds. */
export const BEGINNING = 1_700_193_573

/** A chain, and what has it: the node under test or a model. */
export interface Inhabitant {
  readonly engine: RunningEngine
  readonly chain: TestP2pChain
}

export interface CoreInhabitant extends Inhabitant, CoreNode {
  readonly at: Endpoint
  /** Milliseconds by which its clock is ahead of the world's. */
  readonly clock: { ahead: number }
}

/** Our node with a real engine among models of Bitcoin Core with real engines. */
export interface CoreWorld {
  readonly layer: TestLayer
  readonly ours: Inhabitant
  readonly cores: Array<CoreInhabitant>
  /** How often a block was mined. */
  mined: number
}

/** Which side opens the connection. */
export type Direction = "Core connects to us" | "we connect to Core"
export const DIRECTIONS: ReadonlyArray<Direction> = ["Core connects to us", "we connect to Core"]

const chainAt = (options: Partial<EngineOptions>): Effect.Effect<TestP2pChain, unknown, Scope.Scope> =>
  Effect.flatMap(temporaryDirectory, (directory) => testP2pChain({ directory, mockTime: BEGINNING, options }))

export const coreWorld = Effect.fnUntraced(
  function*(options: Partial<EngineOptions> = {}): Effect.fn.Return<CoreWorld, unknown, Scope.Scope> {
    const chain = yield* chainAt(options)
    const layer = yield* testLayer({ chain: chain.chain, target: 0 })
    return { layer, ours: { engine: chain.engine, chain }, cores: [], mined: 0 }
  }
)

/** One more model, at an address of its own. */
export const addCore = Effect.fnUntraced(function*(
  world: CoreWorld,
  traits: Partial<CoreTraits> = {},
  options: Partial<EngineOptions> = {}
): Effect.fn.Return<CoreInhabitant, unknown, Scope.Scope> {
  const chain = yield* chainAt(options)
  const at = endpoint(`${8 + world.cores.length}.1.1.1:18444`)
  const transport = world.layer.world.transport(at.address)
  const clock = { ahead: 0 }
  const environment = {
    now: () => unixMilliseconds(world.layer.clock.now() + clock.ahead),
    random: seededRandom(31 + world.cores.length)
  }
  const node = coreNode({ chain: chain.chain, environment, transport, traits })
  yield* transport.listen(at, node.accept)
  const core: CoreInhabitant = { ...node, engine: chain.engine, chain, at, clock }
  world.cores.push(core)
  return core
})

const yieldToEventLoop: Effect.Effect<void> = Effect.promise(async () => {
  for (let i = 0; i < 8; i++) await new Promise((resolve) => setImmediate(resolve))
})

const isBusy = ({ engine: { chain: { tree } } }: Inhabitant): boolean => bestCandidate(tree) !== tree.tip

/**
 * Lets time pass in steps of a tick, with all models at work; the engines' time is not the world's, so they are waited
 * for.
 */
export const pass = Effect.fnUntraced(function*({ cores, layer, ours }: CoreWorld, milliseconds: number, step = 100) {
  for (const end = layer.clock.now() + milliseconds; layer.clock.now() < end;) {
    layer.clock.advanceTo(layer.clock.now() + step)
    yield* TestClock.adjust(step)
    yield* yieldToEventLoop
    for (const core of cores) yield* core.turn
    for (let i = 0; i < 200 && [ours, ...cores].some(isBusy); i++) yield* yieldToEventLoop
  }
})

/** Lets time pass until something holds, and says what the models have to complain about when it does not. */
export const until = Effect.fnUntraced(
  function*(world: CoreWorld, what: string, holds: () => boolean, milliseconds = 60_000) {
    for (let waited = 0; waited < milliseconds && !holds(); waited += 100) yield* pass(world, 100)
    assert.isTrue(holds(), `${what}; let go: ${world.cores.flatMap(({ state }) => state.dropped).join(", ")}`)
  }
)

/** Connects the two, and waits for both handshakes. */
export const link = Effect.fnUntraced(function*(world: CoreWorld, core: CoreInhabitant, direction: Direction) {
  if (direction === "Core connects to us") yield* core.dial(NODE)
  else world.layer.connections.manual.add(endpointText(core.at))
  yield* until(world, "the handshake is complete", () => core.open().some(({ isReady }) => isReady), 5_000)
})

/** Ends all connections between them, and forgets about new ones. */
export const unlink = Effect.fnUntraced(function*(world: CoreWorld, core: CoreInhabitant) {
  world.layer.connections.manual.remove(endpointText(core.at))
  world.layer.world.drop(NODE.address, core.at.address)
  yield* pass(world, 300)
})

export const tipOf = ({ chain: { chain } }: Inhabitant): string => hex(chain.tree.tip.hash)
export const heightOf = ({ chain: { chain } }: Inhabitant): number => chain.tree.tip.height

export const untilSame = (world: CoreWorld, a: Inhabitant, b: Inhabitant, milliseconds?: number) =>
  until(world, `the same tip (${heightOf(a)} and ${heightOf(b)} now)`, () => tipOf(a) === tipOf(b), milliseconds)

/**
 * Anyone can spend it; another one each time, since the clock of the engines stands and no two blocks are to be the
 * same.
 */
const scriptOf = (world: CoreWorld): Uint8Array => {
  const number = world.mined++
  return Uint8Array.of(0x02, number & 0xff, number >> 8, 0x75, 0x51)
}

/** Blocks by one of them, on its own tip. `script`: where the reward goes, if that matters. */
export const mineAt = (world: CoreWorld, who: Inhabitant, blocks: number, script: Uint8Array = scriptOf(world)) =>
  who.engine.call("generate", { script, blocks, maxTries: 1_000_000, transactions: [], submit: true })

/** One block with these transactions. */
export const mineWith = (world: CoreWorld, who: Inhabitant, transactions: ReadonlyArray<Transaction>) =>
  who.engine.call("generate", {
    script: scriptOf(world),
    blocks: 1,
    maxTries: 1_000_000,
    transactions: transactions.map(({ bytes }) => new Uint8Array(bytes)),
    submit: true
  })

/** Gives one all blocks of the other's best chain. */
export const copyChain = Effect.fnUntraced(function*(from: Inhabitant, to: Inhabitant) {
  const { chain } = from.chain
  for (let height = 1; height <= chain.tree.tip.height; height++) {
    yield* to.chain.chain.acceptBlock((yield* chain.blockBytes(activeAt(chain.tree, height)!))!.slice(), true)
  }
  while (isBusy(to)) yield* yieldToEventLoop
})

/** As `setmocktime`, in seconds. */
export const setClock = ({ engine }: Inhabitant, seconds: number) => engine.call("setMockTime", { time: seconds })

/** As `invalidateblock` on the block that is so deep: 1 is the tip. */
export const invalidateAt = (who: Inhabitant, depth: number) => {
  const { tree } = who.chain.chain
  return who.engine.call("invalidateBlock", { hash: activeAt(tree, tree.tip.height - depth + 1)!.hash.slice() })
}

/** No peer did anything that Bitcoin Core does not accept, or finds odd. */
export const assertGood = ({ cores, layer, ours }: CoreWorld): void => {
  assert.deepStrictEqual(cores.flatMap(({ state: { dropped } }) => dropped), [])
  assert.deepStrictEqual(cores.flatMap(({ state: { oddities } }) => oddities), [])
  assert.deepStrictEqual(layer.lines.filter(({ what }) => what.startsWith("error")), [])
  assert.deepStrictEqual(ours.chain.defects, [])
}
