import { type CoreOption, rowsOf } from "../core-option.ts"

const { does } = rowsOf("RPC server options")

const debug = { shown: "debug" } as const

/** Options about RPC. */
export const RPC: ReadonlyArray<CoreOption> = [
  does("deprecatedrpc", "=<method>", "Keep a deprecated answer: bip125, fullrbf or warnings", {
    ...debug,
    list: true,
    example: "warnings"
  }),
  does("rest", "", "Serve REST below /rest/, without credentials", { example: "1" }),
  does("rpcallowip", "=<ip>", "Answer callers of this subnet as well", {
    list: true,
    example: "192.0.2.0/24"
  }),
  does("rpcauth", "=<userpw>", "A user as user:salt$hash", {
    list: true,
    sensitive: true,
    example: `alice:0c1f6a$${"7d9b3a52".repeat(8)}`
  }),
  does("rpcbind", "=<addr>[:port]", "Listen for callers at this address; needs -rpcallowip", {
    list: true,
    networkOnly: true,
    example: ["-rpcallowip=127.0.0.1", "-rpcbind=127.0.0.2"]
  }),
  does("rpccookiefile", "=<loc>", "The file of the cookie, relative to the network's data directory", {
    example: "cookie"
  }),
  does("rpccookieperms", "=<readable-by>", "Who may read the cookie: owner, group or all", { example: "group" }),
  does("rpcdoccheck", "", "Compare answers with their description", { ...debug, example: "1" }),
  does("rpcpassword", "=<pw>", "The password of callers", {
    sensitive: true,
    example: ["-rpcuser=alice", "-rpcpassword=secret"]
  }),
  does("rpcport", "=<port>", "The port for callers", { networkOnly: true, example: "18999" }),
  does("rpcservertimeout", "=<n>", "Seconds after which an idle connection is closed", { ...debug, example: "60" }),
  does("rpcthreads", "=<n>", "Calls that may run at once, beside those of -rpcworkqueue", { example: "4" }),
  does("rpcuser", "=<user>", "The user name of callers", {
    sensitive: true,
    example: ["-rpcuser=alice", "-rpcpassword=secret"]
  }),
  does("rpcwhitelist", "=<whitelist>", "The methods that a user may call", {
    list: true,
    example: "alice:getblockcount"
  }),
  does("rpcwhitelistdefault", "", "Users without such a list may call nothing", { example: "1" }),
  does("rpcworkqueue", "=<n>", "Calls that may wait", { ...debug, example: "10" }),
  does("server", "", "Answer calls", { example: "0" })
]
