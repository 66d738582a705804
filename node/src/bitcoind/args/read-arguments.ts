import * as Result from "effect/Result"
import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import type { CoreLine } from "../log/core-line.ts"
import type { Args } from "./args.ts"
import { argsOf } from "./args.ts"
import { type ChainName, CHAINS, chosenChain } from "./chain-choice.ts"
import { readCommandLine } from "./command-line.ts"
import { type ConfFiles, readConfFiles } from "./conf-files.ts"
import { baseDirectory, isDirectory, makeDirectories, pathOf, type Place, under } from "./directories.ts"
import { fileSystemErrorText } from "./file-system-error.ts"
import { ignoredConf } from "./ignored-conf.ts"
import { implicationsOf } from "./interactions.ts"
import type { KnownOptions } from "./option-key.ts"
import { readSavedSettings, writeSavedSettings } from "./saved-settings.ts"
import { type SettingSources, settingOf } from "./settings.ts"

/** All options and files that were given. */
export interface CommandLineArguments {
  readonly args: Args
  readonly settings: SettingSources
  readonly chain: ChainName
  /** The data directory, and the directory of the chain in it. */
  readonly base: string
  readonly directory: string
  readonly confFile: string | undefined
  readonly conf: ConfFiles
  /** Lines for the log about reading the options, and warnings about them. */
  readonly lines: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  /** Lines for the log about a `bitcoin.conf` that is not used. */
  readonly aboutIgnoredConf: ReadonlyArray<CoreLine>
  /** Texts for standard error about problems that do not end the start. */
  readonly stderr: ReadonlyArray<string>
}

const NO_FILES: ConfFiles = { values: new Map(), sections: [], warnings: [], included: [], nested: [], state: "absent" }

const reading = (message: string): string => `Error reading configuration file: ${message}`

const sameFile = (one: string, other: string): boolean =>
  realpathSync(fsPath(one), "buffer").equals(realpathSync(fsPath(other), "buffer"))

const unexpected = (word: string | undefined): string | undefined =>
  word === undefined
    ? undefined
    : `Command line contains unexpected token '${word}', see bitcoind -h for a list of options.`

/** Returns the warning about sections that name no chain. */
const sectionWarnings = ({ sections }: ConfFiles): ReadonlyArray<string> => {
  const unknown = sections.filter(({ name }) => !Object.hasOwn(CHAINS, name))
  return unknown.length === 0
    ? []
    : [unknown.map(({ file, line, name }) => `${file}:${line} Section [${name}] is not recognized.\n`).join("")]
}

/**
 * Reads the command line, the configuration files and the saved settings, and creates the data directory. A failure is
 * Bitcoin Core's message, also for an error of the file system.
 */
export const readArguments = (
  words: ReadonlyArray<string>,
  known: KnownOptions,
  place: Place
): Result.Result<CommandLineArguments, string> => {
  try {
    return readAll(words, known, place)
  } catch (error) {
    return Result.fail(fileSystemErrorText(error))
  }
}

const readAll = (
  words: ReadonlyArray<string>,
  known: KnownOptions,
  place: Place
): Result.Result<CommandLineArguments, string> =>
  Result.gen(function*() {
    const typed = yield* Result.mapError(
      readCommandLine(words, known),
      (message) => `Error parsing command line arguments: ${message}`
    )
    const first: SettingSources = { forced: new Map(), commandLine: typed.options, saved: new Map(), conf: new Map() }
    const typedDirectory = settingOf(first, "", "datadir")
    const typedBase = baseDirectory(typedDirectory, place)
    if (pathOf(typedDirectory) !== undefined && !isDirectory(typedBase)) {
      return yield* Result.fail(`Specified data directory "${typedBase}" does not exist.`)
    }
    const confSetting = settingOf(first, "", "conf")
    const confFile = confSetting === false ? undefined : under(typedBase, pathOf(confSetting) ?? "bitcoin.conf")
    const conf = confFile === undefined ? NO_FILES : yield* Result.mapError(
      readConfFiles({
        path: confFile,
        isGiven: confSetting !== undefined,
        directory: typedBase,
        commandLine: typed.options,
        known
      }),
      reading
    )
    const withConf: SettingSources = { ...first, conf: conf.values }
    const chain = yield* chosenChain(withConf)
    const directorySetting = settingOf(withConf, chain, "datadir")
    const base = baseDirectory(directorySetting, place)
    if (pathOf(directorySetting) !== undefined && !isDirectory(base)) {
      return yield* Result.fail(reading(`specified data directory "${base}" does not exist.`))
    }
    const directory = join(base, CHAINS[chain].coreDirectory)
    const early = argsOf(withConf, chain, known)
    const ignored = yield* ignoredConf({ args: early, base, confFile, typedBase, sameFile })
    // Also after a lone dash, which ends the options.
    const unexpectedWord = unexpected(words.find((word) => !word.startsWith("-")))
    if (unexpectedWord !== undefined) return yield* Result.fail(unexpectedWord)
    makeDirectories(base)
    makeDirectories(directory)
    const saved = yield* settingsFile(early, directory, known)
    const whole: SettingSources = { ...withConf, saved: saved.values }
    const implied = implicationsOf((forced) => argsOf({ ...whole, forced }, chain, known))
    const settings: SettingSources = { ...whole, forced: implied.forced }
    return {
      args: argsOf(settings, chain, known),
      settings,
      chain,
      base,
      directory,
      confFile,
      conf: confFile !== undefined && conf.state === "absent" && existsSync(fsPath(confFile))
        ? { ...conf, state: "read" }
        : conf,
      lines: [...conf.included.map((name) => `Included configuration file ${name}`), ...implied.lines],
      warnings: [
        ...typed.warnings,
        ...conf.warnings,
        ...saved.warnings,
        ...sectionWarnings(conf).map((warning) => warning.trimEnd())
      ],
      aboutIgnoredConf: ignored,
      stderr: [
        ...conf.nested.map((name) =>
          `warning: -includeconf cannot be used from included files; ignoring -includeconf=${name}`
        ),
        ...sectionWarnings(conf).map((warning) => `Warning: ${warning}`)
      ]
    }
  })

/** Reads the saved settings and writes them again; reads nothing if `-nosettings` is set. */
const settingsFile = (args: Args, directory: string, known: KnownOptions) =>
  Result.gen(function*() {
    if (args.isNegated("settings")) return { values: new Map(), warnings: [] }
    const path = under(directory, pathOf(args.value("settings")) ?? "settings.json")
    const saved = yield* readSavedSettings(path, known)
    yield* writeSavedSettings(path, saved.values)
    return saved
  })
