import { assert } from "@effect/vitest"
import { parametersIn } from "@lockstep/conformance/chain/recorded-options.ts"
import type { Field } from "@lockstep/conformance/formats/field.ts"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { type Model, modelOf } from "./model.ts"
import { closeSession, forgetsAnOrder, openSession, randomFrom, reopen, type Session, viewOf } from "./session.ts"
import type { TestEngineOptions } from "./test-engine.ts"
import { answerTo, recordedAnswer, setFacts, type VerdictRow } from "./verdict-rows.ts"

/** What a recorded start says of the rules; nothing: they stay. */
const rulesIn = (row: Field): Pick<TestEngineOptions, "parts"> => {
  const parameters = parametersIn(row)
  return parameters === undefined ? {} : { parts: (parts) => ({ ...parts, parameters }) }
}

const start = (directory: string, row: Field, news?: (news: EngineNotification) => void) =>
  openSession({
    directory,
    mockTime: row.get("mocktime").integer,
    ...(news === undefined ? {} : { news }),
    ...rulesIn(row)
  })

/** The recorded node was stopped in order, and wrote what it had. */
const restarted = Effect.fnUntraced(function*(session: Session, row: Field) {
  yield* session.engine.call("flush", undefined)
  yield* reopen(session, row.find("mocktime")?.integer ?? timeOf(session), rulesIn(row))
})

const tipsIn = (row: Field): string =>
  row.get("chaintips").items.map((tip) =>
    `${tip.get("height").integer} ${tip.get("hash").text} ${tip.get("branchlen").integer} ${tip.get("status").text}`
  )
    .toSorted().join("; ")

/** What Bitcoin Core was recorded to be like after this row. */
const compareWithRecord = Effect.fnUntraced(
  function*({ engine }: Session, { number, row }: VerdictRow, answer: string, large: number) {
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
  }
)

const compareWithModel = Effect.fnUntraced(function*({ engine }: Session, model: Model, { number, row }: VerdictRow) {
  assert.deepStrictEqual(viewOf(engine), model.view(), `row ${number}`)
  if (row.find("utxo") === undefined) return
  assert.include(yield* setFacts(engine.call), model.muHash(), `row ${number}`)
})

/** The full reasons, with their debug messages, that Bitcoin Core logged in a row. */
const loggedReasons = (row: Field): ReadonlyArray<string> =>
  (row.find("log")?.items ?? []).flatMap(({ text }) => {
    const [, refused, invalid] = /AcceptBlock FAILED \((.*)\)$|^Block validation error: (.*)$/.exec(text) ?? []
    const reason = refused ?? invalid
    // Without a message the place in the tree is at fault, which breaks no rule.
    return reason?.includes(", ") === true ? [reason] : []
  })

/** Reasons of the rules that events say were broken. */
const reasonsIn = (received: ReadonlyArray<EngineNotification>): ReadonlyArray<string> =>
  received.flatMap((news) =>
    news._tag === "Event" && news.event.type === "ConsensusRuleViolation" ? [news.event.payload.reason] : []
  )

const timeOf = ({ engine }: Session): number => engine.chain.clock.mockTime()

/** Plays rows as they were recorded. */
export const play = Effect.fnUntraced(function*(directory: string, rows: ReadonlyArray<VerdictRow>, large: number) {
  const received: Array<EngineNotification> = []
  const session = yield* start(directory, rows[0]!.row, (news) => received.push(news))
  for (const row of rows) {
    received.length = 0
    if (row.row.get("op").text === "restart") yield* restarted(session, row.row)
    yield* compareWithRecord(session, row, yield* answerTo(session.engine.call, row), large)
    if (row.row.get("op").text === "submitblock") {
      assert.includeMembers([...reasonsIn(received)], [...loggedReasons(row.row)], `row ${row.number}`)
    }
  }
  yield* closeSession(session)
})

/** Plays rows with restarts where none were: a restart forgets who came first, so the model says what is right. */
export const playWithRestarts = Effect.fnUntraced(
  function*(directory: string, rows: ReadonlyArray<VerdictRow>, seed: number) {
    const random = randomFrom(seed)
    const session = yield* start(directory, rows[0]!.row)
    const model = modelOf(session.engine.chain.parameters, rows[0]!.row.get("mocktime").integer)
    for (const row of rows) {
      const isRestart = row.row.get("op").text === "restart"
      if (isRestart) yield* restarted(session, row.row)
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
  }
)
