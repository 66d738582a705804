import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { notBuilt } from "./command-failure.ts"
import { convertCore, example, explain, validate } from "./commands/config-commands.ts"
import { runImport, maintain } from "./commands/maintenance.ts"
import { start } from "./commands/start.ts"
import { GLOBAL_FLAGS, globalInput } from "./global-options.ts"
import { LOCKSTEP } from "../typed-command.ts"
import { versionText } from "../version.ts"
import { say } from "./terminal.ts"

const root = Command.make("lockstep").pipe(Command.withSharedFlags(GLOBAL_FLAGS))

const input = Effect.map(root, globalInput)

const pathArgument = (about: string) => Argument.String("path").pipe(Argument.withDescription(about))

const wholeNumber = (text: string, least: number, most: number): Option.Option<number> =>
  /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most ? Option.some(Number(text)) : Option.none()

const whole = (name: string, least: number, most: number) =>
  Flag.String(name).pipe(
    Flag.withMetavar("N"),
    Flag.filterMap(
      (text) => wholeNumber(text, least, most),
      () => `an integer from ${least} to ${most}`
    )
  )

const pathFlag = (name: string, about: string) =>
  Flag.String(name).pipe(Flag.withMetavar("PATH"), Flag.withDescription(about), Flag.optional)

const versionCommand = Command.make("version", {}, () => say(versionText())).pipe(
  Command.withDescription("Print the version")
)

const startCommand = Command.make("start", {}, () => Effect.flatMap(input, start)).pipe(
  Command.withDescription("Run the node; the same as no command")
)

const validateCommand = Command.make(
  "validate",
  { path: pathArgument("the file, TOML or JSON") },
  ({ path }) => Effect.flatMap(input, (given) => validate(given, path))
).pipe(Command.withDescription("Check a configuration file as start would, with the options and variables given"))

const convertCoreCommand = Command.make(
  "convert-core",
  {
    path: pathArgument("a bitcoin.conf"),
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("PATH"),
      Flag.withDescription("write the draft to this new file instead of standard output"),
      Flag.optional
    )
  },
  ({ output, path }) => convertCore(path, Option.getOrUndefined(output))
).pipe(Command.withDescription("Draft a configuration from a bitcoin.conf; what has no counterpart is reported"))

const explainCommand = Command.make(
  "explain",
  {
    json: Flag.Boolean("json").pipe(Flag.withoutNegation, Flag.withDescription("print JSON"), Flag.withDefault(false))
  },
  ({ json }) => Effect.flatMap(input, (given) => explain(given, json))
).pipe(Command.withDescription("Show every value that holds, and where it comes from"))

const exampleCommand = Command.make("example", {}, example).pipe(
  Command.withDescription("Print an annotated configuration file with every key")
)

const configCommand = Command.make("config").pipe(
  Command.withDescription("Check, convert and explain configuration"),
  Command.withSubcommands([validateCommand, convertCoreCommand, explainCommand, exampleCommand])
)

const onOff = (name: string, about: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(about), Flag.withDefault(false))

const healthCommand = Command.make(
  "health",
  { detailed: onOff("detailed", "show each component; exit code 0 if all are healthy") },
  ({ detailed }) =>
    Effect.gen(function*() {
      const { health } = yield* Effect.promise(() => import("./commands/health.ts"))
      yield* health(yield* input, detailed)
    })
).pipe(
  Command.withDescription("Show the state of the running node's chain; exit code 0 when it answers")
)

const statusCommand = Command.make("status", {}, () =>
  Effect.gen(function*() {
    const { status } = yield* Effect.promise(() => import("./commands/status.ts"))
    yield* status(yield* input)
  })).pipe(Command.withDescription("Show the state of the running node at a glance"))

const rpcCommand = Command.make(
  "rpc",
  {
    quic: Flag.String("quic").pipe(
      Flag.withMetavar("ADDRESS"),
      Flag.withDescription("call the node over QUIC, at quic://<identity>@<host>:<port>"),
      Flag.optional
    ),
    method: Argument.String("method").pipe(Argument.withDescription("its name; help lists all")),
    params: Argument.String("params").pipe(
      Argument.withDescription("values, or name=value; texts need no quotes; put -- before negative numbers"),
      Argument.variadic()
    )
  },
  ({ method, params, quic }) =>
    Effect.gen(function*() {
      const { rpc } = yield* Effect.promise(() => import("./commands/rpc.ts"))
      yield* rpc(yield* input, method, params, quic)
    })
).pipe(
  Command.withDescription("Call a method of the running node"),
  Command.withExamples([
    { command: `${LOCKSTEP} rpc help`, description: "all methods" },
    { command: `${LOCKSTEP} rpc help getblock`, description: "one method, with its parameters" },
    { command: `${LOCKSTEP} rpc getblockhash 0`, description: "a parameter by its place" },
    { command: `${LOCKSTEP} rpc getblock blockhash=0f91… verbosity=2`, description: "parameters by their names" },
    { command: `${LOCKSTEP} rpc generatetodescriptor 1 'raw(51)'`, description: "a block on regtest" }
  ])
)

