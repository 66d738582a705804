import * as Schema from "effect/Schema"
import { described } from "../method/result-schema.ts"
import type { RpcNode } from "../rpc-node.ts"

const CLOCK =
  "The clock of this machine seems to be wrong by more than ten minutes; set it, else valid blocks may be refused"

export const Warnings = described(
  Schema.Union([Schema.Array(Schema.String), Schema.String]),
  "What an operator should know; where the node keeps deprecated answers, the last of it as a text"
)

/** What an operator should know, whichever method is asked. */
export const warningsOf = ({ chain, deprecated, peers }: RpcNode): ReadonlyArray<string> | string => {
  const warnings = [...chain.state().warnings, ...peers()?.clocks.isFarOff() === true ? [CLOCK] : []]
  return deprecated.has("warnings") ? warnings.at(-1) ?? "" : warnings
}
