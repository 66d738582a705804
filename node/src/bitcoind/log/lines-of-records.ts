import type { LogRecord } from "../../log/log-record.ts"
import type { CoreLevel, CoreLine } from "./core-line.ts"

type Fields = LogRecord["fields"]

/** What stands for a line of ours: lines of Bitcoin Core's, or nothing where it writes none. */
type Lines = (fields: Fields) => ReadonlyArray<CoreLine>

const info = (text: string): CoreLine => ({ level: "info", text })

const inDetail = (category: string, text: string): CoreLine => ({ level: "debug", category, text })

const NOTHING: Lines = () => []

/** Lines of ours by their message, where Bitcoin Core has words of its own for them, or none. */
const KNOWN: Readonly<Record<string, Lines>> = {
  event: NOTHING,
  "configuration loaded": NOTHING,
  "a new tip": NOTHING,
  "a connection has ended": NOTHING,
  "a peer did what no honest node does": NOTHING,
  "Component startup complete": () => [info("init message: Done loading")],
  "RPC listens": ({ address }) => [info(`Binding RPC on address ${hostOf(address)} port ${portOf(address)}`)],
  "RPC cannot listen": ({ address }) => [
    {
      level: "warning",
      text: `Binding RPC on address ${
        hostOf(address)
      } failed: Unable to bind to ${address} on this computer. Bitcoin Core is probably already running.`
    }
  ],
  "other nodes may connect": ({ address }) => [info(`Bound to ${address}`)],
  "the node stops": NOTHING,
  "the node stops because of an error": NOTHING,
  "the node has stopped": NOTHING,
  "a block is invalid": ({ block_hash: hash, reason }) => [
    info(`Block validation error: ${reason}`),
    info(`InvalidChainFound: invalid block=${hash}`)
  ],
  "headers of a chain of too little work are ignored": (
    { peer }
  ) => [inDetail("net", `Ignoring low-work chain (peer ${peer})`)]
}

const hostOf = (address: unknown): string => String(address).replace(/:\d+$/, "").replaceAll(/[[\]]/g, "")

const portOf = (address: unknown): string => /\d+$/.exec(String(address))?.[0] ?? ""

const LEVELS: Readonly<Record<LogRecord["level"], CoreLevel>> = {
  trace: "trace",
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error"
}

/** Categories of ours that Bitcoin Core calls otherwise; those with no name have no lines in detail. */
const CATEGORIES: Readonly<Record<string, string>> = { net: "net", rpc: "rpc", chain: "validation" }

const valueText = (value: unknown): string =>
  value instanceof Error ? value.message : typeof value === "object" ? JSON.stringify(value) : String(value)

const plainText = ({ fields, message }: LogRecord): string =>
  [message, ...Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`)].join(" ")

/** The lines of `debug.log` that stand for a line of ours. One that is not known keeps its own words. */
export const linesOfRecord = (record: LogRecord): ReadonlyArray<CoreLine> => {
  const known = Object.hasOwn(KNOWN, record.message) ? KNOWN[record.message] : undefined
  if (known !== undefined) return known(record.fields)
  const level = LEVELS[record.level]
  const isDetail = level === "debug" || level === "trace"
  const category = CATEGORIES[record.category]
  if (isDetail && category === undefined) return []
  return [{ level, category: isDetail ? category : undefined, text: plainText(record) }]
}
