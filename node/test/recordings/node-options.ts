import { convertCoreConfig } from "../../src/config/convert-core/convert-core-config.ts"

/** Options of Bitcoin Core as a configuration file of ours. */
export interface NodeOptions {
  readonly toml: string
  /** Options without a counterpart, each with what the conversion says. */
  readonly unsupported: ReadonlyArray<string>
  /** Why a start must fail, as far as it is known without one. */
  readonly problems: ReadonlyArray<string>
}

/** Options that change nothing of what a conversation asks. */
const WITHOUT_EFFECT = new Set([
  "checkmempool",
  "debug",
  "disablewallet",
  "limitancestorcount",
  "limitdescendantcount",
  "logtimemicros",
  // Of the wallet alone.
  "mintxfee",
  "printpriority",
  "printtoconsole"
])

/** What a `bitcoin.conf` says instead of an option: `-name` alone switches on. */
const settingOf = (arg: string): string => {
  const bare = arg.replace(/^-+/, "")
  return bare.includes("=") ? bare : `${bare}=1`
}

const nameOf = (setting: string): string => setting.slice(0, setting.indexOf("="))

const fileOf = (settings: ReadonlyArray<string>): string => ["regtest=1", "[regtest]", ...settings].join("\n")

const PATH = "options"

/** What a conversion says about one setting: lines about others, such as the ports of RPC, do not count. */
const remarkOn = (setting: string): string | undefined => {
  const { access, problems, report } = convertCoreConfig(PATH, fileOf([setting]))
  return [...problems, ...access, ...report].find((line) => line.startsWith(`${PATH}:3: `) || problems.includes(line))
}

/** Translates the options with which a recorded node was started. */
export const nodeOptions = (args: ReadonlyArray<string>): NodeOptions => {
  const given = args.map(settingOf).filter((setting) => !WITHOUT_EFFECT.has(nameOf(setting)))
  // The recorded peers speak v1, also those that the node connects to.
  const settings = [...given.filter((setting) => nameOf(setting) !== "v2transport"), "v2transport=0"]
  const unsupported = settings.flatMap((setting) => {
    const remark = remarkOn(setting)
    return remark === undefined ? [] : [`-${setting}: ${remark.replace(`${PATH}:3: `, "")}`]
  })
  const { problems, report, toml } = convertCoreConfig(PATH, fileOf(settings))
  const together = report.filter((line) => settings.some((setting) => line.startsWith(`${nameOf(setting)}: `)))
  return { toml, unsupported: [...unsupported, ...together], problems }
}
