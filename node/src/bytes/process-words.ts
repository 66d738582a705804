import { readFileSync, readlinkSync } from "node:fs"
import { holdsBytes, textOfBytes } from "./byte-text.ts"

/** Node.js's replacement for bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd"

/**
 * Environment variable for the arguments of a child process if they contain bytes that Node.js cannot pass on a command
 * line. The launcher reads and removes it.
 */
const WORDS_VARIABLE = "LOCKSTEP_WORDS"

const UNKNOWN =
  "An argument or variable has bytes that are not UTF-8, which this program reads from /proc alone, and /proc is not mounted."

/** Returns the texts of a file in /proc, each ended by a zero byte. */
const textsOf = (file: "cmdline" | "environ"): ReadonlyArray<string> => {
  let bytes: Buffer
  try {
    bytes = readFileSync(`/proc/self/${file}`)
  } catch {
    throw new Error(UNKNOWN)
  }
  const texts: Array<string> = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at)
    texts.push(textOfBytes(bytes.subarray(at, end < 0 ? bytes.length : end)))
    at = end < 0 ? bytes.length : end + 1
  }
  return texts
}

/** Returns the arguments after the program's name, byte for byte. */
export const processWords = (): ReadonlyArray<string> => {
  const words = process.argv.slice(2)
  // The launcher has restored them already (`node/bin/lockstep`).
  if (words.some(holdsBytes)) return words
  return words.some((word) => word.includes(REPLACEMENT)) ? textsOf("cmdline").slice(-words.length) : words
}

/** Returns the environment variables that give a child of this program these arguments, byte for byte. */
export const variablesOfWords = (words: ReadonlyArray<string>): Readonly<Record<string, string>> => ({
  [WORDS_VARIABLE]: JSON.stringify(words)
})

/** Returns an environment variable byte for byte, given the value that Node.js read. */
export const variableBytes = (name: string, value: string | undefined): string | undefined => {
  if (value?.includes(REPLACEMENT) !== true) return value
  return textsOf("environ").find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? value
}

type Variables = Readonly<Record<string, string | undefined>>

/** Returns all environment variables, byte for byte. */
export const variablesWithBytes = (env: Variables): Variables => {
  if (!Object.values(env).some((value) => value?.includes(REPLACEMENT))) return env
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, variableBytes(name, value)]))
}

/** Returns the working directory, byte for byte. */
export const cwdBytes = (): string => {
  const directory = process.cwd()
  if (!directory.includes(REPLACEMENT)) return directory
  try {
    return textOfBytes(readlinkSync("/proc/self/cwd", { encoding: "buffer" }))
  } catch {
    throw new Error(UNKNOWN)
  }
}
