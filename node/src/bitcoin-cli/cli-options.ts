import type { OptionFacts } from "../bitcoind/args/option-key.ts"

/** The headings of `-help`, in its order. */
const GROUPS = ["Options", "Debugging/Testing options", "Chain selection options", "CLI Commands"] as const

/** One option of Bitcoin Core's client. */
export interface ClientOption extends OptionFacts {
  readonly group: typeof GROUPS[number]
  /** Text after the name in `-help`, such as `=<n>`. */
  readonly argument: string
  readonly about: string
  /** True if only `-help-debug` shows the option. */
  readonly isForTests?: boolean
}

type Rest = Partial<ClientOption>

const rows =
  (group: ClientOption["group"]) => (name: string, argument: string, about: string, rest: Rest = {}): ClientOption => ({
    name,
    group,
    argument,
    about,
    ...rest
  })

const option = rows("Options")
const chain = rows("Chain selection options")
const command = rows("CLI Commands")

export const CLIENT_OPTIONS: ReadonlyArray<ClientOption> = [
  option("color", "=<when>", "Colour the output of -getinfo: always, auto (on a terminal) or never", {
    noNegation: true
  }),
  option("conf", "=<file>", "The configuration file, relative to the data directory"),
  option("datadir", "=<dir>", "The data directory", { noNegation: true }),
  option("help", "", "Show this text and end (also -h and -?)"),
  option("includeconf", "=<file>", "Another configuration file; only in a configuration file", { list: true }),
  option("ipcconnect", "=<address>", "Connect through this socket of a program with IPC, which this one has not"),
  option("named", "", "Take parameters as name=value"),
  option("rpcclienttimeout", "=<n>", "Seconds to wait for an answer; 0: for ever"),
  option("rpcconnect", "=<ip>[:<port>]", "The node to call"),
  option("rpccookiefile", "=<loc>", "The file of the cookie, relative to the network's data directory"),
  option("rpcid", "=<id>", "The id of calls", { noNegation: true, noElision: true }),
  option("rpcpassword", "=<pw>", "The password", { sensitive: true }),
  option("rpcport", "=<port>", "The port to call", { networkOnly: true }),
  option("rpcuser", "=<user>", "The user name", { sensitive: true }),
  option("rpcwait", "", "Wait until the node answers"),
  option("rpcwaittimeout", "=<n>", "Seconds to wait with -rpcwait; 0: for ever", { noNegation: true }),
  option("rpcwallet", "=<walletname>", "The wallet of the node that is called"),
  option("stdin", "", "Read more arguments from standard input, one a line"),
  option("stdinrpcpass", "", "Read the password from standard input"),
  option("stdinwalletpassphrase", "", "Read the passphrase of a wallet from standard input"),
  option("version", "", "Show the version and end"),
  option("h", "", "", { isForTests: true }),
  option("?", "", "", { isForTests: true }),
  rows("Debugging/Testing options")("help-debug", "", "Also show options for tests, and end"),
  chain("chain", "=<chain>", "The chain: main, test, testnet4, signet, regtest"),
  chain("regtest", "", "The chain for tests on one machine", { isForTests: true }),
  chain("signet", "", "The signet chain"),
  chain("signetchallenge", "=<hex>", "Another signet", { noNegation: true }),
  chain("signetseednode", "=<host>", "Seeds of another signet", { list: true, noNegation: true }),
  chain("testnet", "", "The testnet3 chain"),
  chain("testnet4", "", "The testnet4 chain"),
  command("addrinfo", "", "Show how many addresses of each network the node knows"),
  command("generate", "", "Mine blocks to a new address of the wallet; takes a number of blocks and of tries"),
  command("getinfo", "", "Show an overview of the node"),
  command("netinfo", " [<level>|help]", "Show the node's peers; levels 1 to 4 show each of them")
]

export const CLIENT_OPTIONS_BY_NAME: ReadonlyMap<string, ClientOption> = new Map(
  CLIENT_OPTIONS.map((each) => [each.name, each])
)

/** Options that are commands; at most one may be given. */
export const CLI_COMMANDS = CLIENT_OPTIONS.filter(({ group }) => group === "CLI Commands").map(({ name }) => name)
  .sort()

/** The options as `-help` lists them, by headings. */
export const shownOptions = (
  debug: boolean
): ReadonlyArray<{ readonly heading: string; readonly options: ReadonlyArray<ClientOption> }> =>
  GROUPS.map((group) => ({
    heading: group,
    options: CLIENT_OPTIONS.filter((each) =>
      each.group === group && each.about !== "" && (debug || each.isForTests !== true)
    )
  }))
