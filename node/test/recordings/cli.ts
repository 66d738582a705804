import { existsSync } from "node:fs"
import { join } from "node:path"
import { callsRecordingAt, playCalls } from "./calls-recording.ts"
import { conversationAt, conversationFiles, recordingsFolder } from "./conversation.ts"
import { EXCEPTIONS } from "./exceptions.ts"
import { playRest, restRecordingAt } from "./rest-recording.ts"
import { type Difference, playConversation } from "./play-conversation.ts"
import { typedOptions } from "../process/typed-options.ts"

/**
 * `pnpm test:recordings --dir DIR [NAME…]`: plays recorded conversations with Bitcoin Core to nodes of ours, over RPC
 * and real connections, and lists what is not as recorded.
 */

const USAGE = `pnpm test:recordings --dir DIR [NAME…] [options]
  --dir DIR            a folder of conversations, or the name of one beside the reference vectors
  --from ROW           the first row to compare (default: 0)
  --max-differences N  give a conversation up after so many (default: 20)
  --keep-going         never give up`

const { positionals, values } = typedOptions(USAGE, {
  dir: { type: "string" },
  from: { type: "string", default: "0" },
  "max-differences": { type: "string", default: "20" },
  "keep-going": { type: "boolean", default: false }
}, { hasNames: true })

const fail = (why: string): never => {
  console.error(`${why}\n\n${USAGE}`)
  process.exit(2)
}

const count = (name: "from" | "max-differences"): number => {
  const number = Number(values[name])
  return Number.isSafeInteger(number) && number >= 0 ? number : fail(`--${name} is a number`)
}

/** A folder, or the name of one beside the reference vectors. */
const folder = (): string => {
  const { dir } = values
  if (dir === undefined) return fail("--dir is missing")
  const found = existsSync(dir) ? dir : recordingsFolder(dir)
  return found ?? fail(`there is no folder ${dir}`)
}

const shown = (name: string, { note, row, text }: Difference): string => {
  const what = row.m ?? row.t ?? ""
  const about = note === undefined ? "" : ` [${note}]`
  return `  ${name} row ${row.i} ${row.op}${what === "" ? "" : ` ${what}`}${
    row.c === undefined ? "" : ` ${row.c}`
  }: ${text}${about}`
}

// The nodes that were started end with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const options = {
  from: count("from"),
  maxDifferences: values["keep-going"] ? Infinity : Math.max(1, count("max-differences"))
}
const files = conversationFiles(folder(), positionals)
const missing = positionals.filter((name) => !files.some((path) => path.endsWith(join("/", `${name}.jsonl.gz`))))
if (missing.length > 0) fail(`there is no conversation ${missing.join(", ")}`)

/** Plays a recording of single calls, where a file is one. */
const playCallsAt = async (path: string): Promise<void> => {
  const recording = callsRecordingAt(path)
  if (recording === undefined) return
  const { differences, excepted, rows } = await playCalls(recording)
  const but = excepted === 0 ? "" : `, ${excepted} excepted`
  console.log(`${recording.name}: ${rows} calls, ${differences.length} differences${but}`)
  for (const difference of differences.slice(0, options.maxDifferences)) console.log(`  ${difference}`)
  totals.conversations++
  totals.rows += rows
  totals.differences += differences.length
}

/** Plays a recording of REST, where a file is one. */
const playRestAt = async (path: string): Promise<void> => {
  const recording = restRecordingAt(path)
  if (recording === undefined) return
  const { differences, rows } = await playRest(recording)
  console.log(`${recording.name}: ${rows} requests, ${differences.length} differences`)
  for (const difference of differences.slice(0, options.maxDifferences)) console.log(`  ${difference}`)
  totals.conversations++
  totals.rows += rows
  totals.differences += differences.length
}

const totals = { conversations: 0, rows: 0, differences: 0 }
for (const path of files) {
  const conversation = conversationAt(path)
  if (conversation === undefined) {
    await playCallsAt(path)
    await playRestAt(path)
    continue
  }
  const started = Date.now()
  const { differences, excepted, isComplete, rows, skipped } = await playConversation(conversation, options)
  const seconds = Math.round((Date.now() - started) / 1000)
  const parts = [
    `${rows} rows`,
    `${differences.length} differences`,
    ...(excepted.length === 0 ? [] : [`${excepted.length} excepted`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(isComplete ? [] : [`given up, ${conversation.rows.length - rows} rows are left`]),
    `${seconds} s`
  ]
  console.log(`${conversation.name}: ${parts.join(", ")}`)
  for (const difference of differences) console.log(shown(conversation.name, difference))
  const unused = EXCEPTIONS.filter((each) => each.conversation === conversation.name && !excepted.includes(each))
  if (isComplete) {
    for (const { row } of unused) console.log(`  ${conversation.name}: the exception ${row} is not needed`)
  }
  totals.conversations++
  totals.rows += rows
  totals.differences += differences.length + (isComplete ? unused.length : 0)
}
console.log(`${totals.conversations} conversations, ${totals.rows} rows, ${totals.differences} differences`)
process.exit(totals.differences === 0 ? 0 : 1)
