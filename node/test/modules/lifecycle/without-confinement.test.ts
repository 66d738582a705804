import { assert, describe, it } from "@effect/vitest"
import { semanticVersionOf } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventBus } from "../../../src/events/event-bus.ts"
import { moduleMethods } from "../../../src/modules/api/module-methods.ts"
import { makeModules } from "../../../src/modules/lifecycle/modules.ts"
import { findConfinement } from "../../../src/modules/sandbox/confinement.ts"

const version = semanticVersionOf("0.1.0")!

const MANIFEST = `name = "a"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = []\n`

const directory = Effect.acquireRelease(
  Effect.sync(() => {
    const root = mkdtempSync(join(tmpdir(), "lockstep-unconfined-"))
    mkdirSync(join(root, "a"))
    writeFileSync(join(root, "a", "module.toml"), MANIFEST)
    writeFileSync(join(root, "a", "run"), "#!/bin/sh\n", { mode: 0o755 })
    return root
  }),
  (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

describe("a machine that cannot confine modules", () => {
  it.effect("is found out by a try of what is there", () =>
    Effect.gen(function*() {
      const confinement = yield* findConfinement({ bubblewrap: "/bin/false", unshare: "/bin/false" })
      assert(confinement._tag === "None")
      assert.match(
        confinement.reason,
        /^bubblewrap does not work here \(\/bin\/false ended with 1\), and unshare does not work here \(.* ended with 1\)$/
      )
    }))

  it.effect("is not one without bubblewrap alone", () =>
    Effect.gen(function*() {
      const [both, second] = [yield* findConfinement(), yield* findConfinement({ bubblewrap: "/bin/false" })]
      assert.include(["Unshare", "None"], second._tag)
      // Where namespaces work for the one, they work for the other.
      if (both._tag === "Bubblewrap") assert.strictEqual(second._tag, "Unshare")
    }))

  it.effect("loads none of them, and says why", () =>
    Effect.gen(function*() {
      const barrier = "modules cannot be confined: bubblewrap is not installed"
      const root = yield* directory
      const modules = yield* makeModules({
        directory: root,
        rules: {
          versions: { consensus: version, protocol: version, node: version },
          pins: new Map(),
          signatures: { required: false, trustedKeys: new Set() }
        },
        settings: new Map(),
        barrier,
        registry: undefined,
        open: () => Effect.die("nothing is started"),
        methods: moduleMethods(new Map()),
        spawn: {
          confinement: { _tag: "None", reason: "" },
          limits: { memoryBytes: 1, processorPercent: 1, openFiles: 1, diskBytes: 1_073_741_824 },
          socketDirectory: root,
          dataDirectory: root,
          nodeVersion: "0.1.0",
          allowsMissingHandshake: false,
          connectMs: 1,
          reconnectMs: 1,
          endMs: 1
        },
        restartsCrashed: false,
        subscribeMs: 1
      })
      yield* modules.loadAll
      const [{ errors, status }] = modules.list() as [ReturnType<typeof modules.list>[number]]
      assert.deepStrictEqual([status, errors], ["refused", [barrier]])
      const { message } = yield* Effect.flip(modules.load("a"))
      assert.strictEqual(message, barrier)
    }).pipe(Effect.scoped, Effect.provide(EventBus.layer)))
})
