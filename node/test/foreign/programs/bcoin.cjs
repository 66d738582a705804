// A full node that others wrote (bcoin), on regtest and in memory, driven by lines of JSON: {"id", "method", "params"}.
process.env.NODE_BACKEND = "js"
const { createInterface } = require("node:readline")
const bcoin = require("bcoin")

const [port, ...only] = process.argv.slice(2)
const node = new bcoin.FullNode({
  network: "regtest",
  memory: true,
  workers: false,
  port: Number(port),
  publicHost: "127.0.0.1",
  host: "127.0.0.1",
  listen: true,
  only: only.join(","),
  maxOutbound: 1,
  logConsole: false
})
// Nothing but its connections is wanted.
node.http = { open: async () => undefined, close: async () => undefined }

const ring = bcoin.KeyRing.fromPrivate(Buffer.alloc(32, 7), true)
ring.witness = true

const methods = {
  connect: async () => {
    await node.connect()
    node.startSync()
  },
  tip: () => node.chain.tip.rhash(),
  height: () => node.chain.height,
  peers: () => node.pool.peers.size(),
  mine: async (count) => {
    for (let i = 0; i < count; i++) await node.chain.add(await node.miner.mineBlock())
    return node.chain.tip.rhash()
  },
  pay: async (height) => {
    const block = await node.chain.getBlock(height)
    const tx = new bcoin.MTX()
    tx.addTX(block.txs[0], 0, height)
    tx.addOutput(ring.getAddress(), block.txs[0].outputs[0].value - 10000)
    tx.sign(ring)
    await node.sendTX(tx.toTX())
    return tx.txid()
  },
  pool: () => node.mempool.getSnapshot().map((hash) => Buffer.from(hash, "hex").reverse().toString("hex"))
}

const start = async () => {
  await node.ensure()
  await node.open()
  node.miner.addAddress(ring.getAddress())
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, method, params = [] } = JSON.parse(line)
    try {
      process.stdout.write(`${JSON.stringify({ id, result: await methods[method](...params) })}\n`)
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ id, error: String(error && error.stack) })}\n`)
    }
  }).on("close", () => process.exit(0))
  process.stdout.write(`${JSON.stringify({ id: 0, result: "ready" })}\n`)
}

start().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
