import { connectedProgram, type HostileModule } from "./hostile-module.ts"
import { BYSTANDER } from "./bystander.ts"

/** Modules that reach for what the system has: files, networks, processes, memory. */
export const SYSTEM_ATTACKS: ReadonlyArray<HostileModule> = [
  {
    name: "opens-files",
    does: "opens files of the node, of others and of the system",
    program: ({ secrets }) =>
      connectedProgram(`
handshake()
attempt("cookie", () => fs.readFileSync(${JSON.stringify(secrets.cookie)}))
attempt("modules", () => fs.readdirSync(${JSON.stringify(secrets.modules)}))
attempt("other", () => fs.readdirSync(${JSON.stringify(`${secrets.modules}/${BYSTANDER}`)}))
attempt("shadow", () => fs.readFileSync("/etc/shadow"))
attempt("root", () => fs.readdirSync("/root"))
attempt("program", () => fs.appendFileSync("/module/run", "1"))
attempt("manifest", () => fs.writeFileSync("/module/module.toml", ""))
attempt("system", () => fs.writeFileSync("/usr/bin/x", ""))
attempt("shared", () => fs.writeFileSync("/dev/shm/x", ""))
attempt("temporary", () => fs.writeFileSync("/tmp/x", ""))
attempt("sockets", () => fs.readdirSync("/run/lockstep").sort().join())
attempt("link", () => { fs.symlinkSync("/etc/shadow", "link"); return fs.readFileSync("link") })
attempt("above", () => fs.readdirSync(process.env.DATA_DIR + "/..").includes("${BYSTANDER}"))
attempt("kernel", () => fs.openSync("/proc/sys/kernel/core_pattern", "r+"))
attempt("memory", () => fs.openSync("/proc/1/mem", "r+"))
report()
`),
    outcome: {
      _tag: "Contained",
      report: {
        cookie: "ENOENT",
        modules: "ENOENT",
        other: "ENOENT",
        shadow: "ENOENT",
        root: "ENOENT",
        program: "EROFS",
        manifest: "EROFS",
        system: "EROFS",
        shared: "EROFS",
        temporary: "ENOENT",
        sockets: "bin,module.sock",
        link: "ENOENT",
        above: "false",
        kernel: "EROFS",
        memory: "EROFS"
      }
    }
  },
  {
    name: "opens-sockets",
    does: "connects to the node, to the network and to its own socket",
    program: ({ secrets }) =>
      connectedProgram(`
handshake()
const tried = (name, ...where) => new Promise((resolve) => {
  const other = net.connect(...where)
  other.on("connect", () => { found[name] ??= "connected" })
  other.on("close", () => { found[name] += ", closed"; resolve() })
  other.on("error", (error) => { found[name] = error.code })
})
require("node:dns").lookup("example.com", async (error) => {
  found.name = String(error.code)
  await tried("node", ${secrets.port}, "127.0.0.1")
  // The sandbox's own loopback interface: up with bubblewrap, where nothing listens on it, and down with unshare.
  if (/^(ECONNREFUSED|ENETUNREACH), closed$/.test(found.node)) found.node = "refused"
  await tried("world", 80, "192.0.2.1")
  await tried("again", SOCKET_PATH)
  const raw = cp.spawnSync("/usr/bin/true").error
  found.helper = String(raw && raw.code)
  report()
})
`),
    outcome: {
      _tag: "Contained",
      report: {
        name: "EAI_AGAIN",
        node: "refused",
        world: "ENETUNREACH, closed",
        again: "connected, closed",
        helper: "EPERM"
      }
    }
  },
  {
    name: "signals",
    does: "signals the node, every process there is, and all at once",
    program: ({ node }) =>
      connectedProgram(`
handshake()
socket.once("data", () => {
attempt("node", () => process.kill(${node.pid}, "SIGKILL"))
let others = 0
// A signal to a thread of its own would reach the module itself.
const own = new Set(fs.readdirSync("/proc/self/task").map(Number))
for (let pid = 2; pid < 33000; pid++) {
  if (own.has(pid)) continue
  try { process.kill(pid, "SIGKILL"); others++ } catch {}
}
attempt("init", () => process.kill(1, "SIGKILL"))
attempt("all", () => process.kill(-1, "SIGKILL"))
report({ others })
})
`),
    outcome: { _tag: "Contained", report: { node: "ESRCH", others: 0, init: "true", all: "ESRCH" } }
  },
  {
    name: "forks",
    does: "forks, and starts programs and threads without end",
    program: () =>
      connectedProgram(`
handshake()
socket.once("data", () => {
attempt("spawn", () => { throw cp.spawnSync("/bin/sh", ["-c", ":"]).error })
for (let i = 0; i < 200; i++) { const child = cp.spawn("/bin/true"); child.on("error", () => undefined) }
const { Worker } = require("node:worker_threads")
let threads = 0
const more = () => {
  const worker = new Worker("setInterval(() => undefined, 1000)", { eval: true })
  worker.on("error", () => undefined)
  worker.on("online", () => { threads++; more() })
}
console.log("spawn: " + found.spawn)
more(); more(); more(); more()
})
`),
    outcome: { _tag: "Ended", reason: /threads, and 64 are allowed|MiB of memory|signal \d+|exited with code [1-9]/ }
  },
  {
    name: "allocates",
    does: "allocates memory without end",
    program: () =>
      connectedProgram(`handshake(); const all = []; setInterval(() => all.push(Buffer.alloc(16777216, 1)), 1)`),
    outcome: { _tag: "Ended", reason: /MiB of memory, and 128 MiB are allowed|signal \d+|exited with code [1-9]/ }
  },
  {
    name: "opens-without-end",
    does: "opens files until there are no more",
    program: () =>
      connectedProgram(`
handshake()
const all = []
attempt("limit", () => { for (;;) all.push(fs.openSync("/module/run")) })
for (const each of all) fs.closeSync(each)
report({ opened: all.length < 300 })
`),
    outcome: { _tag: "Contained", report: { limit: "EMFILE", opened: true } }
  },
  {
    name: "fills",
    does: "writes files without end",
    program: () =>
      connectedProgram(`
handshake()
const piece = Buffer.alloc(4194304, 1)
let written = 0
setInterval(() => fs.writeFileSync("file-" + written++, piece), 20)
`),
    outcome: { _tag: "Ended", reason: /has \d+ MiB in its data directory, and 64 MiB are allowed/ }
  },
  {
    name: "fills-unseen",
    does: "writes into files that it removed",
    program: () =>
      connectedProgram(`
handshake()
const piece = Buffer.alloc(4194304, 1)
const open = []
setInterval(() => {
  if (open.length < 40) { open.push(fs.openSync("gone", "w")); fs.rmSync("gone") }
  try { fs.writeSync(open.at(-1), piece) } catch {}
}, 20)
`),
    outcome: { _tag: "Ended", reason: /has \d+ MiB in its data directory, and 64 MiB are allowed/ }
  },
  {
    name: "spins",
    does: "uses a whole processor, and does not end when it is unloaded",
    program: () => connectedProgram(`handshake(); report(); setTimeout(() => { for (;;); }, 100)`),
    outcome: { _tag: "Contained", report: {}, holdMs: 15_000 },
    isSlow: true
  },
  {
    name: "prints",
    does: "prints without end",
    program: () =>
      connectedProgram(`
handshake()
const line = "x".repeat(100) + "\\n"
let printed = 0
const print = () => {
  while (process.stdout.write(line.repeat(10)) && ++printed < 1e6);
  process.stdout.once("drain", print)
}
print()
setTimeout(report, 300)
`),
    outcome: { _tag: "Contained", report: {}, holdMs: 500 }
  }
]
