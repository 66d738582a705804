import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import type { Args } from "./args.ts"
import type { CoreLine } from "../log/core-line.ts"
import { settingText } from "./setting-value.ts"

interface Around {
  readonly args: Args
  readonly base: string
  readonly confFile: string | undefined
  /** The data directory of the command line, in which the configuration file was looked for. */
  readonly typedBase: string
  readonly sameFile: (one: string, other: string) => boolean
}

/** Core's function that logs about the file. */
const SOURCE = "InitConfig"

const CURE = "Possible ways to address this would be to:"

/**
 * Checks whether the data directory holds a `bitcoin.conf` that is not used. Returns the lines for the log, or fails if
 * the options do not allow it.
 */
export const ignoredConf = (
  { args, base, confFile, sameFile, typedBase }: Around
): Result.Result<ReadonlyArray<CoreLine>, string> => {
  const beside = join(base, "bitcoin.conf")
  if (!existsSync(beside)) return Result.succeed([])
  if (confFile === undefined) {
    const text = `Data directory "${base}" contains a "bitcoin.conf" file which is explicitly ignored using -noconf.`
    return Result.succeed([{ level: "info", text, source: SOURCE }])
  }
  if (!existsSync(fsPath(confFile)) || sameFile(beside, confFile)) return Result.succeed([])
  const given = args.value("conf")
  const source = given === undefined
    ? `data directory "${typedBase}"`
    : `command line argument ${JSON.stringify(`-conf=${settingText(given)}`)}`
  const isAllowed = args.flag("allowignoredconf") === true
  const message = `Data directory "${base}" contains a "bitcoin.conf" file which is ignored, because a different ` +
    `configuration file "${confFile}" from ${source} is being used instead. ${CURE}\n` +
    `- Delete or rename the "bitcoin.conf" file in data directory "${base}".\n` +
    "- Change datadir= or conf= options to specify one configuration file, not two, and use includeconf= to include any other configuration files." +
    (isAllowed
      ? ""
      : "\n- Set allowignoredconf=1 option to treat this condition as a warning, not an error.")
  return isAllowed ? Result.succeed([{ level: "warning", text: message, source: SOURCE }]) : Result.fail(message)
}
