import * as Result from "effect/Result"
import { shownBytes } from "../bytes/byte-path.ts"
import { readCommandLine } from "../bitcoind/args/command-line.ts"
import type { Place } from "../bitcoind/args/directories.ts"
import { flagOf } from "../bitcoind/args/setting-value.ts"
import { JsonMembers, JsonNumber } from "../json/json-value.ts"
import { chosenNode, type Node, type Reply } from "./call-node.ts"
import { CLIENT_OPTIONS_BY_NAME, CLI_COMMANDS } from "./cli-options.ts"
import { type ClientArguments, readClientArguments } from "./client-arguments.ts"
import { ClientFailure, failClient } from "./client-failure.ts"
import { namedParameters, positionalParameters } from "./convert-parameters.ts"
import { coreJson, plainText } from "./core-json.ts"
import { readLines, readSecret } from "./standard-input.ts"

/** The environment of the client beside its command line. */
export interface ClientMachine extends Place {
  /** Returns the time in Unix seconds. */
  readonly now: () => number
}

/** The client's output, its stream and the exit code. */
interface Ending {
  readonly text: string
  readonly exitCode: number
}

const FAILED = 1
const MOST_EXIT_CODES = 256
const WALLET_NOT_SPECIFIED = "-19"

const WHICH_WALLET =
  " Or for the CLI, specify the \"-rpcwallet=<walletname>\" option before the command (run \"bitcoin-cli -h\" for help or \"bitcoin-cli listwallets\" to see which wallets are currently loaded)."

const endingOf = ({ advice, error, result }: Reply): Ending => {
  if (error === null) {
    return { text: result === null ? "" : typeof result === "string" ? result : coreJson(result), exitCode: 0 }
  }
  if (!(error instanceof JsonMembers)) return { text: `error: ${coreJson(error)}`, exitCode: FAILED }
  const code = error.get("code") ?? null
  const message = error.get("message")
  const hint = plainText(code) === WALLET_NOT_SPECIFIED ? WHICH_WALLET : ""
  const text = `${code === null ? "" : `error code: ${plainText(code)}\n`}${
    typeof message === "string" ? `error message:\n${message}${hint}` : ""
  }${advice === undefined ? "" : `\n\n${advice}`}`
  return { text, exitCode: code instanceof JsonNumber ? Math.abs(Number(code.text)) % MOST_EXIT_CODES : FAILED }
}

/** Returns the words of the command together with those from standard input. */
const completed = ({ args, words }: ClientArguments): ReadonlyArray<string> => {
  const all = [...words]
  if (args.flag("stdinwalletpassphrase") === true) {
    if (all[0]?.startsWith("walletpassphrase") !== true) {
      return failClient("-stdinwalletpassphrase is only applicable for walletpassphrase(change)")
    }
    all.splice(1, 0, readSecret("stdinwalletpassphrase", "Wallet passphrase> "))
  }
  return args.flag("stdin") === true ? [...all, ...readLines()] : all
}

const advised = async (node: Node, method: string, reply: Reply): Promise<Reply> =>
  (await import("./wallet-advice.ts")).withWalletAdvice(node, method, reply)

const called = async (node: Node, { args }: ClientArguments, words: ReadonlyArray<string>): Promise<Reply> => {
  const [method = failClient("too few parameters (need at least command)"), ...rest] = words
  const convert = args.flag("named") === true ? namedParameters : positionalParameters
  const reply = await node.call({ method, params: convert(method, rest) })
  return reply.error === null ? reply : advised(node, method, reply)
}

const replyTo = async (given: ClientArguments, { now }: ClientMachine): Promise<Reply> => {
  const { args, chain } = given
  const password = args.flag("stdinrpcpass") === true ? readSecret("stdinrpcpass", "RPC password> ") : undefined
  const words = completed(given)
  const commands = CLI_COMMANDS.filter((name) => args.isSet(name))
  if (commands.length > 1) {
    return failClient(`Only one of ${commands.map((name) => `-${name}`).join(", ")} may be specified.`)
  }
  const [command] = commands
  if (command === "netinfo" && ["h", "help"].includes(words[0] ?? "")) {
    return { result: (await import("./reports/netinfo-help.ts")).NETINFO_HELP, error: null }
  }
  const node = chosenNode(given, password)
  if (command === "getinfo") {
    const wanted = { color: args.text("color") ?? "auto", isOneWallet: args.isSet("rpcwallet") }
    return (await import("./reports/getinfo.ts")).getinfo(node, words, wanted)
  }
  if (command === "netinfo") return (await import("./reports/netinfo.ts")).netinfo(node, words, { chain, now })
  if (command === "addrinfo") return (await import("./reports/addrinfo.ts")).addrinfo(node, words)
  if (command === "generate") return (await import("./reports/generate.ts")).generateReport(node, words)
  return called(node, given, words)
}

const refuseIpc = ({ args }: ClientArguments): void => {
  const wanted = args.text("ipcconnect") ?? "auto"
  if (wanted !== "auto" && !args.isNegated("ipcconnect")) failClient("bitcoin-cli was not built with IPC support")
}

const end = ({ exitCode, text }: Ending): number => {
  if (text !== "") (exitCode === 0 ? process.stdout : process.stderr).write(shownBytes(`${text}\n`))
  return exitCode
}

const HELP = ["help", "h", "?", "help-debug"]

/** Runs a command line of the client. Returns the exit code. */
export const runClient = async (line: ReadonlyArray<string>, machine: ClientMachine): Promise<number> => {
  const typed = readCommandLine(line, CLIENT_OPTIONS_BY_NAME)
  if (Result.isFailure(typed)) {
    return end({ text: `Error parsing command line arguments: ${typed.failure}`, exitCode: FAILED })
  }
  const isOn = (name: string): boolean => {
    const value = typed.success.options.get(name)?.at(-1)
    return value !== undefined && flagOf(value)
  }
  if (line.length === 0 || isOn("version") || HELP.some(isOn)) {
    const { clientVersion, usage } = await import("./usage.ts")
    process.stdout.write(isOn("version") ? clientVersion : usage(isOn("help-debug")))
    return line.length === 0 ? end({ text: "Error: too few parameters", exitCode: FAILED }) : 0
  }
  const given = readClientArguments(typed.success, machine)
  if (Result.isFailure(given)) return end({ text: given.failure, exitCode: FAILED })
  try {
    refuseIpc(given.success)
    return end(endingOf(await replyTo(given.success, machine)))
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    return end({ text: `error: ${error.message}`, exitCode: FAILED })
  }
}
