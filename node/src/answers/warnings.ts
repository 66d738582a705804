import * as Schema from "effect/Schema"
import { described } from "./result-schema.ts"
import type { QueryNode } from "../queries/query-node.ts"

/** Begins like Bitcoin Core's warning, so that programs find it. */
const CLOCK = "Your computer's date and time appear to be more than 10 minutes out of sync with the network. " +
  "Set the clock, else valid blocks may be refused; timeoffset of getpeerinfo shows the peers' clocks"

export const Warnings = described(
  Schema.Union([Schema.Array(Schema.String), Schema.String]),
  "What an operator should know; where the node keeps deprecated answers, the last of it as a text"
)

/** Returns the warnings for the operator, the same for every method. */
export const warningsOf = ({ chain, deprecated, peers }: QueryNode): ReadonlyArray<string> | string => {
  const network = peers()
  const warnings = [
    ...chain.state().warnings,
    network?.clocks.isFarOff() === true ? CLOCK : [],
    network?.foreignChains.notice() ?? []
  ].flat()
  return deprecated.has("warnings") ? warnings.at(-1) ?? "" : warnings
}
