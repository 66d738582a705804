import type { Proxies, StandInNetwork } from "../../config/config.ts"
import { clamp, type PlanDraft, numberGiven } from "./draft.ts"

const CONNECT_TIMEOUT = 5_000

/** Maximum delay of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1

const MOST_RATIO = 1_000_000

/** Default buffer sizes in kilobytes of 1,000 bytes, as in Core. */
const RECEIVE_BUFFER = 5_000
const SEND_BUFFER = 1_000
const KILOBYTE = 1_000

/** Minimum, since an empty buffer would pass nothing. */
const LEAST_BUFFER = 1
const MOST_BUFFER = 1_000_000

const bufferOf = (draft: PlanDraft, name: string, usual: number): number =>
  clamp(numberGiven(draft, name, usual), LEAST_BUFFER, MOST_BUFFER) * KILOBYTE

/** Plans the options about addresses and connections that a configuration file of this node lacks. */
export const planNetworkLayer = (draft: PlanDraft, proxies: Proxies): StandInNetwork => {
  const { args } = draft
  const chosen = new Set(args.list("onlynet").map((text) => text.toLowerCase()))
  const hasInternet = chosen.size === 0 || chosen.has("ipv4") || chosen.has("ipv6")
  const timeout = numberGiven(draft, "timeout", CONNECT_TIMEOUT)
  return {
    proxies,
    learnsOnionProxy: (args.text("onion") ?? "") === "",
    isAddrmanDeterministic: args.list("test").includes("addrman"),
    addrmanCheckRatio: clamp(numberGiven(draft, "checkaddrman", 0), 0, MOST_RATIO),
    buffers: {
      received: bufferOf(draft, "maxreceivebuffer", RECEIVE_BUFFER),
      unsent: bufferOf(draft, "maxsendbuffer", SEND_BUFFER)
    },
    // With `-connect` the node chooses no peers, so it needs no addresses.
    seedNodes: args.isSet("connect") ? [] : args.list("seednode").filter((node) => node !== "" && node !== "0"),
    connectTimeout: timeout <= 0 ? CONNECT_TIMEOUT : Math.min(timeout, LONGEST),
    looksUpNames: args.flag("dns") ?? true,
    reconciles: args.flag("txreconciliation") ?? false,
    asksSeeds: hasInternet && (args.flag("dnsseed") ?? true),
    forcesSeeds: args.flag("forcednsseed") ?? false
  }
}
