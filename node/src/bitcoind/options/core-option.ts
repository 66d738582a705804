import type { OptionFacts } from "../args/option-key.ts"

/** Headings of `-help`, in order. */
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

/** One option of Bitcoin Core 31, with its state in this program. */
export interface CoreOption extends OptionFacts {
  readonly group: Group
  /** Text after the name in `-help`, such as `=<n>`. */
  readonly argument: string
  readonly about: string
  /** Shown by `-help` always, only by `-help-debug`, or never. */
  readonly shown: "always" | "debug" | "never"
  /**
   * An implemented option does what it does in Bitcoin Core. For an accepted one, the log shows `note` if a value asks
   * for more.
   */
  readonly state: "implemented" | "accepted"
  readonly note?: string
  /** True if `note` is a warning of Bitcoin Core itself. */
  readonly warns?: boolean
  /** Values without effect, since this program already behaves as they say. */
  readonly inert?: ReadonlyArray<string>
  /** Words of a command line that use the option and change something. */
  readonly example: ReadonlyArray<string>
}

/** Optional facts about an option. */
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

/** Returns constructors for the options of a group, implemented or accepted. */
export const rowsOf = (group: Group) => ({
  does: row(group, "implemented"),
  accepts: (name: string, argument: string, about: string, note: string, facts: Facts = {}): CoreOption =>
    row(group, "accepted")(name, argument, about, { inert: ["0"], ...facts, note })
})
