import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { basic, exchange } from "./http-exchange.ts"
import { METHODS } from "../../src/rpc/methods/table.ts"
import { type GoldenRow, difference, goldenRows } from "./golden-rows.ts"
import { recordedChain } from "./recorded-chain.ts"
import { withRecordedIndexes } from "./recorded-indexes.ts"
import { testServer } from "./test-server.ts"
import { hasVectors } from "./vectors.ts"

/** Rows whose answer must differ, and why. */
const DIFFERENT: Readonly<Record<number, string>> = {
  591: "block templates are not built yet",
  647: "the list of methods is shorter"
}

const rows = goldenRows.filter(({ method, phase, seq }) => phase === "A" && METHODS.has(method) && DIFFERENT[seq] === undefined)

describe.runIf(hasVectors)("answers as recorded from the reference node", () => {
  it.live(`${rows.length} rows of ${new Set(rows.map(({ method }) => method)).size} methods`, () =>
    Effect.gen(function*() {
      const { connectedBlocks, chain, differences, directory } = yield* recordedChain
      assert.deepStrictEqual(differences, [])
      const { address } = yield* testServer({ directory, chain: withRecordedIndexes(chain, connectedBlocks), limits: { maxRequestBytes: 32_000_000 } })
      const ask = ({ method, rawParams }: GoldenRow) =>
        Effect.promise(() =>
          exchange(address, {
            headers: { authorization: basic("u:p") },
            body: `{"jsonrpc":"1.0","id":1,"method":${JSON.stringify(method)},"params":${rawParams}}`
          }))
      const found: Array<string> = []
      for (const row of rows) {
        const answer = yield* ask(row)
        found.push(...difference(row, answer.status, answer.body))
      }
      assert.deepStrictEqual(found, [])
    }), 120_000)
})
