import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { JsonMembers } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { METHODS } from "../../src/methods/table.ts"
import { testLayer } from "../p2p/connections/test-layer.ts"
import { difference, type GoldenRow, goldenRows } from "./golden-rows.ts"
import { basic, exchange } from "./http-exchange.ts"
import { recordedChain } from "./recorded-chain.ts"
import { fits } from "./result-fits.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"
import { hasVectors, vectorLines } from "./vectors.ts"

/** Rows whose answer must differ, and why. */
const DIFFERENT: Readonly<Record<number, string>> = {
  647: "a text of help; the names in it are compared in method-names.test.ts"
}

const NO_FEES = {
  blocks: "the recorded node had seen how the fees of its chain were confirmed, before it was restarted"
}

/** Fields that must differ, by row, and why. */
const DIFFERENT_FIELDS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  702: { mempool_sequence: "the blocks' reorganizations are replayed here, and transactions come back by them" },
  501: NO_FEES,
  502: NO_FEES,
  503: NO_FEES,
  507: NO_FEES
}

const rows = goldenRows
  .filter(({ method, seq }) => METHODS.has(method) && DIFFERENT[seq] === undefined)
  .map((row): GoldenRow => ({ ...row, ignore: [...row.ignore, ...Object.keys(DIFFERENT_FIELDS[row.seq] ?? {})] }))

/** An answer with a result that the method's schema does not describe. */
const undocumented = ({ method, seq }: GoldenRow, body: string): ReadonlyArray<string> => {
  const answer = readJson(body.trimEnd())
  const result = answer instanceof JsonMembers && answer.get("error") === null ? answer.get("result") : undefined
  const isDescribed = result === undefined || fits(METHODS.get(method)!.result.ast, result)
  return isDescribed ? [] : [`row ${seq}: ${method} says otherwise what it answers`]
}

const blockLines = vectorLines("oracle/chain/getblock_v3.jsonl.gz")

const served = Effect.gen(function*() {
  const { chain, differences, directory } = yield* recordedChain
  assert.deepStrictEqual(differences, [])
  const { service: network } = yield* testLayer()
  return yield* testServer({ directory, chain, network, limits: { maxRequestBytes: 32_000_000 } })
})

describe.runIf(hasVectors)("answers as recorded from Bitcoin Core (needs recorded data: LOCKSTEP_VECTORS)", () => {
  const methods = new Set(rows.map(({ method }) => method))
  it.live(
    `${rows.length} rows of ${methods.size} methods, and ${blockLines.length} blocks with all they spend`,
    () =>
      Effect.gen(function*() {
        const { address } = yield* served
        const found: Array<string> = []
        for (const row of rows) {
          const { body, status } = yield* Effect.promise(() =>
            exchange(address, {
              headers: { authorization: basic("u:p") },
              body: `{"jsonrpc":"1.0","id":1,"method":${JSON.stringify(row.method)},"params":${row.rawParams}}`
            })
          )
          found.push(...difference(row, status, body), ...undocumented(row, body))
        }
        assert.deepStrictEqual(found, [])
        for (const line of blockLines) {
          const { hash, result: expected } = JSON.parse(line) as { readonly hash: string; readonly result: unknown }
          const { result } = yield* Effect.promise(() => ask(address, "getblock", [hash, 3]))
          assert.deepStrictEqual(result, expected, hash)
        }
      })
  )
})
