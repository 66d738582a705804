import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EngineFault } from "../../../src/engine/api/engine-error.ts"
import type { Background } from "../../../src/engine/chainstate/background.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { Writer } from "../../../src/engine/chainstate/writer.ts"
import { makeIntake } from "../../../src/engine/intake/intake.ts"
import type { ScriptPoolFailure } from "../../../src/engine/script-pool/script-pool.ts"
import { yieldToEventLoop } from "../../../src/engine/options/yield-to-event-loop.ts"
import { patience } from "../../process/patience.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot } from "../planted-blocks.ts"
import { blockOn, matureChain, spend, SUBSIDY, TRUE } from "../spending-blocks.ts"
import { testEngine } from "../test-engine.ts"

const MONTH = 30 * 24 * 60 * 60
const MATURE_CHAIN = matureChain(101)
const TIP = MATURE_CHAIN.at(-1)!.node
/** A block with one script to verify, and a longer branch beside it. */
const SPENDING = blockOn(TIP, [spend(MATURE_CHAIN[0]!.coinbase, 0, [{ value: SUBSIDY, script: TRUE }])])
const BRANCH = plantChain(TIP, 2, 50)
const CHAIN = plantChain(plantedRoot(), 3)

const headersOf = (...blocks: ReadonlyArray<Planned>) => ({
  headers: new Uint8Array(Buffer.concat(blocks.map(({ bytes }) => bytes.subarray(0, 80))))
})

/** Only what never comes takes this long. */
const NEVER = patience(5_000)

const joined = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.timeout(Fiber.join(fiber), NEVER)

/** Time for what should not happen. */
const meanwhile = Effect.gen(function*() {
  for (let i = 0; i < 20; i++) yield* yieldToEventLoop
})

const tipAt = ({ tree }: ChainEngine, height: number) =>
  yieldToEventLoop.pipe(Effect.repeat({ until: () => tree.tip.height === height }), Effect.timeout(NEVER))

/** An intake beside the engine's own, whose turns and script verdicts the test can hold up; no block fits its backlog. */
const started = Effect.fnUntraced(function*(below: ReadonlyArray<Planned>, sinceThen: number) {
  const gates: {
    change?: Effect.Effect<void, EngineFault>
    scripts?: Effect.Effect<void, ScriptPoolFailure>
    wantedTimes: number
  } = { wantedTimes: 0 }
  const { call, chain } = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: PLANTED_AT + sinceThen,
    parts: (parts) => ({
      ...parts,
      // On a slow machine as on a fast one no time goes by.
      clock: { ...parts.clock, elapsed: () => 0 },
      pool: {
        ...parts.pool,
        judge: (...block) => Effect.andThen(gates.scripts ?? Effect.void, parts.pool.judge(...block))
      }
    })
  })
  for (const { bytes } of below) yield* call("submitBlock", { bytes: bytes.slice() })
  const turns: Array<"turn" | "round"> = []
  const writer = {
    change: (step: Effect.Effect<unknown>) => {
      turns.push("turn")
      return Effect.tap(step, () => gates.change ?? Effect.void)
    },
    isWanted: () => {
      turns.push("round")
      return gates.wantedTimes-- > 0
    }
  }
  // What arrives together is there when the work begins.
  const background = { start: (work: Effect.Effect<unknown>) => void setImmediate(() => Effect.runFork(work)) }
  const intake = makeIntake(chain, writer as unknown as Writer, background as Background, 0)
  const fork = <A, E>(work: Effect.Effect<A, E>) => Effect.forkChild(work, { startImmediately: true })
  return {
    bring: ({ bytes }: Planned) => fork(intake.acceptBlock({ bytes: bytes.slice(), requested: true })),
    chain,
    fork,
    gates,
    intake,
    turns
  }
})

