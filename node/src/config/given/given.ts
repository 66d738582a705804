import type { Origin } from "../config.ts"

/** A value that a key is set to, with its source. */
export interface Given {
  /** Name such as `storage.dbcache_mb`. */
  readonly key: string
  /** The value as decoded by the key's schema. */
  readonly value: unknown
  readonly origin: Origin
  /** Source such as `node.toml:3`, `NODE_DATA_DIR`, `--data-dir`. */
  readonly source: string
}

/** The content of one source: its values, and its problems, each a line for the operator. */
export interface Reading {
  readonly given: ReadonlyArray<Given>
  readonly problems: ReadonlyArray<string>
  /** Requests for parts that this build lacks. */
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
