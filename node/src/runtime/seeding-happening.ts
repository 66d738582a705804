import type { Seconds } from "../quantities.ts"
import type { Kinds, Plain } from "./words.ts"

/** The search for first addresses: name servers, nodes that an operator named, addresses of the release. */
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
    /** `waited`: how long peers were missing; none: no address is known. */
    SeedNodeAsked: { node: string; waited: Seconds | undefined }
    SeedNodesTried: { patience: Seconds }
  }>
