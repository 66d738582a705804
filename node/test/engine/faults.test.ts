import { assert, describe, it } from "@effect/vitest"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { DISK_FAULTS, type DiskFault, makeFailingDisk } from "../storage/disk/failing-disk.ts"
import { makeFailingStore, type StorePlan } from "../storage/key-value/failing-store.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine, type TestEngineOptions } from "./test-engine.ts"
import { patience } from "../process/patience.ts"

const START = 1_700_000_000

const untilRoom = (chain: RunningEngine["chain"]): Effect.Effect<void> =>
  Effect.gen(function*() {
    do yield* Effect.sleep(2)
    while (chain.status._tag === "Paused")
  })

/** Blocks, a branch, and the way back: what a fault may hit. */
const work = Effect.fnUntraced(
  function*({ call: plain, chain }: RunningEngine, answered: Map<string, number>, script = 0x51) {
    // A full disk refuses the call, and what it has begun is written when there is room.
    const call: RunningEngine["call"] = (name, input) =>
      Effect.catch(
        plain(name, input),
        (error) => error._tag === "DiskFull" ? Effect.as(untilRoom(chain), undefined as never) : Effect.fail(error)
      )
    const note = Effect.sync(() => answered.set(displayHexOf(chain.tree.tip.hash), chain.tree.tip.height))
    const mine = (blocks: number, to: number) =>
      Effect.tap(
        call("generate", { script: Uint8Array.of(to), blocks, maxTries: 1_000, transactions: [], submit: true }),
        note
      )
    yield* note
    for (let i = 0; i < 3; i++) {
      yield* mine(1, script)
    }
    yield* mine(3, script)
    const fork = (yield* call("hashAt", { height: 4 }))!
    yield* call("invalidateBlock", { hash: fork })
    yield* note
    yield* mine(4, script + 1)
    yield* call("reconsiderBlock", { hash: fork })
    yield* note
    yield* mine(1, script)
  }
)

const muHashOf = ({ call }: RunningEngine): Effect.Effect<string> =>
  Effect.orDie(
    Effect.map(call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false }), ({ setHash }) =>
      displayHexOf(setHash!))
  )

/** The MuHash of the coins after each block that the work passes, from an engine that nothing happens to. */
const cleanHashes = Effect.gen(function*() {
  const engine = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: START })
  const hashes = new Map<string, string>()
  const note = Effect.gen(function*() {
    hashes.set(displayHexOf(engine.chain.tree.tip.hash), yield* muHashOf(engine))
  })
  const watched: RunningEngine = { ...engine, call: (name, input) => Effect.tap(engine.call(name, input), () => note) }
  yield* note
  yield* work(watched, new Map())
  return hashes
}).pipe(Effect.scoped)

/** Works until something fails, stops as a kill does, starts again without faults, works on. */
const survive = Effect.fnUntraced(
  function*(faulty: Partial<TestEngineOptions>, clean: ReadonlyMap<string, string>, what: string) {
    const directory = yield* temporaryDirectory
    const answered = new Map<string, number>()
    const news: Array<EngineNotification> = []
    const options: TestEngineOptions = { directory, mockTime: START }
    const outcome = yield* Effect.result(Effect.scoped(Effect.gen(function*() {
      const engine = yield* testEngine({
        ...options,
        ...faulty,
        news: (item) => news.push(item),
        // A slow machine would commit in the middle of a call.
        parts: (parts) => ({ ...parts, lookAgain: Duration.millis(1), clock: { ...parts.clock, elapsed: () => 0 } })
      })
      yield* work(engine, answered)
    })))
    const last = [...answered.keys()].at(-1)
    yield* Effect.scoped(Effect.gen(function*() {
      const engine = yield* testEngine(options)
      const tip = displayHexOf(engine.chain.tree.tip.hash)
      // What was answered for is there; what was under way may be.
      if (last !== undefined && !answered.has(tip)) {
        assert.isTrue(clean.has(tip), `${what}: the tip after the fault is one of the chain`)
        assert.isAtLeast(engine.chain.tree.tip.height, answered.get(last)! - 6, what)
      }
      if (clean.has(tip)) assert.strictEqual(yield* muHashOf(engine), clean.get(tip), what)
      // Other blocks than before: one of those may stand there as invalidated.
      yield* Effect.orDie(work(engine, new Map(), 0x54))
    }))
    return { outcome, news, last }
  }
)

describe("the engine when writing fails", () => {
  it.live(
    "on the disk of the blocks: at every write, sync and rename, one after another",
    () =>
      Effect.gen(function*() {
        const clean = yield* cleanHashes
        for (const fault of DISK_FAULTS) yield* allDiskFaults(fault, clean)
      }),
    patience(240_000)
  )

  it.live("in the store: at every batch, whether it is kept or not", () =>
    Effect.gen(function*() {
      const clean = yield* cleanHashes
      for (const plan of STORE_PLANS) yield* allStoreFaults(plan, clean)
    }), patience(240_000))
})

const allDiskFaults = Effect.fnUntraced(function*(fault: DiskFault, clean: ReadonlyMap<string, string>) {
  for (let at = 1;; at++) {
    const failing = makeFailingDisk(nodeDisk("block-files"), { fault, at })
    yield* survive({ disk: failing.disk }, clean, `${fault} at ${at}`)
    if (failing.failures() === 0) return assert.isAbove(at, 1)
  }
})

const STORE_PLANS: ReadonlyArray<Omit<StorePlan, "at">> = [
  { fault: "write-lost", reason: "io" },
  { fault: "write-kept", reason: "io" },
  { fault: "write-lost", reason: "full" },
  { fault: "write-kept", reason: "full" },
  { fault: "read" }
]

const allStoreFaults = Effect.fnUntraced(function*(plan: Omit<StorePlan, "at">, clean: ReadonlyMap<string, string>) {
  for (let at = 1;; at++) {
    const counter = { failures: () => 0 }
    const { news, outcome } = yield* survive(
      {
        store: (store) => {
          const failing = makeFailingStore(store, { ...plan, at })
          counter.failures = failing.failures
          return failing.store
        }
      },
      clean,
      `${plan.fault} (${plan.reason}) at ${at}`
    )
    if (counter.failures() === 0) return assert.isAbove(at, 1)
    const fatal = news.some(({ _tag }) => _tag === "Fatal")
    if (plan.reason === "full") assert.isFalse(fatal, `a full disk is waited for: ${plan.fault} at ${at}`)
    if (plan.reason === "full" && at > 1) assert.strictEqual(outcome._tag, "Success")
  }
})
