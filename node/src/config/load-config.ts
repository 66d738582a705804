import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { fsPath } from "../bytes/byte-path.ts"
import { testHooksOf } from "../engine/options/test-hooks.ts"
import type { NodeConfig } from "./config.ts"
import { type ConfigError, configError } from "./config-error.ts"
import { findFile, searchedFiles } from "./file/find-file.ts"
import { judgeFile } from "./file/judge-file.ts"
import { parseFile } from "./file/parse-file.ts"
import { readText } from "./file/read-text.ts"
import { withoutAliases } from "./given/aliases.ts"
import { type Effective, effectiveOf, optionalValue } from "./given/effective.ts"
import { type EnvironmentVariables, readEnvironment } from "./given/environment.ts"
import { type Given, NOTHING_GIVEN, type Reading, readingOf } from "./given/given.ts"
import { type OptionGiven, readOptions } from "./given/options.ts"
import { KEYS, keyCalled } from "./catalogue.ts"
import type { NetworkRow } from "./network-table.ts"
import { refusals } from "./not-built.ts"
import { isTokenFileUsed, tokensInFile } from "./resolve/credentials.ts"
import { bytePathProblems } from "./resolve/byte-paths.ts"
import { absolutePath, type HostMachine } from "./resolve/machine.ts"
import { placeProblems } from "./resolve/places.ts"
import { resolveConfig } from "./resolve/resolve-config.ts"
import { withSource } from "./resolve/with-source.ts"

/** All sources of the configuration. */
export interface ConfigRequest {
  readonly options: ReadonlyArray<OptionGiven>
  /** Assignments of the form `key=value`. */
  readonly assignments: ReadonlyArray<string>
  /** Value of `--config`. */
  readonly file: string | undefined
  readonly environment: EnvironmentVariables
  readonly machine: HostMachine
}

export interface LoadedConfig {
  readonly config: NodeConfig
  /** Every effective value, with its origin. */
  readonly effective: Effective
}

/** Reports whether Bitcoin Core keeps this network in `directory`. The node's own directories never have these names. */
const isCoreDirectory = (directory: string, network: NetworkRow): boolean => {
  const own = join(directory, network.coreDirectory)
  return existsSync(join(own, "chainstate")) || existsSync(join(own, "blocks", "index"))
}

/** Reads a file; fails if it cannot be read at all. */
export const readFile = Effect.fn("readFile")(function*(path: string) {
  const parsed = yield* parseFile(path, yield* readText(path))
  return withoutAliases(judgeFile(parsed))
})

const lastValue = (given: ReadonlyArray<Given>, key: string): string | undefined =>
  given.findLast((candidate) => candidate.key === key)?.value as string | undefined

const fileOf = (request: ConfigRequest, stronger: ReadonlyArray<Given>): string | undefined => {
  if (request.file !== undefined) return absolutePath(request.file, request.machine)
  const dataDirectory = lastValue(stronger, "storage.data_dir") ?? String(keyCalled("storage.data_dir").facts.fallback)
  return findFile(searchedFiles(request.environment, dataDirectory, request.machine))
}

const tokenFileOf = (effective: Effective, machine: HostMachine): string | undefined => {
  const file = optionalValue(effective, "rpc_auth.token_file")
  return file === undefined || !isTokenFileUsed(effective) ? undefined : absolutePath(file, machine)
}

const tokensOf = (file: string): Effect.Effect<ReadonlyArray<string>, ConfigError> =>
  readText(file).pipe(
    Effect.map(tokensInFile),
    Effect.mapError(({ problems }) => configError(...problems.map((problem) => `[rpc_auth].token_file: ${problem}`)))
  )

const isSecret = ({ key, value }: Given): boolean =>
  KEYS.get(key)?.facts.secret === true && !(Array.isArray(value) && value.length === 0)

const isExposed = (path: string): boolean => process.platform !== "win32" && (statSync(fsPath(path)).mode & 0o077) !== 0

/** Describes files with secrets that other users can read, which causes only a warning. */
const exposuresOf = (
  path: string | undefined,
  given: ReadonlyArray<Given>,
  tokenFile: string | undefined
): ReadonlyArray<string> => {
  const files = [
    ...path !== undefined && given.some(isSecret) ? [path] : [],
    ...tokenFile === undefined ? [] : [tokenFile]
  ]
  return files.filter(isExposed)
    .map((file) => `${file} holds credentials, and other users of this machine can read it: chmod 600 ${file}`)
}

const hooksOf = ({ environment }: ConfigRequest): Pick<NodeConfig, "testHooks"> => {
  const testHooks = testHooksOf(environment)
  return Object.keys(testHooks).length === 0 ? {} : { testHooks }
}

/** Combines the file at `path` with all other sources, or fails with all problems. */
const judged = Effect.fnUntraced(
  function*(request: ConfigRequest, path: string | undefined, stronger: ReadonlyArray<Reading>) {
    const { machine } = request
    const file = path === undefined ? NOTHING_GIVEN : yield* readFile(path)
    const all = readingOf([file, ...stronger])
    const effective = effectiveOf(file.given, ...stronger.map(({ given }) => given))
    const wrong = [
      ...all.problems,
      ...all.refused,
      ...refusals(effective),
      ...bytePathProblems(effective, machine)
    ]
    if (wrong.length > 0) return yield* configError(...wrong)
    const tokenFile = tokenFileOf(effective, machine)
    const tokens = tokenFile === undefined ? undefined : yield* tokensOf(tokenFile)
    const { config, problems } = resolveConfig(effective, { machine, file: path, tokens, isCoreDirectory })
    if (problems.length > 0) return yield* configError(...problems.map((problem) => withSource(problem, effective)))
    const exposed = exposuresOf(path, file.given, tokenFile)
    const warnings = [...config.warnings, ...exposed]
    const loaded: LoadedConfig = { config: { ...config, warnings, ...hooksOf(request) }, effective }
    return loaded
  }
)

/** Reads the environment and the options, the stronger one last. */
const strongerThanFile = (
  request: ConfigRequest
): ReadonlyArray<Reading> => [readEnvironment(request.environment), readOptions(request.options, request.assignments)]

/** Reads all sources and combines them, or fails with all problems. */
export const loadConfig = Effect.fn("loadConfig")(function*(request: ConfigRequest) {
  const stronger = strongerThanFile(request)
  return yield* judged(request, fileOf(request, stronger.flatMap(({ given }) => given)), stronger)
})

/** Judges one file as a start with it would, including the disk. Succeeds with warnings for the operator. */
export const validateFile = Effect.fn("validateFile")(function*(path: string, request: ConfigRequest) {
  const { config } = yield* judged(request, path, strongerThanFile(request))
  const problems = placeProblems(config)
  if (problems.length > 0) return yield* configError(...problems)
  return config.warnings
})
