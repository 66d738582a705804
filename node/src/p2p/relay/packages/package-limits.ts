import type { Limit } from "@lockstep/protocol/wire/limits.ts"

/** Limits of package relay (BIP331). */
export const PACKAGE_LIMITS = {
  transactions: { most: 25, unit: "transactions of a package", source: "Core MAX_PACKAGE_COUNT" },
  weight: { most: 404_000, unit: "weight of a package", source: "Core MAX_PACKAGE_WEIGHT" },
  perPeer: { most: 10, unit: "packages requested of a peer at a time", source: "hostile: package floods" },
  answerTime: {
    most: 60_000,
    unit: "milliseconds for a package, or the ids in it, to come",
    source: "Core GETDATA_TX_INTERVAL"
  },
  tidying: { most: 60_000, unit: "milliseconds between looks for orphans that are gone", source: "a table must end" }
} satisfies Readonly<Record<string, Limit>>
