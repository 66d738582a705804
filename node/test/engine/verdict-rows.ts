import { bytesOf, displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { coinsText } from "@lockstep/conformance/chain/amount.ts"
import type { Field } from "@lockstep/conformance/formats/field.ts"
import { linesOf, parseJson } from "@lockstep/conformance/formats/read-file.ts"
import { rowBytes } from "@lockstep/conformance/chain/row-bytes.ts"
import type { VectorFile } from "@lockstep/conformance/sources/source.ts"
import * as Effect from "effect/Effect"
import type { EngineCalls, OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { EngineError } from "../../src/engine/api/engine-error.ts"
import { shownError } from "../rpc/shown-error.ts"

/** One row of a recorded run of Bitcoin Core, with the bytes it names. */
export interface VerdictRow {
  readonly number: number
  readonly row: Field
  readonly bytes: (() => Uint8Array) | undefined
}

const hasBytes = (row: Field): boolean => ["hex", "rle", "ref"].some((name) => row.find(name) !== undefined)

/** The rows of a file, up to one. */
export const verdictRows = async (file: VectorFile, end: number): Promise<ReadonlyArray<VerdictRow>> => {
  const rows: Array<VerdictRow> = []
  const bytes = new Map<number, () => Uint8Array>()
  for await (const line of linesOf(file)) {
    const row = parseJson(line, file, "row")
    const number = row.get("i").integer
    if (number >= end) break
    if (hasBytes(row)) bytes.set(number, rowBytes(row, bytes))
    rows.push({ number, row, bytes: bytes.get(number) })
  }
  return rows
}

/** How an engine is called. */
export type Call = <N extends OwnCall>(
  name: N,
  input: EngineCalls[N]["in"]
) => Effect.Effect<EngineCalls[N]["out"], EngineCalls[N]["fails"]>

const wireHash = (row: Field): Uint8Array => bytesOf(row.get("hash").text).reverse()

const perform = (call: Call, { bytes, row }: VerdictRow): Effect.Effect<string | undefined, EngineError> => {
  switch (row.get("op").text) {
    case "submitblock":
      return Effect.map(call("submitBlock", { bytes: bytes!() }), ({ result }) => result)
    case "submitheader":
      return Effect.as(call("submitHeader", { bytes: bytes!() }), undefined)
    case "proposal":
      return Effect.map(call("proposeBlock", { bytes: bytes!() }), ({ result }) => result)
    case "setmocktime":
      return Effect.as(call("setMockTime", { time: row.get("t").integer }), undefined)
    case "invalidateblock":
      return Effect.as(call("invalidateBlock", { hash: wireHash(row) }), undefined)
    case "reconsiderblock":
      return Effect.as(call("reconsiderBlock", { hash: wireHash(row) }), undefined)
    case "preciousblock":
      return Effect.as(call("preciousBlock", { hash: wireHash(row) }), undefined)
    default:
      return Effect.succeed(undefined)
  }
}

/** What the engine answers to a row, as text. */
export const answerTo = (call: Call, row: VerdictRow): Effect.Effect<string> =>
  Effect.match(perform(call, row), {
    onFailure: (error) => {
      const { code, message } = shownError(error)
      return `error ${code} "${message}"`
    },
    onSuccess: (result) => result ?? "null"
  })

/** What Bitcoin Core answered, as text. */
export const recordedAnswer = (row: Field): string => {
  const result = row.find("result")
  if (result === undefined) return "null"
  if (typeof result.raw === "string") return result.text
  const error = result.get("error")
  return `error ${error.get("code").integer} "${error.get("message").text}"`
}

/** Coins, amount and MuHash of the set, as rows have them. */
export const setFacts = (call: Call): Effect.Effect<string, EngineError> =>
  Effect.map(
    call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false }),
    ({ setHash, total, txouts }) => `${txouts} ${coinsText(total)} ${displayHexOf(setHash!)}`
  )
