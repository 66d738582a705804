import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { exchange } from "./http-exchange.ts"
import { testServer } from "./test-server.ts"

const cases: ReadonlyArray<readonly [params: string, result: string]> = [
  ["[]", "[]"],
  ["[1,\"a\",{\"b\":[null]}]", "[1,\"a\",{\"b\":[null]}]"],
  ["[null]", "[null]"],
  ["{\"arg1\":1}", "[null,1]"],
  ["{\"arg3\":null}", "[null,null,null,null]"],
  ["{\"args\":[0,1],\"arg3\":3}", "[0,1,null,3]"]
]

describe("echo and echojson", () => {
  it.live("answer as many values as were given, nulls among them", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      for (const method of ["echo", "echojson"]) {
        for (const [params, result] of cases) {
          const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
          const answer = yield* Effect.promise(() => exchange(address, { body }))
          assert.strictEqual(answer.body, `{"jsonrpc":"2.0","result":${result},"id":1}\n`)
        }
      }
    }))
})
