import { type CoreOption, rowsOf } from "../core-option.ts"

const { does, refuses } = rowsOf("Chain selection options")

/** Options that choose the chain. */
export const CHAIN: ReadonlyArray<CoreOption> = [
  does("chain", "=<chain>", "The chain: main, test, testnet4, signet, regtest", { example: "signet" }),
  does("regtest", "", "The chain for tests on one machine", { shown: "debug" }),
  does("signet", "", "The signet chain"),
  refuses("signetchallenge", "=<hex>", "Another signet", "Only the default signet is in this build", {
    list: true,
    noNegation: true,
    inert: [],
    example: "51"
  }),
  refuses("signetseednode", "=<host>", "Seeds of another signet", "Only the default signet is in this build", {
    list: true,
    noNegation: true,
    inert: [],
    example: "seed.example.org"
  }),
  does("testnet", "", "The testnet3 chain"),
  does("testnet4", "", "The testnet4 chain"),
  refuses(
    "vbparams",
    "=deployment:start:end[:min_activation_height]",
    "When a deployment activates (regtest)",
    "Deployments activate as the chain says in this build (-vbparams)",
    { shown: "debug", list: true, inert: [], example: "testdummy:0:1" }
  )
]
