import type { SeedingHappening } from "../../runtime/seeding-happening.ts"
import type { LinesBy } from "./lines-by.ts"
import { info } from "./core-line.ts"

const REASONS = {
  waited: "60 seconds have passed and addrman is empty for at least one reachable network",
  "no other source":
    "-dnsseed=0 (or IPv4/IPv6 connections are disabled via -onlynet) and neither -addnode nor -seednode are provided"
} as const

/** Log lines about the search for initial addresses. */
export const OF_SEEDING: LinesBy<SeedingHappening> = {
  DnsSeedAsked: ({ name }) => [info(`Loading addresses from DNS seed ${name}`)],
  DnsSeedingBegun: () => [info("dnsseed thread start")],
  DnsSeedingDisabled: () => [info("DNS seeding disabled")],
  DnsSeedingEnded: () => [info("dnsseed thread exit")],
  DnsSeedingSufficed: ({ hasAddresses }) => [
    info(`P2P peers available. ${hasAddresses ? "Finished" : "Skipped"} DNS seeding.`)
  ],
  DnsSeedingWaits: ({ seconds }) => [info(`Waiting ${seconds} seconds before querying DNS seeds.`)],
  DnsSeedsAnswered: ({ addresses }) => [info(`${addresses} addresses found from DNS seeds`)],
  DnsSeedsNotNeeded: () => [info("Skipping DNS seeds. Enough peers have been found")],
  FixedSeedsAdded: ({ count }) => [info(`Added ${count} fixed seeds from reachable networks.`)],
  FixedSeedsDisabled: () => [info("Fixed seeds are disabled")],
  FixedSeedsNeeded: ({ why }) => [info(`Adding fixed seeds as ${REASONS[why]}`)],
  SeedNodeAsked: ({ node, waited }) => [
    info(
      waited === undefined
        ? `Empty addrman, adding seednode (${node}) to addrfetch`
        : `Couldn't connect to peers from addrman after ${waited} seconds. Adding seednode (${node}) to addrfetch`
    )
  ],
  SeedNodesFailed: () => [
    info("Couldn't connect to enough peers via seed nodes. Handing fetch logic to the DNS seeds.")
  ],
  SeedNodesSufficed: () => [info("P2P peers available. Finished fetching data from seed nodes.")],
  SeedNodesTried: ({ patience }) => [
    info(`-seednode enabled. Trying the provided seeds for ${patience} seconds before defaulting to the dnsseeds.`)
  ]
}
