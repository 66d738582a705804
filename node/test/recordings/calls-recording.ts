import { basename } from "node:path"
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { makePlace, type Place } from "../bitcoind/bitcoind-process.ts"
import { type Answer, answerDiffers } from "./answers.ts"
import { exceptionFor } from "./exceptions.ts"

/** A call that Bitcoin Core has answered, and that depends on no other call. */
interface CallRow extends Answer {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Calls that were made of a node of Bitcoin Core with an empty regtest chain. */
export interface CallsRecording {
  readonly name: string
  readonly rows: ReadonlyArray<CallRow>
}

/** Returns the calls of a file, or `undefined` if it records something else. */
export const callsRecordingAt = (path: string): CallsRecording | undefined => {
  const lines = gunzipSync(readFileSync(path)).toString("utf8").split("\n").filter((line) => line !== "")
  const head = JSON.parse(lines[0] ?? "{}") as Partial<CallRow> & { readonly op?: string }
  if (head.op !== undefined || head.method === undefined || head.params === undefined) return undefined
  return { name: basename(path, ".jsonl.gz"), rows: lines.map((line) => JSON.parse(line) as CallRow) }
}

/** What playing the calls of a recording found. */
export interface CallsOutcome {
  readonly rows: number
  readonly excepted: number
  readonly differences: ReadonlyArray<string>
}

const playRows = async ({ name, rows }: CallsRecording, stride: number, place: Place): Promise<CallsOutcome> => {
  const differences: Array<string> = []
  let [played, excepted] = [0, 0]
  for (const [row, { method, params, ...recorded }] of rows.entries()) {
    if (row % stride !== 0) continue
    played++
    // One after another, so that a row that stops the node is the last one.
    // oxlint-disable-next-line eslint/no-await-in-loop
    const found = await place.answer(method, ...params)
    for (const text of answerDiffers(method, recorded, found)) {
      if (exceptionFor(name, row, text) === undefined) differences.push(`row ${row} ${method}: ${text}`)
      else excepted++
    }
  }
  return { rows: played, excepted, differences }
}

/** Plays recorded calls to `bitcoind` with an empty chain, each or every few, and lists the answers that differ. */
export const playCalls = async (recording: CallsRecording, stride = 1): Promise<CallsOutcome> => {
  const place = await makePlace()
  const { ended } = place.start()
  try {
    await place.ready()
    return await playRows(recording, stride, place)
  } finally {
    await place.call("stop").catch(() => undefined)
    await ended
    place.remove()
  }
}
