import { assert, describe, it } from "@effect/vitest"
import { type Pin, semanticVersionOf, versionRequirementOf } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EventBus } from "../../../src/events/event-bus.ts"
import type { ModulesError } from "../../../src/modules/lifecycle/modules-error.ts"
import { MODULE_TIMES } from "../../../src/modules/lifecycle/modules-layer.ts"
import { sourceMark } from "../../../src/modules/registry/source-mark.ts"
import { neededBy } from "../../../src/modules/lifecycle/supervisor.ts"
import { BEHAVIOURS, MODULE_SOURCE } from "./module-program.ts"
import { modulesInDirectory } from "./modules-in-directory.ts"

const version = semanticVersionOf("0.1.0")!

const pin = (written: string): Pin => ({ written, requirement: versionRequirementOf(written)! })

const rulesWith = (pins: Readonly<Record<string, string>>) => ({
  versions: { consensus: version, protocol: version, node: version },
  pins: new Map(Object.entries(pins).map(([name, written]) => [name, pin(written)] as const)),
  signatures: { required: false, trustedKeys: new Set<string>() }
})

/** A program that ends before it connects. */
const SHORT = "#!/bin/sh\nexit 3\n"

const manifest = (name: string, needs: ReadonlyArray<string> = [], own = "0.1.0"): string =>
  `name = "${name}"\nversion = "${own}"\ndescription = ""\nentry_point = "run"\ncapabilities = []\n[dependencies]\n${
    needs.map((each) => `${each} = "*"\n`).join("")
  }`

/** The module `a`, others beside it, and what is announced about them. */
const directory = Effect.fnUntraced(function*(
  others: Readonly<Record<string, string>>,
  more: Partial<Parameters<typeof modulesInDirectory>[0]> = {}
) {
  const announced: Array<string> = []
  const bus = yield* EventBus
  yield* bus.observe({
    name: "test",
    run: ({ payload, type }: { readonly payload: unknown; readonly type: string }) =>
      Effect.sync(() => {
        const { module_name, new_version, version: own = new_version } = payload as Record<string, string>
        if (!/^Module(?:Discovered|Removed|Loaded|Unloaded|Reloaded|Updated|Installed)$/.test(type)) return
        announced.push(`${type.slice("Module".length)} ${[module_name, own].join(" ").trim()}`)
      })
  } as never)
  const made = yield* modulesInDirectory({ program: SHORT, capabilities: [], ...more })
  const put = (name: string, toml: string): void => {
    mkdirSync(join(made.places.modules, name), { recursive: true })
    writeFileSync(join(made.places.modules, name, "module.toml"), toml)
    writeFileSync(join(made.places.modules, name, "run"), more.program ?? SHORT, { mode: 0o755 })
  }
  for (const [name, toml] of Object.entries(others)) put(name, toml)
  const statuses = () => made.modules.list().map(({ name, status }) => `${name} ${status}`)
  return { ...made, announced, put, statuses }
})

const within = <A, E>(test: Effect.Effect<A, E, EventBus | Scope.Scope>) =>
  Effect.scoped(test).pipe(Effect.provide(EventBus.layer))

const refusal = (work: Effect.Effect<unknown, ModulesError>) =>
  Effect.map(Effect.flip(work), ({ message, reason }) => `${reason}: ${message}`)

