import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts } = rowsOf("Block creation options")

const debug = { shown: "debug" } as const

/** Options about templates of blocks. */
export const MINING: ReadonlyArray<CoreOption> = [
  accepts("blockmaxweight", "=<n>", "The largest weight of a template", "templates are as large as blocks may be", {
    ...debug,
    inert: ["4000000"],
    example: "2000000"
  }),
  accepts("blockmintxfee", "=<amt>", "The least fee rate in a template", "templates take any fee rate", {
    inert: ["0.00000001"],
    example: "0.00001"
  }),
  accepts("blockreservedweight", "=<n>", "Weight kept free in a template", "8000 are kept free", {
    inert: ["8000"],
    example: "4000"
  }),
  accepts("blockversion", "=<n>", "The version of blocks of a template", "the version follows the deployments", {
    ...debug,
    example: "4"
  }),
  accepts("printpriority", "", "Log fee rates of templates", "fee rates of templates are not logged", debug)
]
