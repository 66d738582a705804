import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, normalize, resolve } from "node:path"
import { fsPath, utf8Path } from "../../bytes/byte-path.ts"
import { type SettingValue, settingText } from "./setting-value.ts"

/** Facts about the environment that paths depend on. */
export interface Place {
  /** Home directory; empty if unknown. */
  readonly home: string
  readonly directory: string
  readonly platform: string
}

export const defaultDirectory = ({ home, platform }: Place): string => {
  const start = home === "" ? "/" : home
  return platform === "darwin" ? join(start, "Library", "Application Support", "Bitcoin") : join(start, ".bitcoin")
}

/** Returns the path in an option, or `undefined` if the option is empty or negated. */
export const pathOf = (value: SettingValue | undefined): string | undefined => {
  const text = value === undefined || value === false ? "" : settingText(value)
  return text === "" ? undefined : normalize(text).replace(/(?<=.)\/+$/, "")
}

/** Returns a path relative to a directory, unless it is absolute. */
export const under = (directory: string, path: string): string => isAbsolute(path) ? path : join(directory, path)

export const isDirectory = (path: string): boolean =>
  statSync(fsPath(path), { throwIfNoEntry: false })?.isDirectory() === true

/** Returns the data directory that options choose, as an absolute path that databases can open. */
export const baseDirectory = (value: SettingValue | undefined, place: Place): string =>
  utf8Path(resolve(place.directory, pathOf(value) ?? defaultDirectory(place)))

/**
 * Creates a directory and its parents. Node.js would loop for ever below a directory such as /proc, in which nothing
 * can be created.
 */
const makePath = (path: string): void => {
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makePath(parent)
  if (!isDirectory(path)) mkdirSync(path, { mode: 0o700 })
}

/** Creates a missing directory, with the empty directory for wallets that tools expect. */
export const makeDirectories = (path: string): void => {
  if (existsSync(path)) return
  makePath(join(path, "wallets"))
}

/** Creates the empty directory in which tools expect the block index of a chain. */
export const makeIndexDirectory = (path: string): void => makePath(join(path, "blocks", "index"))
