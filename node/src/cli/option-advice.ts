import { nearest } from "@lockstep/protocol/nearest-name.ts"
import { FILE_KEYS } from "../config/catalogue.ts"
import { asTyped } from "../typed-command.ts"
import { GLOBAL_OPTIONS } from "./global-options.ts"

const NETWORK = "--network NAME"

/** Option names of other programs, and the corresponding options here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  chain: NETWORK,
  main: "--network mainnet",
  mainnet: "--network mainnet",
  regtest: "--network regtest",
  signet: "--network signet",
  testnet: "--network testnet",
  testnet4: "--network testnet4",
  conf: "--config",
  rpcport: "--rpc-addr",
  rpcbind: "--rpc-addr",
  port: "--listen-addr",
  bind: "--listen-addr",
  maxconnections: "--set max_peers=N",
  prune: "--set storage.pruning.target_mb=N",
  debug: "--verbose"
}

const bare = (option: string): string => option.replace(/^-+/, "").replace(/=.*$/s, "")

const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.]/g, "")

const parts = (name: string): ReadonlyArray<string> => name.toLowerCase().split(/[-_.]/)

/**
 * Reports whether each part of a name is a prefix of the corresponding part, or the reverse: `log-level` for
 * `logging.level`.
 */
const isShortFor = (name: string, whole: string): boolean => {
  const [short, long] = [parts(name), parts(whole)]
  return short.length > 1 && short.length === long.length &&
    short.every((part, i) => part !== "" && long[i]!.startsWith(part))
}

/** Returns a key of the file with this name, to be set with `--set`. */
const keyCalled = (name: string): string | undefined =>
  FILE_KEYS.find((key) => plain(lastOf(key.name)) === plain(name) || plain(key.name) === plain(name))?.name ??
    FILE_KEYS.find((key) => isShortFor(name, key.name))?.name ??
    nearest(name, FILE_KEYS.filter((key) => key.name.includes(".")).map((key) => lastOf(key.name)))

const fullKey = (name: string): string => FILE_KEYS.find((key) => key.name === name || lastOf(key.name) === name)!.name

/** Returns the words to type in place of an unknown option, or `undefined` if none is similar. */
export const insteadOf = (option: string): string | undefined => {
  const name = bare(option)
  const known = Object.hasOwn(ELSEWHERE, name.toLowerCase()) ? ELSEWHERE[name.toLowerCase()] : undefined
  if (known !== undefined) return known
  const near = nearest(name, GLOBAL_OPTIONS.map((each) => each.name))
  if (near !== undefined) return `--${near}`
  const key = keyCalled(name)
  return key === undefined ? undefined : `--set ${fullKey(key)}=VALUE`
}

/** One-letter options, which may be combined. */
const LETTERS = new Set(["c", "h", ...GLOBAL_OPTIONS.flatMap(({ alias }) => alias === undefined ? [] : [alias])])

const isOneDash = (word: string): boolean =>
  /^-[A-Za-z]{2}/.test(word) && [...bare(word)].some((letter) => !LETTERS.has(letter))

/**
 * Describes the first option that has one dash before a word, as Bitcoin Core's options do. Returns `undefined` without
 * such an option.
 */
export const oneDashFault = (args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const end = args.indexOf("--")
  const option = (end < 0 ? args : args.slice(0, end)).find(isOneDash)
  if (option === undefined) return undefined
  const instead = insteadOf(option)
  return [
    `unknown option -${bare(option)}${
      instead === undefined ? "" : `; did you mean ${instead}?`
    } A word has two dashes before it here`,
    `the program bitcoind takes Bitcoin Core's options; ${asTyped("--help")} shows those of this one`
  ]
}
