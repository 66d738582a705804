import type { Proxies } from "../../config/config.ts"
import type { PlanDraft } from "./draft.ts"

const REQUESTED = "Private broadcast of own transactions requested (-privatebroadcast)"

/** Plans whether own transactions are sent only through Tor and I2P, as Bitcoin Core decides it. */
export const planPrivateBroadcast = (draft: PlanDraft, { onion }: Proxies): void => {
  const { args, problems, values, warnings } = draft
  if (args.flag("privatebroadcast") !== true) return
  values.set("relay.private_broadcast", true)
  const only = args.list("onlynet").map((text) => text.toLowerCase())
  const isChosen = (network: string): boolean => only.length === 0 || only.includes(network)
  // Tor's control port may provide a proxy later.
  const mayReachOnion = isChosen("onion") && (onion !== undefined || values.has("connections.tor_control"))
  const reachesI2p = isChosen("i2p") && values.has("connections.i2p_sam")
  if (!mayReachOnion && !reachesI2p) {
    problems.push(`${REQUESTED}, but none of Tor or I2P networks is reachable`)
  }
  if (args.isSet("connect")) {
    problems.push(
      `${REQUESTED}, but -connect is also configured. They are incompatible because the private broadcast needs to open ` +
        "new connections to randomly chosen Tor or I2P peers. Consider using -maxconnections=0 -addnode=... instead"
    )
  }
  if (args.flag("proxyrandomize") === false && mayReachOnion) {
    warnings.push(
      `${REQUESTED} and -proxyrandomize is disabled. Tor circuits for private broadcast connections may be correlated to ` +
        "other connections over Tor. For maximum privacy set -proxyrandomize=1."
    )
  }
}
