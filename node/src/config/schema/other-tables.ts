import * as Schema from "effect/Schema"
import { LOG_LEVEL_WORDS, logLevelCalled, parseLogFilter } from "../log-filter.ts"
import { key, type KeyShape, table } from "./key.ts"
import { choice, flag, integer, listOf, namesTo, path, text } from "./shapes.ts"

const logFilter: KeyShape<Schema.String> = {
  schema: Schema.String.check(Schema.makeFilter((value: string) => parseLogFilter(value) !== undefined)),
  expects: "a level (trace, debug, info, warn, error or none), maybe with categories: \"info,rpc=debug\"",
  fromText: (value) => value,
  words: LOG_LEVEL_WORDS
}

const level: KeyShape<Schema.String> = {
  schema: Schema.String.check(Schema.makeFilter((value: string) => logLevelCalled(value) !== undefined)),
  expects: `one of ${LOG_LEVEL_WORDS.join(", ")}`,
  fromText: (value) => value,
  words: LOG_LEVEL_WORDS
}

export const LOGGING_TABLE = table("What the node says while it runs.", {
  level: key(logFilter, {
    about: "The least important lines that are shown, and maybe of single categories.",
    fallback: "info"
  }),
  filter: key(logFilter, {
    about: "The same as level, under another name.",
    fallbackText: "level",
    example: "info,rpc=debug"
  }),
  json_format: key(flag, {
    about: "One JSON object a line. With false, lines for people.",
    fallbackText: "people's lines on a terminal, JSON elsewhere",
    example: true
  }),
  file: key(path, {
    about: "Also write to this file. SIGHUP opens it anew, so it can be moved away.",
    fallbackText: "none",
    example: "~/.lockstep/node.log"
  }),
  categories: key(namesTo(level, "category"), {
    about: "Levels of single categories.",
    fallback: {},
    example: { rpc: "debug", storage: "warn" }
  })
})

const AssumeValid = Schema.Union([
  Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 0xff_ff_ff_ff })),
  Schema.Literals(["default", "none"]),
  Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/))
])

const assumeValid: KeyShape<typeof AssumeValid> = {
  schema: AssumeValid,
  expects: "\"default\", \"none\", a block hash of 64 hexadecimal digits or a height (0: none)",
  fromText: (value) => /^\d{1,9}$/.test(value) ? Number(value) : value,
  words: ["default", "none"]
}

export const VALIDATION_TABLE = table("How blocks are judged. Nothing here changes which blocks are valid.", {
  script_workers: key(integer(0, 256), {
    about: "Threads that judge scripts; 0: as many as the machine has processors, 64 at most.",
    fallback: 0
  }),
  assume_valid: key(assumeValid, {
    about:
      "Scripts of this block and of its ancestors are not judged. A hash, a height, \"default\" for the block that the " +
      "release vouches for, or \"none\" to judge every script.",
    fallback: "default"
  })
})

const activationHeight = key(integer(0, 0x7f_ff_ff_ff), {
  about: "Height from which the deployment is in force.",
  fallbackText: "as Bitcoin Core's regtest",
  example: 100
})

/** Settings that only the private test network has. */
export const REGTEST_TABLE = table("Only for regtest.", {
  mock_time: key(integer(0, 0xff_ff_ff_ff), {
    about:
      "Unix seconds at which the clock of the node stands from the start on, as setmocktime sets it later; 0: it goes.",
    fallback: 0
  }),
  accept_stale_fee_estimates: key(flag, {
    about: "Read fee_estimates.dat also when it is older than 60 hours.",
    fallback: false
  }),
  block_version: key(integer(-0x80_00_00_00, 0x7f_ff_ff_ff), {
    about: "Version of the blocks that the node makes.",
    fallbackText: "the bits of deployments decide",
    example: 5
  }),
  activation_heights: table("Heights from which rules are in force.", {
    bip34: activationHeight,
    dersig: activationHeight,
    cltv: activationHeight,
    csv: activationHeight,
    segwit: activationHeight
  })
})

const COMPARISON = String.raw`(\*|[<>=^~]{0,2}\s*\d+(\.(\d+|[*x])){0,2}([-+][\w.]+)?)`

const VERSION_REQUIREMENT = new RegExp(String.raw`^\s*${COMPARISON}(\s*,\s*${COMPARISON})*\s*$`)

const ModuleEntry = Schema.Union([
  Schema.String.check(Schema.isPattern(VERSION_REQUIREMENT)),
  Schema.Record(Schema.String, Schema.Unknown)
])

/** The entry of a module: the requested version, or its settings. */
export const moduleEntry: KeyShape<typeof ModuleEntry> = {
  schema: ModuleEntry,
  expects: "a version requirement, such as \"0.1.*\", or a table of settings",
  fromText: (value) => value
}

export const MODULE_KEYS = {
  enabled: key(flag, { about: "Run modules.", fallback: false }),
  registry_url: key(text("a URL", /^https?:\/\/\S+$/), {
    about:
      "Index of modules. A pinned module that is missing is downloaded, where a key of trusted_keys has signed the index.",
    fallbackText: "none",
    example: "https://modules.example/index.json"
  }),
  modules_dir: key(path, { about: "Where modules are looked for.", fallback: "modules" }),
  socket_dir: key(path, { about: "Where sockets for modules are made.", fallback: "data/modules/sockets" }),
  require_signatures: key(flag, { about: "Load signed modules alone.", fallback: false }),
  trusted_keys: key(listOf(text("a compressed public key of 66 hexadecimal digits", /^0[23][0-9a-fA-F]{64}$/)), {
    about: "The keys of maintainers whose signatures count. Without one, every key of a manifest counts.",
    fallback: []
  }),
  restart_crashed: key(flag, {
    about: "Start a module that crashed again, after a wait that doubles, five times in a row at most.",
    fallback: false
  }),
  watch_enabled: key(flag, {
    about: "Reload a module when its module.toml, its config.toml or its program changes.",
    fallback: false
  }),
  allow_unconfined: key(flag, {
    about:
      "Where the system cannot confine modules (it needs bubblewrap or unshare, on Linux), run them without confinement. Such a " +
      "module can read, write and send whatever the user of the node can. Otherwise they are not loaded there.",
    fallback: false
  }),
  allow_missing_handshake: key(flag, {
    about:
      "Serve a module that begins without a handshake, as the one that its socket was made for. Its version is not checked.",
    fallback: false
  })
}

/** Limits of one module. */
export const MODULE_LIMITS_TABLE = table("What each module may use.", {
  default_max_cpu_percent: key(integer(1, 100), {
    about: "Share of one processor, averaged. A module that uses more is halted until it is back within it.",
    fallback: 50
  }),
  default_max_memory_bytes: key(integer(67_108_864), {
    about: "Memory in use. A module that uses more is ended.",
    fallback: 536_870_912
  }),
  default_max_file_descriptors: key(integer(32, 1_048_576), { about: "Open files.", fallback: 256 }),
  default_max_disk_bytes: key(integer(1_048_576), {
    about: "Bytes in the data directory. A module that has more is ended.",
    fallback: 1_073_741_824
  }),
  default_max_child_processes: key(integer(0, 1_000), {
    about: "Processes that a module may start: none.",
    fallback: 0
  })
})

export const NETWORK_OPTION = choice(["mainnet", "testnet", "testnet4", "signet", "regtest"], (word) => {
  const name = word.toLowerCase()
  return name === "testnet3" ? "testnet" : name
}, { bitcoin: "mainnet", bitcoinv1: "mainnet", main: "mainnet", test: "testnet" })
