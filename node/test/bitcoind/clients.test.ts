import { execFile } from "node:child_process"
import { once } from "node:events"
import { readFileSync, statSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort, PATH_WITH_NODE } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { version } from "../../src/version.ts"
import { makePlace, type Place } from "./bitcoind-process.ts"
import { type Answer, nextAnswer } from "./next-answer.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const BIN = fileURLToPath(new URL("../../bin", import.meta.url))
const PAGE = fileURLToPath(new URL("../../../docs/rpc/clients.md", import.meta.url))
const USER_AGENT = `/Satoshi:31.99.0/Lockstep:${version()}(lnd)/`
const KEY = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW"
const REWARD = `wpkh(${KEY})`

describe("what clients look at", () => {
  let place: Place
  let ended: Promise<unknown>
  let p2pPort: number
  let coins: ReadonlyArray<string>
  beforeAll(async () => {
    place = await makePlace()
    p2pPort = await freePort()
    // Words behind others win.
    ended =
      place.start("-listen=1", `-bind=127.0.0.1:${p2pPort}`, "-txindex", "-uacomment=lnd", "-printtoconsole=0").ended
    await place.ready()
    coins = await place.call("generatetodescriptor", 101, REWARD) as ReadonlyArray<string>
  }, patience(240_000))
  afterAll(async () => {
    await place.call("stop").catch(() => {})
    await ended
    place.remove()
  }, patience(60_000))

  const credentials = (): string => Buffer.from(readFileSync(join(place.directory, ".cookie"))).toString("base64")
  const requestText = (
    body: string,
    { head = "", path = "/", auth = `Authorization: Basic ${credentials()}\r\n` } = {}
  ) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${auth}${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  /** Sends texts over one connection, each after the answer to the one before. */
  const exchange = async (...texts: ReadonlyArray<string>): Promise<ReadonlyArray<Answer>> => {
    const socket = connect(place.port, "127.0.0.1")
    const answers: Array<Answer> = []
    const before = { text: "" }
    try {
      for (const text of texts) {
        const answer = nextAnswer(socket, before)
        socket.write(text)
        // oxlint-disable-next-line eslint/no-await-in-loop
        answers.push(await answer)
      }
      return answers
    } finally {
      socket.destroy()
    }
  }
  const one = async (body: string, options: Parameters<typeof requestText>[1] = {}): Promise<Answer> =>
    (await exchange(requestText(body, options)))[0]!
  const call = (method: string, ...params: ReadonlyArray<unknown>): Promise<Shown> => place.call(method, ...params)
  const failure = async (method: string, ...params: ReadonlyArray<unknown>): Promise<Shown> => {
    const { body } = await one(JSON.stringify({ method, params, id: 1 }))
    const { error, result } = JSON.parse(body) as Shown
    assert.isNull(result)
    return error
  }
  /** A transaction that spends the coinbase of a block. */
  const spending = async (block: number, fee: number): Promise<string> => {
    const { tx } = await call("getblock", coins[block])
    const raw = await call("createrawtransaction", [{ txid: tx[0], vout: 0 }], [{ data: "00".repeat(40) }, {
      bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc: (50 - fee).toFixed(8)
    }])
    // Where its coin is spent it stays unsigned, and has the same id.
    return (await call("signrawtransactionwithkey", raw, [KEY])).hex
  }
  const client = (...words: ReadonlyArray<string>): Promise<{ readonly code: number | null; readonly text: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        join(BIN, "bitcoin-cli"),
        [...place.common, ...words],
        { env: { ...process.env, PATH: PATH_WITH_NODE } },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, text: `${stdout}${stderr}` })
      )
    })

  const ROWS: Readonly<Record<string, () => Promise<void>>> = {
    "subversion": async () => {
      const { subversion } = await call("getnetworkinfo")
      assert.strictEqual(subversion, USER_AGENT)
      // As btcd's rpcclient compares it, to the newest release it knows.
      assert.isTrue(subversion.replace(/\/$/, "").replace(/^\/Satoshi:/, "") > "25.0.0")
    },
    "version": async () => assert.strictEqual((await call("getnetworkinfo")).version, 319_900),
    "user-agent": async () => {
      const socket = connect(p2pPort, "127.0.0.1")
      const address = Buffer.concat([
        Buffer.alloc(8),
        Buffer.alloc(10),
        Buffer.of(255, 255, 127, 0, 0, 1),
        Buffer.alloc(2)
      ])
      const payload = Buffer.alloc(20)
      payload.writeInt32LE(70_016)
      payload.writeBigUInt64LE(BigInt(Math.floor(Date.now() / 1_000)), 12)
      const body = Buffer.concat([payload, address, address, Buffer.from("0102030405060708", "hex"), Buffer.alloc(6)])
      const { hash } = await import("node:crypto")
      const checksum = hash("sha256", hash("sha256", body, "buffer"), "buffer").subarray(0, 4)
      const head = Buffer.alloc(20)
      head.writeUInt32BE(0xfabfb5da)
      head.write("version", 4)
      head.writeUInt32LE(body.length, 16)
      socket.write(Buffer.concat([head, checksum, body]))
      let seen = Buffer.alloc(0)
      socket.on("data", (chunk: Buffer) => void (seen = Buffer.concat([seen, chunk])))
      while (!seen.toString("latin1").includes(")/")) await once(socket, "data")
      assert.include(seen.toString("latin1"), `version\0\0\0\0\0`)
      assert.include(seen.toString("latin1"), `${String.fromCharCode(USER_AGENT.length)}${USER_AGENT}`)
      socket.destroy()
    },
    "netinfo": async () => assert.include((await client("-netinfo")).text, `server 70017${USER_AGENT}`),
    "version-line": async () => {
      const { text } = await client("-version")
      assert.match(text, /^Bitcoin Core RPC client version v31\.99\.0 /)
    },
    "networkinfo-fields": async () => {
      const info = await call("getnetworkinfo")
      for (
        const name of ["version", "protocolversion", "timeoffset", "connections", "connections_in", "connections_out"]
      ) {
        assert.isTrue(Number.isInteger(info[name]), name)
      }
      for (const name of ["relayfee", "incrementalfee"]) assert.isNumber(info[name], name)
      assert.match(info.localservices, /^[0-9a-f]{16}$/)
      assert.deepStrictEqual([info.localrelay, info.networkactive], [true, true])
      for (const name of ["networks", "localaddresses", "localservicesnames", "warnings"]) {
        assert.isArray(info[name], name)
      }
      for (const network of info.networks) {
        assert.sameMembers(Object.keys(network), [
          "name",
          "limited",
          "reachable",
          "proxy",
          "proxy_randomize_credentials"
        ])
      }
    },
    "blockchaininfo-fields": async () => {
      const info = await call("getblockchaininfo")
      assert.deepInclude(info, {
        chain: "regtest",
        blocks: 101,
        headers: 101,
        initialblockdownload: false,
        pruned: false
      })
      for (const name of ["difficulty", "mediantime", "verificationprogress", "size_on_disk"]) {
        assert.isNumber(info[name], name)
      }
      assert.match(info.chainwork, /^[0-9a-f]{64}$/)
      assert.isArray(info.warnings)
    },
    "indexes": async () => assert.hasAllKeys((await call("getindexinfo")).txindex, ["synced", "best_block_height"]),
    "zmq": async () => assert.deepStrictEqual(await call("getzmqnotifications"), []),
    "uptime": async () => assert.isTrue(Number.isInteger(await call("uptime"))),
    "fee-estimates": async () => {
      for (const mode of ["CONSERVATIVE", "economical", "UNSET"]) {
        const { blocks, errors } = await call("estimatesmartfee", 6, mode)
        assert.isTrue(Number.isInteger(blocks))
        assert.deepStrictEqual(errors, ["Insufficient data or no feerate found"])
      }
      const info = await call("getmempoolinfo")
      assert.deepStrictEqual([info.mempoolminfee, info.minrelaytxfee], [0.000001, 0.000001])
    },
    "mempool-entry": async () => {
      const txid = await call("sendrawtransaction", await spending(0, 0.001))
      const entry = await call("getmempoolentry", txid)
      assert.hasAllKeys(entry.fees, ["base", "modified", "ancestor", "descendant", "chunk"])
      assert.isTrue(Number.isInteger(entry.vsize))
      assert.notProperty(entry, "fee")
      assert.deepStrictEqual(Object.keys(await call("getrawmempool", true)), [txid])
      assert.strictEqual(await call("sendrawtransaction", await spending(0, 0.001)), txid)
      await call("generatetodescriptor", 1, REWARD)
      const again = await failure("sendrawtransaction", await spending(0, 0.001))
      assert.deepStrictEqual(again, { code: -27, message: "Transaction outputs already in utxo set" })
    },
    "send-errors": async () => {
      assert.deepStrictEqual(await failure("sendrawtransaction", "00"), {
        code: -22,
        message: "TX decode failed. Make sure the tx has at least one input."
      })
      const missing = await call("createrawtransaction", [{ txid: "11".repeat(32), vout: 0 }], [{
        data: "00".repeat(40)
      }])
      assert.deepStrictEqual(await failure("sendrawtransaction", missing), {
        code: -25,
        message: "bad-txns-inputs-missingorspent"
      })
      const young = await failure("sendrawtransaction", await spending(100, 0.001))
      assert.strictEqual(young.code, -26)
      assert.match(young.message, /^bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth \d+$/)
      assert.deepStrictEqual(await failure("sendrawtransaction", await spending(1, 10)), {
        code: -25,
        message: "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"
      })
    },
    "allowhighfees": async () => {
      const raw = await spending(1, 0.001)
      for (const given of [true, false]) {
        const refused = { code: -3, message: "Amount is not a number or string" }
        assert.deepStrictEqual(await failure("sendrawtransaction", raw, given), refused)
        assert.deepStrictEqual(await failure("testmempoolaccept", [raw], given), refused)
      }
      const named = JSON.stringify({
        method: "sendrawtransaction",
        params: { hexstring: raw, allowhighfees: true },
        id: 1
      })
      assert.deepStrictEqual((JSON.parse((await one(named)).body) as Shown).error, {
        code: -8,
        message: "Unknown named parameter allowhighfees"
      })
      for (const given of [0, "0", null, 0.1]) {
        assert.deepInclude((await call("testmempoolaccept", [raw], given))[0], { allowed: true })
      }
      assert.deepInclude((await call("testmempoolaccept", [await spending(1, 10)], 0))[0], { allowed: true })
    },
    "test-accept": async () => {
      const [good] = await call("testmempoolaccept", [await spending(1, 0.001)])
      assert.hasAllKeys(good, ["txid", "wtxid", "allowed", "vsize", "fees"])
      assert.hasAllKeys(good.fees, ["base", "effective-feerate", "effective-includes"])
      const missing = await call("createrawtransaction", [{ txid: "11".repeat(32), vout: 0 }], [{
        data: "00".repeat(40)
      }])
      assert.deepInclude((await call("testmempoolaccept", [missing]))[0], {
        allowed: false,
        "reject-reason": "missing-inputs"
      })
      assert.deepInclude((await call("testmempoolaccept", [await spending(1, 10)]))[0], {
        "reject-reason": "max-fee-exceeded"
      })
      const [known] = await call("testmempoolaccept", [await spending(0, 0.001)])
      assert.deepInclude(known, { allowed: false, "reject-reason": "txn-already-known" })
    },
    "lookup-errors": async () => {
      assert.deepStrictEqual(await failure("getblock", "00".repeat(32)), { code: -5, message: "Block not found" })
      assert.deepStrictEqual(await failure("getblockhash", 9_999), { code: -8, message: "Block height out of range" })
      assert.strictEqual((await failure("getrawtransaction", "11".repeat(32))).code, -5)
      assert.isNull(await call("gettxout", "11".repeat(32), 0))
    },
    "unknown-methods": async () => {
      for (const method of ["getinfo", "getbalance", "nosuch"]) {
        const { body, status } = await one(JSON.stringify({ method, params: [], id: 7 }))
        assert.strictEqual(status, "HTTP/1.1 404 Not Found")
        assert.deepStrictEqual(JSON.parse(body), {
          result: null,
          error: { code: -32_601, message: "Method not found" },
          id: 7
        })
      }
    },
    "exit-codes": async () => {
      assert.strictEqual((await client("getblockhash", "9999")).code, 8)
      assert.deepStrictEqual(await client("gettxout", "11".repeat(32), "0"), { code: 0, text: "" })
      assert.strictEqual((await client("-rpcport=1", "getblockcount")).code, 1)
    },
    "status-line": async () => {
      const { body, headers, status } = await one("{\"method\":\"getblockcount\",\"id\":1}")
      assert.strictEqual(status, "HTTP/1.1 200 OK")
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.isFalse(headers.has("transfer-encoding") || headers.has("content-encoding"))
      assert.strictEqual(body.indexOf("\n"), body.length - 1)
    },
    "reply-members": async () => {
      const good = await one("{\"method\":\"getblockhash\",\"params\":[0],\"id\":{\"a\":[1,\"x\"]}}")
      assert.match(good.body, /^\{"result":"[0-9a-f]{64}","error":null,"id":\{"a":\[1,"x"\]\}\}\n$/)
      const newer = await one("{\"jsonrpc\":\"2.0\",\"method\":\"nosuch\",\"id\":\"s\"}")
      assert.strictEqual(newer.status, "HTTP/1.1 200 OK")
      assert.strictEqual(
        newer.body,
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":\"s\"}\n"
      )
    },
    "error-status": async () => {
      const statuses = await Promise.all(
        ["{\"method\":\"getblockhash\",\"params\":[-1],\"id\":1}", "{\"params\":[]}", "{", "3"].map(async (body) =>
          (await one(body)).status
        )
      )
      assert.deepStrictEqual(statuses, [
        "HTTP/1.1 500 Internal Server Error",
        "HTTP/1.1 400 Bad Request",
        "HTTP/1.1 500 Internal Server Error",
        "HTTP/1.1 500 Internal Server Error"
      ])
    },
    "batches": async () => {
      const { body, status } = await one("[{\"method\":\"getblockcount\",\"id\":2},{\"method\":\"nosuch\",\"id\":1}]")
      assert.strictEqual(status, "HTTP/1.1 200 OK")
      assert.deepStrictEqual(
        (JSON.parse(body) as ReadonlyArray<Shown>).map(({ error, id }) => [id, error?.code ?? null]),
        [[2, null], [1, -32_601]]
      )
      assert.strictEqual((await one("[]")).body, "[]\n")
    },
    "keep-alive": async () => {
      const text = requestText("{\"method\":\"uptime\",\"id\":1}")
      const answers = await exchange(
        text,
        requestText("{\"method\":\"nosuch\",\"id\":1}"),
        requestText("", { auth: "" }),
        text
      )
      assert.deepStrictEqual(answers.map(({ status }) => status.slice(9, 12)), ["200", "404", "401", "200"])
    },
    "request-heads": async () => {
      const body = "{\"method\":\"uptime\",\"id\":1}"
      for (
        const head of [
          "Content-Type: text/plain;\r\n",
          "content-type: application/json-rpc; charset=utf-8\r\n",
          "Accept-Encoding: gzip, deflate\r\nAccept: */*\r\n",
          "User-Agent: python-bitcoinlib/0.12.0\r\nConnection: Keep-Alive\r\n",
          "Connection: close\r\n"
        ]
      ) assert.strictEqual((await one(body, { head })).status, "HTTP/1.1 200 OK", head)
      const lower = requestText(body).replace("Host: x\r\n", "").replace("Authorization", "authorization").replace(
        "Content-Length",
        "content-length"
      )
      assert.strictEqual((await exchange(lower))[0]!.status, "HTTP/1.1 200 OK")
    },
    "expect-continue": async () => {
      const socket = connect(place.port, "127.0.0.1")
      const body = "{\"method\":\"uptime\",\"id\":1}"
      const [head = ""] = requestText(body, { head: "Expect: 100-continue\r\n" }).split(body)
      const before = { text: "" }
      const interim = nextAnswer(socket, before)
      socket.write(head)
      assert.strictEqual((await interim).status, "HTTP/1.1 100 Continue")
      const answer = nextAnswer(socket, before)
      socket.write(body)
      assert.strictEqual((await answer).status, "HTTP/1.1 200 OK")
      socket.destroy()
    },
    "unauthorized": async () => {
      for (const auth of ["", "Authorization: Basic eDp5\r\n", "Authorization: Basic !\r\n"]) {
        const { body, headers, status } = await one("{\"method\":\"uptime\",\"id\":1}", { auth })
        assert.strictEqual(status, "HTTP/1.1 401 Unauthorized")
        assert.strictEqual(headers.get("www-authenticate"), "Basic realm=\"jsonrpc\"")
        assert.strictEqual(body, "")
      }
    },
    "other-verbs": async () => {
      const [answer] = await exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.deepStrictEqual([answer!.status, answer!.body], [
        "HTTP/1.1 405 Method Not Allowed",
        "JSONRPC server handles only POST requests"
      ])
    },
    "wallet-path": async () => {
      const body = "{\"method\":\"getblockcount\",\"id\":1}"
      const statuses = await Promise.all(
        ["/wallet/", "/wallet/a%20b", "/nosuch"].map(async (path) => (await one(body, { path })).status.slice(9, 12))
      )
      assert.deepStrictEqual(statuses, ["200", "200", "404"])
    },
    "amounts": async () => {
      const { tx } = await call("getblock", coins[5])
      const { body } = await one(JSON.stringify({ method: "gettxout", params: [tx[0], 0], id: 1 }))
      assert.include(body, "\"value\":50.00000000,")
    },
    "cookie": async () => {
      const path = join(place.directory, ".cookie")
      assert.match(readFileSync(path, "utf8"), /^__cookie__:[0-9a-f]{64}$/)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    },
    "old-verbosity": async () => {
      const hash = coins[5]
      assert.match(await call("getblock", hash, false), /^[0-9a-f]+$/)
      assert.strictEqual((await call("getblock", hash, true)).hash, hash)
      const { tx } = await call("getblock", hash, 1)
      assert.match(await call("getrawtransaction", tx[0], false), /^[0-9a-f]+$/)
      assert.strictEqual((await call("getrawtransaction", tx[0], 1)).blockhash, hash)
      assert.match(await call("getblockheader", hash, false), /^[0-9a-f]{160}$/)
    }
  }

  it.each(Object.entries(ROWS))("%s is as docs/rpc/clients.md says", (_row, check) => check(), patience(60_000))

  it("docs/rpc/clients.md has a row for each check, and no other", () => {
    const rows = [...readFileSync(PAGE, "utf8").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, row]) => row)
    assert.deepStrictEqual(rows.toSorted(), Object.keys(ROWS).toSorted())
  })
})
