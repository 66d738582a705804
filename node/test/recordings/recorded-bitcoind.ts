import { freePort, type RunningNode, untilReady } from "../process/node-process.ts"
import { rpcClient } from "../process/rpc-client.ts"
import { runBitcoind } from "../bitcoind/bitcoind-process.ts"

const [USER, PASSWORD] = ["recordings", "of-bitcoin-core"]

/** Where a node runs: its data directory, its clock in Unix seconds, and the port that peers connect to. */
interface StartedAt {
  readonly directory: string
  readonly clock: number
  readonly port: number
}

/** Starts `bitcoind` with options as they were recorded. */
export const startBitcoind = async (
  { clock, directory, port: listening }: StartedAt,
  args: ReadonlyArray<string>
): Promise<{ readonly process: RunningNode; readonly authorization: string }> => {
  const port = await freePort()
  const node = runBitcoind([
    `-datadir=${directory}`,
    "-regtest",
    `-rpcport=${port}`,
    `-rpcuser=${USER}`,
    `-rpcpassword=${PASSWORD}`,
    "-connect=0",
    "-listen=1",
    `-bind=127.0.0.1:${listening}`,
    "-v2transport=0",
    `-mocktime=${clock}`,
    ...args
  ])
  const credentials = Buffer.from(`${USER}:${PASSWORD}`).toString("base64")
  const client = rpcClient(port, credentials, "Basic")
  await untilReady(node, client)
  return { process: { ...node, port, client }, authorization: `Basic ${credentials}` }
}
