import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MODULE_EVENT_TYPES, type ModuleEventType } from "@lockstep/protocol/module-ipc/index.ts"
import { configWith } from "../../process/config-with.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { MODULE_SOURCE } from "./module-program.ts"

const TOKEN = "modules-admin"
const root = mkdtempSync(join(tmpdir(), "lsr-"))
const modules = join(root, "modules")

const tag = (type: ModuleEventType): number => MODULE_EVENT_TYPES.indexOf(type)

/** Writes the names of the events that it receives into a file of its data directory, and "end" when its connection ends. */
const RECORDING = `${MODULE_SOURCE}
const fs = require("node:fs")
const NAMES = ${JSON.stringify(MODULE_EVENT_TYPES)}
const note = (line) => fs.appendFileSync("seen", line + " " + process.hrtime.bigint() + "\\n")
let waiting = Buffer.alloc(0)
onData = (chunk) => {
  waiting = Buffer.concat([waiting, chunk])
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE(0)) {
    const message = waiting.subarray(4, 4 + waiting.readUInt32LE(0))
    waiting = waiting.subarray(4 + message.length)
    if (message.readUInt32LE(0) === 2) note(NAMES[message.readUInt32LE(4)])
  }
}
socket.prependListener("end", () => note("end"))
handshake()
subscribe(${(["NodeShutdown", "DataMaintenance"] as const).map(tag).join()})
`

/** Crashes while its data directory has the file "frail"; it removes the file before. */
const FRAIL = `${MODULE_SOURCE}
const fs = require("node:fs")
handshake()
subscribe(${tag("NewBlock")})
if (fs.existsSync("frail")) setTimeout(() => { fs.rmSync("frail"); process.exit(3) }, 200)
`

const put = (name: string, program: string, more = ""): void => {
  mkdirSync(join(modules, name), { recursive: true })
  writeFileSync(join(modules, name, "run"), program, { mode: 0o755 })
  writeFileSync(
    join(modules, name, "module.toml"),
    `name = "${name}"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = ["subscribe_events"]\n${more}`
  )
}

interface Listed {
  readonly name: string
  readonly status: string
  readonly restarts: number
}

let node: RunningNode

const one = async (name: string): Promise<Listed | undefined> =>
  (await node.client.call("listmodules") as ReadonlyArray<Listed>).find((each) => each.name === name)

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + patience(30_000)
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`it never came:\n${node.stdout()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const dataOf = (...path: ReadonlyArray<string>): string => join(root, "data", "regtest", "modules", ...path)

/** Events of a module's process and state, which come between the others. */
const OF_PROCESS = /^Module(?:Started|Stopped|StateChanged)/

/** The events of the node about a module, from its log. */
const eventsAbout = (name: string): ReadonlyArray<string> =>
  [...node.stdout().matchAll(/"event":"(Module\w+)","payload":"(.*?[^\\])"/g)].flatMap(([, event, payload]) => {
    const { module_name, new_state, new_status = new_state } = JSON.parse(payload!.replaceAll("\\\"", "\"")) as Record<
      string,
      string
    >
    return module_name === name ? [new_status === undefined ? event! : `${event} ${new_status}`] : []
  })

const changesOf = (name: string): ReadonlyArray<string> => eventsAbout(name).filter((each) => !OF_PROCESS.test(each))

beforeAll(async () => {
  put("a", RECORDING)
  put("b", RECORDING, "[dependencies]\na = \"*\"\n")
  put("frail", FRAIL)
  mkdirSync(dataOf("frail"), { recursive: true })
  writeFileSync(dataOf("frail", "frail"), "")
  writeFileSync(
    join(root, "node.toml"),
    configWith(
      TOKEN,
      `[logging]\nlevel = "debug"\njson_format = true`,
      `[modules]\nenabled = true\nmodules_dir = "${modules}"\nsocket_dir = "${join(root, "s")}"`,
      `allow_unconfined = true\nrestart_crashed = true`
    )
  )
  node = await startNode(join(root, "data"), { args: ["--config", join(root, "node.toml")], token: TOKEN })
  await until(() => node.stdout().includes("Component startup complete"))
}, patience(120_000))

afterAll(() => {
  node.signal("SIGKILL")
  node.client.close()
  rmSync(root, { recursive: true, force: true })
})

describe.runIf(process.platform === "linux")("modules of a node that starts crashed ones again, and stops", () => {
  it("run again a second after a crash, and are healthy again", async () => {
    await until(async () => {
      const frail = await one("frail")
      return frail?.status === "loaded" && frail.restarts === 1
    })
    assert.isFalse(existsSync(dataOf("frail", "frail")))
    const ofProcess = eventsAbout("frail").filter((each) => OF_PROCESS.test(each))
    assert.deepStrictEqual(ofProcess.filter((each) => !each.startsWith("ModuleStateChanged")), [
      "ModuleStarted",
      "ModuleStopped",
      "ModuleStarted"
    ])
    assert.includeMembers([...ofProcess], [
      "ModuleStateChanged loaded",
      "ModuleStateChanged backing off",
      "ModuleStateChanged starting"
    ])
    assert.deepStrictEqual(changesOf("frail"), [
      "ModuleDiscovered",
      "ModuleLoaded",
      "ModuleCrashed",
      "ModuleHealthChanged Unhealthy",
      "ModuleLoaded",
      "ModuleHealthChanged Healthy"
    ])
  })

  it("are removed once their files are gone and they do not run", async () => {
    rmSync(join(modules, "frail"), { recursive: true })
    assert.strictEqual((await one("frail"))?.status, "loaded")
    assert.strictEqual((await node.client.call("unloadmodule", "frail") as Listed).status, "unloaded")
    assert.isUndefined(await one("frail"))
    assert.deepStrictEqual(changesOf("frail").slice(-2), ["ModuleUnloaded", "ModuleRemoved"])
  })

  it("are notified that the node stops and asked to flush, and end before what they need", async () => {
    await node.client.call("stop")
    await node.ended
    const seen = (name: string): ReadonlyArray<readonly [string, bigint]> =>
      readFileSync(dataOf(name, "seen"), "utf8").trim().split("\n").map((line) => {
        const [what, at] = line.split(" ")
        return [what!, BigInt(at!)]
      })
    for (const name of ["a", "b"]) {
      assert.deepStrictEqual(seen(name).map(([what]) => what), ["NodeShutdown", "DataMaintenance", "end"], name)
    }
    const endOf = (name: string): bigint => seen(name).at(-1)![1]
    assert.isTrue(endOf("b") < endOf("a"), "b needs a")
    assert.deepStrictEqual([eventsAbout("a").at(-1), eventsAbout("b").at(-1)], ["ModuleUnloaded", "ModuleUnloaded"])
  })
})
