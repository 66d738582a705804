import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it, vi } from "@effect/vitest"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GLOBAL_OPTIONS } from "../../src/cli/global-options.ts"
import { quickLine } from "../../src/cli/quick/quick-line.ts"
import { isOurVariable, keepTarget, recallTarget, targetVersion } from "../../src/cli/quick/remembered-target.ts"
import { VARIABLES } from "../../src/config/given/environment.ts"
import {
  TYPED_PARAMETERS,
  typedParameters,
  typedParametersText
} from "../../src/methods/definition/typed-parameters.ts"
import { METHODS } from "../../src/methods/table.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { type Outcome, runNodeIn } from "./command-line.ts"

const TARGET = {
  dataDirectory: "/data/regtest",
  file: "/etc/lockstep/node.toml",
  rpc: {
    bind: { host: "127.0.0.1", port: 18443 },
    credentials: { tokens: [], adminTokens: ["secret-token"], basic: undefined, required: true }
  }
} as unknown as Parameters<typeof keepTarget>[1]

/** As it is read back: JSON has no `undefined`. */
const AS_READ = JSON.parse(JSON.stringify(TARGET)) as unknown

describe("a command line is read quickly", () => {
  it("when it calls a method on a node that options may name", () => {
    assert.deepStrictEqual(quickLine(["rpc", "getblockcount"]), { method: "getblockcount", params: [], options: [] })
    assert.deepStrictEqual(quickLine(["-n", "signet", "rpc", "help", "--data-dir", "d", "getblock"]), {
      method: "help",
      params: ["getblock"],
      options: ["-n", "signet", "--data-dir", "d"]
    })
    assert.isDefined(quickLine(["rpc", "getblock", "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"]))
  })

  it("with any parameters, as they were typed", () => {
    for (const params of [["5"], ["x", "true"], ["[]"], ["{}"], ["\"y\""], ["null"], ["height=5"]]) {
      assert.deepStrictEqual(quickLine(["rpc", "x", ...params]), { method: "x", params, options: [] })
    }
  })

  it("but not when it says anything else", () => {
    const others: ReadonlyArray<ReadonlyArray<string>> = [
      ["rpc"],
      ["status"],
      [],
      ["rpc", "getblockcount", "--help"],
      ["rpc", "-h"],
      ["rpc", "x", "--", "-1"],
      ["rpc", "x", "-1"],
      ["rpc", "x", "--set", "a=b"],
      ["rpc", "x", "--network"],
      ["rpc", "x", "--network=signet"],
      ["rpc", "x", "--network", "--verbose"],
      ["config", "rpc", "x"]
    ]
    for (const args of others) assert.isUndefined(quickLine(args), args.join(" "))
  })

  it("with options that are those of every command", () => {
    for (const option of ["network", "rpc-addr", "data-dir"]) {
      const { alias } = GLOBAL_OPTIONS.find(({ name }) => name === option)!
      for (const given of [`--${option}`, `-${alias}`]) {
        assert.deepStrictEqual(quickLine(["rpc", "x", given, "v"])?.options, [given, "v"])
      }
    }
  })
})

describe("how the parameters of a method are typed", () => {
  it("is kept as the methods have it; `pnpm docs:rpc` writes it", () => {
    assert.strictEqual(readFileSync(TYPED_PARAMETERS, "utf8"), typedParametersText(METHODS.values()))
  })

  it("is known of methods alone", () => {
    assert.deepStrictEqual(typedParameters("getblockhash"), { height: { aliases: [], kind: "number" } })
    assert.deepStrictEqual(typedParameters("getblockcount"), {})
    for (const other of ["getblockhsh", "toString", "__proto__", ""]) assert.isUndefined(typedParameters(other))
  })
})

describe("the node that a call went to is remembered", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-quick-")))
  const file = join(root, "node.toml")
  const absent = join(root, "absent")
  const kept = join(root, "cache/lockstep/calls")

  const keep = (): void => keepTarget(["-n", "regtest"], TARGET, [file, absent])
  const recall = (): unknown => recallTarget(["-n", "regtest"])

  beforeEach(() => {
    vi.stubEnv("XDG_CACHE_HOME", join(root, "cache"))
    writeFileSync(file, "one")
    keep()
    assert.deepStrictEqual(recall(), AS_READ)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true, force: true })
    mkdirSync(root)
  })

  it("by its own user alone, and without its secrets in the open", () => {
    const [name] = readdirSync(kept)
    assert.strictEqual(statSync(kept).mode & 0o777, 0o700)
    assert.strictEqual(statSync(join(kept, name!)).mode & 0o777, 0o600)
    assert.notInclude(readFileSync(join(kept, name!), "utf8"), "secret")
    chmodSync(join(kept, name!), 0o644)
    assert.isUndefined(recall())
  })

  it("until a file that it came from changes, appears or goes", () => {
    writeFileSync(file, "two")
    assert.isUndefined(recall())
    writeFileSync(file, "one")
    assert.deepStrictEqual(recall(), AS_READ)
    writeFileSync(absent, "")
    assert.isUndefined(recall())
    rmSync(absent)
    mkdirSync(absent)
    assert.isUndefined(recall())
    rmSync(absent, { recursive: true })
    rmSync(file)
    assert.isUndefined(recall())
  })

  it("for the same options, variables, directory and software", () => {
    assert.isUndefined(recallTarget(["-n", "signet"]))
    vi.stubEnv("NODE_RPC_ADDR", "127.0.0.1:1")
    assert.isUndefined(recall())
    vi.stubEnv("NODE_RPC_ADDR", undefined)
    assert.deepStrictEqual(recall(), AS_READ)
    const version = targetVersion(root)
    utimesSync(file, new Date(), new Date(0))
    assert.notDeepEqual(targetVersion(root), version)
  })

  it("or not at all, when what was kept is damaged or nothing can be kept", () => {
    const [name] = readdirSync(kept)
    for (const text of ["", "{}", "null", `{"paths":[],"sealed":"AAAA"}`]) {
      writeFileSync(join(kept, name!), text)
      assert.isUndefined(recall())
    }
    for (const nowhere of ["/proc/nowhere", file]) {
      vi.stubEnv("XDG_CACHE_HOME", nowhere)
      keep()
      assert.isUndefined(recall())
    }
  })

  it("thirty-two times at most", () => {
    for (let i = 0; i < 40; i++) keepTarget([String(i)], TARGET, [])
    assert.lengthOf(readdirSync(kept), 32)
  })

  it("with every variable that the configuration reads", () => {
    for (const [variable] of VARIABLES) assert.isTrue(isOurVariable(variable), variable)
    for (const variable of ["XDG_CONFIG_HOME", "NODE_IBD_ANYTHING"]) assert.isTrue(isOurVariable(variable), variable)
    assert.isFalse(isOurVariable("OLDPWD"))
    // Programs of a build have it, the one that calls quickly has not.
    assert.isFalse(isOurVariable("NODE_COMPILE_CACHE"))
  })
})

