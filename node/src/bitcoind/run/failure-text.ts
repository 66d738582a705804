import { HTTP_FAILED } from "../plan/http-failed.ts"
import { bindFaultText } from "../process/system-error.ts"

const FUTURE =
  "The block database contains a block which appears to be from the future. This may be due to your computer's date and time being set incorrectly. Only rebuild the block database if you are sure that your computer's date and time are correct"

const RECOVER = ".\nPlease restart with -reindex or -reindex-chainstate to recover."

/** Bitcoin Core's message for a missing block index. */
export const NO_BLOCK_INDEX = `Error initializing block database${RECOVER}`

/** Reports whether a failure is about the chain's data. Bitcoin Core shows it without `Error: `. */
export const isQuestion = (text: string): boolean => text.endsWith(RECOVER)

const NOT_LISTENING = "Failed to listen on any port. Use -listen=0 if you want this."

const NO_INDEXES = "A fatal internal error occurred, see debug.log for details: Failed to start indexes, shutting down…"

const WRONG_NETWORK = "Incorrect or no genesis block found. Wrong datadir for network?"

const UNPRUNED =
  "You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire blockchain"

/** The node's message, and Bitcoin Core's messages for it, one for each error that Core shows. */
type Words = readonly [RegExp, (...found: ReadonlyArray<string>) => ReadonlyArray<string>]

const TEXTS: ReadonlyArray<Words> = [
  [/^cannot (listen for RPC|write the cookie) /, () => [HTTP_FAILED]],
  ...([
    ["another program listens there", "EADDRINUSE"],
    ["this machine has no such address", "EADDRNOTAVAIL"],
    ["this user may not listen there", "EACCES"],
    ["this machine does not have that kind of address", "EAFNOSUPPORT"]
  ] as const).map(([reason, code]): Words => [
    new RegExp(`^cannot listen for other nodes on (\\S+): ${reason}`),
    (place) => [bindFaultText(place!, code), NOT_LISTENING]
  ]),
  [
    /^cannot listen for other nodes on (\S+): (?:\S+ (E[A-Z0-9]+)\b)?/,
    (place, code = "unknown") => [bindFaultText(place!, code), NOT_LISTENING]
  ],
  [/^The block database contains a block which appears to be from the future/, () => [FUTURE + RECOVER]],
  [
    /^(Witness data for blocks after height \d+ requires validation)/,
    (text) => [`${text}. Please restart with -reindex.${RECOVER}`]
  ],
  [/^Old blocks in .* were removed by pruning, and pruning is switched off now/, () => [UNPRUNED + RECOVER]],
  [
    /^The key (\w+) of (.*), which block files were written with, cannot be disabled/,
    (key, path) => [
      `Failed to initialize ChainstateManager: The blocksdir XOR-key can not be disabled when a random key was already stored! Stored key: '${key}', stored path: '${path}'.`
    ]
  ],
  [
    /\bblk\d{5,}\.dat is (?:missing|too short)|^The database of the chain does not fit together/,
    () => [`Error loading block database${RECOVER}`]
  ],
  [/\brev\d{5,}\.dat is (?:missing|too short)/, () => [`Corrupted block database detected${RECOVER}`]],
  // Among the steps of the chain, only disconnecting a block needs undo data.
  [
    /^(?!Cannot open (?!.*\(ENOENT\))|.*, not a file\b).*\brev\d{5,}\.dat\b|^the undo data of block .* (?:not on disk|damaged)/,
    () => ["A fatal internal error occurred, see debug.log for details: Failed to disconnect block."]
  ],
  [/^(.* best block of the index goes beyond pruned data.*)$/, (text) => [text!, NO_INDEXES]],
  [/^The data directory .* belongs to the network /, () => [WRONG_NETWORK]],
  [
    /^The data directory (.*) is used by another node/,
    (directory) => [`Cannot obtain a lock on directory ${directory}. Bitcoin Core is probably already running.`]
  ]
]

/** Returns Bitcoin Core's messages for an error that ends a start. Other errors keep their message. */
export const coreFailureTexts = (message: string): ReadonlyArray<string> => {
  for (const [pattern, texts] of TEXTS) {
    const [whole, ...found] = pattern.exec(message) ?? []
    if (whole !== undefined) return texts(...found)
  }
  return [message]
}
