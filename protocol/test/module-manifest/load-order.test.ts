import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  type FoundModule,
  loadPlan,
  type Pin,
  readManifest,
  semanticVersionOf,
  versionRequirementOf
} from "../../src/module-manifest/index.ts"
import { check } from "../wire/check.ts"

const version = (text: string) => semanticVersionOf(text)!
const VERSIONS = { consensus: version("0.1.0"), protocol: version("0.2.0"), node: version("0.3.0") }

const found = (name: string, fields: object = {}, directory: string = `/modules/${name}`): FoundModule => ({
  directory,
  manifest: Result.getOrThrow(
    readManifest({ name, version: "1.0.0", description: "", entry_point: "run", capabilities: [], ...fields })
  )
})

const needs = (...names: ReadonlyArray<string>) => ({
  dependencies: Object.fromEntries(names.map((name) => [name, "*"]))
})
const likes = (...names: ReadonlyArray<string>) => ({
  optional_dependencies: Object.fromEntries(names.map((name) => [name, "*"]))
})

const planned = (...modules: ReadonlyArray<FoundModule>) => {
  const { order, refused } = loadPlan(modules, VERSIONS)
  return { order: order.map(({ manifest }) => manifest.name), refused: Object.fromEntries(refused) }
}

describe("the order in which modules are loaded", () => {
  it("puts each behind what it needs, and is by name where nothing is said", () => {
    assert.deepStrictEqual(planned(found("c"), found("a", needs("c")), found("b")).order, ["c", "a", "b"])
    assert.deepStrictEqual(planned(found("a", likes("b")), found("b")).order, ["b", "a"])
  })

  it("refuses the modules of a cycle and what needs them, and no others", () => {
    assert.deepStrictEqual(
      planned(found("a", needs("b")), found("b", needs("c")), found("c", needs("b")), found("d")),
      {
        order: ["d"],
        refused: {
          "/modules/c": "is part of a cycle of dependencies: b → c → b",
          "/modules/b": "needs the module c, which is not loaded",
          "/modules/a": "needs the module b, which is not loaded"
        }
      }
    )
  })

  it("refuses all modules of one name, the first for the second and the others for the first", () => {
    const named = (directory: string) => found("a", {}, `/modules/${directory}`)
    assert.deepStrictEqual(planned(named("x"), named("y"), named("z")), {
      order: [],
      refused: {
        "/modules/x": "has the name of the module in /modules/y",
        "/modules/y": "has the name of the module in /modules/x",
        "/modules/z": "has the name of the module in /modules/x"
      }
    })
  })

  it("loads a module before one that it can do without and that needs it", () => {
    assert.deepStrictEqual(planned(found("a", likes("b")), found("b", needs("a"))), { order: ["a", "b"], refused: {} })
    assert.deepStrictEqual(
      planned(found("a", likes("b")), found("b", likes("c")), found("c", needs("a"))).order,
      ["a", "b", "c"]
    )
  })

  it.each<readonly [string, ReadonlyArray<FoundModule>, Readonly<Record<string, string>>]>([
    ["a dependency that is not there", [found("a", needs("zmq"))], {
      "/modules/a": "needs the module zmq, which is not there"
    }],
    ["a dependency of another version", [found("a", { dependencies: { b: "^2.0.0" } }), found("b")], {
      "/modules/a": "needs b ^2.0.0, and 1.0.0 is there"
    }],
    [
      "an optional dependency of another version",
      [found("a", { optional_dependencies: { b: "<1.0.0" } }), found("b")],
      {
        "/modules/a": "needs b <1.0.0, and 1.0.0 is there"
      }
    ],
    ["another version of the node", [found("a", { dependencies: { node: ">=9.0.0" } })], {
      "/modules/a": "needs node >=9.0.0, and 0.3.0 is there"
    }],
    ["a later node", [found("a", { compatibility: { min_node_version: "0.3.1" } })], {
      "/modules/a": "needs version 0.3.1 of the node, this is 0.3.0"
    }],
    ["a later protocol library", [found("a", { compatibility: { min_protocol_version: "1.0.0" } })], {
      "/modules/a": "needs version 1.0.0 of the protocol library, this is 0.2.0"
    }],
    ["a later consensus library", [found("a", { compatibility: { min_consensus_version: "0.2.0" } })], {
      "/modules/a": "needs version 0.2.0 of the consensus library, this is 0.1.0"
    }],
    ["a name that is taken", [found("a", {}, "/x"), found("A", {}, "/y")], {
      "/x": "has the name of the module in /y",
      "/y": "has the name of the module in /x"
    }],
    [
      "a method that is taken",
      [found("a", { rpc_overrides: ["analyzepsbt"] }), found("b", { rpc_overrides: ["analyzepsbt"] })],
      {
        "/modules/a": "overrides analyzepsbt, as the module b does",
        "/modules/b": "overrides analyzepsbt, as the module a does"
      }
    ]
  ])("refuses a module for %s", (_, modules, refused) => assert.deepStrictEqual(planned(...modules).refused, refused))

  it("loads a module for the very versions that are there, and for earlier ones", () => {
    const asking = (min_node_version: string, min_protocol_version: string, min_consensus_version: string) =>
      planned(found("a", { compatibility: { min_node_version, min_protocol_version, min_consensus_version } })).order
    assert.deepStrictEqual(asking("0.3.0", "0.2.0", "0.1.0"), ["a"])
    assert.deepStrictEqual(asking("0.2.9", "0.1.0", "0.0.1"), ["a"])
    assert.deepStrictEqual(asking("0.3.0-alpha", "0.2.0-1", "0.1.0-x"), ["a"])
  })

  it("refuses a module that is not of the pinned version", () => {
    const pins = new Map<string, Pin>([["a", { written: "0.1.*", requirement: versionRequirementOf("0.1.*")! }]])
    assert.deepStrictEqual([...loadPlan([found("a"), found("b")], VERSIONS, pins).refused.values()], [
      "has version 1.0.0, and [modules].a asks for 0.1.*"
    ])
  })

  it("has each module once, loaded or refused, and none before what it needs", () => {
    const edge = fc.tuple(fc.nat(5), fc.nat(5), fc.boolean())
    check(
      fc.property(fc.array(edge, { maxLength: 12 }), (edges) => {
        const modules = Array.from({ length: 6 }, (_, i) => {
          const mine = edges.filter(([from, to]) => from === i && to !== i)
          const names = (isOptional: boolean) => mine.filter((each) => each[2] === isOptional).map(([, to]) => `m${to}`)
          return found(`m${i}`, { ...needs(...names(false)), ...likes(...names(true)) })
        })
        const { order, refused } = loadPlan(modules, VERSIONS)
        assert.strictEqual(order.length + refused.size, modules.length)
        for (const [at, { manifest }] of order.entries()) {
          for (const { name } of manifest.dependencies) {
            assert.include(order.slice(0, at).map((each) => each.manifest.name), name)
          }
        }
        // A module is refused only where it needs a cycle or is part of one.
        const onlyOptional = edges.every(([, , isOptional]) => isOptional)
        if (onlyOptional) assert.strictEqual(refused.size, 0)
      }),
      200
    )
  })
})
