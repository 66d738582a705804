import { mayRunNode } from "./cli/may-run-node.ts"
import { prepareEngineWorker } from "./engine-client/engine-worker.ts"

// A reader that has seen enough, such as `head`, is no error, and whether its output is read does not stop a node.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
}

const args = process.argv.slice(2)

// Whether the node is to run cannot be known before the command line is read; a thread in vain costs only time.
if (mayRunNode(args)) prepareEngineWorker()

/** A call that has been made like this before needs little; anything else is carried out in full. */
const quickly = async (): Promise<number | undefined> => {
  if (!args.includes("rpc")) return undefined
  const { quickRpc } = await import("./cli/quick/quick-rpc.ts")
  return quickRpc(args)
}

const inFull = async (): Promise<number> => {
  const { runCli } = await import("./cli/run-cli.ts")
  return runCli(args)
}

const run = async (): Promise<void> => {
  process.exitCode = await quickly() ?? await inFull()
}

/**
 * The command line, carried out. The launcher reports what it rejects with.
 *
 * @public
 */
export const finished = run()
