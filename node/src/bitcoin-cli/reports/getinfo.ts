import { isatty } from "node:tty"
import type { JsonRead } from "../../json/json-value.ts"
import type { NodeCall, Node, Reply } from "../call-node.ts"
import { failClient } from "../client-failure.ts"
import { plainText } from "../core-json.ts"
import { reportedList, member, numberIn, succeeded } from "./report.ts"

const CALLS: ReadonlyArray<NodeCall> = ["getnetworkinfo", "getblockchaininfo", "getwalletinfo", "getbalances"].map((
  method
) => ({ method, params: [] }))

type Paint = (colour: keyof typeof COLOURS, text: string) => string

const COLOURS = { green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const

const painting = (when: string): Paint => {
  if (!["always", "auto", "never"].includes(when)) {
    return failClient("Invalid value for -color option. Valid values: always, auto, never.")
  }
  const isColoured = when === "always" || (when === "auto" && isatty(process.stdout.fd))
  return (colour, text) => isColoured ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text
}

const BAR_PARTS = 20
/** Progress from which a chain counts as complete and no bar is shown. */
const NEARLY = 0.99

const bar = (progress: number): string => {
  if (progress >= NEARLY) return ""
  if (progress < 0) return " "
  const full = Math.ceil(progress * BAR_PARTS)
  return `${"▒".repeat(full)}${"░".repeat(Math.ceil((1 - progress) * BAR_PARTS))} `
}

const proxiesIn = (networks: JsonRead): string => {
  const byProxy = new Map<string, Array<string>>()
  for (const network of reportedList(networks)) {
    const proxy = plainText(member(network, "proxy"))
    if (proxy !== "") byProxy.set(proxy, [...byProxy.get(proxy) ?? [], plainText(member(network, "name"))])
  }
  const texts = [...byProxy].map(([proxy, names]) => `${proxy} (${names.join(", ")})`)
  return texts.length === 0 ? "n/a" : texts.join(", ")
}

const warningsIn = (warnings: JsonRead): string => {
  const texts = Array.isArray(warnings) ? reportedList(warnings).map(plainText) : [plainText(warnings)]
  const text = texts.filter((each) => each !== "").join("\n")
  return text === "" ? "(none)" : text
}

const quoted = (name: string): string => name === "" ? "\"\"" : name

const walletLines = (wallet: JsonRead, paint: Paint): ReadonlyArray<string> => {
  if (wallet === null) return []
  const until = member(wallet, "unlocked_until")
  return [
    paint("magenta", `Wallet: ${quoted(plainText(member(wallet, "walletname")))}`),
    `Keypool size: ${plainText(member(wallet, "keypoolsize"))}`,
    ...until === null ? [] : [`Unlocked until: ${plainText(until)}`],
    ""
  ]
}

/** Returns the balances of all wallets if the node has several. */
const balancesOf = async (node: Node): Promise<ReadonlyArray<readonly [name: string, balance: string]>> => {
  const wallets = await node.call({ method: "listwallets", params: [] })
  const names = wallets.error === null ? reportedList(wallets.result).map(plainText) : []
  if (names.length <= 1) return []
  const replies = await Promise.all(names.map((name) => node.call({ method: "getbalances", params: [] }, name)))
  return names.map((name, at) => [name, plainText(member(replies[at]!.result, "mine", "trusted"))])
}

const BALANCE_WIDTH = 10

const balanceLines = (balances: ReadonlyArray<readonly [string, string]>, paint: Paint): ReadonlyArray<string> => {
  if (balances.length === 0) return []
  const width = Math.max(BALANCE_WIDTH, ...balances.map(([, balance]) => balance.length))
  return [paint("cyan", "Balances"), ...balances.map(([name, text]) => `${text.padStart(width)} ${quoted(name)}`), ""]
}

/** Reports an overview of a node. */
export const getinfo = async (
  node: Node,
  words: ReadonlyArray<string>,
  { color, isOneWallet }: { readonly color: string; readonly isOneWallet: boolean }
): Promise<Reply> => {
  if (words.length > 0) return failClient("-getinfo takes no arguments")
  const [network, chain, wallet, balances] = await node.calls(CALLS) as [Reply, Reply, Reply, Reply]
  if (network.error !== null) return network
  if (chain.error !== null) return chain
  const all = isOneWallet ? [] : await balancesOf(node)
  const paint = painting(color)
  const ofNetwork = (...path: ReadonlyArray<string>) => plainText(member(network.result, ...path))
  const ofChain = (name: string) => plainText(member(chain.result, name))
  const progress = numberIn(member(chain.result, "verificationprogress"))
  const balance = member(balances.result, "mine", "trusted")
  return succeeded(
    [
      paint("blue", `Chain: ${ofChain("chain")}`),
      `Blocks: ${ofChain("blocks")}`,
      `Headers: ${ofChain("headers")}`,
      `Verification progress: ${bar(progress)}${(progress * 100).toFixed(4)}%`,
      `Difficulty: ${ofChain("difficulty")}`,
      "",
      paint(
        "green",
        `Network: in ${ofNetwork("connections_in")}, out ${ofNetwork("connections_out")}, total ${
          ofNetwork("connections")
        }`
      ),
      `Version: ${ofNetwork("version")}`,
      `Time offset (s): ${ofNetwork("timeoffset")}`,
      `Proxies: ${proxiesIn(member(network.result, "networks"))}`,
      `Min tx relay fee rate (BTC/kvB): ${ofNetwork("relayfee")}`,
      "",
      ...walletLines(wallet.result, paint),
      ...balance === null ? [] : [`${paint("cyan", "Balance:")} ${plainText(balance)}`, ""],
      ...balanceLines(all, paint),
      `${paint("yellow", "Warnings:")} ${warningsIn(member(network.result, "warnings"))}`
    ].join("\n")
  )
}
