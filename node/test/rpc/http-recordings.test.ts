import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { recordedFiles } from "../acceptance/recorded-files.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { bytesOfDigits } from "../../src/hex.ts"
import { fakeChain } from "./fake-chain.ts"
import { basic, exchange } from "./http-exchange.ts"
import { testServer } from "./test-server.ts"
import { vectorLines } from "./vectors.ts"

interface Recorded {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    /** Null: the request came without credentials. */
    readonly auth: string | null
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
  }
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const rows = recordedFiles("oracle/rpc", "http").flatMap((name) => vectorLines(`oracle/rpc/${name}`)).map((line) =>
  JSON.parse(line) as Recorded
)

/** Rows that must differ, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "named args": "needs the recorded chain; the golden rows cover it"
}

const HASHES: Readonly<Record<number, string>> = {
  0: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
  5: "0493e362845e3ae52f65e12d20bc98af9e54ab492c5fbef67c31e0a6e41bfeab"
}

const chain = fakeChain({
  hashAt: ({ height }) => Effect.succeed(bytesOfDigits(HASHES[height]!)!.toReversed())
})

describe.runIf(rows.length > 0)("HTTP as recorded from Bitcoin Core", () => {
  for (const { body, headers, name, request, status } of rows) {
    if (DIFFERENT[name] !== undefined) continue
    it.live(name, () =>
      Effect.gen(function*() {
        const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain })
        const answer = yield* Effect.promise(() =>
          exchange(address, {
            method: request.method,
            path: request.path,
            headers: { ...request.headers, ...(request.auth === null ? {} : { authorization: basic(request.auth) }) },
            ...(request.body === null ? {} : { body: request.body })
          })
        )
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.body, body)
        for (const [key, value] of Object.entries(headers)) assert.strictEqual(answer.headers[key.toLowerCase()], value)
      }))
  }
})
