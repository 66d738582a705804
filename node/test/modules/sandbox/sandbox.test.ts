import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { type Confinement, findConfinement } from "../../../src/modules/sandbox/confinement.ts"
import { moduleCommand } from "../../../src/modules/sandbox/module-command.ts"
import { runCommand } from "../../../src/modules/sandbox/run-command.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-sandbox-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const MEBIBYTE = 1_048_576
/** Where the kernel offers that file at all. */
const SYSRQ = existsSync("/proc/sysrq-trigger") ? "EROFS" : "ENOENT"
const LIMITS = { memoryBytes: 64 * MEBIBYTE, processorPercent: 50, openFiles: 64, diskBytes: 1_073_741_824 }

/** What the machine offers, and what it would offer without bubblewrap. */
const [first, second] = await Effect.runPromise(
  Effect.all([findConfinement(), findConfinement({ bubblewrap: "/bin/false" })])
)
const ways = first._tag === second._tag ? [first] : [first, second]

let made = 0

/** Runs a program in the sandbox, with its lines as they come. */
const sandboxedIn = Effect.fnUntraced(function*(confinement: Confinement, source: string) {
  const [directory, data] = [join(root, `module-${made}`), join(root, `data-${made++}`)]
  mkdirSync(directory)
  mkdirSync(data)
  const [program, socket] = [join(directory, "run"), `${directory}.sock`]
  writeFileSync(program, `#!/usr/bin/env node\n${source}`, { mode: 0o755 })
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => createServer().listen(socket)),
    (each) => Effect.sync(() => void each.close())
  )
  assert.isTrue(server.listening)
  const toStart = {
    name: "hostile",
    moduleId: "secret",
    directory,
    program,
    dataDirectory: data,
    socket,
    settings: { MODULE_CONFIG_SIZE: "7" },
    limits: LIMITS
  }
  const lines: Array<string> = []
  const command = yield* runCommand(moduleCommand(toStart, confinement), (line) => void lines.push(line))
  return { ...command, lines, data }
})

/** Tries what a module must not do, and prints for each attempt the code of the error, or what came of it. */
const ESCAPES = `
const fs = require("node:fs"), net = require("node:net"), { spawnSync } = require("node:child_process")
const found = {}
const attempt = (name, act) => { try { found[name] = String(act() ?? "done") } catch (error) { found[name] = error.code ?? error.message } }
attempt("shadow", () => fs.readFileSync("/etc/shadow"))
attempt("other", () => fs.readdirSync(OTHER).length)
attempt("program", () => fs.writeFileSync("/module/run", ""))
attempt("system", () => fs.writeFileSync("/usr/x", ""))
attempt("top", () => fs.writeFileSync("/x", ""))
attempt("memory", () => fs.writeFileSync("/dev/shm/x", ""))
attempt("kernel", () => fs.openSync("/proc/sys/kernel/core_pattern", "r+"))
attempt("host", () => fs.openSync("/proc/sys/kernel/hostname", "r+"))
attempt("trigger", () => fs.openSync("/proc/sysrq-trigger", "w"))
attempt("devices", () => fs.readdirSync("/sys").length)
attempt("disks", () => fs.readdirSync("/dev").filter((name) => !/^(core|fd|full|null|ptmx|pts|random|shm|std(err|in|out)|tty|urandom|zero)$/.test(name)).join())
attempt("data", () => fs.writeFileSync(process.env.DATA_DIR + "/kept", "1"))
attempt("signal", () => process.kill(NODE, 0))
attempt("processes", () => fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length < 5)
attempt("variables", () => Object.keys(process.env).filter((name) => !/^(MODULE_|PWD$)/.test(name)).sort().join())
attempt("privileges", () => /NoNewPrivs:\\t1/.test(fs.readFileSync("/proc/self/status", "utf8")))
found.fork = spawnSync("/usr/bin/true").error?.code ?? "done"
const socket = net.connect(PORT, "127.0.0.1")
const end = (text) => { found.network = text; console.log(JSON.stringify(found)); process.exit(0) }
socket.on("connect", () => end("connected"))
socket.on("error", (error) => end(error.code))
`

describe.each(ways)("the sandbox of a module ($_tag)", (confinement) => {
  if (confinement._tag === "None") return it.skip(`is not tried: ${confinement.reason}`)
  const sandboxed = (source: string) => sandboxedIn(confinement, source)

  it.live("keeps a module away from files, processes, the network and the node's environment", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = createServer().listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => void server.close()))
      yield* Effect.promise(() => new Promise((resolve) => server.once("listening", resolve)))
      const { port } = server.address() as { port: number }
      const names = `const OTHER = ${JSON.stringify(root)}, NODE = ${process.pid}, PORT = ${port}\n`
      const { data, ended, lines } = yield* sandboxed(names + ESCAPES)
      assert.strictEqual(yield* ended, "exited with code 0", lines.join("\n"))
      assert.deepStrictEqual(JSON.parse(lines.join("")), {
        shadow: "ENOENT",
        other: "ENOENT",
        program: "EROFS",
        system: "EROFS",
        top: "EROFS",
        memory: "EROFS",
        kernel: "EROFS",
        host: "EROFS",
        trigger: SYSRQ,
        devices: "ENOENT",
        disks: "",
        data: "done",
        signal: "ESRCH",
        processes: "true",
        variables: "DATA_DIR,HOME,LANG,PATH,SOCKET_PATH,TMPDIR",
        privileges: "true",
        fork: "EPERM",
        // Of bubblewrap's network, the loopback interface is up.
        network: confinement._tag === "Bubblewrap" ? "ECONNREFUSED" : "ENETUNREACH"
      })
      assert.deepStrictEqual(readdirSync(data), ["kept"])
    })))

  it.live("ends a module that allocates without end", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ended, lines } = yield* sandboxed(
        `console.log("begins"); const all = []; setInterval(() => all.push(Buffer.alloc(128 * 1024 * 1024, 1)), 1)`
      )
      const how = yield* ended
      assert.strictEqual(lines[0], "begins")
      assert.match(how, /^(was ended by signal [1-9]|was ended by SIG|exited with code [1-9])/)
    })))

  it.live("is over with all its processes when its scope closes", () =>
    Effect.gen(function*() {
      const { data } = yield* Effect.scoped(Effect.gen(function*() {
        const running = yield* sandboxed(
          `const fs = require("node:fs"); setInterval(() => fs.writeFileSync("/data/" + Date.now(), ""), 5); console.log(1)`
        )
        while (running.lines.length === 0) yield* Effect.sleep(10)
        return running
      }))
      yield* Effect.sleep(50)
      const before = readdirSync(data).length
      yield* Effect.sleep(100)
      assert.strictEqual(readdirSync(data).length, before)
    }))
})