describe("a call that was made before answers what it did then", () => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-quick-calls-"))
  const config = join(root, "node.toml")
  const cache = join(root, "cache")
  let node: RunningNode

  beforeAll(async () => {
    writeFileSync(config, `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["right"]\n`, { mode: 0o600 })
    node = await startNode(join(root, "data"), { args: ["--config", config], token: "right" })
  }, patience(30_000))
  afterAll(async () => {
    node.signal("SIGTERM")
    node.client.close()
    await node.ended
    rmSync(root, { recursive: true, force: true })
  })

  const ask = (...args: ReadonlyArray<string>): Promise<Outcome> => runNodeIn(root, args, { XDG_CACHE_HOME: cache })
  const kept = (): ReadonlyArray<string> => {
    try {
      return readdirSync(join(cache, "lockstep/calls"))
    } catch {
      return []
    }
  }

  it("results, errors, refusals and a node that is not there", async () => {
    const here = ["--rpc-addr", `127.0.0.1:${node.port}`]
    writeFileSync(
      join(root, "wrong.toml"),
      `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["wrong"]\n`,
      { mode: 0o600 }
    )
    const calls: ReadonlyArray<ReadonlyArray<string>> = [
      ["rpc", "getblockcount", ...here, "--config", config],
      ["rpc", "getdeploymentinfo", ...here, "--config", config],
      ["rpc", "getbestblockhash", ...here, "--config", config],
      ["rpc", "setnetworkactive", "maybe", ...here, "--config", config],
      ["rpc", "getblockhash", ...here, "--config", config],
      ["rpc", "getblockhsh", ...here, "--config", config],
      ["rpc", "getblock", "zz", ...here, "--config", config],
      ["rpc", "getblockcount", ...here, "--config", "wrong.toml"],
      ["rpc", "getblockcount", "--rpc-addr", "127.0.0.1:1"],
      ["rpc", "getblockhash", "0", ...here, "--config", config],
      ["rpc", "getblockhash", "height=0", ...here, "--config", config],
      ["rpc", "getblockhash", "\"0\"", ...here, "--config", config],
      ["rpc", "getblockstats", "0", "stats=[\"txs\"]", ...here, "--config", config],
      ["rpc", "createrawtransaction", "[]", "{\"data\":\"00\"}", ...here, "--config", config],
      ["rpc", "getblockhsh", "height=0", ...here, "--config", config],
      ["rpc", "submitblock", "00", ...here, "--config", config],
      ["rpc", "logging", ...here, "--data-dir", "nowhere"]
    ]
    for (const args of calls) {
      rmSync(join(cache, "lockstep/calls"), { recursive: true, force: true })
      const first = await ask(...args)
      const [name, ...others] = kept()
      assert.lengthOf(others, 0)
      const file = join(cache, "lockstep/calls", name!)
      const { ino } = statSync(file)
      assert.deepStrictEqual(await ask(...args), first)
      // A call that reads the configuration anew replaces the file.
      assert.strictEqual(statSync(file).ino, ino, args.join(" "))
    }
  })

  it("but for a name that no parameter has, which is said in full", async () => {
    const args = ["rpc", "getblockhash", "heigth=0", "--rpc-addr", `127.0.0.1:${node.port}`, "--config", config]
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = await ask(...args)
      assert.strictEqual(code, 2)
      assert.include(stderr, "getblockhash has no parameter heigth: did you mean height?")
    }
  })

  it("and does not go to a node that the configuration names no more", async () => {
    const args = ["rpc", "getblockcount", "--config", "moving.toml", "--rpc-addr", `127.0.0.1:${node.port}`]
    const write = (token: string): void =>
      writeFileSync(
        join(root, "moving.toml"),
        `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["${token}"]\n`,
        { mode: 0o600 }
      )
    write("right")
    for (let i = 0; i < 2; i++) assert.deepStrictEqual(await ask(...args), { code: 0, stdout: "0\n", stderr: "" })
    write("wrong")
    assert.include((await ask(...args)).stderr, "wants other credentials (HTTP 401)")
    writeFileSync(join(root, "moving.toml"), "nonsense")
    assert.strictEqual((await ask(...args)).code, 2)
  })
})
