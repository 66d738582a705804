import type { Limit } from "@lockstep/protocol/wire/limits.ts"

/** Limits of stems. */
export const DANDELION_LIMITS = {
  epoch: { most: 10 * 60_000, unit: "milliseconds of an epoch", source: "BIP156: ten minutes" },
  destinations: { most: 2, unit: "peers that stems of an epoch go to", source: "Dandelion++ section 4.1" },
  embargo: {
    most: 6,
    unit: "mean embargoes after which a transaction is fluffed in any case",
    source: "one embargo in 400 would be longer"
  },
  stems: {
    most: 5_000,
    unit: "transactions that are on a stem at a time; one more is fluffed at once",
    source: "bounded memory: as many as one peer may announce"
  }
} satisfies Readonly<Record<string, Limit>>
