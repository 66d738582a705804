import { assert, describe, it } from "@effect/vitest"
import type { ModuleEventPayload, RequestPayload } from "@lockstep/protocol/module-ipc/index.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { mkdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { EventBus } from "../../src/events/event-bus.ts"
import type { ModuleApi } from "../../src/modules/api/api-call.ts"
import { FILE_REQUESTS } from "../../src/modules/api/file-requests.ts"
import { followedMempool, mempoolFollower } from "../../src/modules/api/mempool-follower.ts"
import { moduleTimers } from "../../src/modules/api/module-timers.ts"
import { reportedMetrics } from "../../src/modules/api/reported-metrics.ts"
import { moduleChannel } from "../../src/modules/events/module-channel.ts"
import { listenForModule } from "../../src/modules/ipc/module-socket.ts"
import { isValidSignature } from "../../src/modules/registry/signatures.ts"
import { systemProgram } from "../../src/modules/sandbox/confinement.ts"
import { processUsage } from "../../src/modules/sandbox/resource-watch.ts"
import { modulesInDirectory } from "./lifecycle/modules-in-directory.ts"
import { socketPath, testModule, useSockets } from "./test-module.ts"

useSockets()

describe("a signature of a maintainer", () => {
  const secret = new Uint8Array(32).fill(1)
  const digest = new Uint8Array(32).fill(2)
  const signature = secp256k1.sign(digest, secret, { prehash: false })
  const key = secp256k1.getPublicKey(secret, true)

  it.each(
    [
      ["is valid for its key and digest", { key, signature }, true],
      ["is not valid for a key that is no point", { key: new Uint8Array(33).fill(7), signature }, false],
      ["is not valid where it is too short", { key, signature: signature.subarray(1) }, false]
    ] as const
  )("%s", (_, given, expected) => {
    assert.strictEqual(isValidSignature(given, digest), expected)
  })
})

describe("a metric of a module", () => {
  const metric = (name: string, labels: ReadonlyArray<readonly [string, string]> = []) => ({
    name,
    labels: new Map(labels),
    value: { _tag: "Gauge", value: 1 } as const
  })
  const [most, more] = ["a".repeat(128), "a".repeat(129)]

  it.effect.each(
    [
      ["a name of 128 letters", metric(most), true],
      ["a name of 129 letters", metric(more), false],
      ["a label of 128 letters", metric("a", [[most, most]]), true],
      ["a label's name of 129 letters", metric("a", [[more, ""]]), false],
      ["a label's value of 129 letters", metric("a", [["", more]]), false],
      ["eight labels", metric("a", [..."abcdefgh"].map((name) => [name, ""])), true],
      ["nine labels", metric("a", [..."abcdefghi"].map((name) => [name, ""])), false]
    ] as const
  )("may or may not have %s", ([, given, isTaken]) =>
    Effect.gen(function*() {
      const { all, report } = reportedMetrics()
      assert.strictEqual(Exit.isSuccess(yield* Effect.exit(report(given as never))), isTaken)
      assert.lengthOf(all(), isTaken ? 1 : 0)
    }))
})

describe("the room of a channel", () => {
  it("is full once what waits has as many bytes as it may have", () => {
    const channel = moduleChannel("a", { room: { events: 100, bytes: 25, weigh: () => 10 } })
    const event: ModuleEventPayload = { _tag: "HeadersSyncStarted", start_height: 1 }
    const dropped = () => {
      channel.offer(event)
      return channel.statistics().channelFull
    }
    assert.deepStrictEqual([dropped(), dropped(), dropped(), dropped(), dropped()], [0, 0, 0, 1, 2])
  })
})

describe.runIf(process.platform === "linux")("a file request of a module", () => {
  it.effect("that the system refuses for a rare reason names its code", () =>
    Effect.gen(function*() {
      const request: RequestPayload = { _tag: "CreateDirectory", path: "a" }
      // No program may make a directory there.
      const context = { module: { dataDirectory: "/sys" } }
      const { text } = yield* Effect.flip(FILE_REQUESTS.CreateDirectory(context as never, request))
      assert.match(text, /^"a" failed with E[A-Z]+$/)
    }))
})

describe("a timer of a module", () => {
  it.effect("that repeats fires each time its seconds have passed, and no moment before", () =>
    Effect.scoped(Effect.gen(function*() {
      let fired = 0
      const { every } = moduleTimers(yield* Scope.Scope, () => void fired++)
      yield* every(100)
      for (const expected of [0, 1, 2]) {
        yield* TestClock.adjust("99999 millis")
        assert.strictEqual(fired, expected)
        yield* TestClock.adjust("1 millis")
      }
      assert.strictEqual(fired, 3)
    })))
})

describe("a module that follows the mempool a second time", () => {
  it.effect("is sent each change once", () =>
    Effect.scoped(Effect.gen(function*() {
      const listeners = new Set<(news: object) => void>()
      const chain = {
        subscribe: (listener: (news: object) => void) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
        call: () => Effect.succeed({ txids: new Uint8Array(0), sequence: 1 })
      }
      const sent: Array<string> = []
      const { follow } = mempoolFollower(
        { chain } as unknown as ModuleApi,
        followedMempool(chain as never),
        yield* Scope.Scope,
        ({ _tag }) => Effect.sync(() => void sent.push(_tag))
      )
      const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })
      yield* follow(undefined)
      yield* settled
      yield* follow(undefined)
      yield* settled
      const transaction = { txid: new Uint8Array(32) }
      for (const listener of listeners) listener({ _tag: "TransactionAdded", transaction, isNew: true, sequence: 1 })
      yield* settled
      assert.deepStrictEqual(sent, ["MempoolSnapshot", "MempoolSnapshot", "MempoolStep"])
    })))
})

describe.runIf(process.platform === "linux")("a program of the system", () => {
  it("is looked for where the system keeps its own first", () => {
    assert.strictEqual(systemProgram("env"), "/usr/bin/env")
    assert.isUndefined(systemProgram("no-such-program"))
  })
})

describe.runIf(process.platform === "linux")("a process that is over", () => {
  it("uses nothing", () => {
    // Above the highest number of a process.
    assert.isUndefined(processUsage(4_194_305))
    assert.isAbove(processUsage(process.pid)!.memoryBytes, 0)
  })
})

describe.runIf(process.platform === "linux")("a connection that waits for its module to be expected", () => {
  it.live("is closed where that module is given up", () =>
    Effect.gen(function*() {
      const path = socketPath()
      const scope = yield* Scope.make()
      yield* Scope.provide(listenForModule(path), scope)
      const socket = connect(path)
      const early = testModule(socket)
      yield* Effect.promise(() => new Promise<void>((resolve) => socket.once("connect", () => resolve())))
      yield* Effect.sleep("20 millis")
      yield* Scope.close(scope, Exit.void)
      yield* early.closed
    }))
})

describe("modules that may not run", () => {
  it.effect.each([["one is there", 1], ["none is there", 0]] as const)(
    "are an error in the log as far as there are some (%s)",
    ([, count]) => {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      return Effect.scoped(Effect.gen(function*() {
        const { modules, places } = yield* modulesInDirectory({
          program: "",
          capabilities: [],
          options: { barrier: "no sandbox" }
        })
        if (count === 0) {
          rmSync(places.modules, { recursive: true })
          mkdirSync(join(places.modules, ".hidden"), { recursive: true })
        }
        yield* modules.loadAll
        assert.strictEqual(lines.flat().filter((line) => line === "modules are not loaded: no sandbox").length, count)
      })).pipe(Effect.provide(EventBus.layer), Effect.provide(Logger.layer([logger])))
    }
  )
})
