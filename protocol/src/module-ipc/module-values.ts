import { list, map, names, option, struct, variant } from "./layout/compounds.ts"
import type { ValueOf } from "./layout/layout.ts"
import { bool, bytes, count, f64, hash, i32, text, u32 } from "./layout/scalars.ts"

/** A line for the node's log. */
export const logLevel = names("log level", ["Trace", "Debug", "Info", "Warn", "Error"])

const moduleState = variant("module state", {
  Stopped: {},
  Initializing: {},
  Running: {},
  Stopping: {},
  Error: { error: text }
})

export const moduleHealth = variant("module health", { Healthy: {}, Unresponsive: {}, Crashed: { error: text } })

/** A module as others see it. `module_id` is its name, since the id of its process is a secret. */
export const moduleInfo = struct({
  module_id: text,
  module_name: text,
  version: text,
  capabilities: list(text),
  status: moduleState,
  api_version: u32
})

/** A measurement; `timestamp` in seconds of Unix time. */
export const metric = struct({
  name: text,
  value: variant("metric value", {
    Counter: { value: count },
    Gauge: { value: f64 },
    Histogram: { values: list(f64) }
  }),
  labels: map(text),
  timestamp: count
})

/** Times are in seconds of Unix time, and absent if the file system does not record them. */
export const fileMetadata = struct({
  path: text,
  size: count,
  is_file: bool,
  is_directory: bool,
  modified: option(count),
  created: option(count)
})

const cliArgument = struct({ name: text, about: option(text), required: bool })
const cliSubcommand = struct({ name: text, about: option(text), arguments: list(cliArgument) })

/** The commands that a module adds to the command line, below its own name. */
export const cliSpec = struct({ name: text, about: option(text), subcommands: list(cliSubcommand) })

/** A call from the node to a module; `params` of an RPC method is a JSON text. */
export const invocationType = variant("invocation", {
  Cli: { subcommand: text, args: list(text) },
  Rpc: { method: text, params: text },
  ModuleApi: { method: text, params: bytes, caller_module_id: text }
})

/** The answer to an invocation; `result` of an RPC method is a JSON text. */
export const invocationResultPayload = variant("invocation result", {
  Cli: { stdout: text, stderr: text, exit_code: i32 },
  Rpc: { result: text },
  ModuleApi: { data: bytes }
})

export const lightningInfo = struct({
  node_url: text,
  node_pubkey: bytes,
  channel_count: count,
  total_capacity_sats: count
})

/** `status` is one of pending, confirmed and failed. */
export const paymentState = struct({
  payment_id: text,
  status: text,
  amount_sats: count,
  tx_hash: option(hash),
  confirmations: option(u32)
})

export type LogLevel = ValueOf<typeof logLevel>
export type ModuleHealth = ValueOf<typeof moduleHealth>
export type ModuleInfo = ValueOf<typeof moduleInfo>
export type Metric = ValueOf<typeof metric>
export type CliSpec = ValueOf<typeof cliSpec>
