import type { Origin } from "../config.ts"

/** A value that a key is set to, and where. */
export interface Given {
  /** `storage.dbcache_mb`. */
  readonly key: string
  /** As the key's schema decodes it. */
  readonly value: unknown
  readonly origin: Origin
  /** `node.toml:3`, `NODE_DATA_DIR`, `--data-dir`. */
  readonly source: string
}

/** What one source says: its values, and what is wrong with it, each a line for a person. */
export interface Reading {
  readonly given: ReadonlyArray<Given>
  readonly problems: ReadonlyArray<string>
  /** What asks for a part that this build does not have. */
  readonly refused: ReadonlyArray<string>
}

export const NOTHING_GIVEN: Reading = { given: [], problems: [], refused: [] }

export const problemFound = (problem: string): Reading => ({ ...NOTHING_GIVEN, problems: [problem] })

export const valueGiven = (given: Given): Reading => ({ ...NOTHING_GIVEN, given: [given] })

export const partRefused = (refusal: string): Reading => ({ ...NOTHING_GIVEN, refused: [refusal] })

export const readingOf = (readings: Iterable<Reading>): Reading => {
  const all = [...readings]
  return {
    given: all.flatMap(({ given }) => given),
    problems: all.flatMap(({ problems }) => problems),
    refused: all.flatMap(({ refused }) => refused)
  }
}
