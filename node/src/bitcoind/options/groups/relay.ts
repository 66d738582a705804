import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts, does } = rowsOf("Node relay options")

const debug = { shown: "debug" } as const

/** Returns Bitcoin Core's warning about a size limit that was removed. */
const NO_SIZE = (what: string): string =>
  `Option '-limit${what}size' is given but ${what} size limits have been replaced with cluster size limits (see -limitclustersize). This option has no effect.`

/** Options about accepting and relaying transactions. */
export const RELAY: ReadonlyArray<CoreOption> = [
  does("acceptnonstdtxn", "", "Take transactions that are not standard; not on main", debug),
  does("acceptstalefeeestimates", "", "Use old fee estimates (regtest)", debug),
  does("bytespersigop", "=<n>", "Bytes that a signature operation counts as", { example: "40" }),
  does("datacarrier", "", "Take outputs that carry data", { example: "0" }),
  does("datacarriersize", "=<n>", "The most bytes of such outputs", { example: "83" }),
  does("dustrelayfee", "=<amt>", "The fee rate that defines dust", { ...debug, example: "0" }),
  does("incrementalrelayfee", "=<amt>", "The least fee rate of a replacement", { ...debug, example: "0.00001" }),
  accepts("limitancestorcount", "=<n>", "The most ancestors", "it concerns a wallet alone", {
    ...debug,
    inert: ["25"],
    example: "10"
  }),
  accepts("limitancestorsize", "=<n>", "The most bytes of ancestors", NO_SIZE("ancestor"), {
    shown: "never",
    warns: true,
    inert: [],
    example: "101"
  }),
  does("limitclustercount", "=<n>", "The most transactions of a cluster", { ...debug, example: "10" }),
  does("limitclustersize", "=<n>", "The most kilobytes of a cluster", { ...debug, example: "50" }),
  accepts("limitdescendantcount", "=<n>", "The most descendants", "it concerns a wallet alone", {
    ...debug,
    inert: ["25"],
    example: "10"
  }),
  accepts("limitdescendantsize", "=<n>", "The most bytes of descendants", NO_SIZE("descendant"), {
    shown: "never",
    warns: true,
    inert: [],
    example: "101"
  }),
  does("minrelaytxfee", "=<amt>", "The least fee rate of what is relayed", { example: "0.00001" }),
  does("permitbaremultisig", "", "Relay multisig outputs without P2SH", { example: "0" })
]
