import { afterAll, describe } from "@effect/vitest"
import { place } from "../process/place.ts"
import { gossipTriedOverUdp } from "../process/udp-gossip-trial.ts"
import { isPrivateNetwork } from "./private-network.ts"

const { clear, start, stop } = place("iroh-gossip")
afterAll(clear)

describe.runIf(isPrivateNetwork)("addresses of nodes over Iroh", () => {
  gossipTriedOverUdp({ name: "iroh", preference: "irohonly", both: "all", place: { start, stop } })
})
