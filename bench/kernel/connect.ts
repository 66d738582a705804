import type { AvailableProvider } from "../../crypto/src/index.ts"
import { collectBlock } from "../../kernel/src/connect/collect.ts"
import { decodeBlock } from "../../kernel/src/model/block.ts"
import { type Effort, median, race, ratio, type Timing } from "../measure.ts"
import type { Row } from "../row.ts"
import { SPENDING_BLOCK, spentBlock } from "./spent-block.ts"

/** How many inputs a second a block is connected at when its scripts are left out, against parsing the same block. */
export const connectRows = (
  { crypto, name }: AvailableProvider,
  vectors: ReadonlyArray<string>,
  effort: Effort
): ReadonlyArray<Row> => {
  const spent = spentBlock(vectors, crypto)
  if (spent === undefined) return []
  const { block, bytes, identity, inputs, node, parameters, view } = spent
  const [parsing, connecting] = race([
    () => decodeBlock(bytes),
    () => collectBlock(block, node, identity, parameters, view)
  ], effort) as [Timing, Timing]
  return [{
    name: `${SPENDING_BLOCK.name}: connect without scripts`,
    provider: name,
    value: inputs / median(connecting),
    unit: "inputs/s",
    ratio: ratio(connecting, parsing),
    to: "parsing"
  }]
}
