import { INVALID_CHAIN_FOUND, INVALID_CHAIN_IS_OVER } from "../../engine/api/fault-text.ts"
import type { LogRecord } from "../../log/log-record.ts"
import { bindFaultText } from "../process/system-error.ts"
import { COIN } from "../../units.ts"
import { type CoreLevel, type CoreLine, inDetail, info } from "./core-line.ts"
import { VERIFICATION_LINES } from "./lines-of-verification.ts"

type Fields = LogRecord["fields"]

/** Returns Bitcoin Core's lines in place of a record of this node, or nothing if Core logs none. */
type Lines = (fields: Fields) => ReadonlyArray<CoreLine>

const NOTHING: Lines = () => []

/** Core: `LoadMempool`. */
const loadedText = ({ accepted, expired, failed, known, unbroadcast }: Fields): string =>
  `Imported mempool transactions from file: ${accepted} succeeded, ${failed} failed, ${expired} expired, ` +
  `${known} already there, ${unbroadcast} waiting for initial broadcast`

/** Core: `DumpMempool`. */
const linesOfSaved: Lines = ({ bytes, copy_seconds: copy, transactions, unbroadcast, write_seconds: write }) => [
  info(`Writing ${transactions} mempool transactions to file...`),
  info(`Writing ${unbroadcast} unbroadcast transactions to file.`),
  info(
    `Dumped mempool: ${Number(copy).toFixed(3)}s to copy, ${Number(write).toFixed(3)}s to dump, ` +
      `${bytes} bytes dumped to file`
  )
]

const inMib = (bytes: number): string => `${Math.trunc(bytes / (1024 * 1024))}MiB`

/** Core: `FindFilesToPruneManual` and `FindFilesToPrune`, which name the pruned chain by its role. */
const linesOfPruning: Lines = ({ files, highest, is_behind_snapshot: isBehind, target, used }) => {
  const role = isBehind === true ? "assumedvalid" : "normal"
  const removed = `removed ${files} blk/rev pairs`
  if (target === undefined) return [info(`[${role}] Prune (Manual): prune_height=${highest} ${removed}`)]
  const [aim, actual] = [Number(target), Number(used)]
  return [
    inDetail(
      "prune",
      `[${role}] target=${inMib(aim)} actual=${inMib(actual)} diff=${inMib(aim - actual)} ` +
        `min_height=0 max_prune_height=${highest} ${removed}`
    )
  ]
}

