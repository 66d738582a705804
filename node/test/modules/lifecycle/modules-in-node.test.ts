import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { patience } from "../../process/patience.ts"
import { runNodeIn } from "../../cli/command-line.ts"
import { configWith } from "../../process/config-with.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"
import { BEHAVIOURS, MODULE_SOURCE } from "./module-program.ts"

const TOKEN = "modules-admin"
const root = mkdtempSync(join(tmpdir(), "lsm-"))
const file = join(root, "node.toml")
const [modules, sockets] = [join(root, "modules"), join(root, "s")]

const WATCHING = [
  "subscribe_events",
  "read_storage",
  "write_storage",
  "write_filesystem",
  "manage_timers",
  "register_rpc_endpoint"
]

const putModule = (name: string, behaviour: keyof typeof BEHAVIOURS, more = "", version = "0.1.0"): void => {
  mkdirSync(join(modules, name), { recursive: true })
  const source = MODULE_SOURCE + BEHAVIOURS[behaviour].replace("handshake()", `handshake("${version}")`)
  writeFileSync(join(modules, name, "run"), source, { mode: 0o755 })
  const capabilities = behaviour === "watching" ? JSON.stringify(WATCHING) : "[]"
  writeFileSync(
    join(modules, name, "module.toml"),
    `name = "${name}"\nversion = "${version}"\ndescription = "d"\nentry_point = "run"\ncapabilities = ${capabilities}\n${more}`
  )
}

interface Listed {
  readonly name: string
  readonly status: string
  readonly version?: string
  readonly pid?: number
  readonly memory_bytes?: number
  readonly cpu_seconds?: number
  readonly requests?: { readonly answered: number; readonly refused: number }
  readonly events?: { readonly delivered: number; readonly failed: number; readonly dropped: number }
  readonly health?: string
  readonly errors: ReadonlyArray<string>
}

let node: RunningNode

