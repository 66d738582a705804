import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { resourcePage } from "../../src/rest/docs/resource-page.ts"
import { openApiText } from "../../src/rest/openapi/openapi.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { fakeChain } from "../rpc/fake-chain.ts"
import { testRest } from "./rest-exchange.ts"

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../../docs/rest", name), "utf8")

describe("documents of REST", () => {
  it("are those that `pnpm docs:rest` makes of the routes", () => {
    assert.strictEqual(page("openapi.json"), openApiText(ROUTES))
    assert.strictEqual(page("resources.md"), resourcePage(ROUTES))
  })

  it("have every resource once, and every input of its path", () => {
    const { openapi, paths } = JSON.parse(openApiText(ROUTES))
    assert.strictEqual(openapi, "3.1.0")
    const ids = new Set<string>()
    for (const [path, operations] of Object.entries<Record<string, any>>(paths)) { // oxlint-disable-line typescript/no-explicit-any
      for (const { operationId, parameters = [] } of Object.values(operations)) {
        assert.isFalse(ids.has(operationId), operationId)
        ids.add(operationId)
        const named = parameters.filter((each: { in: string }) => each.in === "path").map((
          { name }: { name: string }
        ) => name)
        assert.deepStrictEqual(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted(),
          named.toSorted(),
          path
        )
      }
    }
    assert.strictEqual(ids.size, ROUTES.length)
  })

  it.live("are served", () =>
    Effect.gen(function*() {
      const { ask } = yield* testRest({ chain: fakeChain() })
      const served = yield* ask("/openapi.json")
      assert.strictEqual(served.bytes.toString(), page("openapi.json"))
      const again = yield* ask("/openapi.json", { headers: { "if-none-match": String(served.headers["etag"]) } })
      assert.strictEqual(again.status, 304)
    }))
})
