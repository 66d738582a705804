import { assert, describe, it } from "@effect/vitest"
import type { ModuleMessageOf, RequestPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EventBus } from "../../src/events/event-bus.ts"
import { MAX_PUBLISHED_AT_ONCE, publishAllowance } from "../../src/modules/api/publish-allowance.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { HASH, networkOf, ok, plain, text } from "./api-network.ts"
import { useSockets } from "./test-module.ts"
import { apisOf, connectedModule } from "./test-node-side.ts"

useSockets()

describe("what modules bring about through the API", () => {
  it.live("keeps no path of a module outside its directory", () =>
    Effect.scoped(Effect.gen(function*() {
      const side = yield* apisOf()
      const { asked, data } = yield* connectedModule(side)
      const secret = join(side.directory, "secret")
      mkdirSync(join(side.directory, "outside"))
      writeFileSync(secret, "secret")
      symlinkSync(secret, join(data, "link"))
      symlinkSync(join(side.directory, "outside"), join(data, "door"))
      const refused: ReadonlyArray<readonly [RequestPayload, string]> = [
        [{ _tag: "ReadFile", path: "../secret" }, "PermissionDenied: \"../secret\" leads out"],
        [{ _tag: "ReadFile", path: secret }, "leads out"],
        [{ _tag: "ReadFile", path: "a/../../secret" }, "leads out"],
        [{ _tag: "ReadFile", path: "link" }, "PermissionDenied: \"link\" leads through a symbolic link"],
        [{ _tag: "WriteFile", path: "door/file", data: text("x") }, "leads through"],
        [{ _tag: "ListDirectory", path: "door" }, "leads through"],
        [{ _tag: "CreateDirectory", path: "door/a" }, "leads through"],
        [{ _tag: "DeleteFile", path: "door/../../secret" }, "leads out"]
      ]
      for (const [request, words] of refused) assert.include(yield* asked(request), words)
      // A link is replaced or removed itself, never what it leads to.
      yield* asked({ _tag: "WriteFile", path: "link", data: text("own") })
      assert.strictEqual(readFileSync(secret, "utf8"), "secret")
      assert.strictEqual(readFileSync(join(data, "link"), "utf8"), "own")
    })).pipe(Effect.provide(EventBus.layer)))

  it.live("notifies modules of each other: loads, calls, methods, and the end", () =>
    Effect.scoped(Effect.gen(function*() {
      const { network, policies } = networkOf()
      const side = yield* apisOf({ peers: () => network })
      const first = yield* connectedModule(side, { name: "first" })
      yield* first.asked({ _tag: "SubscribeEvents", event_types: ["PaymentFailed"] })
      yield* Effect.scoped(Effect.gen(function*() {
        const second = yield* connectedModule(side, { name: "second" })
        second.module.ask({ _tag: "SubscribeEvents", event_types: ["ModuleLoaded"] })
        const three = [yield* second.module.next, yield* second.module.next, yield* second.module.next]
        const loaded = three.flatMap((each) =>
          each._tag === "Event" && each.payload._tag === "ModuleLoaded" ? [each.payload.module_name] : []
        )
        assert.deepStrictEqual(loaded, ["first", "second"])

        yield* second.asked({ _tag: "RegisterModuleApi", methods: ["ask"], api_version: 1 })
        yield* second.asked({ _tag: "RegisterRpcEndpoint", method: "ask", description: "Asks." })
        first.module.ask({ _tag: "CallModule", target_module_id: undefined, method: "ask", params: HASH })
        const asked = (yield* second.module.next) as ModuleMessageOf<"Invocation">
        assert.deepStrictEqual(
          plain(asked.invocation_type),
          plain({
            _tag: "ModuleApi",
            method: "ask",
            params: HASH,
            caller_module_id: "first"
          })
        )
        second.module.send({
          _tag: "InvocationResult",
          correlation_id: asked.correlation_id,
          success: true,
          payload: { _tag: "ModuleApi", data: text("yes") },
          error: undefined
        })
        const answered = (yield* first.module.next) as ModuleMessageOf<"Response">
        assert.deepStrictEqual(plain(answered.payload), plain(ok("ModuleApiResponse", text("yes"))))
        assert.deepStrictEqual(side.apis.all().map(({ module, name }) => [module, name]), [["second", "ask"]])
        yield* second.asked({ _tag: "MergeBlockServeDenylist", block_hashes: [HASH] })
        assert.isTrue(policies.deniesBlock(HASH))
      }))
      assert.isFalse(policies.deniesBlock(HASH))
      assert.isUndefined(side.apis.find("ask"))
      assert.deepStrictEqual(plain(yield* first.asked({ _tag: "IsModuleAvailable", module_id: "second" })), {
        _tag: "ModuleAvailable",
        value: false
      })
    })).pipe(Effect.provide(EventBus.layer)))

  it.live("sends events, due tasks among them", () =>
    Effect.scoped(Effect.gen(function*() {
      const side = yield* apisOf()
      const { asked, module } = yield* connectedModule(side)
      yield* asked({ _tag: "SubscribeEvents", event_types: ["PeerUnbanned"] })
      yield* side.bus.publish("PeerUnbanned", { peer: "a" })
      assert.strictEqual(((yield* module.next) as ModuleMessageOf<"Event">).event_type, "PeerUnbanned")
      module.ask({ _tag: "ScheduleTask", delay_seconds: 0 })
      const both = [yield* module.next, yield* module.next].map((each) =>
        each._tag === "Event" ? each.event_type : each._tag
      )
      assert.sameMembers(both, ["Response", "TimerFired"])
    })).pipe(Effect.provide(EventBus.layer)))

  it.live("sends the configuration to each module that subscribes to it, once, although it was loaded before", () =>
    Effect.scoped(Effect.gen(function*() {
      const side = yield* apisOf()
      for (const name of ["first", "second"]) {
        const { asked, module } = yield* connectedModule(side, { name })
        module.ask({ _tag: "SubscribeEvents", event_types: ["ConfigLoaded"] })
        const both = [yield* module.next, yield* module.next].flatMap((each) =>
          each._tag === "Event" ? [each.payload] : []
        )
        assert.deepStrictEqual(both, [
          { _tag: "ConfigLoaded", changed_sections: ["storage"], config_json: "{\"network\":\"regtest\"}" }
        ])
        assert.deepStrictEqual(
          plain(yield* asked({ _tag: "SubscribeEvents", event_types: ["ConfigLoaded", "PeerUnbanned"] })),
          ok("SubscribeAck")
        )
      }
    })).pipe(Effect.provide(EventBus.layer)))

  it.live("bans what a module names, for as long as it says", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bans, network } = networkOf()
      const { asked } = yield* connectedModule(yield* apisOf({ peers: () => network }))
      yield* asked({ _tag: "BanPeer", peer_addr: "[2001:db8::1]:8333", ban_duration_seconds: 5 })
      yield* asked({ _tag: "BanPeer", peer_addr: "192.0.2.0/24", ban_duration_seconds: undefined })
      const until = bans.list(unixSeconds(1_000)).map((ban) => ban.until - 1_000)
      assert.sameMembers(until, [5, 60])
    })).pipe(Effect.provide(EventBus.layer)))

  it.effect("lets a module publish as many events a second as others can take", () =>
    Effect.gen(function*() {
      let time = 0
      const { spend } = publishAllowance(() => time)
      for (let i = 0; i < MAX_PUBLISHED_AT_ONCE; i++) yield* spend
      assert.strictEqual((yield* Effect.flip(spend)).kind, "ResourceExhausted")
      time += 1_000 / MAX_PUBLISHED_AT_ONCE
      yield* spend
      yield* Effect.flip(spend)
    }))
})
