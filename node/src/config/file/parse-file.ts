import * as Effect from "effect/Effect"
import { extname } from "node:path"
import { parse, TomlError } from "smol-toml"
import { type ConfigError, configError } from "../config-error.ts"
import { linesOfKeys } from "./lines-of-keys.ts"

/** A file that was parsed but not judged. */
export interface ParsedFile {
  readonly path: string
  readonly format: "TOML" | "JSON"
  readonly content: Readonly<Record<string, unknown>>
  /** Returns the line, from 1, of a key, if known. */
  readonly lineOf: (name: string) => number | undefined
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const lineAndColumn = (text: string, offset: number): readonly [number, number] => {
  const before = text.slice(0, offset).split("\n")
  return [before.length, before.at(-1)!.length + 1]
}

/** Returns the position of an error. The parser's own message may quote the text, and with it a secret, so it is not used. */
const placeInJson = (text: string, error: unknown): readonly [number, number] => {
  const offset = /at position (\d+)/.exec(String(error))?.[1]
  return lineAndColumn(text, offset === undefined ? text.length : Number(offset))
}

const parseJson = (path: string, text: string): Effect.Effect<unknown, ConfigError> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (error) => {
      const [line, column] = placeInJson(text, error)
      return configError(`${path}:${line}:${column}: not valid JSON`)
    }
  })

const parseToml = (path: string, text: string): Effect.Effect<unknown, ConfigError> =>
  Effect.try({
    try: () => parse(text, { integersAsBigInt: "asNeeded" }) as unknown,
    catch: (error) => {
      if (!(error instanceof TomlError)) return configError(`${path}: not valid TOML`)
      // After its first line the message shows the source.
      const reason = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "")
      return configError(`${path}:${error.line}:${error.column}: not valid TOML: ${reason}`)
    }
  })

const formatOf = (path: string, text: string): "TOML" | "JSON" => {
  const extension = extname(path).toLowerCase()
  if (extension === ".json") return "JSON"
  if (extension === ".toml") return "TOML"
  return text.trimStart().startsWith("{") ? "JSON" : "TOML"
}

/** Parses a file, by its extension or, without one, by its first character. */
export const parseFile = Effect.fn("parseFile")(function*(path: string, bytes: string) {
  const text = bytes.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")
  const format = formatOf(path, text)
  const content = yield* format === "JSON" ? parseJson(path, text) : parseToml(path, text)
  if (!isTable(content)) return yield* configError(`${path}: expected an object with the keys of the configuration`)
  const lineOf = format === "TOML" ? linesOfKeys(text) : () => undefined
  const parsed: ParsedFile = { path, format, content, lineOf }
  return parsed
})
