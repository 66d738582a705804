import { recordedFiles } from "../acceptance/recorded-files.ts"
import { JsonMembers, JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { vectorLines } from "./vectors.ts"

/** One recorded call. Numbers keep their text, so that their form is compared as well. */
export interface GoldenRow {
  readonly seq: number
  readonly phase: string
  readonly method: string
  readonly rawParams: string
  readonly http: number
  readonly result: JsonRead | undefined
  readonly error: JsonRead | undefined
  readonly ignore: ReadonlyArray<string>
}

const rowOf = (line: string): GoldenRow | undefined => {
  const row = readJson(line)
  if (!(row instanceof JsonMembers)) return undefined
  const method = row.get("method")
  const seq = row.get("seq")
  if (typeof method !== "string" || !(seq instanceof JsonNumber)) return undefined
  const ignore = row.get("ignore")
  return {
    seq: Number(seq.text),
    phase: String(row.get("phase")),
    method,
    rawParams: writeJson(row.get("params") ?? []),
    http: Number((row.get("http") as JsonNumber).text),
    result: row.get("result"),
    error: row.get("error"),
    ignore: Array.isArray(ignore) ? ignore.map(String) : []
  }
}

/** The rows of all files in the order of their calls: what one file leaves out stands in another. */
export const goldenRows: ReadonlyArray<GoldenRow> = recordedFiles("oracle/rpc", "rpc")
  .flatMap((name) => vectorLines(`oracle/rpc/${name}`))
  .flatMap((line) => rowOf(line) ?? [])
  .toSorted((a, b) => a.seq - b.seq)

const short = (value: JsonRead | undefined): string => {
  const text = value === undefined ? "nothing" : writeJson(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

type Path = { readonly at: string; readonly ignore: ReadonlyArray<string> }

const below = ({ at, ignore }: Path, key: string | number): Path => ({
  at: at === "" ? String(key) : `${at}.${key}`,
  ignore
})

const compareMembers = (expected: JsonMembers, found: JsonMembers, path: Path): ReadonlyArray<string> =>
  expected.keys.join() === found.keys.join()
    ? expected.keys.flatMap((key) => compare(expected.get(key), found.get(key), below(path, key)))
    : [`${path.at || "result"}: members ${found.keys.join()} instead of ${expected.keys.join()}`]

const isSame = (expected: JsonRead | undefined, found: JsonRead | undefined): boolean =>
  expected === found || (expected !== undefined && found !== undefined && writeJson(expected) === writeJson(found))

/** Whether a path is to be left out; in those that are, a star stands for any position. */
const isIgnored = ({ at, ignore }: Path): boolean =>
  ignore.includes("*") || ignore.includes(at) || ignore.includes(at.replace(/(?<=\.)[0-9]+(?=\.)/g, "*"))

/** Where two values differ, by path. Members have an order, and numbers a form. */
const compare = (expected: JsonRead | undefined, found: JsonRead | undefined, path: Path): ReadonlyArray<string> => {
  if (isIgnored(path)) return []
  if (expected instanceof JsonMembers && found instanceof JsonMembers) return compareMembers(expected, found, path)
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    return expected.flatMap((each: JsonRead, i) => compare(each, found[i] as JsonRead, below(path, i)))
  }
  return isSame(expected, found) ? [] : [`${path.at || "result"}: ${short(found)} instead of ${short(expected)}`]
}

const codeOf = (error: JsonRead | undefined): string => error instanceof JsonMembers ? short(error.get("code")) : "none"

/** A recorded error with code −1 is a text of help: only its code is compared, unless it is one line. */
const compareErrors = (row: GoldenRow, found: JsonRead | undefined): ReadonlyArray<string> => {
  const isHelp = codeOf(row.error) === "-1" && row.error instanceof JsonMembers &&
    String(row.error.get("message")).includes("\n")
  if (!isHelp) return compare(row.error, found, { at: "error", ignore: [] })
  return codeOf(found) === "-1" ? [] : [`error: ${short(found)} instead of a text of help`]
}

/** What an answer has otherwise than recorded; nothing, as a rule. */
export const difference = (row: GoldenRow, status: number, body: string): ReadonlyArray<string> => {
  const answer = readJson(body.trimEnd())
  const where = `row ${row.seq} ${row.method} ${row.rawParams.slice(0, 100)}`
  if (!(answer instanceof JsonMembers)) return [`${where}: no JSON object but ${body.slice(0, 100)}`]
  const problems = row.error === undefined
    ? compare(row.result, answer.get("result"), { at: "", ignore: row.ignore })
    : compareErrors(row, answer.get("error"))
  return [
    ...(status === row.http ? [] : [`status ${status} instead of ${row.http}: ${short(answer.get("error"))}`]),
    ...problems
  ]
    .map((each) => `${where}: ${each}`)
}
