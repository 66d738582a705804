import { closed, type NaiveSpend } from "../../src/oracles/spend.ts"

/** One spent output per input, an index that names an input, and flags with all that they presuppose. */
export const isSpend = ({ tx, index, spent, flags }: NaiveSpend): boolean =>
  index < tx.inputs.length &&
  spent.length === tx.inputs.length &&
  closed(flags).size === flags.size &&
  spent.every(({ script }) => script.length < 100_000) &&
  tx.inputs.every(({ txid }) => txid.length === 32)
