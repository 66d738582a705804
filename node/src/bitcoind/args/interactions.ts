import type { Args } from "./args.ts"
import type { SettingValue } from "./setting-value.ts"

interface Implied {
  readonly left: string
  readonly sets: ReadonlyArray<readonly [name: string, value: string]>
  readonly when: (args: Args) => boolean
}

const first = (args: Args, name: string): string => args.list(name)[0] ?? ""

const isConnectLimited = (args: Args): boolean =>
  args.isSet("connect") || (args.integer("maxconnections") ?? 125n) <= 0n

const hasProxy = (args: Args): boolean => first(args, "proxy") !== "" && first(args, "proxy") !== "0"

const hasNoInternet = (args: Args): boolean => {
  const networks = args.list("onlynet").map((name) => name.toLowerCase())
  return networks.length > 0 && !networks.some((name) => name === "ipv4" || name === "ipv6")
}

/** Interactions in order, since an earlier one may affect a later one. */
const INTERACTIONS: ReadonlyArray<Implied> = [
  { left: "-bind set", sets: [["listen", "1"]], when: (args) => args.list("bind").length > 0 },
  { left: "-whitebind set", sets: [["listen", "1"]], when: (args) => args.list("whitebind").length > 0 },
  {
    left: "-connect or -maxconnections=0 set",
    sets: [["dnsseed", "0"], ["listen", "0"]],
    when: isConnectLimited
  },
  { left: "-proxy set", sets: [["listen", "0"], ["natpmp", "0"], ["discover", "0"]], when: hasProxy },
  {
    left: "-listen=0",
    sets: [["natpmp", "0"], ["discover", "0"], ["listenonion", "0"], ["i2pacceptincoming", "0"]],
    when: (args) => args.flag("listen") === false
  },
  { left: "-externalip set", sets: [["discover", "0"]], when: (args) => args.list("externalip").length > 0 },
  {
    left: "-blocksonly=1",
    sets: [["whitelistrelay", "0"], ["maxmempool", "5"]],
    when: (args) => args.flag("blocksonly") === true
  },
  {
    left: "-whitelistforcerelay=1",
    sets: [["whitelistrelay", "1"]],
    when: (args) => args.flag("whitelistforcerelay") === true
  },
  { left: "-onlynet excludes IPv4 and IPv6", sets: [["dnsseed", "0"]], when: hasNoInternet }
]

/** Values that options imply for unset options, and the log lines about them. */
export interface Implications {
  readonly forced: ReadonlyMap<string, SettingValue>
  readonly lines: ReadonlyArray<string>
}

/** Applies the interactions. `argsWith` reads the options with forced values on top. */
export const implicationsOf = (argsWith: (forced: Implications["forced"]) => Args): Implications => {
  const forced = new Map<string, SettingValue>()
  const lines: Array<string> = []
  for (const { left, sets, when } of INTERACTIONS) {
    const args = argsWith(forced)
    if (!when(args)) continue
    for (const [name, value] of sets) {
      if (args.isSet(name)) continue
      forced.set(name, value)
      lines.push(`parameter interaction: ${left} -> setting -${name}=${value}`)
    }
  }
  return { forced, lines }
}
