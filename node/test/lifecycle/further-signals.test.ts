import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { handleSignals } from "../../src/lifecycle/signals.ts"
import { makePlace, until } from "../bitcoind/bitcoind-process.ts"
import { patience } from "../process/patience.ts"

type StopSignal = "SIGINT" | "SIGTERM"

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What the handlers do when this process gets signals, each so many milliseconds after the one before. */
const outcomes = (signals: ReadonlyArray<readonly [after: number, signal: StopSignal]>, mayForce = true) =>
  Effect.gen(function*() {
    const before = new Map((["SIGINT", "SIGTERM"] as const).map((name) => [name, new Set(process.listeners(name))]))
    const seen: Array<string> = []
    yield* handleSignals({
      stop: (_, signal) => Effect.sync(() => void seen.push(`stop by ${signal}`)),
      hangUp: Effect.void,
      force: mayForce ? (exitCode) => void seen.push(`end with ${exitCode}`) : undefined
    })
    for (const [after, signal] of signals) {
      yield* TestClock.adjust(after)
      for (const listener of process.listeners(signal)) if (!before.get(signal)!.has(listener)) listener(signal)
      yield* Effect.yieldNow
    }
    return seen
  }).pipe(Effect.scoped)

describe("a signal that follows the one that stops the node", () => {
  it.effect.each<readonly [string, ReadonlyArray<readonly [number, StopSignal]>, ReadonlyArray<string>]>([
    ["at once", [[0, "SIGTERM"], [0, "SIGTERM"]], ["stop by SIGTERM"]],
    ["within three seconds", [[0, "SIGINT"], [100, "SIGINT"], [2_899, "SIGTERM"]], ["stop by SIGINT"]],
    ["after three seconds", [[0, "SIGTERM"], [3_000, "SIGTERM"]], ["stop by SIGTERM", "end with 143"]],
    ["early and late", [[0, "SIGINT"], [10, "SIGINT"], [4_000, "SIGINT"]], ["stop by SIGINT", "end with 130"]]
  ])(
    "ends it at once only where a while has passed: %s",
    ([, signals, expected]) => Effect.map(outcomes(signals), (seen) => assert.deepStrictEqual(seen, expected))
  )

  it.effect("ends nothing where the node takes no further ones, however late", () =>
    Effect.map(
      outcomes([[0, "SIGTERM"], [10, "SIGTERM"], [60_000, "SIGINT"]], false),
      (seen) => assert.deepStrictEqual(seen, ["stop by SIGTERM"])
    ))

  it("is ignored by bitcoind, which saves what it saves in any stop and removes its files", {
    timeout: patience(120_000)
  }, async () => {
    const place = await makePlace()
    try {
      const node = place.start("-shutdownnotify=sleep 4")
      await place.ready()
      // Signals go on until the process is gone: some come when the chain is closed already.
      for (let sent = 0; sent < 2_000; sent++) {
        try {
          place.signal(node.pid, sent % 3 === 1 ? "SIGINT" : sent % 7 === 6 ? "SIGHUP" : "SIGTERM")
        } catch {
          break
        }
        await pause(sent < 5 ? 20 : 10)
      }
      const { exitCode, signal, stderr } = await node.ended
      assert.deepStrictEqual({ exitCode, signal, stderr }, { exitCode: 0, signal: null, stderr: "" })
      const files = ["bitcoind.pid", ".cookie", "mempool.dat", "fee_estimates.dat", "peers.dat"]
      assert.deepStrictEqual(files.map((name) => existsSync(join(place.directory, name))), [
        false,
        false,
        true,
        true,
        true
      ])
      assert.match(place.debugLog(), /Z Shutdown done\n$/)
      assert.strictEqual(place.debugLog().split("Shutdown in progress...").length, 2)

      const again = place.start()
      await place.ready()
      place.signal(again.pid, "SIGTERM")
      const ending = await again.ended
      assert.deepStrictEqual([ending.exitCode, ending.stderr], [0, ""])
    } finally {
      place.remove()
    }
  })

  it("is ignored by bitcoind while it starts", { timeout: patience(120_000) }, async () => {
    const place = await makePlace()
    try {
      const node = place.start()
      await until("it has taken its directory", () => existsSync(join(place.directory, "bitcoind.pid")))
      for (let sent = 0; sent < 3; sent++) place.signal(node.pid, "SIGTERM")
      const { exitCode, signal, stderr } = await node.ended
      assert.deepStrictEqual({ exitCode, signal, stderr }, { exitCode: 0, signal: null, stderr: "" })
      assert.isFalse(existsSync(join(place.directory, "bitcoind.pid")))
      assert.match(place.debugLog(), /Z Shutdown done\n$/)
    } finally {
      place.remove()
    }
  })
})
