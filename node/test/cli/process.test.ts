import { assert, describe, it } from "@effect/vitest"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inDirectory, runNodeIn } from "./command-line.ts"
import { patience } from "../process/patience.ts"

const TCP = "transport_preference = \"tcponly\"\n"

const run = (...args: ReadonlyArray<string>) => inDirectory((directory) => runNodeIn(directory, args))

describe("node, as a process", () => {
  it("version prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string
    }
    for (const line of ["version", "--version", "-version", "--version --network regtest", "start --version"]) {
      const answered = await run(...line.split(" "))
      assert.deepStrictEqual(answered, { code: 0, stdout: `Lockstep ${version}\n`, stderr: "" }, line)
    }
  })

  it("--help shows every command and option, and asks nothing of the configuration", async () => {
    const { code, stderr, stdout } = await inDirectory((directory) => {
      writeFileSync(join(directory, "node.toml"), "nonsense")
      return runNodeIn(directory, ["--help"])
    })
    assert.deepStrictEqual([code, stderr], [0, ""])
    const commands = [
      "start",
      "version",
      "config",
      "health",
      "status",
      "rpc",
      "sync",
      "migrate",
      "load",
      "module",
      "import",
      "rebuild",
      "verify"
    ]
    const options = [
      "--network, -n",
      "--rpc-addr, -r",
      "--listen-addr, -l",
      "--data-dir, -d",
      "--config, -c",
      "--verbose, -v",
      "--no-auto-migrate",
      "--migrate-destination",
      "--migrate-core-only",
      "--enable-stratum-v2",
      "--disable-stratum-v2",
      "--enable-dandelion",
      "--disable-dandelion",
      "--enable-sigop",
      "--disable-sigop",
      "--enable-bip158",
      "--disable-bip158",
      "--assumevalid",
      "--noassumevalid",
      "--assumeutxo",
      "--target-peer-count",
      "--async-request-timeout",
      "--module-max-cpu-percent",
      "--module-max-memory-bytes",
      "--set",
      "--unsafe-rpc-bind"
    ]
    for (const text of [...commands, ...options]) assert.include(stdout, text)
  })

  it("every command explains itself, and what takes parameters shows how", async () => {
    const commands = [
      "start",
      "version",
      "config",
      "config validate",
      "config explain",
      "config example",
      "config convert-core",
      "health",
      "status",
      "rpc",
      "sync",
      "import",
      "rebuild",
      "verify",
      "migrate",
      "migrate core",
      "load",
      "module",
      "module list",
      "module run"
    ]
    for (const command of commands) {
      const { code, stderr, stdout } = await run(...command.split(" "), "--help")
      assert.deepStrictEqual([code, stderr], [0, ""], command)
      assert.match(stdout, /^DESCRIPTION\n {2}\S.*\n\nUSAGE\n {2}lockstep /, command)
      assert.strictEqual(stdout.includes("EXAMPLES\n"), ["rpc", "import", "verify"].includes(command), command)
    }
  }, patience(60_000))

  it("config validate: a good file, a bad one, none", async () => {
    await inDirectory(async (directory) => {
      writeFileSync(join(directory, "good.toml"), TCP)
      assert.deepStrictEqual(await runNodeIn(directory, ["config", "validate", "good.toml"]), {
        code: 0,
        stdout: "Configuration file is valid: good.toml\n",
        stderr: ""
      })
      writeFileSync(join(directory, "bad.toml"), "max_peer = 1\n")
      const bad = await runNodeIn(directory, ["config", "validate", "bad.toml"])
      assert.deepStrictEqual([bad.code, bad.stdout], [2, ""])
      assert.include(bad.stderr, "node: bad.toml:1: max_peer is not a known key; did you mean max_peers?\n")
      assert.include(bad.stderr, "transport_preference is missing")
      const none = await runNodeIn(directory, ["config", "validate", "none.toml"])
      assert.deepStrictEqual(none, { code: 2, stdout: "", stderr: "node: none.toml: no such file\n" })
    })
  })

  it("config explain takes global options before and behind its name", async () => {
    await inDirectory(async (directory) => {
      writeFileSync(join(directory, "other.toml"), `${TCP}max_peers = 7\n`)
      const orders = [
        ["-c", "other.toml", "-n", "signet", "config", "explain", "--json"],
        ["config", "-c", "other.toml", "explain", "--json", "--network=signet"],
        ["config", "explain", "--json", "--network", "signet", "--config", "other.toml"]
      ]
      for (const order of orders) {
        const { code, stderr, stdout } = await runNodeIn(directory, order)
        assert.deepStrictEqual([code, stderr], [0, ""])
        const { file, values } = JSON.parse(stdout) as { file: string; values: Record<string, unknown> }
        assert.strictEqual(file, join(directory, "other.toml"))
        assert.deepStrictEqual(values.network, { value: "signet", origin: "command line", source: "--network" })
        assert.deepStrictEqual(values.max_peers, {
          value: 7,
          origin: "file",
          source: `${join(directory, "other.toml")}:2`
        })
      }
    })
  })

  it("reads the environment, and keeps its secrets", async () => {
    const { code, stdout } = await inDirectory((directory) =>
      runNodeIn(directory, ["config", "explain"], {
        RPC_AUTH_TOKENS: "hunter2",
        NODE_DATA_DIR: "/srv/chain",
        NODE_OPTIONS: ""
      })
    )
    assert.strictEqual(code, 0)
    assert.notInclude(stdout, "hunter2")
    assert.match(stdout, /\[storage\]\.data_dir +"\/srv\/chain" +environment: NODE_DATA_DIR/)
  })

  it("config convert-core prints a draft, or writes it where nothing is yet, for its owner alone", async () => {
    await inDirectory(async (directory) => {
      writeFileSync(join(directory, "bitcoin.conf"), "rpcuser=u\nrpcpassword=hunter2\nzmqpubhashtx=x\n")
      const printed = await runNodeIn(directory, ["config", "convert-core", "bitcoin.conf"])
      assert.strictEqual(printed.code, 0)
      assert.include(printed.stdout, "password = \"hunter2\"")
      assert.strictEqual(
        printed.stderr,
        "node: bitcoin.conf:3: zmqpubhashtx: the module zmq publishes at tcp://host:port alone\n"
      )
      const written = await runNodeIn(directory, ["config", "convert-core", "bitcoin.conf", "-o", "node.toml"])
      assert.deepStrictEqual([written.code, written.stdout], [0, "Draft written: node.toml\n"])
      assert.strictEqual(readFileSync(join(directory, "node.toml"), "utf8"), printed.stdout)
      assert.strictEqual(statSync(join(directory, "node.toml")).mode & 0o777, 0o600)
      assert.strictEqual((await runNodeIn(directory, ["config", "validate", "node.toml"])).code, 0)
      const again = await runNodeIn(directory, ["config", "convert-core", "bitcoin.conf", "-o", "node.toml"])
      assert.deepStrictEqual([again.code, again.stderr], [1, "node: node.toml: exists already; choose another name\n"])
    })
  })

  it("config example prints what config validate takes", async () => {
    await inDirectory(async (directory) => {
      const { stdout } = await runNodeIn(directory, ["config", "example"])
      writeFileSync(join(directory, "example.toml"), stdout)
      assert.strictEqual((await runNodeIn(directory, ["config", "validate", "example.toml"])).code, 0)
    })
  })

  const WRONG: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, stderr: string]> = [
    [["--netwrok", "regtest"], 2, "unknown option --netwrok; did you mean --network?"],
    [["strat"], 2, "unknown command \"strat\"; did you mean start?"],
    [["config", "vaildate", "x"], 2, "unknown command \"vaildate\"; did you mean validate?"],
    [["--versoin"], 2, "unknown option --versoin"],
    [["start", "extra"], 2, "found \"extra\""],
    [
      ["start", "--network", "moonnet"],
      2,
      "--network: expected \"mainnet\", \"testnet\", \"testnet4\", \"signet\" or \"regtest\", found \"moonnet\""
    ],
    [["start", "-n"], 2, "--network: a value is missing"],
    [["start", "--rpc-addr", "nowhere"], 2, "--rpc-addr: expected host:port"],
    [["start", "--rpc-addr", "0.0.0.0:1"], 2, "--unsafe-rpc-bind"],
    [["start", "--listen-addr", "1:2:3"], 2, "--listen-addr: expected host:port"],
    [["start", "--config", "none.toml"], 2, "none.toml: no such file"],
    [["start", "--config", "."], 2, "is a directory, not a file"],
    [["start", "--config", "a", "--config", "b"], 2, "--config: given more than once"],
    [["start", "--assumevalid", "yes"], 2, "--assumevalid: expected"],
    [["start", "--assumevalid", "1", "--noassumevalid"], 2, "--assumevalid and --noassumevalid exclude each other"],
    [
      ["start", "--enable-dandelion", "--disable-dandelion"],
      2,
      "--enable-dandelion and --disable-dandelion exclude each other"
    ],
    [["start", "--enable-stratum-v2"], 2, "--enable-stratum-v2: Stratum V2 is a module, and modules are off"],
    [["start", "--target-peer-count", "many"], 2, "--target-peer-count: expected an integer"],
    [["start", "--module-max-cpu-percent", "101"], 2, "--module-max-cpu-percent: expected an integer from 1 to 100"],
    [["start", "--set", "storage.dbcach_mb=1"], 2, "did you mean [storage].dbcache_mb?"],
    [["config", "validate"], 2, "<path> is missing"],
    [["config", "convert-core", "none.conf"], 2, "none.conf: no such file"],
    [["import"], 2, "<files> is missing"],
    [["import", "none.dat", "."], 2, "none.dat: no such file"],
    [["verify", "--level", "5"], 2, "--level: expected an integer from 0 to 4, found \"5\""],
    [["verify", "--blocks", "x"], 2, "--blocks: expected an integer"],
    [["load", "zmq", "--rpc-addr", "127.0.0.1:1"], 1, "no node answers on 127.0.0.1:1"],
    [["--rpc-addr", "127.0.0.1:1", "watcher", "show"], 1, "no node answers on 127.0.0.1:1"],
    [
      ["migrate", "core", "--source", "a", "--destination", "b", "--network", "mainnet", "--verify"],
      1,
      "is not in this build yet"
    ]
  ]

  for (const [args, code, stderr] of WRONG) {
    it(`node ${args.join(" ")}: a line about it and no stack trace`, async () => {
      const outcome = await run(...args)
      assert.include(outcome.stderr, stderr)
      assert.deepStrictEqual([outcome.code, outcome.stdout], [code, ""])
      assert.isTrue(outcome.stderr.trimEnd().split("\n").every((line) => line.startsWith("node: ")), outcome.stderr)
      assert.notMatch(outcome.stderr, /\n\s+at |\.ts:\d+/)
    })
  }
})