const call = (method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> =>
  node.client.call(method, ...params)
const listed = async (): Promise<ReadonlyArray<Listed>> => await call("listmodules") as ReadonlyArray<Listed>
const one = async (name: string): Promise<Listed> => (await listed()).find((each) => each.name === name)!
const fault = (promise: Promise<unknown>): Promise<string> =>
  promise.then(() => "none", (error: Error) => error.message)

/** Waits until a condition holds; the log is what a failure shows. */
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + patience(30_000)
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`it never came:\n${node.stdout()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const events = (): ReadonlyArray<string> =>
  [...node.stdout().matchAll(/"event":"(Module\w+)","payload":"(.*?[^\\])"/g)].map(([, event, payload]) => {
    const { module_name } = JSON.parse(payload!.replaceAll("\\\"", "\"")) as { module_name: string }
    return `${event} ${module_name}`
  })

const dataOf = (...path: ReadonlyArray<string>): string => join(root, "data", "regtest", ...path)

const said = (text: string): boolean => node.stdout().includes(text)

beforeAll(async () => {
  putModule("a", "watching")
  putModule("b", "quiet", "[dependencies]\na = \"0.1.*\"\n")
  putModule("broken", "quiet", "tier = 1\n")
  putModule("crashing", "crashing")
  writeFileSync(
    file,
    configWith(
      TOKEN,
      `[logging]\nlevel = "debug"\njson_format = true`,
      `[modules]\nenabled = true\nmodules_dir = "${modules}"\nsocket_dir = "${sockets}"`,
      // Where there is no bubblewrap, the lifecycle is tried without it.
      `allow_unconfined = true\nwatch_enabled = true\nzmq = "0.1.*"`,
      `[modules.a]\nmax-size = 7`
    )
  )
  node = await startNode(join(root, "data"), { args: ["--config", file], token: TOKEN })
  await until(() => said("Component startup complete"))
}, patience(120_000))

afterAll(() => {
  node.signal("SIGKILL")
  node.client.close()
  rmSync(root, { recursive: true, force: true })
})

describe.runIf(process.platform === "linux")("modules in a running node", () => {
  it("are loaded at the start in the order of their dependencies, and each other one has its reason", async () => {
    const before = events()
    assert.isBelow(before.indexOf("ModuleLoaded a"), before.indexOf("ModuleLoaded b"))
    assert.strictEqual((await one("a")).status, "loaded")
    assert.deepStrictEqual((await one("broken")).errors, ["tier is not a field of a manifest"])
    assert.match((await one("zmq")).errors[0]!, /asks for 0\.1\.\*, and there is no such module/)
    await until(() => said("setting 7"))
    // A is notified of itself and of B.
    await until(() => (node.stdout().match(/event 70/g) ?? []).length >= 2)
  })

  it("are answered from the node's parts, and add a method and a command, which end with them", async () => {
    // The value that the database gives back, and the event of the timer.
    await until(() => /answer \w*76616c756500"/.test(node.stdout()) && said("event 119"))
    assert.strictEqual(readFileSync(dataOf("modules", "a", "note"), "utf8"), "written")
    assert.isTrue(existsSync(dataOf("module-storage", "a")), "the database is outside the directory of the module")
    assert.isFalse(existsSync(dataOf("modules", "a", "storage")))
    assert.deepStrictEqual(await call("watched", 1), { height: 7 })
    assert.deepStrictEqual(await call("runmodulecli", "a", "show"), { stdout: "out", stderr: "err", exit_code: 3 })
    assert.deepStrictEqual(await call("getmoduleclispecs"), {
      a: { name: "a", subcommands: [{ name: "show", args: [] }] }
    })
    const typed = await runNodeIn(root, [
      "-c",
      file,
      "-d",
      join(root, "data"),
      "-r",
      `127.0.0.1:${node.port}`,
      "a",
      "show",
      "--all"
    ])
    assert.deepStrictEqual(typed, { code: 3, stdout: "out", stderr: "err" })
    assert.include(await fault(call("runmodulecli", "a", "hide")), "no module that runs has this command: hide")
    const loads = events().filter((each) => each.startsWith("ModuleLoaded"))
    assert.strictEqual(new Set(loads).size, loads.length, "each is announced once")
  })

  it("that crash are announced and removed, with the way they ended", async () => {
    await until(async () => (await one("crashing")).status === "crashed")
    assert.deepStrictEqual((await one("crashing")).errors, ["exited with code 3"])
    assert.include(events(), "ModuleCrashed crashing")
    assert.isTrue(said("no more"), "what it printed is in the log")
    const { pid } = await one("b")
    assert.isAbove(pid!, 1)
    process.kill(pid!, "SIGKILL")
    await until(async () => (await one("b")).status === "crashed")
    assert.match((await one("b")).errors[0]!, /was ended by (signal 9|SIGKILL)/)
    assert.strictEqual((await call("loadmodule", "b") as Listed).status, "loaded")
  })

  it("have figures in listmodules, in the metrics and in the node's health", async () => {
    const { cpu_seconds, events: sent, health, memory_bytes, requests } = await one("a")
    assert.isAbove(memory_bytes!, 1_000_000)
    assert.isAtLeast(cpu_seconds!, 0.01)
    assert.isAtLeast(requests!.answered, 5)
    assert.isAtLeast(sent!.delivered, 2)
    assert.deepStrictEqual([sent!.failed, sent!.dropped, health], [0, 0, "Healthy"])
    assert.isUndefined((await one("crashing")).requests)
    const answer = await fetch(`http://127.0.0.1:${node.port}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` }
    })
    const text = await answer.text()
    const value = (key: string): number =>
      Number(text.split("\n").find((line) => line.startsWith(key))?.split(" ").at(-1))
    assert.isAtLeast(value("lockstep_module_requests_total{module=\"a\",outcome=\"answered\"}"), requests!.answered)
    assert.strictEqual(value("lockstep_module_requests_total{module=\"a\",outcome=\"refused\"}"), requests!.refused)
    assert.isAtLeast(value("lockstep_module_events_total{module=\"a\",outcome=\"delivered\"}"), sent!.delivered)
    assert.strictEqual(value("lockstep_module_events_total{module=\"a\",outcome=\"dropped\"}"), 0)
    assert.isAbove(value("lockstep_module_memory_bytes{module=\"a\"}"), 1_000_000)
    assert.isAtLeast(value("lockstep_module_cpu_seconds_total{module=\"a\"}"), cpu_seconds!)
    assert.strictEqual(value("lockstep_module_restarts{module=\"crashing\"}"), 0)
    assert.strictEqual(value("lockstep_modules{status=\"crashed\"}"), 1)
    await until(async () => {
      const { components } = await call("gethealth") as {
        readonly components: ReadonlyArray<{ component: string; status: string; message?: string }>
      }
      const { message, status } = components.find(({ component }) => component === "modules")!
      return status === "Degraded" && message === "the module crashing exited with code 3"
    })
  })

  it("are unloaded, reloaded in another version and refused over RPC, with a reason each", async () => {
    assert.include(await fault(call("unloadmodule", "a")), "the module a is needed by b: unload what needs it first")
    assert.include(await fault(call("loadmodule", "a")), "the module a is loaded")
    assert.include(await fault(call("loadmodule", "none")), "there is no module none")
    assert.include(await fault(call("loadmodule", "broken")), "tier is not a field of a manifest")
    putModule("b", "quiet", "[dependencies]\na = \"0.1.*\"\n", "0.2.0")
    // The node sees it by itself.
    await until(async () => (await one("b")).version === "0.2.0" && (await one("b")).status === "loaded")
    assert.include(events(), "ModuleUpdated b")
    const { pid: before } = await one("b")
    writeFileSync(join(modules, "b", "config.toml"), "greeting = \"hello\"\n")
    await until(async () => (await one("b")).status === "loaded" && (await one("b")).pid !== before)
    assert.strictEqual((await call("reloadmodule", "b") as Listed).version, "0.2.0")
    putModule("b", "quiet", "bad = 1\n")
    assert.include(await fault(call("reloadmodule", "b")), "bad is not a field")
    assert.strictEqual((await one("b")).status, "loaded", "it goes on as it is")
    assert.strictEqual((await call("unloadmodule", "b") as Listed).status, "unloaded")
    await until(() => said("event 71"))
    assert.strictEqual((await call("unloadmodule", "a") as Listed).status, "unloaded")
    assert.deepStrictEqual(readdirSync(sockets), [])
    assert.include(await fault(call("watched")), "Method not found")
    assert.deepStrictEqual(await call("getmoduleclispecs"), {})
  })

  it("do not outlive a node that is killed", async () => {
    await call("loadmodule", "a")
    const { pid } = await one("a")
    assert.isTrue(existsSync(`/proc/${pid}`))
    node.signal("SIGKILL")
    await node.ended
    const isThere = (): boolean => {
      try {
        return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "latin1"))
      } catch {
        return false
      }
    }
    await until(() => !isThere())
  })
})
