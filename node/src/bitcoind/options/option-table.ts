import type { CoreOption } from "./core-option.ts"
import { ABSENT } from "./groups/absent.ts"
import { CHAIN } from "./groups/chain.ts"
import { CONNECTION } from "./groups/connection.ts"
import { DEBUGGING } from "./groups/debugging.ts"
import { GENERAL } from "./groups/general.ts"
import { MINING } from "./groups/mining.ts"
import { RELAY } from "./groups/relay.ts"
import { RPC } from "./groups/rpc.ts"
import { rowsOf } from "./core-option.ts"
import { ZMQ } from "./groups/zmq.ts"

const { does } = rowsOf("Options")

const HELP: ReadonlyArray<CoreOption> = ["help", "h", "?"].map((name) =>
  does(name, "", "Show this and end", { shown: name === "help" ? "always" : "never" })
)

/** Every option of a Bitcoin Core 31 node without wallet. */
export const OPTIONS: ReadonlyArray<CoreOption> = [
  ...HELP,
  ...GENERAL,
  ...CONNECTION,
  ...DEBUGGING,
  ...RELAY,
  ...MINING,
  ...RPC,
  ...CHAIN,
  ...ZMQ,
  ...ABSENT
]

export const OPTIONS_BY_NAME: ReadonlyMap<string, CoreOption> = new Map(OPTIONS.map((option) => [option.name, option]))
