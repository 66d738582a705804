import { outsideOf } from "../../p2p/hostile/node-under-attack.ts"
import { connectedProgram } from "./hostile-module.ts"
import { type ModuleNode, moduleOnDisk, processesOf } from "./module-node.ts"

const NAME = "cycled"

/** What the node had, some cycles after the first and after the last. */
export interface CycleFigures {
  readonly cycles: number
  readonly seconds: number
  readonly handles: readonly [number, number]
  /** Bytes. */
  readonly memory: readonly [number, number]
  /** Sockets and processes of the module that are left. */
  readonly left: number
}

/** Cycles in which code is compiled and memory is first used. */
const SETTLING = 50

/** Loads and unloads a module over and over. It subscribes, registers a method and writes to its database each time. */
export const cycle = async (
  node: ModuleNode,
  cycles: number,
  onCycle: (cycle: number) => void
): Promise<CycleFigures> => {
  const capabilities = ["subscribe_events", "register_rpc_endpoint", "write_storage", "manage_timers"]
  node.put(moduleOnDisk(
    NAME,
    capabilities,
    connectedProgram(`
handshake()
request(R.RegisterRpcEndpoint, text("cycled_answer"), text(""))
request(R.WriteStorage, u64(1), text("key"), text("value"), u64(0))
request(R.RegisterTimer, u64(60))
subscribe(E.NewBlock)
`)
  ))
  const start = performance.now()
  let settled = outsideOf(node.node.pid)
  for (let i = 1; i <= cycles; i++) {
    await node.call("loadmodule", NAME)
    await node.call("unloadmodule", NAME)
    if (i === Math.min(SETTLING, Math.ceil(cycles / 2))) settled = outsideOf(node.node.pid)
    onCycle(i)
  }
  const last = outsideOf(node.node.pid)
  const sockets = node.sockets().filter((name) => name.startsWith(`${NAME}-`))
  return {
    cycles,
    seconds: (performance.now() - start) / 1_000,
    handles: [settled.handles, last.handles],
    memory: [settled.memory, last.memory],
    left: sockets.length + processesOf(NAME).length
  }
}

/** Handles that come and go with connections to the node. */
const MORE_HANDLES = 4

/** What a node may grow by in a thousand cycles: less than what a leaked fiber with its scope takes each time. */
const MORE_MEMORY = 64 * 1_048_576

/** What the figures say against the node. */
export const cycleFaults = ({ handles, left, memory }: CycleFigures): ReadonlyArray<string> => [
  ...left === 0 ? [] : [`${left} sockets and processes of the module are left`],
  ...handles[1] - handles[0] <= MORE_HANDLES ? [] : [`the node has ${handles[1]} open files, and had ${handles[0]}`],
  ...memory[1] - memory[0] <= MORE_MEMORY ? [] : [`the node has ${memory[1]} bytes of memory, and had ${memory[0]}`]
]
