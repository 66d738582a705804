import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { OptionGiven } from "../config/given/options.ts"
import { asTyped } from "../typed-command.ts"

/** An option with a value, or one without, whose presence means a fixed value. */
interface GlobalOption {
  readonly name: string
  readonly alias?: string
  readonly key: string
  readonly about: string
  /** Name of the value in help; absent if the option takes no value. */
  readonly metavar?: string
  /** The text that an option without a value means. */
  readonly means?: string
}

const withValue = (name: string, key: string, metavar: string, about: string, alias?: string): GlobalOption =>
  alias === undefined ? { name, key, metavar, about } : { name, alias, key, metavar, about }

const withoutValue = (name: string, key: string, means: string, about: string, alias?: string): GlobalOption =>
  alias === undefined ? { name, key, means, about } : { name, alias, key, means, about }

const onAndOff = (name: string, key: string, what: string): ReadonlyArray<GlobalOption> => [
  withoutValue(`enable-${name}`, key, "true", `switch ${what} on`),
  withoutValue(`disable-${name}`, key, "false", `switch ${what} off`)
]

/** Options that every command accepts, before or after its name. */
export const GLOBAL_OPTIONS: ReadonlyArray<GlobalOption> = [
  withValue("network", "network", "NAME", "mainnet, testnet, testnet4, signet or regtest (default: regtest)", "n"),
  withValue(
    "rpc-addr",
    "rpc_addr",
    "HOST:PORT",
    "where RPC is served (default: 127.0.0.1 and the network's port)",
    "r"
  ),
  withValue(
    "listen-addr",
    "listen_addr",
    "HOST:PORT",
    "where peers may connect (default: 0.0.0.0 and the network's port)",
    "l"
  ),
  withValue("data-dir", "storage.data_dir", "PATH", "where everything is kept (default: ~/.lockstep)", "d"),
  withoutValue("verbose", "logging.level", "debug", "say more", "v"),
  withoutValue(
    "no-auto-migrate",
    "storage.auto_migrate_core",
    "false",
    "do not migrate a data directory of Bitcoin Core"
  ),
  withValue(
    "migrate-destination",
    "migrate_destination",
    "PATH",
    "where --migrate-core-only writes to (not in this build)"
  ),
  withoutValue(
    "migrate-core-only",
    "migrate_core_only",
    "true",
    "migrate a data directory of Bitcoin Core and exit (not in this build)"
  ),
  ...onAndOff("stratum-v2", "stratum_v2.enabled", "mining over Stratum V2, by the module stratum-v2"),
  ...onAndOff("dandelion", "relay.enable_dandelion", "Dandelion++ relay of transactions"),
  ...onAndOff("sigop", "sigop", "counting signature operations for relay (it is always on)"),
  ...onAndOff("bip158", "bip158", "the preference for compact block filters"),
  withValue(
    "assumevalid",
    "validation.assume_valid",
    "HASH|HEIGHT",
    "assume that scripts up to this block are valid; 0: judge all"
  ),
  withoutValue("noassumevalid", "validation.assume_valid", "none", "judge every script"),
  withValue("assumeutxo", "assumeutxo", "HASH", "start from a snapshot of the coins at this block (not in this build)"),
  withValue("target-peer-count", "target_peer_count", "N", "outbound connections to try to have (default: 10)"),
  withValue(
    "async-request-timeout",
    "async_request_timeout",
    "SECONDS",
    "when a request to a peer times out (not in this build)"
  ),
  withValue(
    "module-max-cpu-percent",
    "module_resource_limits.default_max_cpu_percent",
    "N",
    "share of one processor that each module may use (default: 50)"
  ),
  withValue(
    "module-max-memory-bytes",
    "module_resource_limits.default_max_memory_bytes",
    "BYTES",
    "memory that each module may use (default: 536870912)"
  ),
  withoutValue("unsafe-rpc-bind", "unsafe_rpc_bind", "true", "serve RPC to other machines without credentials")
]

type GlobalFlag = Flag.Flag<Option.Option<string>> | Flag.Flag<boolean> | Flag.Flag<ReadonlyArray<string>>

const flagOf = ({ about, alias, metavar, name }: GlobalOption): GlobalFlag => {
  if (metavar !== undefined) {
    const flag = Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(about))
    return Flag.optional(alias === undefined ? flag : Flag.withAlias(flag, alias))
  }
  const flag = Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(about), Flag.withDefault(false))
  return alias === undefined ? flag : Flag.withAlias(flag, alias)
}

const CONFIG = Flag.String("config").pipe(
  Flag.withAlias("c"),
  Flag.withMetavar("PATH"),
  Flag.withDescription(`configuration file (default: the first node.toml found; see ${asTyped("config explain")})`),
  Flag.optional
)

const SET = Flag.String("set").pipe(
  Flag.withMetavar("KEY=VALUE"),
  Flag.withDescription("any key of the configuration file, such as --set storage.dbcache_mb=2000; may be repeated"),
  Flag.atLeast(0)
)

/** The flags of all options, by name. */
export const GLOBAL_FLAGS: Readonly<Record<string, GlobalFlag>> = {
  config: CONFIG,
  ...Object.fromEntries(GLOBAL_OPTIONS.map((option) => [option.name, flagOf(option)])),
  set: SET
}

/** The parsed command line, before it is judged with the rest of the configuration. */
export interface GlobalInput {
  readonly file: string | undefined
  readonly options: ReadonlyArray<OptionGiven>
  readonly assignments: ReadonlyArray<string>
}

const textOf = (value: unknown): string | undefined =>
  Option.isOption(value) ? Option.getOrUndefined(value) as string | undefined : undefined

const givenOption = (option: GlobalOption, value: unknown): ReadonlyArray<OptionGiven> => {
  const text = option.means === undefined ? textOf(value) : value === true ? option.means : undefined
  return text === undefined ? [] : [{ option: `--${option.name}`, key: option.key, text }]
}

/** Collects the options that were given, from the parsed flags. */
export const globalInput = (parsed: Readonly<Record<string, unknown>>): GlobalInput => ({
  file: textOf(parsed.config),
  options: GLOBAL_OPTIONS.flatMap((option) => givenOption(option, parsed[option.name])),
  assignments: parsed.set as ReadonlyArray<string>
})
