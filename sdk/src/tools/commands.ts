import { unknownName } from "@lockstep/protocol/module-ipc/index.ts"
import { statSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { build } from "./build.ts"
import { compose } from "./compose.ts"
import { create } from "./create.ts"
import { signFile, verifyFile } from "./file-signing.ts"
import { generateKey, hexOf, publicKeyOf } from "./keys.ts"
import { aggregate, prepare, sign, verify } from "./manifest-signing.ts"
import { run } from "./run.ts"
import { ToolError } from "./tool-error.ts"

/** The options of all commands. Each command lists its own. */
const OPTIONS = {
  key: { type: "string" },
  out: { type: "string" },
  threshold: { type: "string" },
  maintainer: { type: "string", multiple: true },
  "trusted-key": { type: "string", multiple: true },
  "rpc-addr": { type: "string" }
} as const satisfies ParseArgsOptionsConfig

type Option = keyof typeof OPTIONS
type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"]

/** One command. */
interface Command {
  readonly usage: string
  readonly about: string
  readonly options: ReadonlyArray<Option>
  /** Minimum and maximum number of names. */
  readonly names: readonly [number, number]
  /** Runs the command. A text result is printed; a number is the exit code. */
  readonly run: (names: ReadonlyArray<string>, values: Values) => string | number | Promise<string | number>
}

const needed = (values: Values, option: "key" | "threshold"): string => {
  const value = values[option]
  if (value === undefined) throw new ToolError(`--${option} is missing`)
  return value
}

const trustedKeys = (values: Values): ReadonlySet<string> =>
  new Set((values["trusted-key"] ?? []).map((each) => hexOf(publicKeyOf(each))))

const MOST = 64

const THRESHOLD = /^[1-9]\d?$/

const neededOf = (text: string): number => {
  if (!THRESHOLD.test(text)) throw new ToolError(`--threshold ${text}: write a number of signatures`)
  return Number(text)
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    usage: "create DIRECTORY",
    about: "make a module that runs",
    options: [],
    names: [1, 1],
    run: ([directory]) => create(directory!)
  },
  build: {
    usage: "build DIRECTORY",
    about: "put src/main.ts and what it imports into one program",
    options: [],
    names: [1, 1],
    run: ([directory]) => build(directory!)
  },
  run: {
    usage: "run DIRECTORY [--rpc-addr HOST:PORT]",
    about: "build a module and run it in a node on regtest",
    options: ["rpc-addr"],
    names: [1, 1],
    run: ([directory], values) => run(directory!, { rpcAddress: values["rpc-addr"] })
  },
  keygen: {
    usage: "keygen FILE",
    about: "make a maintainer's key, and print the public one",
    options: [],
    names: [1, 1],
    run: ([file]) => hexOf(generateKey(file!).publicKey)
  },
  prepare: {
    usage: "prepare DIRECTORY --threshold N-of-M --maintainer NAME=KEY …",
    about: "write the program's hash and the maintainers into the manifest",
    options: ["threshold", "maintainer"],
    names: [1, 1],
    run: ([directory], values) => prepare(directory!, needed(values, "threshold"), values.maintainer ?? [])
  },
  sign: {
    usage: "sign DIRECTORY --key FILE [--out FILE]",
    about: "sign a prepared manifest, and with it the program",
    options: ["key", "out"],
    names: [1, 1],
    run: ([directory], values) => {
      const key = needed(values, "key")
      return sign(directory!, key, values.out ?? join(directory!, `${basename(key)}.sig`))
    }
  },
  "aggregate-signatures": {
    usage: "aggregate-signatures DIRECTORY SIGNATURES …",
    about: "write signatures into the manifest",
    options: [],
    names: [2, MOST],
    run: ([directory, ...files]) => aggregate(directory!, files)
  },
  verify: {
    usage: "verify DIRECTORY [--trusted-key KEY …]",
    about: "judge a module as the node does; with keys, their signatures alone count",
    options: ["trusted-key"],
    names: [1, 1],
    run: ([directory], values) => {
      const keys = trustedKeys(values)
      return verify(directory!, { required: keys.size > 0, trustedKeys: keys })
    }
  },
  "sign-binary": {
    usage: "sign-binary FILE --key FILE [--out FILE]",
    about: "sign a file by itself, such as a registry's checksums",
    options: ["key", "out"],
    names: [1, 1],
    run: ([file], values) => {
      if (isDirectory(file!)) throw new ToolError(`${file} is a directory: sign signs modules`)
      return signFile(file!, needed(values, "key"), values.out ?? `${file}.sig`)
    }
  },
  "verify-binary": {
    usage: "verify-binary FILE SIGNATURES … [--threshold N] [--trusted-key KEY …]",
    about: "judge the signatures of a file by itself",
    options: ["threshold", "trusted-key"],
    names: [2, MOST],
    run: ([file, ...signatures], values) =>
      verifyFile(file!, signatures, {
        needed: neededOf(values.threshold ?? "1"),
        trustedKeys: trustedKeys(values)
      })
  },
  compose: {
    usage: "compose FILE --out DIRECTORY",
    about: "put the modules of a composition into one directory, with the node's configuration",
    options: ["out"],
    names: [1, 1],
    run: ([file], { out }) => {
      if (out === undefined) throw new ToolError("--out is missing")
      return compose(file!, out)
    }
  }
}

