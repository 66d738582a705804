import { assert, describe, it } from "@effect/vitest"
import type { Field } from "@lockstep/conformance/formats/field.ts"
import { readJson } from "@lockstep/conformance/formats/read-file.ts"
import { fileAt, type Source } from "@lockstep/conformance/sources/source.ts"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type Model, modelOf } from "./model.ts"
import { closeSession, forgetsAnOrder, openSession, randomFrom, reopen, type Session, viewOf } from "./session.ts"
import { answerTo, recordedAnswer, setFacts, type VerdictRow, verdictRows } from "./verdict-rows.ts"

const source: Source = { kind: "root", label: "vectors", directory: process.env["LOCKSTEP_VECTORS"] ?? "" }
const manifest = fileAt(source, "oracle/MANIFEST.json")

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)

const activationHeights = (args: ReadonlyArray<Field>): Record<string, number> =>
  Object.fromEntries(args.flatMap(({ text }) => {
    const [, name, height] = /^-testactivationheight=([a-z0-9]+)@(\d+)$/.exec(text) ?? []
    return name === undefined ? [] : [[name, Number(height)]]
  }))

const start = (directory: string, row: Field) => {
  const args = row.get("args").items
  const bip94 = args.some(({ text }) => text === "-test=bip94")
  return openSession({
    directory,
    mockTime: row.get("mocktime").integer,
    options: { activationHeights: activationHeights(args) },
    parts: (parts) => ({ ...parts, parameters: { ...parts.parameters, work: { ...parts.parameters.work, bip94 } } })
  })
}

const tipsIn = (row: Field): string =>
  row.get("chaintips").items.map((tip) =>
    `${tip.get("height").integer} ${tip.get("hash").text} ${tip.get("branchlen").integer} ${tip.get("status").text}`)
    .toSorted().join("; ")

/** What the reference node was recorded to be like after this row. */
const compareWithRecord = Effect.fnUntraced(function*({ engine }: Session, { number, row }: VerdictRow, answer: string, large: number) {
  const at = `row ${number}`
  const { headers, tip, tips } = viewOf(engine)
  const isEnd = row.get("op").text === "end"
  if (!isEnd) assert.strictEqual(answer, recordedAnswer(row), at)
  const best = row.find("best")
  if (best !== undefined) {
    const height = row.get("height").integer
    assert.strictEqual(tip, best.text, at)
    assert.strictEqual(engine.chain.tree.tip.height, height, at)
    assert.strictEqual(headers, row.find("headers")?.integer ?? height, at)
  }
  if (isEnd) assert.strictEqual(tips, tipsIn(row), at)
  const utxo = row.find("utxo")
  // Walking over all coins after each of a thousand blocks takes longer than connecting them.
  if (utxo === undefined || (number > large && number % 100 !== 0)) return
  const expected = `${utxo.get("n").integer} ${utxo.get("amount").text} ${utxo.get("muhash").text}`
  assert.strictEqual(yield* setFacts(engine.call), expected, at)
})

const compareWithModel = Effect.fnUntraced(function*({ engine }: Session, model: Model, { number, row }: VerdictRow) {
  assert.deepStrictEqual(viewOf(engine), model.view(), `row ${number}`)
  if (row.find("utxo") === undefined) return
  assert.include(yield* setFacts(engine.call), model.muHash(), `row ${number}`)
})

const timeOf = ({ engine }: Session): number => engine.chain.clock.mockTime()

/** Plays rows as they were recorded. */
const play = Effect.fnUntraced(function*(directory: string, rows: ReadonlyArray<VerdictRow>, large: number) {
  const session = yield* start(directory, rows[0]!.row)
  for (const row of rows) {
    if (row.row.get("op").text === "restart") yield* reopen(session, row.row.find("mocktime")?.integer ?? timeOf(session))
    yield* compareWithRecord(session, row, yield* answerTo(session.engine.call, row), large)
  }
  yield* closeSession(session)
})

/** Plays rows with restarts where none were: a restart forgets who came first, so the model says what is right. */
const playWithRestarts = Effect.fnUntraced(function*(directory: string, rows: ReadonlyArray<VerdictRow>) {
  const random = randomFrom(SEED)
  const session = yield* start(directory, rows[0]!.row)
  const model = modelOf(session.engine.chain.parameters, rows[0]!.row.get("mocktime").integer)
  for (const row of rows) {
    const isRestart = row.row.get("op").text === "restart"
    if (isRestart) yield* reopen(session, row.row.find("mocktime")?.integer ?? timeOf(session))
    else if (random() < 0.08 && !forgetsAnOrder(session.engine.chain.tree)) {
      // In the initial download nothing is committed by itself.
      yield* session.engine.call("flush", undefined)
      yield* reopen(session, timeOf(session))
      model.restart()
    }
    assert.strictEqual(yield* answerTo(session.engine.call, row), model.perform(row), `row ${row.number}`)
    yield* compareWithModel(session, model, row)
  }
  yield* closeSession(session)
})

const SMALL = [
  "feature_chain_tiebreaks",
  "feature_cltv",
  "feature_dersig",
  "feature_nulldummy",
  "feature_segwit",
  "mempool_reorg",
  "mining_template_verification",
  "p2p_invalid_block",
  "rpc_invalidateblock",
  "rpc_preciousblock",
  "feature_csv_activation"
]

/** Where a file starts to need hundreds of large blocks. */
const largeFrom = (name: string): number =>
  readJson(manifest).get("files").items.find((each) => each.get("path").text.endsWith(`/${name}.jsonl.gz`))
    ?.find("largeReorgFromRow")?.integer ?? Infinity

const rowsOf = (name: string): Effect.Effect<ReadonlyArray<VerdictRow>> =>
  Effect.promise(() => verdictRows(fileAt(source, `oracle/verdicts/${name}.jsonl.gz`), Infinity))

describe.skipIf(!existsSync(manifest.absolute))("verdicts of the reference node", () => {
  for (const name of [...SMALL, "feature_block"]) {
    it.live(`${name}, as recorded`, () =>
      Effect.gen(function*() {
        yield* play(yield* temporaryDirectory, yield* rowsOf(name), largeFrom(name))
      }), 600_000)
  }
  for (const name of SMALL) {
    it.live(`${name}, with restarts, seed ${SEED}`, () =>
      Effect.gen(function*() {
        yield* playWithRestarts(yield* temporaryDirectory, yield* rowsOf(name))
      }), 240_000)
  }
})
