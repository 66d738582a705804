import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { areInstalled } from "./install.ts"
import { PASSWORD, servedNode, type ServedNode, USER } from "./served-chain.ts"

const load = createRequire(new URL("programs/", import.meta.url))

type Result = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

/** As much of the package `bitcoin-core` as is used. */
interface CoreClient {
  readonly command: (...args: ReadonlyArray<unknown>) => Promise<unknown>
  readonly [method: string]: (...args: ReadonlyArray<unknown>) => Promise<any> // oxlint-disable-line typescript/no-explicit-any
}

type Callback = (error: Result | null | undefined, answer: { readonly result: unknown }) => void

/** As much of the package `bitcoind-rpc` as is used. */
type CallbackClient = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => void>> & {
  readonly batch: (
    calls: () => void,
    done: (error: Result | null | undefined, answers: ReadonlyArray<{ readonly result: unknown }>) => void
  ) => void
}

/** As much of the package `bitcoin` as is used. It answers a batch call by call. */
interface OldClient {
  readonly cmd: (
    method: string | ReadonlyArray<{ readonly method: string; readonly params: ReadonlyArray<unknown> }>,
    ...args: ReadonlyArray<unknown>
  ) => void
}

/** A key that everybody knows. */
const KEY = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW"

const failureOf = (promise: Promise<unknown>): Promise<Result> =>
  promise.then((value) => assert.fail(`succeeded: ${JSON.stringify(value)}`), (error: Result) => error)

