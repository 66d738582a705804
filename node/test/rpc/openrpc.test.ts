import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { version } from "../../src/version.ts"
import { DISCOVERY_METHOD, openRpcDocument, openRpcText } from "../../src/methods/docs/openrpc.ts"
import { shownParameters } from "../../src/methods/help/help-text.ts"
import { METHODS } from "../../src/methods/table.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

interface Described {
  readonly methods: ReadonlyArray<{
    readonly name: string
    readonly params: ReadonlyArray<{ readonly name: string; readonly required: boolean; readonly schema: object }>
    readonly result: { readonly schema: object }
    readonly examples: ReadonlyArray<{ readonly params: ReadonlyArray<{ readonly name: string }> }>
  }>
}

const document = openRpcDocument(METHODS.values(), version()) as unknown as Described

describe("the OpenRPC document", () => {
  it("is what `pnpm docs:rpc` makes of the definitions", () => {
    const file = new URL("../../../docs/rpc/openrpc.json", import.meta.url)
    const isCurrent = readFileSync(file, "utf8") === openRpcText(METHODS.values(), version())
    assert.isTrue(isCurrent, "docs/rpc/openrpc.json is older than the definitions: run `pnpm docs:rpc`")
  })

  it("has every method, every parameter with a schema, and examples that name them", () => {
    assert.deepStrictEqual(
      document.methods.map(({ name }) => name).toSorted(),
      [...METHODS.keys()].filter((name) => name !== DISCOVERY_METHOD).toSorted()
    )
    for (const { examples, name, params, result } of document.methods) {
      const known = params.map((parameter) => parameter.name)
      assert.deepStrictEqual(known, shownParameters(METHODS.get(name)!).map(([each]) => each))
      assert.isNotEmpty(result.schema, name)
      // Required parameters come first, as OpenRPC demands.
      const needed = params.map(({ required }) => required)
      assert.deepStrictEqual(needed, needed.toSorted((a, b) => Number(b) - Number(a)), name)
      for (const example of examples) for (const { name: given } of example.params) assert.include(known, given)
    }
  })

  it.live("is served by rpc.discover", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const { result } = yield* Effect.promise(() => ask(address, "rpc.discover"))
      assert.deepStrictEqual(result, JSON.parse(openRpcText(METHODS.values(), version())))
    }))
})