const syncCommand = Command.make(
  "sync",
  { once: onOff("once", "print one line and exit") },
  ({ once }) =>
    Effect.gen(function*() {
      const { sync } = yield* Effect.promise(() => import("./commands/sync.ts"))
      yield* sync(yield* input, once)
    })
).pipe(Command.withDescription("Show the sync progress until it is complete"))

const migrateCoreCommand = Command.make(
  "core",
  {
    source: pathFlag("source", "the data directory of Bitcoin Core"),
    destination: pathFlag("destination", "the new store"),
    verify: Flag.Boolean("verify").pipe(
      Flag.withoutNegation,
      Flag.withDescription("check the result"),
      Flag.withDefault(false)
    )
  },
  () => Effect.fail(notBuilt("migrate core", "migrating a data directory of Bitcoin Core"))
).pipe(Command.withDescription("Migrate coins and indexes of a Bitcoin Core data directory (not in this build yet)"))

const migrateCommand = Command.make("migrate").pipe(
  Command.withDescription("Migrate data of other software"),
  Command.withSubcommands([migrateCoreCommand])
)

const moduleArgument = Argument.String("module").pipe(
  Argument.withDescription("its name, or that of its directory")
)

/** Makes a command that calls one method with the name of a module. */
const ofModule = (name: string, method: string, about: string) =>
  Command.make(name, { module: moduleArgument }, ({ module }) =>
    Effect.gen(function*() {
      const { rpc } = yield* Effect.promise(() => import("./commands/rpc.ts"))
      yield* rpc(yield* input, method, [module])
    })).pipe(Command.withDescription(about))

/** Makes a command that calls one method without parameters. */
const calling = (name: string, method: string, about: string) =>
  Command.make(name, {}, () =>
    Effect.gen(function*() {
      const { rpc } = yield* Effect.promise(() => import("./commands/rpc.ts"))
      yield* rpc(yield* input, method, [])
    })).pipe(Command.withDescription(about))

const loadCommand = ofModule("load", "loadmodule", "Load a module into the running node")

const moduleRunCommand = Command.make(
  "run",
  {
    module: Argument.String("module").pipe(Argument.withDescription("its name")),
    command: Argument.String("command").pipe(Argument.withDescription("its command; module commands lists all")),
    args: Argument.String("args").pipe(
      Argument.withDescription("what the command takes; put -- before what begins with a dash"),
      Argument.variadic()
    )
  },
  ({ args, command, module }) =>
    Effect.gen(function*() {
      const { runModuleCommand } = yield* Effect.promise(() => import("./commands/module.ts"))
      yield* runModuleCommand(yield* input, module, command, args)
    })
).pipe(Command.withDescription("Run a command of a module, which its name in place of `module run` does as well"))

const moduleCommand = Command.make("module").pipe(
  Command.withDescription("Load, list and use modules of the running node"),
  Command.withSubcommands([
    calling("list", "listmodules", "List the modules, and why one does not run"),
    ofModule("load", "loadmodule", "Load a module, and before it those that it needs"),
    ofModule("unload", "unloadmodule", "End a module"),
    ofModule("reload", "reloadmodule", "Load a module as it is on disk now"),
    calling("commands", "getmoduleclispecs", "List the commands of running modules"),
    moduleRunCommand
  ])
)

const importCommand = Command.make(
  "import",
  {
    files: Argument.String("files").pipe(
      Argument.withDescription("block files, such as blk00000.dat; blocks may be in any order"),
      Argument.variadic({ min: 1 })
    )
  },
  ({ files }) => Effect.flatMap(input, (given) => runImport(given, files))
).pipe(
  Command.withDescription("Import blocks from files while the node is stopped"),
  Command.withExamples([{
    command: `${LOCKSTEP} import --network mainnet blocks/blk*.dat`,
    description: "all files of a directory"
  }])
)

const rebuildCommand = Command.make(
  "rebuild",
  {},
  () => Effect.flatMap(input, (given) => maintain(given, { _tag: "Rebuild" }))
).pipe(
  Command.withDescription("Rebuild coins and indexes from the block files while the node is stopped")
)

const verifyCommand = Command.make(
  "verify",
  {
    level: whole("level", 0, 4).pipe(Flag.withDescription("how thoroughly, 0 to 4 (default: 3)"), Flag.withDefault(3)),
    blocks: whole("blocks", 0, 100_000_000).pipe(
      Flag.withDescription("how many of the newest blocks; 0: all (default: 6)"),
      Flag.withDefault(6)
    )
  },
  ({ blocks, level }) => Effect.flatMap(input, (given) => maintain(given, { _tag: "Verify", level, blocks }))
).pipe(
  Command.withDescription("Check the chain on disk while the node is stopped"),
  Command.withExamples([{
    command: `${LOCKSTEP} verify --level 4 --blocks 0`,
    description: "everything, as thoroughly as can be"
  }])
)

/** The whole command line. */
export const commandTree = root.pipe(
  Command.withHandler((parsed) => start(globalInput(parsed))),
  Command.withDescription("A Bitcoin full node. Without a command it runs."),
  Command.withSubcommands([
    startCommand,
    versionCommand,
    configCommand,
    healthCommand,
    statusCommand,
    rpcCommand,
    syncCommand,
    importCommand,
    rebuildCommand,
    verifyCommand,
    migrateCommand,
    loadCommand,
    moduleCommand
  ])
)