describe.runIf(areInstalled)("client libraries that others wrote", () => {
  let served: ServedNode
  beforeAll(async () => void (served = await servedNode()))
  afterAll(() => served?.stop())

  /** With a version it sends parameters by name, and knows no method that is younger. */
  const coreClient = (password = PASSWORD, version: string | undefined = "0.21.0"): CoreClient => {
    const Client = load("bitcoin-core") as new(options: object) => CoreClient
    return new Client({ host: `http://127.0.0.1:${served.port}`, username: USER, password, version })
  }

  it("bitcoin-core mines, makes, signs and confirms a payment, and finds it again", async () => {
    const client = coreClient()
    const { checksum, descriptor } = await client["getDescriptorInfo"]!(`wpkh(${KEY})`)
    assert.match(checksum, /^[a-z0-9]{8}$/)
    const [address] = await client["deriveAddresses"]!(descriptor)
    assert.match(address, /^bcrt1q/)
    const hashes: ReadonlyArray<string> = await client["generateToAddress"]!(101, address)
    assert.strictEqual(hashes.length, 101)

    const first = await client["getBlock"]!(await client["getBlockHash"]!(1), 2)
    assert.strictEqual(first.hash, hashes[0])
    const [coinbase] = first.tx
    assert.strictEqual(coinbase.vout[0].value, 50)
    const raw = await client["createRawTransaction"]!([{ txid: coinbase.txid, vout: 0 }], [{ [address]: 49.999 }])
    const spent = { txid: coinbase.txid, vout: 0, scriptPubKey: coinbase.vout[0].scriptPubKey.hex, amount: 50 }
    const signed = await client["signRawTransactionWithKey"]!(raw, [KEY], [spent])
    assert.isTrue(signed.complete)
    const { txid } = await client["decodeRawTransaction"]!(signed.hex)
    const { hash } = await coreClient(PASSWORD, "").command("generateblock", address, [signed.hex]) as Result

    const found = await client["getRawTransaction"]!(txid, true)
    assert.deepInclude(found, { txid, blockhash: hash, confirmations: 1, hex: signed.hex })
    assert.strictEqual((await client["getTxOut"]!(txid, 0)).value, 49.999)
    assert.isNull(await client["getTxOut"]!(coinbase.txid, 0))
    const stats = await client["getBlockStats"]!(102)
    assert.deepInclude(stats, { blockhash: hash, txs: 2, totalfee: 100_000 })
    const proof = await client["getTxOutProof"]!([txid])
    assert.deepStrictEqual(await client["verifyTxOutProof"]!(proof), [txid])
  })

  it("bitcoin-core asks about chain and mining, by name and in batches", async () => {
    const client = coreClient()
    const height = await client["getBlockCount"]!()
    const info = await client["getBlockchainInfo"]!()
    assert.deepInclude(info, { chain: "regtest", blocks: height, initialblockdownload: false })
    const byName = await client["getBlockHeader"]!({ blockhash: info.bestblockhash, verbose: true })
    assert.strictEqual(byName.height, height)
    assert.strictEqual((await client["getMiningInfo"]!()).blocks, height)
    assert.strictEqual(
      (await client["getBlockTemplate"]!({ template_request: { rules: ["segwit"] } })).height,
      height + 1
    )
    const calls = [{ method: "getblockcount" }, { method: "getblockhash", parameters: [0] }, { method: "nosuch" }]
    const batch = await coreClient(PASSWORD, "").command(calls)
    const [count, genesis, failure] = batch as ReadonlyArray<unknown>
    assert.deepStrictEqual([count, genesis], [height, await client["getBlockHash"]!(0)])
    assert.strictEqual((failure as Result)["code"], -32601)
  })

  it("bitcoin-core understands what is wrong", async () => {
    const client = coreClient()
    const unknown = await failureOf(client["getBlock"]!("00".repeat(32)))
    assert.deepInclude(unknown, { code: -5, message: "Block not found" })
    const high = await failureOf(client["getBlockHash"]!(9_999_999))
    assert.deepInclude(high, { code: -8, message: "Block height out of range" })
    assert.strictEqual((await failureOf(coreClient("wrong")["getBlockCount"]!()))["code"], 401)
  })

  it("bitcoin gets answers without a version in its calls, in batches and at the path of a wallet", async () => {
    const { Client } = load("bitcoin") as { readonly Client: new(options: object) => OldClient }
    const options = { host: "127.0.0.1", port: served.port, user: USER, pass: PASSWORD }
    const call = (client: OldClient, method: string, ...args: ReadonlyArray<unknown>): Promise<unknown> =>
      new Promise((resolve, reject) =>
        client.cmd(
          method,
          ...args,
          (error: Error | null, answer: unknown) => error === null ? resolve(answer) : reject(error)
        )
      )
    const client = new Client(options)
    const height = await call(client, "getblockcount")
    assert.isNumber(height)
    assert.strictEqual(await call(new Client({ ...options, wallet: "savings" }), "getblockcount"), height)
    const wrong = await failureOf(call(client, "getblockhash", -1))
    assert.deepInclude(wrong, { code: -8, message: "Block height out of range" })
    assert.strictEqual((await failureOf(call(client, "getbalance")))["code"], -32601)
    const batch = [{ method: "getblockhash", params: [0] }, { method: "nosuch", params: [] }]
    const answers: Array<unknown> = []
    await new Promise<void>((resolve) => {
      client.cmd(batch, (error: Result | null, answer: unknown) => {
        if (answers.push(error === null ? answer : error["code"]) === batch.length) resolve()
      })
    })
    assert.deepStrictEqual(answers, [await call(client, "getblockhash", 0), -32601])
  })

  it("bitcoind-rpc gets answers to calls and batches", async () => {
    const Client = load("bitcoind-rpc") as new(options: object) => CallbackClient
    const client = new Client({
      protocol: "http",
      host: "127.0.0.1",
      port: String(served.port),
      user: USER,
      pass: PASSWORD
    })
    const call = (method: string, ...args: ReadonlyArray<unknown>): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const done: Callback = (error, answer) => error ? reject(error) : resolve(answer.result)
        client[method]!(...args, done)
      })
    const genesis = await call("getBlockHash", 0)
    assert.strictEqual(genesis, "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206")
    assert.strictEqual((await call("getBlock", genesis) as Result)["height"], 0)
    assert.strictEqual((await failureOf(call("getBlock", "00".repeat(32))))["code"], -5)
    const answers = await new Promise<ReadonlyArray<{ readonly result: unknown }>>((resolve, reject) => {
      const both = (): void => {
        client["getBlockCount"]!()
        client["getBlockHash"]!(0)
      }
      client.batch(both, (error, found) => error ? reject(error) : resolve(found))
    })
    assert.deepStrictEqual(answers.map(({ result }) => result), [await call("getBlockCount"), genesis])
  })
})
