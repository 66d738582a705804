import type { OptionFacts } from "../args/option-key.ts"

/** The headings of `-help`, in its order. */
export const GROUPS = [
  "Options",
  "Connection options",
  "Debugging/Testing options",
  "Node relay options",
  "Block creation options",
  "RPC server options",
  "Chain selection options",
  "ZeroMQ notification options",
  "Wallet options",
  "Hidden options"
] as const

export type Group = typeof GROUPS[number]

/** One option of Bitcoin Core 31 and what this program does with it. */
export interface CoreOption extends OptionFacts {
  readonly group: Group
  /** What stands behind the name in `-help`, as `=<n>`. */
  readonly argument: string
  readonly about: string
  /** Whether only `-help-debug` shows it, or nothing does. */
  readonly shown: "always" | "debug" | "never"
  /**
   * Implemented: it does what it does in Bitcoin Core. Accepted: the log says `note` where a value asks for more.
   */
  readonly state: "implemented" | "accepted"
  readonly note?: string
  /** Whether `note` is a warning of Bitcoin Core itself. */
  readonly warns?: boolean
  /** Values that need nothing done here: this program does what they say anyway. */
  readonly inert?: ReadonlyArray<string>
  /** Words of a command line that use the option, and change something. */
  readonly example: ReadonlyArray<string>
}

/** What may be said about an option beside its name. */
type Facts = Partial<Omit<CoreOption, "example" | "group" | "name" | "state">> & {
  readonly example?: string | ReadonlyArray<string>
}

type Row = (name: string, argument: string, about: string, facts?: Facts) => CoreOption

const row = (group: Group, state: CoreOption["state"]): Row => (name, argument, about, { example, ...facts } = {}) => ({
  group,
  name,
  argument,
  about,
  shown: "always",
  state,
  ...facts,
  example: typeof example === "object" ? example : [`-${name}${example === undefined ? "" : `=${example}`}`]
})

/** Rows of a group: options that are implemented or accepted. */
export const rowsOf = (group: Group) => ({
  does: row(group, "implemented"),
  accepts: (name: string, argument: string, about: string, note: string, facts: Facts = {}): CoreOption =>
    row(group, "accepted")(name, argument, about, { inert: ["0"], ...facts, note })
})
