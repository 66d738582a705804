import { isAbsolute } from "node:path"
import { ACCESS_MAPPING } from "./access-mapping.ts"
import { leftOut, type SettingMapping, NOT_A_NUMBER, number, textSetting, truthSetting, unless } from "./draft.ts"
import { MEMPOOL_MAPPING } from "./mempool-mapping.ts"
import { NOTIFICATION_MAPPING } from "./notification-mapping.ts"
import { PEERS_MAPPING } from "./peers-mapping.ts"

/** Converts `blockfilterindex`. `basic` is the only kind of filter. */
const blockFilters: SettingMapping = (value, { values }) => {
  if (!["", "0", "1", "basic"].includes(value)) return "expected 0, 1 or basic"
  values.set("storage.indexing.blockfilterindex", value !== "0")
  return undefined
}

const prune: SettingMapping = (value, { values }) => {
  const size = Number(value)
  if (value === "" || !Number.isInteger(size) || size < 0 || (size > 1 && size < 550)) {
    return "expected 0, 1 or at least 550"
  }
  if (size === 1) values.set("storage.pruning.mode", "manual")
  else if (size === 0) values.set("storage.pruning.mode", "disabled")
  else values.set("storage.pruning.target_mb", size)
  return undefined
}

const assumeValid: SettingMapping = (value, { values }) => {
  if (value === "0") values.set("validation.assume_valid", "none")
  else if (/^(0x)?[0-9a-fA-F]{64}$/.test(value)) values.set("validation.assume_valid", value.replace(/^0x/, ""))
  else return "the value is neither 0 nor a block hash"
  return undefined
}

const par: SettingMapping = (value, { values }) => {
  const threads = Number(value)
  if (value === "" || !Number.isInteger(threads) || threads > 256) return NOT_A_NUMBER
  if (threads < 0) return "processors cannot be left free by count; script_workers stays automatic"
  values.set("validation.script_workers", threads)
  return undefined
}

const debug: SettingMapping = (value, { values }) => {
  if (value === "0" || value === "none") return undefined
  if (value === "1" || value === "" || value === "all") values.set("logging.level", "debug")
  else if (!/^\w+$/.test(value)) return "the value is no category"
  else values.set("logging.categories", { ...values.get("logging.categories") as object, [value]: "debug" })
  return undefined
}

const LEVELS: Readonly<Record<string, string>> = {
  trace: "trace",
  debug: "debug",
  info: "info",
  warning: "warn",
  error: "error"
}

const logLevel: SettingMapping = (value, { values }) => {
  const [category, level] = value.includes(":") ? value.split(":") : [undefined, value]
  const known = Object.hasOwn(LEVELS, level ?? "") ? LEVELS[level ?? ""] : undefined
  if (known === undefined) return "the value is no level"
  if (category === undefined) values.set("logging.level", known)
  else values.set("logging.categories", { ...values.get("logging.categories") as object, [category]: known })
  return undefined
}

const logFile: SettingMapping = (value, { values }) => {
  if (value === "" || value === "0") return undefined
  if (!isAbsolute(value)) {
    return "the path starts in the data directory of Bitcoin Core; write it in full as [logging].file"
  }
  values.set("logging.file", value)
  return undefined
}

/** Converts the data directory. One that Bitcoin Core has written to stays its own: the node's goes below it. */
const dataDirectory: SettingMapping = (value, draft) => {
  const why = textSetting("storage.data_dir")(value, draft)
  if (why !== undefined) return why
  draft.values.set("storage.auto_migrate_core", false)
  return {
    note:
      "where Bitcoin Core has data there, the node keeps its own in the directory node below; [storage].core_blocks_dir reads its blocks"
  }
}

const testActivationHeight: SettingMapping = (value, { network, values }) => {
  const [, name, height] = /^(\w+)@(\d{1,9})$/.exec(value) ?? []
  if (name === undefined) return "the value is not name@height"
  if (network.name !== "regtest") return "heights are fixed outside regtest"
  values.set(`regtest.activation_heights.${name}`, Number(height))
  return undefined
}

const mockTime: SettingMapping = (value, draft) => {
  if (draft.network.name !== "regtest") return "the clock can be set on regtest alone"
  return number("regtest.mock_time", 0, 0xff_ff_ff_ff)(value, draft)
}

const FOREGROUND = "the node stays in the foreground; a service manager runs it in the background"

/** Settings of Bitcoin Core that have a counterpart here, or that need a remark. */
export const CORE_MAPPING: Readonly<Record<string, SettingMapping>> = {
  ...ACCESS_MAPPING,
  ...PEERS_MAPPING,
  ...MEMPOOL_MAPPING,
  ...NOTIFICATION_MAPPING,
  prune,
  dbcache: number("storage.dbcache_mb", 4, 131_072),
  txindex: truthSetting("storage.indexing.txindex"),
  txospenderindex: truthSetting("storage.indexing.txospenderindex"),
  coinstatsindex: truthSetting("storage.indexing.coinstatsindex"),
  blockfilterindex: blockFilters,
  datadir: dataDirectory,
  assumevalid: assumeValid,
  par,
  debug,
  loglevel: logLevel,
  debuglogfile: logFile,
  printtoconsole: unless(["1"], "lines always go to standard output too"),
  daemon: unless(["0"], FOREGROUND),
  daemonwait: unless(["0"], FOREGROUND),
  signetchallenge: leftOut("the node knows the public signet alone"),
  testactivationheight: testActivationHeight,
  mocktime: mockTime
}

const HARMLESS_OF_THESE = new Set([
  "rpcworkqueue",
  "rpcservertimeout",
  "maxuploadtarget",
  "addnode",
  "maxconnections",
  "natpmp",
  "upnp"
])

/** Settings that decide what reaches the node, what callers may do, and what it shows. The operator checks omitted ones. */
export const ACCESS_KEYS: ReadonlySet<string> = new Set(
  [...Object.keys(ACCESS_MAPPING), ...Object.keys(PEERS_MAPPING)].filter((key) => !HARMLESS_OF_THESE.has(key))
)