describe("arrivals of peers", () => {
  it.effect("are taken by one worker, however many come before it has begun", () =>
    Effect.gen(function*() {
      let begun = 0
      const background = { start: () => void begun++ }
      const intake = makeIntake({} as ChainEngine, {} as Writer, background as never)
      const arrive = Effect.forkChild(intake.acceptHeaders({ headers: new Uint8Array(0) }), { startImmediately: true })
      const waiting = [yield* arrive, yield* arrive, yield* arrive]
      assert.strictEqual(begun, 1)
      yield* Fiber.interruptAll(waiting)
    }))

  it.live("are answered, in the initial download, when there is room; out of order at once", () =>
    Effect.gen(function*() {
      const { bring, chain, fork, gates, intake } = yield* started(MATURE_CHAIN, MONTH)
      yield* intake.acceptHeaders(headersOf(...BRANCH))
      const verdict = yield* Deferred.make<void>()
      gates.scripts = Deferred.await(verdict)
      const [next, outOfOrder] = [yield* bring(SPENDING), yield* bring(BRANCH[1]!)]
      assert.isTrue((yield* joined(outOfOrder)).isNew)
      const all = yield* fork(intake.blocksConnected())
      yield* meanwhile
      assert.isTrue(chain.initialBlockDownload)
      assert.deepStrictEqual([next, all].map((each) => each.pollUnsafe()), [undefined, undefined])
      assert.deepStrictEqual([chain.tree.tip.height, chain.inputs], [101, 0])
      const commit = yield* Deferred.make<void>()
      gates.change = Deferred.await(commit)
      yield* Deferred.succeed(verdict, undefined)
      assert.isTrue((yield* joined(next)).isNew, "it does not wait for the commit")
      yield* meanwhile
      assert.isUndefined(all.pollUnsafe())
      yield* Deferred.succeed(commit, undefined)
      yield* joined(all)
      assert.deepStrictEqual([chain.tree.tip.height, chain.inputs], [102, 1])
    }))

  it.live("are answered, out of the initial download, when the change is on disk", () =>
    Effect.gen(function*() {
      const { bring, chain, fork, gates, intake } = yield* started([], 0)
      yield* joined(yield* bring(CHAIN[0]!))
      assert.isFalse(chain.initialBlockDownload)
      const [commit, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      gates.change = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(commit))
      const next = yield* bring(CHAIN[1]!)
      yield* Deferred.await(begun)
      assert.strictEqual(chain.tree.tip.height, 2)
      const all = yield* fork(intake.blocksConnected())
      const late = yield* fork(intake.acceptHeaders(headersOf(CHAIN[2]!)))
      yield* meanwhile
      assert.deepStrictEqual([next, all, late].map((each) => each.pollUnsafe()), [undefined, undefined, undefined])
      yield* Deferred.succeed(commit, undefined)
      yield* Effect.all([joined(next), joined(all)])
      assert.deepStrictEqual(yield* joined(late), { accepted: 1, rejection: undefined }, "it came during the commit")
    }))

  it.live("are connected in the next turn where another task wanted one in between", () =>
    Effect.gen(function*() {
      const { bring, chain, gates, turns } = yield* started([], 0)
      gates.wantedTimes = 1
      const both = [yield* bring(CHAIN[0]!), yield* bring(CHAIN[1]!)]
      for (const each of both) yield* joined(each)
      yield* meanwhile
      assert.deepStrictEqual([chain.tree.tip.height, turns.filter((each) => each === "turn").length], [2, 2])
    }))

  it.live("are validated together where no block comes of them, and begun with anew by the next one", () =>
    Effect.gen(function*() {
      const { chain, intake, turns } = yield* started([], 0)
      const answers = yield* Effect.all(CHAIN.map((each) => intake.acceptHeaders(headersOf(each))), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, CHAIN.map(() => ({ accepted: 1, rejection: undefined })))
      yield* meanwhile
      assert.deepStrictEqual([chain.tree.bestHeader.height, turns], [3, ["turn"]])
      yield* Effect.timeout(intake.acceptHeaders(headersOf(...CHAIN)), NEVER)
      yield* meanwhile
      assert.deepStrictEqual(turns, ["turn", "turn"])
    }))

  it.live("wait for nothing any more when scripts cannot be verified; what was not validated is refused", () =>
    Effect.gen(function*() {
      const { bring, chain, fork, gates, intake, turns } = yield* started(MATURE_CHAIN, MONTH)
      const failure: ScriptPoolFailure = { _tag: "ScriptPoolFailure", message: "a worker died" }
      const failed = yield* Deferred.make<void, ScriptPoolFailure>()
      gates.scripts = Deferred.await(failed)
      const next = yield* bring(SPENDING)
      while (chain.underWay === 0) yield* yieldToEventLoop
      const late = yield* fork(intake.acceptHeaders(headersOf(...BRANCH)))
      const all = yield* fork(intake.blocksConnected())
      yield* Deferred.fail(failed, failure)
      assert.isTrue((yield* joined(next)).isNew, "it is stored")
      assert.strictEqual(yield* Effect.flip(joined(late)), failure as never)
      yield* joined(all)
      yield* meanwhile
      assert.deepStrictEqual([chain.tree.tip.height, chain.inputs, chain.underWay], [101, 0, 0])
      assert.lengthOf(turns.filter((each) => each === "turn"), 1, "it is not tried again by itself")
      delete gates.scripts
      yield* Effect.timeout(intake.acceptHeaders(headersOf(...BRANCH)), NEVER)
      yield* tipAt(chain, 102)
    }))
})
