import { assert, describe, it } from "@effect/vitest"
import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { readJson } from "@lockstep/conformance/formats/read-file.ts"
import { fileAt, type Source } from "@lockstep/conformance/sources/source.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import type { Field } from "@lockstep/conformance/formats/field.ts"
import type { RunningEngine } from "../../src/engine/engine.ts"
import { chainTips } from "../../src/engine/queries/chain-tips.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine, type TestEngineOptions } from "./test-engine.ts"
import { answerTo, recordedAnswer, setFacts, type VerdictRow, verdictRows } from "./verdict-rows.ts"

const source: Source = { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" }
const manifest = fileAt(source, "oracle/MANIFEST.json")

/** Larger ones take minutes. */
const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)

const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** An engine that is stopped and started again on the same directory. */
interface Session {
  readonly options: TestEngineOptions
  engine: RunningEngine
  scope: Scope.Closeable
}

const open = Effect.fnUntraced(function*(options: TestEngineOptions) {
  const scope = yield* Scope.make()
  const engine = yield* Scope.provide(testEngine(options), scope)
  const session: Session = { options, engine, scope }
  return session
})

const reopen = Effect.fnUntraced(function*(session: Session, mockTime: number) {
  yield* session.engine.call("flush", undefined)
  yield* Scope.close(session.scope, Exit.void)
  const next = yield* open({ ...session.options, mockTime })
  session.engine = next.engine
  session.scope = next.scope
})

const activationHeights = (args: ReadonlyArray<Field>): Record<string, number> =>
  Object.fromEntries(args.flatMap(({ text }) => {
    const [, name, height] = /^-testactivationheight=([a-z0-9]+)@(\d+)$/.exec(text) ?? []
    return name === undefined ? [] : [[name, Number(height)]]
  }))

const start = (directory: string, row: Field) => {
  const args = row.get("args").items
  const bip94 = args.some(({ text }) => text === "-test=bip94")
  return open({
    directory,
    mockTime: row.get("mocktime").integer,
    options: { activationHeights: activationHeights(args) },
    parts: (parts) => ({ ...parts, parameters: { ...parts.parameters, work: { ...parts.parameters.work, bip94 } } })
  })
}

const tipsOf = ({ chain }: RunningEngine): string =>
  chainTips(chain.tree).map((tip) => `${tip.height} ${displayHexOf(tip.hash)} ${tip.branchLength} ${tip.status}`).toSorted().join("; ")

const recordedTips = (row: Field): string =>
  row.get("chaintips").items.map((tip) =>
    `${tip.get("height").integer} ${tip.get("hash").text} ${tip.get("branchlen").integer} ${tip.get("status").text}`)
    .toSorted().join("; ")

const compare = Effect.fnUntraced(function*({ engine }: Session, { number, row }: VerdictRow, answer: string) {
  const { chain } = engine
  const at = `row ${number}`
  if (row.get("op").text !== "end") assert.strictEqual(answer, recordedAnswer(row), at)
  const best = row.find("best")
  if (best !== undefined) {
    const height = row.get("height").integer
    assert.strictEqual(displayHexOf(chain.tree.tip.hash), best.text, at)
    assert.strictEqual(chain.tree.tip.height, height, at)
    assert.strictEqual(chain.tree.bestHeader.height, row.find("headers")?.integer ?? height, at)
  }
  const utxo = row.find("utxo")
  if (utxo !== undefined) {
    const expected = `${utxo.get("n").integer} ${utxo.get("amount").text} ${utxo.get("muhash").text}`
    assert.strictEqual(yield* setFacts(engine.call), expected, at)
  }
})

const play = Effect.fnUntraced(function*(directory: string, rows: ReadonlyArray<VerdictRow>, restarts: boolean) {
  const random = randomFrom(SEED)
  const session = yield* start(directory, rows[0]!.row)
  // Who came first is forgotten by a restart, so only a chain that stands alone may be played with them.
  for (const row of rows) {
    const op = row.row.get("op").text
    if (op === "restart") {
      yield* reopen(session, row.row.find("mocktime")?.integer ?? session.engine.chain.clock.mockTime())
    } else if (restarts && random() < 0.03) {
      yield* reopen(session, session.engine.chain.clock.mockTime())
    }
    yield* compare(session, row, yield* answerTo(session.engine.call, row))
    if (op === "end") assert.strictEqual(tipsOf(session.engine), recordedTips(row.row))
  }
  yield* Scope.close(session.scope, Exit.void)
})

const FILES = [
  ["feature_chain_tiebreaks", false],
  ["feature_cltv", true],
  ["feature_dersig", true],
  ["feature_nulldummy", true],
  ["feature_segwit", true],
  ["mempool_reorg", false],
  ["mining_template_verification", true],
  ["p2p_invalid_block", true],
  ["rpc_invalidateblock", false],
  ["rpc_preciousblock", false],
  ["feature_csv_activation", true],
  ["feature_block", false]
] as const

const largeFrom = (name: string): number =>
  readJson(manifest).get("files").items.find((each) => each.get("path").text.endsWith(`/${name}.jsonl.gz`))
    ?.find("largeReorgFromRow")?.integer ?? Infinity

describe.skipIf(!existsSync(manifest.absolute))(`verdicts of the reference node, seed ${SEED}`, () => {
  for (const [name, restarts] of FILES) {
    it.live(name, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const rows = yield* Effect.promise(() => verdictRows(fileAt(source, `oracle/verdicts/${name}.jsonl.gz`), largeFrom(name)))
        yield* play(directory, rows, restarts)
      }), 240_000)
  }
})
