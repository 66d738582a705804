import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, normalize, resolve } from "node:path"
import { fsPath, utf8Path } from "../../bytes/byte-path.ts"
import { type SettingValue, settingText } from "./setting-value.ts"

/** What paths depend on beside what is written. */
export interface Place {
  /** Empty: there is none. */
  readonly home: string
  readonly directory: string
  readonly platform: string
}

export const defaultDirectory = ({ home, platform }: Place): string => {
  const start = home === "" ? "/" : home
  return platform === "darwin" ? join(start, "Library", "Application Support", "Bitcoin") : join(start, ".bitcoin")
}

/** A path as an option gives it: none where it is empty or negated. */
export const pathOf = (value: SettingValue | undefined): string | undefined => {
  const text = value === undefined || value === false ? "" : settingText(value)
  return text === "" ? undefined : normalize(text).replace(/(?<=.)\/+$/, "")
}

/** A path relative to a directory, unless it is absolute. */
export const under = (directory: string, path: string): string => isAbsolute(path) ? path : join(directory, path)

export const isDirectory = (path: string): boolean =>
  statSync(fsPath(path), { throwIfNoEntry: false })?.isDirectory() === true

/** The data directory that options choose, absolute, and by a path that stores can open. */
export const baseDirectory = (value: SettingValue | undefined, place: Place): string =>
  utf8Path(resolve(place.directory, pathOf(value) ?? defaultDirectory(place)))

/** Makes a directory and those above it. Node.js tries for ever below one in which nothing can be made, such as /proc. */
const makePath = (path: string): void => {
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makePath(parent)
  if (!isDirectory(path)) mkdirSync(path, { mode: 0o700 })
}

/** Makes a directory where it is not there yet, with an empty one for wallets in it, where tools look for it. */
export const makeDirectories = (path: string): void => {
  if (existsSync(path)) return
  makePath(join(path, "wallets"))
}

/** Makes the empty directory of a chain in which tools look for the block index. */
export const makeIndexDirectory = (path: string): void => makePath(join(path, "blocks", "index"))
