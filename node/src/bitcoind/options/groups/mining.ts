import { type CoreOption, rowsOf } from "../core-option.ts"

const { does } = rowsOf("Block creation options")

const debug = { shown: "debug" } as const

/** Options about block templates. */
export const MINING: ReadonlyArray<CoreOption> = [
  does("blockmaxweight", "=<n>", "The largest weight of a template", { ...debug, example: "2000000" }),
  does("blockmintxfee", "=<amt>", "The least fee rate in a template", { example: "0.00001" }),
  does("blockreservedweight", "=<n>", "Weight kept free in a template", { example: "4000" }),
  does("blockversion", "=<n>", "The version of blocks of a template (regtest)", { ...debug, example: "4" }),
  does("printpriority", "", "Log the fee rate of each transaction of a template", debug)
]
