// Three programs that others wrote beside one node: a P2P client (bitcoin-net), a subscriber of ZMQ (zeromq) and a client
// of REST (rpc-bitcoin). Each tells what it found; a fourth (bitcoin-core) mines and signs. Writes one line of JSON.
const { connect } = require("node:net")
const { Peer } = require("bitcoin-net")
const { Subscriber } = require("zeromq")
const { RESTClient } = require("rpc-bitcoin")
const { decode } = require("bitcoin-protocol").types.transaction
const Client = require("bitcoin-core")

const { key, p2pPort, password, rpcPort, username, zmqPort } = JSON.parse(process.argv[2])
const client = new Client({ host: `http://127.0.0.1:${rpcPort}`, username, password, version: "0.21.0" })
const rest = new RESTClient({ url: "http://127.0.0.1", port: rpcPort })

const REGTEST = { magic: 0xdab5bffa, defaultPort: p2pPort, protocolVersion: 70012 }

/** Bytes as hashes are shown. */
const shown = (bytes) => Buffer.from(bytes).reverse().toString("hex")
const wire = (hash) => Buffer.from(hash, "hex").reverse()
const called = (run) => new Promise((resolve, reject) => run((error, answer) => error ? reject(error) : resolve(answer)))

const peerOf = (port) =>
  new Promise((resolve, reject) => {
    const peer = new Peer(REGTEST, { relay: true })
    peer.once("ready", () => resolve(peer))
    peer.once("error", reject)
    const socket = connect(port, "127.0.0.1", () => peer.connect(socket))
    socket.once("error", reject)
  })

/** What came in each topic, without the bodies that are long. */
const subscribed = (port) => {
  const found = {}
  const socket = new Subscriber()
  socket.connect(`tcp://127.0.0.1:${port}`)
  for (const topic of ["hashblock", "hashtx", "rawblock", "rawtx", "sequence"]) socket.subscribe(topic)
  const read = async () => {
    for await (const [topic, body, number] of socket) {
      const of = found[topic.toString()] ??= []
      of.push({ body: body.toString("hex"), number: number.readUInt32LE() })
    }
  }
  void read()
  return { found, close: () => socket.close() }
}

const until = async (what, holds) => {
  for (let turn = 0; turn < 600; turn++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`not in time: ${what}`)
}

/** Spends the coinbase of the block at a height, which the key owns, less a fee. */
const paymentFrom = async (height, address) => {
  const { tx: [coinbase] } = await client.getBlock(await client.getBlockHash(height), 2)
  const [{ n: vout, scriptPubKey, value: amount }] = coinbase.vout
  const raw = await client.createRawTransaction([{ txid: coinbase.txid, vout }], [{ [address]: amount - 0.0001 }])
  const spent = [{ txid: coinbase.txid, vout, scriptPubKey: scriptPubKey.hex, amount }]
  const { hex } = await client.signRawTransactionWithKey(raw, [key], spent)
  return { hex, spent: { txid: coinbase.txid, n: vout } }
}

const main = async () => {
  const { descriptor } = await client.getDescriptorInfo(`pkh(${key})`)
  const [address] = await client.deriveAddresses(descriptor)
  const hashes = await client.generateToAddress(102, address)
  const peer = await peerOf(p2pPort)
  const zmq = subscribed(zmqPort)
  // A subscription takes a moment to arrive.
  await until("a block by ZMQ", async () => {
    await client.generateToAddress(1, address)
    return zmq.found.rawblock !== undefined
  })

  const announced = []
  peer.on("inv", (items) => announced.push(...items.map(({ hash }) => shown(hash))))
  const headers = await called((done) => peer.getHeaders([wire(hashes[0])], done))
  const [block] = await called((done) => peer.getBlocks([wire(hashes[9])], done))
  const pinged = await called((done) => peer.ping(done))

  // One payment by RPC, one by P2P.
  const [byRpc, byPeer] = [await paymentFrom(1, address), await paymentFrom(2, address)]
  const first = await client.sendRawTransaction(byRpc.hex)
  await until("the announcement", () => announced.includes(first))
  const [served] = await called((done) => peer.getTransactions([wire(first)], {}, done))
  peer.send("tx", decode(Buffer.from(byPeer.hex, "hex")))
  await until("the payment of the peer", async () => (await client.getRawMempool()).length === 2)
  const waiting = await client.getRawMempool()
  const second = waiting.find((txid) => txid !== first)
  await until("both by ZMQ", () => [first, second].every((txid) => JSON.stringify(zmq.found.hashtx).includes(txid)))

  const contents = await rest.getMemPoolContents()
  const tx = await rest.getTx({ txid: first })
  const spent = await rest.getUtxos({ outpoints: [byRpc.spent, { txid: first, n: 0 }] })
  const unspent = await rest.getUtxos({ checkmempool: false, outpoints: [byRpc.spent] })
  const restHeaders = await rest.getHeaders({ count: 3, hash: hashes[4] })
  const restBlock = await rest.getBlockNoTxDetails({ hash: hashes[9] })
  const atHeight = await rest.getBlockHashByHeight({ height: 10 })
  const { bestblockhash, chain } = await rest.getChainInfo()

  const [tip] = await client.generateToAddress(1, address)
  await until("the last block by ZMQ", () => JSON.stringify(zmq.found.hashblock).includes(tip))
  const numbersOf = (topic) => zmq.found[topic].map(({ number }) => number)
  const labelsOf = (txid) =>
    zmq.found.sequence.map(({ body }) => body).filter((body) => body.startsWith(txid)).map((body) =>
      Buffer.from(body.slice(64, 66), "hex").toString()
    )
  process.stdout.write(`${
    JSON.stringify({
      peer: {
        agent: peer.version.userAgent,
        services: Object.keys(peer.services).toSorted(),
        headers: headers.length,
        firstHeader: shown(headers[0].header.prevHash),
        transactions: block.transactions.length,
        pinged: typeof pinged,
        served: served.ins.length,
        second
      },
      zmq: {
        inTurn: Object.keys(zmq.found).filter((topic) =>
          numbersOf(topic).every((number, at, all) => at === 0 || number === all[at - 1] + 1)
        ).toSorted(),
        rawTransaction: zmq.found.rawtx.some(({ body }) => body === byRpc.hex),
        lastBlock: zmq.found.rawblock.at(-1).body.length / 2,
        labels: [labelsOf(first), labelsOf(tip)]
      },
      rest: {
        contents: Object.keys(contents).toSorted(),
        txid: tx.txid,
        bitmaps: [spent.bitmap, unspent.bitmap],
        headers: restHeaders.map(({ height }) => height),
        block: [restBlock.hash, restBlock.nTx],
        atHeight: atHeight.blockhash,
        bestblockhash,
        chain
      },
      first,
      waiting: waiting.toSorted(),
      hashes: [hashes[0], hashes[9]],
      tip
    })
  }\n`)
  zmq.close()
  peer.disconnect()
}

main().then(() => process.exit(0), (error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
