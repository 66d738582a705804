import { nativeHashes } from "@lockstep/crypto/hash/native-hashes.ts"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import type { CommandLineArguments } from "../args/read-arguments.ts"
import { defaultDirectory, type Place } from "../args/directories.ts"
import { OPTIONS_BY_NAME } from "../options/option-table.ts"
import type { Plan } from "../plan/plan.ts"
import { CORE_VERSION } from "../process/version-text.ts"
import { versionText } from "../../version.ts"

const shown = (name: string, value: unknown): string =>
  OPTIONS_BY_NAME.get(name)?.sensitive === true ? "****" : JSON.stringify(value)

const sorted = <T>(entries: Iterable<readonly [string, T]>): ReadonlyArray<readonly [string, T]> =>
  [...entries].toSorted(([one], [other]) => one < other ? -1 : 1)

const byName = <T>(entries: Iterable<readonly [string, T]>): ReadonlyArray<readonly [string, T]> =>
  sorted(entries).filter(([name]) => OPTIONS_BY_NAME.has(name))

/** Returns lines with every option that was given, by source. */
const valueLines = ({ conf, settings }: CommandLineArguments): ReadonlyArray<string> => [
  ...byName(
    [...conf.values].flatMap(([section, values]) =>
      [...values].map(([name, all]): [string, [string, typeof all]] => [name, [section, all]])
    )
  ).flatMap(([name, [section, all]]) =>
    all.map((value) => `Config file arg: ${section === "" ? "" : `[${section}] `}${name}=${shown(name, value)}`)
  ),
  ...sorted(settings.saved).map(([name, value]) => `Setting file arg: ${name} = ${shown(name, value)}`),
  ...byName(settings.commandLine).flatMap(([name, all]) =>
    all.map((value) => `Command-line arg: ${name}=${shown(name, value)}`)
  )
]

const fileLine = ({ conf: { state }, confFile }: CommandLineArguments): string =>
  confFile === undefined
    ? "Config file: <disabled>"
    : `Config file: ${confFile}${state === "absent" ? " (not found, skipping)" : ""}`

/** Returns a line with the signet's magic, which operators can compare: another signet has another magic. */
const magicLines = ({ chain }: CommandLineArguments, { changes }: Plan): ReadonlyArray<string> =>
  chain === "signet"
    ? [`Signet derived magic (message start): ${Buffer.from(networkWith("signet", changes).magic).toString("hex")}`]
    : []

const TESTNET3 =
  "Warning: Support for testnet3 is deprecated and will be removed in an upcoming release. Consider switching to testnet4."

/** Returns the line with the program and its version. */
export const programLine = (): string => `Bitcoin Core version ${CORE_VERSION} (${versionText()})`

/** Returns the first lines of the log. */
export const startLines = (given: CommandLineArguments, plan: Plan, place: Place): ReadonlyArray<string> => [
  programLine(),
  ...given.chain === "test" ? [TESTNET3] : [],
  ...given.lines,
  ...magicLines(given, plan),
  "Log output may contain privacy-sensitive information. Be cautious when sharing logs.",
  `Using the '${nativeHashes().detail}' SHA256 implementation`,
  `Default data directory ${defaultDirectory(place)}`,
  `Using data directory ${given.directory}`,
  fileLine(given),
  ...valueLines(given),
  `Using at most ${plan.config.peers.maximum} automatic connections (${plan.descriptors} file descriptors available)`,
  "scheduler thread start",
  "No wallet support compiled in!"
]