describe("a module that is loaded", () => {
  it.live("has those started before that it needs, however far, and no other one", () =>
    within(Effect.gen(function*() {
      const { modules } = yield* directory({
        aa: manifest("aa"),
        b: manifest("b", ["c"]),
        c: manifest("c", ["d", "node"]),
        d: manifest("d")
      })
      const ended = (name: string) => `failed: the module ${name} exited with code 3 before it connected`
      for (const [name, first] of [["a", "a"], ["aa", "aa"], ["b", "d"], ["c", "d"], ["d", "d"]] as const) {
        assert.strictEqual(yield* refusal(modules.load(name)), ended(first))
      }
    })))

  it.live("is none where modules may not run, and all of them say why", () =>
    within(Effect.gen(function*() {
      const { modules, statuses } = yield* directory({ b: manifest("b") }, { options: { barrier: "no sandbox" } })
      yield* modules.loadAll
      assert.deepStrictEqual(statuses(), ["a refused", "b refused"])
      assert.deepStrictEqual(modules.list().map(({ errors }) => errors), [["no sandbox"], ["no sandbox"]])
      assert.strictEqual(yield* refusal(modules.load("a")), "refused: no sandbox")
    })))

  it.live("is unknown where it is not there, with the pin and the reason of a download that failed", () =>
    within(Effect.gen(function*() {
      const url = new URL("http://127.0.0.1:1/index.json")
      const rules = rulesWith({ zmq: "1.*", a: "*" })
      const plain = yield* directory({}, { options: { rules } })
      const missing = (where: string) => `[modules].zmq asks for 1.*, and there is no such module in ${where}`
      assert.strictEqual(
        yield* refusal(plain.modules.load("none")),
        `unknown: there is no module none in ${plain.places.modules}`
      )
      assert.strictEqual(yield* refusal(plain.modules.load("zmq")), `unknown: ${missing(plain.places.modules)}`)
      assert.deepStrictEqual(plain.statuses(), ["zmq refused"])
      const registry = { url, trustedKeys: new Set<string>(), directory: "" }
      const other = yield* directory({}, { options: { rules, registry } })
      const said = yield* refusal(other.modules.load("zmq"))
      assert.include(
        said,
        `unknown: ${missing(other.places.modules)}; ${new URL("SHA256SUMS", url)} cannot be fetched: `
      )
      const [zmq] = other.modules.list()
      assert.deepStrictEqual([zmq?.name, zmq?.directory, zmq?.errors.length], ["zmq", other.places.modules, 2])
    })))

  it.live("is refused with each reason until its manifest is mended, and forgotten with its directory", () =>
    within(Effect.gen(function*() {
      const { announced, modules, places, put, statuses } = yield* directory({
        b: "name = 1\n",
        c: manifest("c", ["b"]),
        x: "name = 1\n",
        y: "name = 1\n"
      })
      yield* modules.loadAll
      assert.deepStrictEqual(statuses(), ["a crashed", "b refused", "c refused", "x refused", "y refused"])
      assert.match(yield* refusal(modules.load("b")), /^refused: the module b is not loaded: name must be/)
      put("b", manifest("b"))
      yield* modules.loadAll
      assert.deepStrictEqual(statuses(), ["a crashed", "b crashed", "c refused", "x refused", "y refused"])
      assert.match(modules.list()[2]!.errors.join(), /needs the module b, which does not run/)
      assert.strictEqual(modules.list()[1]!.errors.join(), "exited with code 3 before it connected")
      for (const name of ["a", "b", "x"]) rmSync(join(places.modules, name), { recursive: true })
      put("c", manifest("c"))
      // What is mended and not loaded is refused no longer.
      put("y", manifest("y"))
      yield* Effect.flip(modules.load("c"))
      assert.deepStrictEqual(statuses(), ["c crashed"])
      assert.deepStrictEqual(announced.toSorted(), [
        "Discovered a 0.1.0",
        "Discovered b 0.1.0",
        "Discovered c 0.1.0",
        "Discovered y 0.1.0",
        "Removed a 0.1.0",
        "Removed b 0.1.0"
      ])
    })))

  it.live("runs beside those that it needs until it is unloaded, and is loaded anew as it is on disk then", () =>
    within(Effect.gen(function*() {
      const { announced, modules, places, put, statuses } = yield* directory(
        { b: manifest("b", ["a"]), c: manifest("c") },
        { program: MODULE_SOURCE + BEHAVIOURS.quiet }
      )
      assert.strictEqual((yield* modules.load("b")).status, "loaded")
      assert.deepStrictEqual(statuses(), ["a loaded", "b loaded"])
      assert.deepStrictEqual(announced.filter((each) => each.startsWith("Loaded")), [
        "Loaded a 0.1.0",
        "Loaded b 0.1.0"
      ])
      const inTheWay = "in the way: the module"
      assert.strictEqual(yield* refusal(modules.load("a")), `${inTheWay} a is loaded; reloadmodule loads it anew`)
      assert.strictEqual(
        yield* refusal(modules.unload("a")),
        `${inTheWay} a is needed by b: unload what needs it first`
      )
      const notRunning = "unknown: the module c does not run; listmodules lists all"
      assert.strictEqual(yield* refusal(modules.unload("c")), notRunning)
      assert.strictEqual(yield* refusal(modules.reload("c")), notRunning)
      const files = (name: string) =>
        ["module.toml", "config.toml", join("target", "release", "run"), "run"].map((file) =>
          join(places.modules, name, file)
        )
      const sourceOf = (name: string) => ({ name, files: files(name), mark: sourceMark(files(name)) })
      assert.deepStrictEqual(modules.sources(), [sourceOf("a"), sourceOf("b")])

      assert.strictEqual((yield* modules.unload("b")).status, "unloaded")
      assert.deepStrictEqual(statuses(), ["a loaded", "b unloaded"])
      // A manifest that is damaged meanwhile does not end what runs.
      const toml = readFileSync(join(places.modules, "a", "module.toml"), "utf8")
      put("a", "name = 1\n")
      assert.match(yield* refusal(modules.reload("a")), /^refused: the module a is not loaded: /)
      assert.include(statuses(), "a loaded")
      announced.length = 0
      put("a", toml)
      yield* modules.reload("a")
      assert.include(announced, "Reloaded a 0.1.0")
      assert.notInclude(announced.join(), "Updated")
      rmSync(join(places.modules, "b"), { recursive: true })
      rmSync(join(places.modules, "a"), { recursive: true })
      announced.length = 0
      yield* modules.unload("a")
      assert.sameMembers(announced, ["Unloaded a 0.1.0", "Removed a 0.1.0", "Removed b 0.1.0"])
      assert.deepStrictEqual(statuses(), [])
    })))

  it("needs the modules that its manifest names, and the node's own parts not as modules", () => {
    const needs = ["a", "node", "Node", "lockstep", "b"].map((name) => ({ name }))
    assert.deepStrictEqual(neededBy({ manifest: { dependencies: needs } } as never), ["a", "b"])
  })

  it("is waited for as long as the pages of modules say", () => {
    assert.deepStrictEqual(MODULE_TIMES, {
      connectMs: 10_000,
      reconnectMs: 15_000,
      endMs: 5_000,
      subscribeMs: 5_000
    })
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/modules/wire.md"), "utf8")
    assert.include(page, `then waits ${MODULE_TIMES.reconnectMs / 1_000} seconds for the next one`)
  })
})
