import { MODULE_EVENT_TYPES, REQUEST_TYPES } from "@lockstep/protocol/module-ipc/index.ts"
import { MODULE_SOURCE } from "../lifecycle/module-program.ts"
import { type ModuleNode, moduleOnDisk, type ModuleOnDisk } from "./module-node.ts"

/** The name of the module that must notice nothing. */
export const BYSTANDER = "bystander"

/** Its method of RPC answers what it has seen since it was last asked. */
const METHOD = "bystander_seen"

const tag = (type: (typeof REQUEST_TYPES)[number]): number => REQUEST_TYPES.indexOf(type)

/** Asks for the height over and over, and counts answers and blocks. */
const PROGRAM = `${MODULE_SOURCE}
let answers = 0, blocks = 0, longest = 0, asked = 0
const ask = () => { asked = performance.now(); request(${tag("GetBlockHeight")}) }
let waiting = Buffer.alloc(0)
onData = (chunk) => {
  waiting = Buffer.concat([waiting, chunk])
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE(0)) {
    const message = waiting.subarray(4, 4 + waiting.readUInt32LE(0))
    waiting = waiting.subarray(4 + message.length)
    const kind = message.readUInt32LE(0)
    if (kind === 2 && message.readUInt32LE(4) === ${MODULE_EVENT_TYPES.indexOf("NewBlock")}) blocks++
    if (kind === 1 && message.readBigUInt64LE(4) === BigInt(id)) {
      answers++
      longest = Math.max(longest, performance.now() - asked)
      setTimeout(ask, 10)
    }
    if (kind === 4) {
      answer(message.subarray(4, 12), u32(1), text(JSON.stringify({ answers, blocks, longest })))
      answers = blocks = longest = 0
    }
  }
}
handshake()
request(${tag("RegisterRpcEndpoint")}, text("${METHOD}"), text("What the module has seen."))
subscribe(${MODULE_EVENT_TYPES.indexOf("NewBlock")})
ask()
`

/** A module that does its work beside others. */
export const BYSTANDER_ON_DISK: ModuleOnDisk = moduleOnDisk(
  BYSTANDER,
  ["read_chain_state", "subscribe_events", "register_rpc_endpoint"],
  PROGRAM
)

/** What the bystander has seen since it was last asked. */
export interface Seen {
  readonly answers: number
  readonly blocks: number
  /** Milliseconds of its slowest request. */
  readonly longest: number
}

export const seenBy = async ({ call }: ModuleNode): Promise<Seen> => await call(METHOD) as Seen
