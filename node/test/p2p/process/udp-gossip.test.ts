import { afterAll, describe } from "@effect/vitest"
import { place } from "./place.ts"
import { gossipTriedOverUdp } from "./udp-gossip-trial.ts"

const { clear, start, stop } = place("gossip")
afterAll(clear)

describe("addresses of nodes over QUIC", () => {
  gossipTriedOverUdp({ name: "quic", preference: "quinnonly", both: "hybrid", place: { start, stop } })
})
