import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { METHODS } from "../../src/methods/table.ts"
import type { JsonMembers } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { queryEngine, type QueryEngineOptions } from "../engine/mempool/query-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { bearer, exchange } from "./http-exchange.ts"
import { fits } from "./result-fits.ts"
import { testServer, type TestServerOptions } from "./test-server.ts"

/** An RPC server over a chain, asked as an administrator. */
export const asked = Effect.fnUntraced(function*(
  options: Omit<TestServerOptions, "directory"> & Partial<Pick<TestServerOptions, "directory">>
) {
  const { address } = yield* testServer({ directory: yield* temporaryDirectory, ...options })
  const answer = (method: string, params: unknown) =>
    Effect.map(
      Effect.promise(() =>
        exchange(address, {
          headers: { authorization: bearer("admin-token") },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
        })
      ),
      ({ body }) => readJson(body.trimEnd()) as JsonMembers
    )
  /** The text of the result, which must be as it is documented. */
  const text = (method: string, params: unknown = []) =>
    Effect.map(answer(method, params), (said) => {
      const result = said.get("result")
      assert.isDefined(result, writeJson(said))
      assert.isTrue(fits(METHODS.get(method)!.result.ast, result!), `${method}: ${writeJson(result!)}`)
      return writeJson(result!)
    })
  const result = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(text(method, params), (each) => JSON.parse(each))
  /** Code and first line of the message. */
  const error = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(answer(method, params), (said) => {
      const found = said.get("error") as JsonMembers | undefined
      assert.isDefined(found, writeJson(said))
      return `${writeJson(found!.get("code")!)} ${String(found!.get("message")).split("\n")[0]}`
    })
  return { answer, error, result, text }
})

/** A node whose mempool holds what a test puts there. */
export const mempoolNode = Effect.fnUntraced(function*(
  options: QueryEngineOptions & Pick<TestServerOptions, "deprecated"> = {}
) {
  const made = yield* queryEngine(options)
  const { handlers } = made.engine
  const withoutIndexes = {
    indexes: () => Effect.succeed([]),
    outputSpenders: () => Effect.fail({ _tag: "IndexNotEnabled", index: "txospenderindex" } as const)
  }
  return {
    ...made,
    ...(yield* asked({ chain: fakeChain({ ...withoutIndexes, ...handlers }), deprecated: options.deprecated ?? [] }))
  }
})
