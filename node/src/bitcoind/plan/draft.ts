import type { Args } from "../args/args.ts"
import type { ChainName } from "../args/chain-choice.ts"
import type { Place } from "../args/directories.ts"
import type { NetworkRow } from "../../config/network-table.ts"

/** Inputs from which the parts of a plan are made, and the lists that collect their results. */
export interface PlanDraft {
  readonly args: Args
  readonly chain: ChainName
  readonly network: NetworkRow
  readonly base: string
  readonly directory: string
  readonly place: Place
  readonly processors: number
  readonly memoryBytes: number
  /** Maximum number of open files of the process. */
  readonly descriptors: number
  /** Values of the node's own configuration keys. */
  readonly values: Map<string, unknown>
  /** Warnings for the log. */
  readonly notices: Array<string>
  /** Warnings that Bitcoin Core also prints to standard error. */
  readonly warnings: Array<string>
  /** Problems that end the start, in Bitcoin Core's words. */
  readonly problems: Array<string>
}

const MOST_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

/** Returns the number in an option, clamped to safe integers. */
export const numberGiven = ({ args }: PlanDraft, name: string, fallback: number): number => {
  const value = args.integer(name)
  if (value === undefined) return fallback
  return Number(value > MOST_SAFE ? MOST_SAFE : value < -MOST_SAFE ? -MOST_SAFE : value)
}

export const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