/** Records by their message for which Bitcoin Core has words of its own, or logs nothing. */
const KNOWN: Readonly<Record<string, Lines>> = {
  event: NOTHING,
  "configuration loaded": NOTHING,
  "a new tip": NOTHING,
  "a connection has ended": NOTHING,
  "private broadcast": NOTHING,
  "a peer did what no honest node does": NOTHING,
  "Component startup complete": () => [info("init message: Done loading")],
  "RPC listens": ({ address }) => [info(`Binding RPC on address ${hostOf(address)} port ${portOf(address)}`)],
  "RPC cannot listen": ({ address, code }) => [
    {
      level: "warning",
      text: `Binding RPC on address ${hostOf(address)} failed: ${bindFaultText(String(address), String(code))}`
    }
  ],
  "other nodes may connect": ({ address }) => [info(`Bound to ${address}`)],
  "Block files were taken in": () => [info("Reindexing finished")],
  "A block of a file waits for its parent": ({ block, parent }) => [
    inDetail("reindex", `LoadExternalBlockFile: Out of order block ${block}, parent ${parent} not known`)
  ],
  "A block that waited for its parent is taken in": ({ block, parent }) => [
    inDetail("reindex", `LoadExternalBlockFile: Processing out of order child ${block} of ${parent}`)
  ],
  "[snapshot] successfully activated snapshot": ({ block_hash: hash }) => [
    info(`[snapshot] successfully activated snapshot ${hash}`)
  ],
  "[snapshot] the loaded snapshot is confirmed": ({ block_hash: hash }) => [
    info(`[snapshot] snapshot beginning at ${hash} has been fully validated`)
  ],
  "Verifying the last blocks": ({ blocks, level }) => [VERIFICATION_LINES.begins(blocks, level)],
  "Block verification stopped at a block that is not on disk": ({ height }) => [VERIFICATION_LINES.noData(height)],
  "Block verification left out coins for lack of memory": () => [VERIFICATION_LINES.noMemory()],
  "The verified blocks and coins fit together": ({ blocks, transactions }) => [
    VERIFICATION_LINES.sound(blocks, transactions)
  ],
  "the chain on disk is not as it should be": ({ problem }) => [
    { level: "error", text: `Verification error: ${problem}` }
  ],
  "Initial block download is over": () => [info("Leaving InitialBlockDownload (latching to false)")],
  "There are no fee estimates of the last run": ({ path }) => [info(`${String(path)} is not found. Continue anyway.`)],
  "There is no mempool of the last run": () => [info("Failed to open mempool file. Continuing anyway.")],
  "A saved mempool is being loaded": ({ transactions }) => [
    info(`Loading ${transactions} mempool transactions from file...`)
  ],
  "The mempool of the last run is loaded": (fields) => [info(loadedText(fields))],
  "A mempool is imported": (fields) => [info(loadedText(fields))],
  "The mempool is saved": linesOfSaved,
  "The mempool could not be saved": ({ cause }) => [info(`Failed to dump mempool: ${cause}. Continuing anyway.`)],
  "Old blocks were removed": linesOfPruning,
  "Pruning is limited by an index": ({ height }) => [inDetail("prune", `index limited pruning to height ${height}`)],
  "An index keeps blocks from a lower one on": ({ height, index }) => [
    inDetail("prune", `${index} prune lock moved back to ${height}`)
  ],
  "Scripts are verified from a block on": ({ block_hash: hash, height, reason }) => [
    info(`Enabling script verification at block #${height} (${hash}): ${reason}.`)
  ],
  "Scripts are assumed valid from a block on": ({ block_hash: hash, height }) => [
    info(`Disabling script verification at block #${height} (${hash}).`)
  ],
  "The fee estimates are written": ({ file }) => [inDetail("estimatefee", `Flushed fee estimates to ${file}.`)],
  "The fee estimates of the last run are too old: fees are estimated anew": ({ hours, most_hours: most, path }) => [
    info(
      `Fee estimation file ${path} too old (age=${hours} > ${most} hours) and will not be used to avoid serving stale ` +
        "estimates."
    )
  ],
  "A transaction leaves before a peer asked for it": ({ txid }) => [
    inDetail("mempool", `Removed ${txid} from set of unbroadcast txns before confirmation that txn was sent out`)
  ],
  "Transactions were evicted from a full mempool": ({ minimum_fee_rate: minimum, transactions }) => [
    inDetail(
      "mempool",
      `Removed ${transactions} txn, rolling minimum fee bumped to ${
        (Number(minimum) / Number(COIN)).toFixed(8)
      } BTC/kvB`
    )
  ],
  "no new block for long: one more peer is asked": ({ seconds }) => [
    info(
      `Potential stale tip detected, will try using extra outbound peer (last tip update: ${seconds} seconds ago)`
    )
  ],
  "wrong RPC credentials": ({ from }) => [
    { level: "warning", text: `ThreadRPCServer incorrect password attempt from ${from}` }
  ],
  "the node stops": NOTHING,
  "the node stops because of an error": NOTHING,
  "the node does not start": NOTHING,
  "the node has stopped": NOTHING,
  [INVALID_CHAIN_FOUND]: () => [{ level: "warning", text: INVALID_CHAIN_FOUND }],
  [INVALID_CHAIN_IS_OVER]: NOTHING,
  "a block is invalid": ({ block_hash: hash, reason }) => [
    info(`Block validation error: ${reason}`),
    info(`InvalidChainFound: invalid block=${hash}`)
  ],
  "headers of a chain of too little work are ignored": NOTHING,
  "a transaction was refused": NOTHING,
  "a connection was not taken": NOTHING
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

/** Bitcoin Core's names of the node's categories. Records of other categories have no debug lines. */
const CATEGORIES: Readonly<Record<string, string>> = { net: "net", rpc: "rpc", chain: "validation" }

const valueText = (value: unknown): string =>
  value instanceof Error ? value.message : typeof value === "object" ? JSON.stringify(value) : String(value)

const plainText = ({ fields, message }: LogRecord): string =>
  [message, ...Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`)].join(" ")

/** Returns the lines of `debug.log` for a record of this node. An unknown record keeps its own words. */
export const linesOfRecord = (record: LogRecord): ReadonlyArray<CoreLine> => {
  const known = Object.hasOwn(KNOWN, record.message) ? KNOWN[record.message] : undefined
  if (known !== undefined) return known(record.fields)
  const level = LEVELS[record.level]
  const isDetail = level === "debug" || level === "trace"
  const category = CATEGORIES[record.category]
  if (isDetail && category === undefined) return []
  return [{ level, category: isDetail ? category : undefined, text: plainText(record) }]
}
