import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import type { NodeConfig } from "./config.ts"
import { type ConfigError, configError } from "./config-error.ts"
import { findFile, searchedFiles } from "./file/find-file.ts"
import { judgeFile } from "./file/judge-file.ts"
import { parseFile } from "./file/parse-file.ts"
import { readText } from "./file/read-text.ts"
import { type Effective, effectiveOf } from "./given/effective.ts"
import { type Environment, readEnvironment } from "./given/environment.ts"
import { type Given, NOTHING_GIVEN, type Reading, readingOf } from "./given/given.ts"
import { type OptionGiven, readOptions } from "./given/options.ts"
import { keyCalled } from "./catalogue.ts"
import { refusals } from "./not-built.ts"
import { isTokenFileUsed, tokensInFile } from "./resolve/credentials.ts"
import { absolutePath, type Machine } from "./resolve/machine.ts"
import { isReferenceDirectory } from "./resolve/reference-directory.ts"
import { resolveConfig } from "./resolve/resolve-config.ts"

/** All that the configuration is made from. */
export interface ConfigRequest {
  readonly options: ReadonlyArray<OptionGiven>
  /** Each `key=value`. */
  readonly assignments: ReadonlyArray<string>
  /** Of `--config`. */
  readonly file: string | undefined
  readonly environment: Environment
  readonly machine: Machine
}

export interface LoadedConfig {
  readonly config: NodeConfig
  /** Every value that holds, with its origin. */
  readonly effective: Effective
}

/** `filter` is another name of `level`. */
const withoutAlias = (reading: Reading): Reading => {
  const filter = reading.given.find(({ key }) => key === "logging.filter")
  if (filter === undefined) return reading
  const level = reading.given.find(({ key }) => key === "logging.level")
  const given = reading.given.filter(({ key }) => key !== "logging.filter")
  if (level === undefined) return { ...reading, given: [...given, { ...filter, key: "logging.level" }] }
  if (level.value === filter.value) return { ...reading, given }
  const problem = `${filter.source}: [logging].filter and [logging].level are one key with two different values; keep one`
  return { ...reading, problems: [...reading.problems, problem] }
}

/** What a file says; fails when it cannot be read at all. */
export const readFile = Effect.fn("readFile")(function*(path: string) {
  const parsed = yield* parseFile(path, yield* readText(path))
  return withoutAlias(judgeFile(parsed))
})

const lastValue = (given: ReadonlyArray<Given>, key: string): string | undefined =>
  given.findLast((candidate) => candidate.key === key)?.value as string | undefined

const fileOf = (request: ConfigRequest, stronger: ReadonlyArray<Given>): string | undefined => {
  if (request.file !== undefined) return absolutePath(request.file, request.machine)
  const dataDirectory = lastValue(stronger, "storage.data_dir") ?? String(keyCalled("storage.data_dir").facts.fallback)
  return findFile(searchedFiles(request.environment, dataDirectory, request.machine))
}

const tokensOf = (effective: Effective, machine: Machine): Effect.Effect<ReadonlyArray<string> | undefined, ConfigError> => {
  const file = effective.get("rpc_auth.token_file")
  if (file === undefined || !isTokenFileUsed(effective)) return Effect.succeed(undefined)
  return readText(absolutePath(String(file.value), machine)).pipe(
    Effect.map(tokensInFile),
    Effect.mapError(({ problems }) => configError(...problems.map((problem) => `[rpc_auth].token_file: ${problem}`)))
  )
}

/** A file with secrets that others can read: worth a word, nothing more. */
export const exposureOf = (path: string, given: ReadonlyArray<Given>): ReadonlyArray<string> => {
  const hasSecret = given.some(({ key }) => key.startsWith("rpc_auth.") && key !== "rpc_auth.required")
  if (!hasSecret || process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return []
  return [`${path} holds credentials, and other users of this machine can read it: chmod 600 ${path}`]
}

/** Reads everything there is and puts it together, or says all that is wrong with it. */
export const loadConfig = Effect.fn("loadConfig")(function*(request: ConfigRequest) {
  const options = readOptions(request.options, request.assignments)
  const environment = readEnvironment(request.environment)
  const path = fileOf(request, [...environment.given, ...options.given])
  const file = path === undefined ? NOTHING_GIVEN : yield* readFile(path)
  const all = readingOf([file, environment, options])
  const effective = effectiveOf(file.given, environment.given, options.given)
  const wrong = [...all.problems, ...all.refused, ...refusals(effective)]
  if (wrong.length > 0) return yield* configError(...wrong)
  const tokens = yield* tokensOf(effective, request.machine)
  const { config, problems } = resolveConfig(effective, { machine: request.machine, file: path, tokens, isReferenceDirectory })
  if (problems.length > 0) return yield* configError(...problems)
  const exposed = path === undefined ? [] : exposureOf(path, file.given)
  const loaded: LoadedConfig = { config: { ...config, warnings: [...config.warnings, ...exposed] }, effective }
  return loaded
})

/** Judges one file as if there were nothing else. Succeeds with what an operator should know about it. */
export const validateFile = Effect.fn("validateFile")(function*(path: string, machine: Machine) {
  const file = yield* readFile(path)
  if (file.problems.length > 0) return yield* configError(...file.problems)
  const effective = effectiveOf(file.given)
  const around = { machine, file: path, tokens: undefined, isReferenceDirectory: () => false }
  const { config, problems } = resolveConfig(effective, around)
  if (problems.length > 0) return yield* configError(...problems.map((problem) => `${path}: ${problem}`))
  const refused = [...file.refused, ...refusals(effective)].map((line) => `${line} (the file is valid, but start refuses it)`)
  return [...refused, ...config.warnings, ...exposureOf(path, file.given)]
})
