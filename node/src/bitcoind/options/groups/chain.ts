import { type CoreOption, rowsOf } from "../core-option.ts"

const { does } = rowsOf("Chain selection options")

/** Options that choose the chain. */
export const CHAIN: ReadonlyArray<CoreOption> = [
  does("chain", "=<chain>", "The chain: main, test, testnet4, signet, regtest", { example: "signet" }),
  does("regtest", "", "The chain for tests on one machine", { shown: "debug" }),
  does("signet", "", "The signet chain"),
  does("signetchallenge", "=<hex>", "The signet whose blocks satisfy this script", {
    list: true,
    noNegation: true,
    example: ["-signet", "-signetchallenge=51"]
  }),
  does("signetseednode", "=<host>", "Seeds of the signet of -signetchallenge", {
    list: true,
    noNegation: true,
    example: ["-signet", "-signetchallenge=51", "-signetseednode=seed.example.org"]
  }),
  does("testnet", "", "The testnet3 chain"),
  does("testnet4", "", "The testnet4 chain"),
  does(
    "vbparams",
    "=deployment:start:end[:min_activation_height]",
    "When the deployment testdummy activates (regtest)",
    {
      shown: "debug",
      list: true,
      example: "testdummy:0:1"
    }
  )
]
