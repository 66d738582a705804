import type { Args } from "../args/args.ts"
import type { ChainName } from "../args/chain-choice.ts"
import type { Place } from "../args/directories.ts"
import type { NetworkRow } from "../../config/network-table.ts"

/** What the parts of a plan are made from, and where they put what they find. */
export interface PlanDraft {
  readonly args: Args
  readonly chain: ChainName
  readonly network: NetworkRow
  readonly base: string
  readonly directory: string
  readonly place: Place
  readonly processors: number
  readonly memoryBytes: number
  /** How many files the process may have open. */
  readonly descriptors: number
  /** Our own configuration keys. */
  readonly values: Map<string, unknown>
  /** Warnings for the log. */
  readonly notices: Array<string>
  /** Warnings that Bitcoin Core shows on standard error as well. */
  readonly warnings: Array<string>
  /** What ends the start, as Bitcoin Core says it. */
  readonly problems: Array<string>
}

const MOST_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

/** A number of an option within what a number here can hold. */
export const numberGiven = ({ args }: PlanDraft, name: string, fallback: number): number => {
  const value = args.integer(name)
  if (value === undefined) return fallback
  return Number(value > MOST_SAFE ? MOST_SAFE : value < -MOST_SAFE ? -MOST_SAFE : value)
}

export const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
