import * as Result from "effect/Result"
import { join } from "node:path"
import { type Args, argsOf } from "../bitcoind/args/args.ts"
import { type ChainName, CHAINS, chosenChain } from "../bitcoind/args/chain-choice.ts"
import { type CommandLine } from "../bitcoind/args/command-line.ts"
import { readConfFiles } from "../bitcoind/args/conf-files.ts"
import { baseDirectory, isDirectory, pathOf, type Place, under } from "../bitcoind/args/directories.ts"
import { type SettingSources, settingOf } from "../bitcoind/args/settings.ts"
import { CLIENT_OPTIONS_BY_NAME } from "./cli-options.ts"

/** Everything that was given to the client. */
export interface ClientArguments {
  readonly args: Args
  readonly chain: ChainName
  readonly confFile: string
  /** The data directory of the chain. */
  readonly directory: string
  /** The command and its parameters, or the arguments of an option that is a command. */
  readonly words: ReadonlyArray<string>
}

/** Reads the configuration of a command line. A failure has Bitcoin Core's message. */
export const readClientArguments = (
  { options, words }: CommandLine,
  place: Place
): Result.Result<ClientArguments, string> =>
  Result.gen(function*() {
    const typed: SettingSources = { forced: new Map(), commandLine: options, saved: new Map(), conf: new Map() }
    const typedDirectory = settingOf(typed, "", "datadir")
    const typedBase = baseDirectory(typedDirectory, place)
    if (pathOf(typedDirectory) !== undefined && !isDirectory(typedBase)) {
      return yield* Result.fail(`Error: Specified data directory "${typedBase}" does not exist.`)
    }
    const setting = settingOf(typed, "", "conf")
    const path = under(typedBase, pathOf(setting) ?? "bitcoin.conf")
    const isGiven = setting !== undefined
    const request = { path, isGiven, directory: typedBase, commandLine: options, known: CLIENT_OPTIONS_BY_NAME }
    const files = setting === false ? undefined : yield* Result.mapError(
      readConfFiles(request),
      (message) => `Error reading configuration file: ${message}`
    )
    const settings: SettingSources = files === undefined ? typed : { ...typed, conf: files.values }
    const chain = yield* Result.mapError(chosenChain(settings), (message) => `Error: ${message}`)
    const base = baseDirectory(settingOf(settings, chain, "datadir"), place)
    return {
      args: argsOf(settings, chain, CLIENT_OPTIONS_BY_NAME),
      chain,
      confFile: path,
      directory: join(base, CHAINS[chain].coreDirectory),
      words
    }
  })
