import { assert, describe, it } from "@effect/vitest"
import { framedBlocks } from "@lockstep/conformance/chain/framed-blocks.ts"
import { satoshisOf } from "@lockstep/conformance/chain/amount.ts"
import { judgeUndo } from "@lockstep/conformance/chain/undo-facts.ts"
import type { Field } from "@lockstep/conformance/formats/field.ts"
import { bytesOf, displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { parseJson, readJson, readText } from "@lockstep/conformance/formats/read-file.ts"
import { fileAt, type Source } from "@lockstep/conformance/sources/source.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { SetHashType } from "../../src/coins/set-walk.ts"
import { loadUndo } from "../../src/engine/validation/disconnect.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { undoPlace } from "../../src/engine/header-index/block-place.ts"
import { nodeOf } from "../../src/engine/header-index/header-index.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { closeSession, openSession, randomFrom, reopen, viewOf } from "./session.ts"
import { patience } from "../process/patience.ts"

const source: Source = { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" }
const chainFile = (name: string) => fileAt(source, `oracle/chain/${name}`)

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)

const rowsOf = (name: string): ReadonlyArray<Field> =>
  readText(chainFile(name)).split("\n").filter((line) => line !== "").map((line, i) =>
    parseJson(line, chainFile(name), `row ${i}`)
  )

const setHash = (engine: RunningEngine, hashType: SetHashType): Effect.Effect<string> =>
  Effect.orDie(Effect.map(
    engine.call("setStatistics", { hashType, at: undefined, useIndex: false }),
    (statistics) => displayHexOf(statistics.setHash!)
  ))

/** What `gettxoutsetinfo` said when this block was the tip. */
const compareSet = Effect.fnUntraced(function*(engine: RunningEngine, row: Field) {
  const info = row.get("hash_serialized_3")
  const statistics = yield* engine.call("setStatistics", {
    hashType: "hash_serialized_3",
    at: undefined,
    useIndex: false
  })
  assert.strictEqual(displayHexOf(statistics.setHash!), info.get("hash_serialized_3").text)
  assert.strictEqual(statistics.txouts, info.get("txouts").integer)
  assert.strictEqual(statistics.transactions, info.get("transactions").integer)
  assert.strictEqual(statistics.bogoSize, BigInt(info.get("bogosize").integer))
  assert.strictEqual(statistics.total, satoshisOf(info.get("total_amount").number))
  assert.strictEqual(yield* setHash(engine, "muhash"), row.get("muhash_noindex").get("muhash").text)
})

describe.skipIf(!existsSync(chainFile("index.json").absolute))(
  `the chain that Bitcoin Core made, seed ${SEED}`,
  () => {
    it.live("block after block, with restarts: answers, coins, undo data and tips", () =>
      Effect.gen(function*() {
        const index = readJson(chainFile("index.json"))
        const mockTime = index.get("mocktime").integer
        const blocks = framedBlocks(chainFile("blocks.dat.gz"), REGTEST.magic)
        const live = new Map(
          rowsOf("txoutset.jsonl.gz").filter((row) => row.get("kind").text === "live")
            .map((row) => [row.get("best").text, row])
        )
        const random = randomFrom(SEED)
        const session = yield* openSession({ directory: yield* temporaryDirectory, mockTime })
        let compared = 0
        for (const [i, row] of index.get("blocks").items.entries()) {
          if (i === 0) continue
          // While two branches have the same work a restart would change which one was first.
          const isAlone = session.engine.chain.tree.candidates.size === 1
          if (isAlone && random() < 0.03) {
            yield* session.engine.call("flush", undefined)
            yield* reopen(session, mockTime)
          }
          const { result } = yield* session.engine.call("submitBlock", { bytes: blocks[i]! })
          assert.strictEqual(result ?? null, row.find("submitblock")?.raw ?? null, `block ${i}`)
          assert.strictEqual(viewOf(session.engine).tip, row.get("bestAfter").text, `block ${i}`)
          const moment = live.get(row.get("bestAfter").text)
          if (moment === undefined) continue
          yield* compareSet(session.engine, moment)
          compared++
        }
        assert.isAtLeast(compared, live.size)
        yield* session.engine.call("submitHeader", { bytes: bytesOf(index.get("headersOnly").text) })
        const tips = index.get("chaintips").items.map((tip) =>
          `${tip.get("height").integer} ${tip.get("hash").text} ${tip.get("branchlen").integer} ${
            tip.get("status").text
          }`
        )
        assert.strictEqual(viewOf(session.engine).tips, tips.toSorted().join("; "))
        yield* session.engine.call("flush", undefined)
        yield* reopen(session, mockTime)
        assert.strictEqual(viewOf(session.engine).tips, tips.toSorted().join("; "))

        const { chain } = session.engine
        let undone = 0
        for (const row of rowsOf("getblock_v3.jsonl.gz")) {
          const node = nodeOf(chain.tree, bytesOf(row.get("hash").text).reverse())!
          if (undoPlace(chain.tree, node) === undefined) continue
          assert.isUndefined(judgeUndo(row.get("result"), yield* loadUndo(chain, node)))
          undone++
        }
        assert.isAbove(undone, 20)
        yield* closeSession(session)
      }), patience(240_000))
  }
)
