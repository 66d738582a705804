import { networkPlaceOf } from "@lockstep/protocol/module-manifest/index.ts"
import {
  type ConfigDraft,
  isTrueSetting,
  leftOut,
  NOT_A_NUMBER,
  type Remark,
  type SettingMapping,
  unless
} from "./draft.ts"

/** Topics of the module `zmq`; its settings have Bitcoin Core's names without `zmq`. */
const TOPICS = ["hashblock", "rawblock", "hashtx", "rawtx", "sequence"]

const MODULE = "zmq"

const settingsOf = ({ modules }: ConfigDraft): Record<string, unknown> => {
  const settings = modules.get(MODULE) ?? {}
  modules.set(MODULE, settings)
  return settings
}

const added = (list: unknown, text: string): ReadonlyArray<string> => {
  const before = (list ?? []) as ReadonlyArray<string>
  return before.includes(text) ? before : [...before, text]
}

/** Converts an address to one of the module, which may listen only there. */
const publish = (topic: string): SettingMapping => (value, draft): Remark => {
  if (value === "" || value === "0") return undefined
  const target = /^tcp:\/\/(.+:\d{1,5})$/.exec(value)?.[1]?.replace(/^\*:/, "0.0.0.0:")
  if (target === undefined || networkPlaceOf(target) === undefined) {
    return "the module zmq publishes at tcp://host:port alone"
  }
  const settings = settingsOf(draft)
  settings[`pub${topic}`] = added(settings[`pub${topic}`], value)
  settings["network_listen"] = added(settings["network_listen"], target)
  return { note: "the module zmq publishes it" }
}

const MOST_WAITING = 2 ** 31 - 1

const highWater = (topic: string): SettingMapping => (value, draft) => {
  const messages = Number(value)
  if (value === "" || !Number.isInteger(messages) || messages < 0 || messages > MOST_WAITING) return NOT_A_NUMBER
  draft.highWaters.set(`pub${topic}hwm`, messages)
  return undefined
}

const COMMANDS =
  "the node runs no commands: the module webhooks calls a URL, and the program bitcoind runs them as before"

const command = (value: string): Remark => value === "" || !isTrueSetting(value) ? undefined : COMMANDS

/** Settings about notifications of blocks and transactions. */
export const NOTIFICATION_MAPPING: Readonly<Record<string, SettingMapping>> = {
  ...Object.fromEntries(TOPICS.map((topic) => [`zmqpub${topic}`, publish(topic)])),
  ...Object.fromEntries(TOPICS.map((topic) => [`zmqpub${topic}hwm`, highWater(topic)])),
  blocknotify: command,
  alertnotify: command,
  startupnotify: command,
  shutdownnotify: command,
  walletnotify: leftOut("the node has no wallet"),
  mempoolfullrbf: unless(
    ["1"],
    "every transaction of the mempool can be replaced; [rbf].mode = \"disabled\" allows none"
  )
}

/** Adds the modules to the draft: they are enabled if one is needed, each with its settings. */
export const settleModules = (draft: ConfigDraft): ReadonlyArray<string> => {
  const settings = draft.modules.get(MODULE)
  if (settings === undefined) return []
  for (const [name, messages] of draft.highWaters) if (name.slice(0, -3) in settings) settings[name] = messages
  draft.values.set("modules.enabled", true)
  return [
    "the module zmq publishes through ZeroMQ: put it into [modules].modules_dir once, with `pnpm modules <modules_dir> zmq`"
  ]
}
