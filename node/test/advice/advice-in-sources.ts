import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const SOURCES = join(import.meta.dirname, "../../src")

/** The one that makes them. */
const MAKER = "typed-command.ts"

const CALL = /as(?:Typed|Written)\((?:"([^"]*)"|`([^`]*)`|([^)]+)\))/g
const EXAMPLE = /\$\{LOCKSTEP\} ([^"`]+)`/g
const BY_HAND =
  /\\?`(?:node|lockstep) (?:start|rpc|config|status|health|sync|import|rebuild|verify|version|migrate|load|--)/

const isComment = (line: string): boolean => /^\s*(?:\*|\/\/|\/\*)/.test(line)

const linesOf = (file: string): ReadonlyArray<string> =>
  readFileSync(join(SOURCES, file), "utf8").split("\n").filter((line) => !isComment(line))

const files = (): ReadonlyArray<string> =>
  readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts") && file !== MAKER)
    .toSorted()

/** Every command that a text of the sources names, behind its file. */
export const commandsNamed = (): ReadonlyArray<string> =>
  files().flatMap((file) =>
    linesOf(file).flatMap((line) =>
      [...line.matchAll(CALL), ...line.matchAll(EXAMPLE)].map((found) =>
        `${file}: ${found.slice(1).find((text) => text !== undefined)}`
      )
    )
  )

/** Lines that spell a command out, which is wrong where it is typed otherwise. */
export const commandsByHand = (): ReadonlyArray<string> =>
  files().flatMap((file) => linesOf(file).filter((line) => BY_HAND.test(line)).map((line) => `${file}: ${line.trim()}`))
