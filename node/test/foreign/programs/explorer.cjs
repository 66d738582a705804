// Runs the explorer over a node that runs already: node explorer.cjs <its port> <port of RPC> <user> <password>
const [port, rpcport, rpcuser, rpcpassword] = process.argv.slice(2)
const { Node } = require("bitcore-node")
const Bitcoin = require("bitcore-node/lib/services/bitcoind")
const Web = require("bitcore-node/lib/services/web")
const Insight = require("insight-api")

const connect = [{ rpchost: "127.0.0.1", rpcport: Number(rpcport), rpcuser, rpcpassword, zmqpubrawtx: "tcp://127.0.0.1:1" }]
const explorer = new Node({
  network: "regtest",
  port: Number(port),
  services: [
    { name: "bitcoind", module: Bitcoin, config: { connect } },
    { name: "web", module: Web, config: { port: Number(port) } },
    { name: "insight-api", module: Insight, config: { disableRateLimiter: true, enableCache: false } }
  ]
})
explorer.start((error) => {
  process.stdout.write(error ? `failed: ${error.message}\n` : "explorer is ready\n")
  if (error) process.exit(1)
})
