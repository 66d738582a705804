import * as Result from "effect/Result"
import { statSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import { textOfBytes } from "../../bytes/byte-text.ts"
import { isTakenOver, readConfiguration } from "../process/handed-over.ts"
import { type ChainName, chosenChain } from "./chain-choice.ts"
import type { ValuesByName } from "./command-line.ts"
import { type ConfSection, readConfText } from "./conf-text.ts"
import { addConfValues, type ConfValues } from "./conf-values.ts"
import { givenValues } from "./given-values.ts"
import type { KnownOptions } from "./option-key.ts"
import { type SettingValue, settingText } from "./setting-value.ts"
import type { SettingSources } from "./settings.ts"

/** Content of the configuration files. */
export interface ConfFiles {
  readonly values: ConfValues
  readonly sections: ReadonlyArray<ConfSection>
  readonly warnings: ReadonlyArray<string>
  readonly included: ReadonlyArray<string>
  /** Files named by `includeconf` in an included file, which are not read. */
  readonly nested: ReadonlyArray<string>
  readonly state: "absent" | "directory" | "read"
}

export interface ConfRequest {
  readonly path: string
  /** True if the operator named the file. */
  readonly isGiven: boolean
  /** Directory to which names of included files are relative. */
  readonly directory: string
  readonly commandLine: ValuesByName
  readonly known: KnownOptions
}

const stateOf = (path: string): ConfFiles["state"] => {
  if (isTakenOver(path)) return "read"
  const stat = statSync(fsPath(path), { throwIfNoEntry: false })
  return stat === undefined ? "absent" : stat.isDirectory() ? "directory" : "read"
}

const contentOf = (path: string): string | undefined => {
  try {
    return textOfBytes(readConfiguration(path))
  } catch {
    return undefined
  }
}

const settingsWith = (commandLine: ValuesByName, conf: ConfValues): SettingSources => ({
  forced: new Map(),
  commandLine,
  saved: new Map(),
  conf
})

/** Returns the names of files that a section includes, without the first `before` of them. */
const includesOf = (values: ConfValues, section: string, before = 0): ReadonlyArray<string> => {
  const all: ReadonlyArray<SettingValue> = values.get(section)?.get("includeconf") ?? []
  const taken = all.length - givenValues(all).values.length
  return all.slice(Math.max(before, taken)).map(settingText)
}

const countOf = (values: ConfValues, section: string): number => values.get(section)?.get("includeconf")?.length ?? 0

/** Reads the configuration file and the files that it includes. A failure is Bitcoin Core's message. */
export const readConfFiles = (
  { commandLine, directory, isGiven, known, path }: ConfRequest
): Result.Result<ConfFiles, string> => {
  const values: ConfValues = new Map()
  const sections: Array<ConfSection> = []
  const warnings: Array<string> = []
  const add = (file: string, content: string): string | undefined => {
    const text = readConfText(file, content)
    if (Result.isFailure(text)) return text.failure
    sections.push(...text.success.sections)
    const added = addConfValues(values, text.success.entries, known)
    if (Result.isFailure(added)) return added.failure
    warnings.push(...added.success)
    return undefined
  }
  const state = stateOf(path)
  const nothing: ConfFiles = { values, sections, warnings, included: [], nested: [], state }
  if (state === "directory") return Result.fail(`Config file "${path}" is a directory.`)
  const content = state === "read" ? contentOf(path) : undefined
  if (content === undefined) {
    return isGiven ? Result.fail(`specified config file "${path}" could not be opened.`) : Result.succeed(nothing)
  }
  const fault = add(path, content)
  if (fault !== undefined) return Result.fail(fault)
  const mayInclude = !commandLine.has("includeconf")
  const chain = (): Result.Result<ChainName, string> => chosenChain(settingsWith(commandLine, values))
  const section = chain()
  // The chain is chosen again once all files are read, so a failure to choose it is not reported here.
  if (Result.isFailure(section) || !mayInclude) return Result.succeed(nothing)
  const places = [section.success, ""] as const
  const before = places.map((place) => countOf(values, place))
  const included = places.flatMap((place) => includesOf(values, place))
  for (const name of included) {
    const file = isAbsolute(name) ? name : join(directory, name)
    if (stateOf(file) === "directory") return Result.fail(`Included config file "${file}" is a directory.`)
    const text = contentOf(file)
    if (text === undefined) return Result.fail(`Failed to include configuration file ${name}`)
    const problem = add(name, text)
    if (problem !== undefined) return Result.fail(problem)
  }
  const last = chain()
  if (Result.isFailure(last)) return Result.succeed({ ...nothing, included })
  const nested = [
    ...places.flatMap((place, at) => includesOf(values, place, before[at])),
    ...(last.success === section.success ? [] : includesOf(values, last.success))
  ]
  return Result.succeed({ ...nothing, included, nested })
}