/** The whole usage. */
export const USAGE = [
  "pnpm sdk COMMAND",
  ...Object.values(COMMANDS).map(({ about, usage }) => `  ${usage}\n      ${about}`)
].join("\n")

/** Describes a fault in the options, with the nearest name if one does not exist. */
const optionFault = ({ options }: Command, { message }: Error): string => {
  const [, unknown] = /Unknown option '--?([^']+)'/.exec(message) ?? []
  return unknown === undefined
    ? message.split(". ")[0]!
    : unknownName("option", unknown, options)
}

/** Parses the names and option values typed for a command. */
const typed = (command: Command, args: ReadonlyArray<string>) => {
  const options = Object.fromEntries(command.options.map((name) => [name, OPTIONS[name]])) as typeof OPTIONS
  const parse = () => {
    try {
      return parseArgs({ args: [...args], allowPositionals: true, options })
    } catch (error) {
      throw new ToolError(`${optionFault(command, error as Error)}\npnpm sdk ${command.usage}`)
    }
  }
  const { positionals, values } = parse()
  const [least, most] = command.names
  if (positionals.length < least || positionals.length > most) throw new ToolError(`pnpm sdk ${command.usage}`)
  return { names: positionals, values }
}

/** Output of a run of the tools and its exit code. */
export interface ToolResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

const MISUSED = 2

const HELP: ReadonlySet<string> = new Set(["--help", "-h", "help"])

/** Runs one command. */
export const runTool = async ([name, ...args]: ReadonlyArray<string>): Promise<ToolResult> => {
  if (name === undefined || HELP.has(name)) {
    return { stdout: `${USAGE}\n`, stderr: "", exitCode: name === undefined ? MISUSED : 0 }
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    return {
      stdout: "",
      stderr: `${unknownName("command", name, Object.keys(COMMANDS))}\n${USAGE}\n`,
      exitCode: MISUSED
    }
  }
  if (args.some((arg) => HELP.has(arg))) {
    return { stdout: `pnpm sdk ${command.usage}\n    ${command.about}\n`, stderr: "", exitCode: 0 }
  }
  try {
    const { names, values } = typed(command, args)
    const answer = await command.run(names, values)
    return typeof answer === "number"
      ? { stdout: "", stderr: "", exitCode: answer }
      : { stdout: `${answer}\n`, stderr: "", exitCode: 0 }
  } catch (error) {
    const isExpected = error instanceof ToolError || (error as NodeJS.ErrnoException).code !== undefined
    if (!isExpected) throw error
    return { stdout: "", stderr: `${(error as Error).message}\n`, exitCode: 1 }
  }
}
