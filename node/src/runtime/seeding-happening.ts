import type { Seconds } from "../quantities.ts"
import type { Kinds, Plain } from "./words.ts"

/** Events of the search for first addresses: DNS seeds, nodes that an operator named, addresses of the release. */
export type SeedingHappening =
  | Plain<
    | "DnsSeedingBegun"
    | "DnsSeedingDisabled"
    | "DnsSeedingEnded"
    /** Nodes that an operator named have brought peers enough. */
    | "DnsSeedsNotNeeded"
    | "FixedSeedsDisabled"
    | "SeedNodesFailed"
    | "SeedNodesSufficed"
  >
  | Kinds<{
    DnsSeedAsked: { name: string }
    DnsSeedingSufficed: { hasAddresses: boolean }
    DnsSeedingWaits: { seconds: Seconds }
    DnsSeedsAnswered: { addresses: number }
    FixedSeedsAdded: { count: number }
    FixedSeedsNeeded: { why: "no other source" | "waited" }
    /** `waited` is the time without enough peers, or `undefined` if no address is known. */
    SeedNodeAsked: { node: string; waited: Seconds | undefined }
    SeedNodesTried: { patience: Seconds }
  }>
