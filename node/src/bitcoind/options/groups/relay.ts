import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts } = rowsOf("Node relay options")

const debug = { shown: "debug" } as const

const POLICY = "the rules of relay are those that Bitcoin Core has without this option"

/** Options about transactions that are taken and told to others. */
export const RELAY: ReadonlyArray<CoreOption> = [
  accepts("acceptnonstdtxn", "", "Take transactions that are not standard", POLICY, debug),
  accepts("acceptstalefeeestimates", "", "Use old fee estimates", "old estimates are left out", debug),
  accepts("bytespersigop", "=<n>", "Bytes that a signature operation counts as", POLICY, {
    inert: ["20"],
    example: "40"
  }),
  accepts("datacarrier", "", "Take outputs that carry data", POLICY, { inert: ["", "1"], example: "0" }),
  accepts("datacarriersize", "=<n>", "The most bytes of such outputs", POLICY, { inert: ["100000"], example: "83" }),
  accepts("dustrelayfee", "=<amt>", "The fee rate that defines dust", POLICY, {
    ...debug,
    inert: ["0.00003", "0.00003000"],
    example: "0"
  }),
  accepts("incrementalrelayfee", "=<amt>", "The least fee rate of a replacement", POLICY, {
    ...debug,
    inert: ["0.000001", "0.00000100"],
    example: "0.00001"
  }),
  accepts("limitancestorcount", "=<n>", "The most ancestors", "it concerns a wallet alone", {
    ...debug,
    inert: ["25"],
    example: "10"
  }),
  accepts(
    "limitancestorsize",
    "=<n>",
    "The most bytes of ancestors",
    "ancestor size limits have been replaced with cluster size limits (see -limitclustersize). This option has no effect",
    { shown: "never", example: "101" }
  ),
  accepts("limitclustercount", "=<n>", "The most transactions of a cluster", POLICY, {
    ...debug,
    inert: ["64"],
    example: "10"
  }),
  accepts("limitclustersize", "=<n>", "The most kilobytes of a cluster", POLICY, {
    ...debug,
    inert: ["101"],
    example: "50"
  }),
  accepts("limitdescendantcount", "=<n>", "The most descendants", "it concerns a wallet alone", {
    ...debug,
    inert: ["25"],
    example: "10"
  }),
  accepts(
    "limitdescendantsize",
    "=<n>",
    "The most bytes of descendants",
    "descendant size limits have been replaced with cluster size limits (see -limitclustersize). This option has no effect",
    { shown: "never", example: "101" }
  ),
  accepts("minrelaytxfee", "=<amt>", "The least fee rate of what is relayed", POLICY, {
    inert: ["0.000001", "0.00000100"],
    example: "0.00001"
  }),
  accepts("permitbaremultisig", "", "Relay multisig outputs without P2SH", POLICY, {
    inert: ["", "1"],
    example: "0"
  })
]
