import { assert, describe, it } from "@effect/vitest"
import { bubblewrapCommand, type Sandboxed } from "../../../src/modules/sandbox/bubblewrap.ts"
import { MOST_THREADS, TRIAL } from "../../../src/modules/sandbox/resource-limits.ts"
import { seccompFilter } from "../../../src/modules/sandbox/seccomp-filter.ts"
import { unshareCommand, unshareTrial } from "../../../src/modules/sandbox/unshare/unshare-command.ts"

const MEBIBYTE = 1_048_576

const SANDBOXED: Sandboxed = {
  moduleDirectory: "/modules/watcher",
  program: "target/release/run",
  dataDirectory: "/data/modules/watcher-data",
  socket: "/run/user/0/a.sock",
  nodeProgram: "/opt/node",
  limits: { memoryBytes: 512 * MEBIBYTE, processorPercent: 50, openFiles: 256, diskBytes: 7 }
}

const LIMITED = [
  "prlimit",
  `--data=${1_152 * MEBIBYTE}`,
  "--nofile=256",
  "--fsize=7",
  "--nproc=64",
  "--core=0",
  "--memlock=0",
  "--",
  "/module/target/release/run"
]

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"]

describe("the sandbox of a module", () => {
  it("made by bubblewrap shows it these places alone, of which it may write to its data and its socket", () => {
    assert.strictEqual(MOST_THREADS, 64)
    assert.deepStrictEqual(bubblewrapCommand(SANDBOXED), [
      ...["user", "pid", "ipc", "net", "uts"].map((name) => `--unshare-${name}`),
      "--unshare-cgroup-try",
      "--die-with-parent",
      "--new-session",
      "--cap-drop",
      "ALL",
      ...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      "--hostname",
      "watcher-data",
      "--ro-bind",
      "/opt/node",
      "/run/lockstep/bin/node",
      "--ro-bind",
      "/modules/watcher",
      "/module",
      "--bind",
      "/data/modules/watcher-data",
      "/data",
      "--bind",
      "/run/user/0/a.sock",
      "/run/lockstep/module.sock",
      ...["/proc", "/dev", "/"].flatMap((path) => ["--remount-ro", path]),
      "--chdir",
      "/data",
      "--seccomp",
      "3",
      "--",
      ...LIMITED
    ])
  })

  const TOOLS = { setpriv: "/usr/bin/setpriv", unshare: "/usr/bin/unshare" }
  const HEAD = [
    "/usr/bin/setpriv",
    "--pdeathsig",
    "KILL",
    "--",
    "/usr/bin/unshare",
    ...["user", "mount", "pid", "ipc", "net", "uts", "cgroup"].map((name) => `--${name}`),
    "--map-current-user",
    "--keep-caps",
    "--fork",
    "--kill-child=SIGKILL",
    "--",
    process.execPath
  ]
  const systemBinds = SYSTEM.map((path) => ({ from: path, to: path, mayBeMissing: true }))

  it.each([["x64", 126], ["arm64", 91]] as const)(
    "made without bubblewrap on %s shows it the same",
    (processor, capset) => {
      const command = unshareCommand(TOOLS, processor, SANDBOXED)
      assert.deepStrictEqual(command.slice(0, HEAD.length), HEAD)
      assert.match(command.at(-2)!, /\/module-launcher\b|launcher\.ts$/)
      const common = {
        filter: Buffer.from(seccompFilter(processor)).toString("base64"),
        calls: { capset, mountSetattr: 442 }
      }
      assert.deepStrictEqual(JSON.parse(command.at(-1)!), {
        ...common,
        hostname: "watcher-data",
        binds: [
          ...systemBinds,
          { from: "/opt/node", to: "/run/lockstep/bin/node" },
          { from: "/modules/watcher", to: "/module" },
          { from: "/data/modules/watcher-data", to: "/data", isWritable: true },
          { from: "/run/user/0/a.sock", to: "/run/lockstep/module.sock" }
        ],
        directory: "/data",
        command: LIMITED
      })
      const trial = unshareTrial(TOOLS, processor)
      assert.deepStrictEqual(trial.slice(0, -1), command.slice(0, -1))
      assert.deepStrictEqual(JSON.parse(trial.at(-1)!), {
        ...common,
        hostname: "trial",
        binds: systemBinds,
        directory: "/",
        command: TRIAL
      })
      assert.deepStrictEqual(TRIAL, ["prlimit", "--core=0", "--", "true"])
    }
  )
})
