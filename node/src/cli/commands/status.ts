import type { Seconds } from "../../quantities.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { printHostPort } from "../../config/host-port.ts"
import { JsonMembers, JsonNumber, type JsonRead } from "../../json/json-value.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { say } from "../terminal.ts"
import { askNode } from "./node-client.ts"

const numberOf = (value: JsonRead | undefined): number => value instanceof JsonNumber ? Number(value.text) : 0

const textOf = (value: JsonRead | undefined): string => typeof value === "string" ? value : ""

const listOf = (value: JsonRead | undefined): ReadonlyArray<JsonRead> =>
  Array.isArray(value) ? value as ReadonlyArray<JsonRead> : []

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"]

const size = (bytes: number): string => {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1_024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`
}

const STEPS: ReadonlyArray<readonly [seconds: Seconds, name: string]> = [[86_400, "day"], [3_600, "hour"], [
  60,
  "minute"
], [1, "second"]]

/** Formats a duration with its two largest units. */
const duration = (seconds: Seconds): string => {
  const parts: Array<string> = []
  let left = Math.max(0, Math.floor(seconds))
  for (const [step, name] of STEPS) {
    const count = Math.floor(left / step)
    left %= step
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`)
  }
  return parts.slice(0, 2).join(" ") || "less than a second"
}

const component = (each: JsonRead): string => {
  if (!(each instanceof JsonMembers)) return ""
  const message = textOf(each.get("message"))
  return `${textOf(each.get("component"))}: ${textOf(each.get("status")).toLowerCase()}${
    message === "" ? "" : `, ${message}`
  }`
}

/** Describes how many blocks a pruned node keeps. */
const pruningText = (chain: JsonMembers): string => {
  const target = numberOf(chain.get("prune_target_size"))
  if (chain.get("pruned") !== true) return ""
  return target > 0 ? ` (pruning to ${size(target)})` : " (pruned)"
}

/** Lines of a label and its value, in two columns. */
export const statusLines = (
  chain: JsonMembers,
  health: JsonMembers,
  metrics: JsonMembers,
  address: string,
  now: number
): ReadonlyArray<string> => {
  const [height, headers] = [numberOf(chain.get("blocks")), numberOf(chain.get("headers"))]
  const isCatchingUp = chain.get("initialblockdownload") === true
  const system = metrics.get("system")
  const memory = system instanceof JsonMembers ? numberOf(system.get("memory_usage_bytes")) : 0
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["network", `${textOf(chain.get("chain"))}, RPC on ${address}`],
    ["health", textOf(health.get("overall_status")).toLowerCase()],
    ...listOf(health.get("components")).map((each): readonly [string, string] => ["", component(each)]),
    [
      "blocks",
      `${height} of ${headers}${
        isCatchingUp ? ` (${(numberOf(chain.get("verificationprogress")) * 100).toFixed(2)} % verified)` : ""
      }`
    ],
    ["tip", textOf(chain.get("bestblockhash"))],
    ["", `made ${duration(now - numberOf(chain.get("time")))} ago`],
    [
      "disk",
      `${size(numberOf(chain.get("size_on_disk")))} of blocks${pruningText(chain)}`
    ],
    ["memory", size(memory)],
    ["up for", duration(numberOf(health.get("uptime_seconds")))],
    ...listOf(chain.get("warnings")).map((warning): readonly [string, string] => ["warning", textOf(warning)])
  ]
  return rows.map(([label, text]) => `${label.padEnd(9)}${text}`)
}

/** Shows the state of the running node at a glance. */
export const status = Effect.fn("status")(function*(input: GlobalInput) {
  const { config } = yield* callersConfig(input)
  const chain = yield* askNode(config, "getblockchaininfo")
  const health = yield* askNode(config, "gethealth")
  const metrics = yield* askNode(config, "getmetrics")
  yield* say(
    ...statusLines(chain, health, metrics, printHostPort(config.rpc.bind), (yield* Clock.currentTimeMillis) / 1_000)
  )
})
