import { type CoreOption, rowsOf } from "../core-option.ts"

const NAMES_OF_WALLET =
  "addresstype avoidpartialspends changetype consolidatefeerate discardfee fallbackfee keypool maxapsfee maxtxfee mintxfee " +
  "signer spendzeroconfchange txconfirmtarget wallet walletbroadcast walletdir walletnotify walletrbf walletrejectlongchains " +
  "walletcrosschain unsafesqlitesync"

const NAMES_OF_WINDOW = "choosedatadir lang min resetguisettings splash uiplatform"

const LISTS = new Set(["wallet"])

const wallet = rowsOf("Wallet options")
const hidden = rowsOf("Hidden options")

/**
 * Options of wallet and GUI, which this node lacks. Bitcoin Core accepts them even if it is built without these parts.
 */
export const ABSENT: ReadonlyArray<CoreOption> = [
  wallet.accepts("disablewallet", "", "Run without a wallet", "there is no wallet", {
    shown: "never",
    inert: ["", "1"],
    example: "0"
  }),
  ...NAMES_OF_WALLET.split(" ").map((name) =>
    wallet.accepts(name, "=<value>", "An option of the wallet", "there is no wallet", {
      shown: "never",
      list: LISTS.has(name),
      inert: [],
      example: "1"
    })
  ),
  ...NAMES_OF_WINDOW.split(" ").map((name) =>
    hidden.accepts(name, "", "An option of the window", "there is no window", { shown: "never", inert: [] })
  )
]
