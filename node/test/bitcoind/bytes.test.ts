import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createHmac } from "node:crypto"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it, onTestFinished } from "vitest"
import { freePort, PATH_WITH_NODE } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { TWO_SYSTEMS } from "../p2p/asmap/two-systems.ts"
import { until } from "./bitcoind-process.ts"

/** What a shell is given: Node.js cannot hand over words that are not UTF-8. */
const BIN = fileURLToPath(new URL("../../bin", import.meta.url))

/** Six bytes of Latin-1, of which none is UTF-8. */
const LATIN = Buffer.from("\xe4\xf6\xfc\xdf\xe9\xe8", "latin1")
const LATIN_PRINTF = "\\344\\366\\374\\337\\351\\350"

interface Ended {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

const environment = { ...process.env, PATH: `${BIN}:${PATH_WITH_NODE}` }

/** Runs a line of a shell in which `$L` is the Latin-1 word. */
const shell = (line: string, cwd: string): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      "/bin/sh",
      ["-c", `L=$(printf '${LATIN_PRINTF}'); ${line}`],
      { cwd, env: environment, encoding: "buffer", timeout: patience(200_000) },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr })
    )
  })

/** The status line of a call with these bytes behind `Authorization: `. */
const statusFor = (port: number, authorization: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = "{\"method\":\"getblockcount\"}"
    const socket = connect(port, "127.0.0.1")
    socket.on("error", reject)
    let answer = ""
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1")
      const [line = ""] = answer.split("\r\n")
      if (answer.includes("\r\n")) {
        socket.destroy()
        resolve(line.split(" ")[1] ?? "")
      }
    })
    socket.write(Buffer.concat([
      Buffer.from("POST / HTTP/1.1\r\nHost: x\r\nAuthorization: "),
      authorization,
      Buffer.from(`\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    ]))
  })

const basic = (user: string, password: Buffer): Buffer =>
  Buffer.from(`Basic ${Buffer.concat([Buffer.from(`${user}:`), password]).toString("base64")}`)

describe("credentials that are not UTF-8", () => {
  const home = mkdtempSync(join(tmpdir(), "lockstep-bytes-"))
  let port: number
  let ended: Promise<unknown>
  const salted = createHmac("sha256", "5a1t").update(LATIN).digest("hex")
  beforeAll(async () => {
    port = await freePort()
    mkdirSync(join(home, "data"))
    writeFileSync(
      join(home, "data/bitcoin.conf"),
      Buffer.concat([
        Buffer.from("rpcuser=latin\nrpcpassword="),
        LATIN,
        Buffer.from("\nrpcauth=salted:5a1t$"),
        Buffer.from(salted),
        Buffer.from("\nrpcauth="),
        LATIN,
        Buffer.from(`:5a1t$${salted}\n[regtest]\nrpcport=${port}\n`)
      ])
    )
    const child = spawn(join(BIN, "bitcoind"), [
      `-datadir=${home}/data`,
      "-regtest",
      "-listen=0",
      "-connect=0",
      "-printtoconsole=0"
    ], {
      env: environment,
      stdio: ["ignore", "ignore", "inherit"]
    })
    ended = once(child, "close")
    await until(
      "bitcoind answers",
      () => statusFor(port, basic("latin", LATIN)).then((status) => status === "200", () => false)
    )
  }, patience(240_000))
  afterAll(async () => {
    await shell("bitcoin-cli -datadir=data -regtest stop", home)
    await ended
    rmSync(home, { recursive: true, force: true })
  }, patience(240_000))

  const other = Buffer.from("\xff\xfe\xfd\xfc\xfb\xfa", "latin1")
  const replaced = Buffer.from("\ufffd".repeat(6))
  it.each<readonly [what: string, authorization: Buffer, status: string]>([
    ["rpcpassword byte for byte", basic("latin", LATIN), "200"],
    ["six other bytes for rpcpassword", basic("latin", other), "401"],
    ["six replacement characters for rpcpassword", basic("latin", replaced), "401"],
    ["the same letters in UTF-8 for rpcpassword", basic("latin", Buffer.from(LATIN.toString("latin1"))), "401"],
    ["rpcauth over such bytes", basic("salted", LATIN), "200"],
    ["rpcauth with six other bytes", basic("salted", other), "401"],
    [
      "rpcauth of a user whose name is such bytes",
      Buffer.from(`Basic ${Buffer.concat([LATIN, Buffer.from(":"), LATIN]).toString("base64")}`),
      "200"
    ],
    [
      "rpcauth of a user with six other bytes",
      Buffer.from(`Basic ${Buffer.concat([other, Buffer.from(":"), LATIN]).toString("base64")}`),
      "401"
    ],
    [
      "base64 with a byte behind it that is a space in Latin-1",
      Buffer.concat([basic("latin", LATIN), Buffer.of(0xa0)]),
      "401"
    ],
    [
      "base64 without its padding",
      Buffer.from(`Basic ${Buffer.from("latin:xy").toString("base64").replace(/=+$/, "")}`),
      "401"
    ],
    ["bytes instead of base64", Buffer.concat([Buffer.from("Basic "), LATIN]), "401"],
    ["raw credentials instead of base64", Buffer.concat([Buffer.from("Basic latin:"), LATIN]), "401"]
  ])("%s", async (_what, authorization, status) => {
    assert.strictEqual(await statusFor(port, authorization), status)
  })

  it.each([
    ["from bitcoin.conf", "bitcoin-cli -datadir=data -regtest getblockcount"],
    ["from the command line", `bitcoin-cli -datadir=data -regtest -rpcuser=latin -rpcpassword="$L" getblockcount`],
    [
      "from standard input",
      `printf '%s\\n' "$L" | bitcoin-cli -datadir=data -regtest -rpcuser=latin -stdinrpcpass getblockcount`
    ],
    [
      "of rpcauth, with the user's name in bytes",
      `bitcoin-cli -datadir=data -regtest -rpcuser="$L" -rpcpassword="$L" getblockcount`
    ],
    [
      "from a cookie file of such a name",
      `printf 'latin:%s' "$L" > "c$L"; bitcoin-cli -datadir=data -regtest -rpcpassword= -rpccookiefile="$PWD/c$L" getblockcount`
    ]
  ])("bitcoin-cli sends the password %s", async (_from, line) => {
    const { code, stderr, stdout } = await shell(line, home)
    assert.deepStrictEqual([stderr.toString("latin1"), stdout.toString(), code], ["", "0\n", 0])
  })

  it("bitcoin-cli with six other bytes is refused as with any wrong password", async () => {
    const { code, stderr } = await shell(
      `bitcoin-cli -datadir=data -regtest -rpcuser=latin -rpcpassword="$(printf '\\377\\376\\375\\374\\373\\372')" getblockcount`,
      home
    )
    assert.match(stderr.toString(), /^error: Authorization failed/)
    assert.strictEqual(code, 1)
  })

  it("bitcoin-cli sends a parameter byte for byte, which no JSON holds", async () => {
    const { code, stderr } = await shell(`bitcoin-cli -datadir=data -regtest echo "$L"`, home)
    assert.match(stderr.toString(), /error code: -32700\nerror message:\nParse error/)
    assert.strictEqual(code, 32_700 % 256)
  })

  it("bitcoin-cli names an invalid parameter byte for byte", async () => {
    const { stderr } = await shell(`bitcoin-cli -datadir=data "-no$L"`, home)
    assert.include(stderr.toString("latin1"), `Invalid parameter -no${LATIN.toString("latin1")}`)
  })
})

describe("paths that are not UTF-8", () => {
  let home: string
  beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "lockstep-bytes-"))))
  afterEach(() => {
    chmodSync(home, 0o700)
    rmSync(home, { recursive: true, force: true })
  })

  const named = (name: string): Buffer => Buffer.concat([Buffer.from(`${home}/${name}`), LATIN])
  const namesIn = (directory: string | Buffer): ReadonlyArray<string> =>
    readdirSync(directory, { encoding: "buffer" }).map((name) => name.toString("latin1")).toSorted()

  it.each([["", "in the foreground"], [" -daemonwait", "in the background"]])(
    "bitcoind%s runs in such directories, with such a configuration, cookie, pid and log file, %s",
    async (daemon) => {
      const port = await freePort()
      for (const name of ["data", "blocks"]) mkdirSync(named(name))
      writeFileSync(
        Buffer.concat([named("data"), Buffer.from("/c"), LATIN]),
        Buffer.concat([
          Buffer.from("regtest=1\n[regtest]\nlisten=0\nconnect=0\nuacomment=ok\nblocksdir="),
          named("blocks"),
          Buffer.from(`\nrpcport=${port}\nblocknotify=printf '`),
          LATIN,
          Buffer.from(`' > ${home}/notified\n`)
        ])
      )
      writeFileSync(named("map"), TWO_SYSTEMS)
      writeFileSync(named("load"), "")
      const words = `-datadir="$PWD/data$L" -conf="c$L"`
      const read = `-asmap="$PWD/map$L" -loadblock="$PWD/load$L"`
      const cookie = `-rpccookiefile="$PWD/cookie$L"`
      const started = shell(
        `exec bitcoind ${words} ${cookie} ${read} -pid="$PWD/pid$L" -debuglogfile="$PWD/log$L" -printtoconsole=0${daemon}`,
        home
      )
      const called = async (call: string): Promise<string> =>
        (await shell(`bitcoin-cli ${words} ${cookie} -rpcwait -rpcwaittimeout=150 ${call}`, home)).stdout.toString()
      onTestFinished(() => void called("stop"))
      assert.strictEqual(await called("getblockcount"), "0\n")
      await called("generatetodescriptor 1 'raw(51)'")
      await until("blocknotify ran", () => existsSync(join(home, "notified")))
      assert.deepStrictEqual(readFileSync(join(home, "notified")), LATIN)
      const latin = LATIN.toString("latin1")
      assert.deepStrictEqual(
        namesIn(home),
        [...["blocks", "cookie", "data", "load", "log", "map", "pid"].map((name) => `${name}${latin}`), "notified"]
          .toSorted()
      )
      const pid = Number(readFileSync(named("pid"), "utf8"))
      await called("stop")
      const { code, stderr } = await started
      assert.deepStrictEqual([stderr.toString("latin1"), code], ["", 0])
      await until("bitcoind is gone", () => !existsSync(`/proc/${pid}`))
      assert.include(namesIn(Buffer.concat([named("data"), Buffer.from("/regtest")])), "chainstate")
      assert.include(namesIn(Buffer.concat([named("blocks"), Buffer.from("/regtest/blocks")])), "blk00000.dat")
      assert.notInclude(namesIn(home), `pid${latin}`)
      const log = readFileSync(named("log")).toString("latin1")
      assert.include(log, `Using data directory ${home}/data${latin}/regtest`)
      assert.include(log, `Opened asmap file "${home}/map${latin}"`)
      assert.include(log, `Importing blocks file ${home}/load${latin}...`)
      assert.notInclude(log, "Could not open blocks file")
      assert.notInclude(log, "/proc/")
      assert.include(log, "Shutdown done")
    },
    patience(300_000)
  )

  it("bitcoind names a data directory that is missing byte for byte, and makes none of another name", async () => {
    const { code, stderr } = await shell("bitcoind -regtest -datadir=\"$PWD/none$L\"", home)
    assert.include(
      stderr.toString("latin1"),
      `Error: Specified data directory "${home}/none${LATIN.toString("latin1")}" does not exist.`
    )
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(namesIn(home), [])
  }, patience(240_000))

  it(
    "bitcoin-cli finds a home directory and a working directory of such names, and makes none of another name",
    async () => {
      mkdirSync(named("home"))
      const line = "cd \"home$L\" && exec env HOME=\"$PWD\" bitcoin-cli -regtest -datadir=missing getblockcount"
      const { stderr } = await shell(line, home)
      assert.include(stderr.toString("latin1"), `"${home}/home${LATIN.toString("latin1")}/missing" does not exist.`)
      assert.deepStrictEqual(namesIn(home), [`home${LATIN.toString("latin1")}`])
    },
    patience(60_000)
  )

  it("lockstep keeps its chain in such a directory, and its commands find the cookie there", async () => {
    mkdirSync(named("data"))
    const words = `--network regtest --data-dir="$PWD/data$L" --rpc-addr=127.0.0.1:${await freePort()}`
    const line = `exec lockstep start ${words} --listen-addr=127.0.0.1:0 --set rpc_auth.required=true`
    const started = shell(line, home)
    const called = async (call: string): Promise<string> =>
      (await shell(`lockstep rpc ${words} ${call}`, home)).stdout.toString().trim()
    onTestFinished(() => void called("stop"))
    await until("lockstep answers", async () => await called("getblockcount") === "0")
    await called("stop")
    const { code, stdout } = await started
    assert.strictEqual(code, 0)
    const latin = LATIN.toString("latin1")
    assert.include(stdout.toString("latin1"), `${home}/data${latin}/regtest`)
    assert.deepStrictEqual(namesIn(home), [`data${latin}`])
    assert.include(namesIn(Buffer.concat([named("data"), Buffer.from("/regtest")])), "blocks")
  }, patience(240_000))

  it(
    "lockstep reads a configuration and reaches a data directory of such names, and refuses one that it would have to make",
    async () => {
      mkdirSync(named("data"))
      writeFileSync(
        Buffer.concat([named("node"), Buffer.from(".toml")]),
        "transport_preference = \"tcponly\"\n[rpc_auth]\ntokens = [\"0123456789abcdef0123456789abcdef\"]\n",
        { mode: 0o600 }
      )
      const good = await shell("lockstep config validate \"node$L.toml\" --data-dir=\"$PWD/data$L\"", home)
      assert.deepStrictEqual([good.stderr.toString("latin1"), good.code], ["", 0])
      const bad = await shell("lockstep config validate \"node$L.toml\" --data-dir=\"$PWD/new$L\"", home)
      assert.match(
        bad.stderr.toString("latin1"),
        /\[storage\]\.data_dir: the path has bytes that are not UTF-8 and is no directory yet/
      )
      assert.deepStrictEqual(namesIn(home).length, 2)
    },
    patience(60_000)
  )
})
