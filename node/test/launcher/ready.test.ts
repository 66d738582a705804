import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type CopiedLauncher, copyLauncher, type Ran, run } from "./copied-launcher.ts"

const SYSTEM = "/usr/bin:/bin"
const SCRIPT = fileURLToPath(new URL("../../../scripts/ready", import.meta.url))

/** Stands for pnpm: notes how it was called, and leaves what an installation leaves. */
const PNPM = `#!/bin/sh
echo "$*" >> calls
echo "progress"
[ -e offline ] && exit 1
mkdir -p node_modules/.pnpm
case "$*" in
  *--prod*) echo other > node_modules/.pnpm/lock.yaml ;;
  *) cp pnpm-lock.yaml node_modules/.pnpm/lock.yaml; mkdir -p node_modules/vitest ;;
esac
`

const node = (version: string): string => `#!/bin/sh\necho ${version}\n`

const RUN =
  "install --frozen-lockfile --config.confirm-modules-purge=false --loglevel=info --prod --filter-prod @lockstep/node..."
const RUN_AND_NODE = `${RUN} --filter-prod @lockstep/runtime`
const ALL = "install --frozen-lockfile --config.confirm-modules-purge=false --loglevel=info"
const REPEAT = "install --loglevel=error"

let place: CopiedLauncher
let pnpm: string

const ready = (what: string): Promise<Ran> =>
  run("sh", [join(place.root, "scripts/ready"), what], {
    PATH: `${join(place.root, "machine")}:${SYSTEM}`,
    npm_config_user_agent: "pnpm/12.21.0 npm/? node/? linux x64",
    npm_execpath: pnpm
  })

/** How pnpm was called since the last look. */
const calls = (): ReadonlyArray<string> => {
  const file = join(place.root, "calls")
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").trimEnd().split("\n")
  rmSync(file)
  return lines
}

beforeEach(() => {
  place = copyLauncher()
  mkdirSync(join(place.root, "scripts"))
  copyFileSync(SCRIPT, join(place.root, "scripts/ready"))
  place.write("pnpm-lock.yaml", "lockfile\n")
  place.write("machine/node", node("v24.0.0"), true)
  pnpm = place.write("a place/pnpm", PNPM, true)
})

afterEach(() => place.remove())

describe("scripts/ready", () => {
  it("run: installs once, without tools, says so, and keeps standard output free", async () => {
    const { code, stderr, stdout } = await ready("run")
    assert.deepStrictEqual([code, stdout], [0, ""])
    assert.strictEqual(
      stderr,
      "lockstep: installing packages (those that run the node); this takes a minute the first time\nprogress\n"
    )
    assert.deepStrictEqual(calls(), [RUN])
    assert.deepStrictEqual(await ready("run"), { code: 0, stdout: "", stderr: "" })
    assert.deepStrictEqual(calls(), [])
  })

  it("run: installs again when the lockfile has changed", async () => {
    await ready("run")
    appendFileSync(join(place.root, "pnpm-lock.yaml"), "more\n")
    await ready("run")
    assert.deepStrictEqual(calls(), [RUN, RUN])
  })

  it("run: brings a Node.js where the machine's is too old, and only there", async () => {
    for (
      const [version, expected] of [["v20.20.2", RUN_AND_NODE], ["v22.18.9", RUN_AND_NODE], ["v22.19.0", RUN], [
        "v23.0.0",
        RUN
      ]] as const
    ) {
      rmSync(join(place.root, "node_modules"), { recursive: true, force: true })
      place.write("machine/node", node(version), true)
      await ready("run")
      assert.deepStrictEqual(calls(), [expected], version)
    }
  })

  it("run: brings a Node.js when the machine's has become too old", async () => {
    await ready("run")
    place.write("machine/node", node("v20.20.2"), true)
    await ready("run")
    assert.deepStrictEqual(calls(), [RUN, RUN_AND_NODE])
    place.write("runtime/node_modules/node/bin/node", node("v24.21.0"), true)
    await ready("run")
    assert.deepStrictEqual(calls(), [])
  })

  it("tools: installs all after an installation to run, and a node still starts with it", async () => {
    await ready("run")
    await ready("tools")
    await ready("run")
    assert.deepStrictEqual(calls(), [RUN, ALL])
  })

  it("tools: looks each time whether a manifest has changed, quietly", async () => {
    await ready("tools")
    assert.deepStrictEqual(calls(), [ALL])
    assert.deepStrictEqual((await ready("tools")).code, 0)
    assert.deepStrictEqual(calls(), [REPEAT])
  })

  it("run: an installation with tools that is out of date keeps its tools", async () => {
    await ready("tools")
    appendFileSync(join(place.root, "pnpm-lock.yaml"), "more\n")
    await ready("run")
    assert.deepStrictEqual(calls(), [ALL, ALL])
  })

  it("an installation that fails ends with its code, and is tried again; with all there already, tools are used as they are", async () => {
    place.write("offline", "")
    assert.strictEqual((await ready("run")).code, 1)
    assert.strictEqual((await ready("tools")).code, 1)
    rmSync(join(place.root, "offline"))
    assert.strictEqual((await ready("tools")).code, 0)
    place.write("offline", "")
    assert.strictEqual((await ready("tools")).code, 0)
    assert.deepStrictEqual(calls(), [RUN, ALL, ALL, REPEAT])
  })

  it("under another program than pnpm 12, fetches that", async () => {
    place.write("machine/npx", "#!/bin/sh\necho \"npx $*\" >> calls\nmkdir -p node_modules\n", true)
    const env = {
      PATH: `${join(place.root, "machine")}:${SYSTEM}`,
      npm_config_user_agent: "npm/11.0.0 node/v24",
      npm_execpath: "/usr/lib/npm-cli.js"
    }
    assert.strictEqual((await run("sh", [join(place.root, "scripts/ready"), "run"], env)).code, 0)
    assert.deepStrictEqual(calls(), [`npx --yes pnpm@12.21.0 ${RUN}`])
  })
})

describe("package.json", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    scripts: Record<string, string>
  }

  it("every script sees to its packages first: what runs the node, or all", () => {
    for (const [name, script] of Object.entries(scripts)) {
      const isRun = name === "start" || name === "lockstep"
      assert.isTrue(script.startsWith(`sh scripts/ready ${isRun ? "run" : "tools"} && `), `${name}: ${script}`)
    }
  })
})

describe(".gitignore", () => {
  it("keeps README's node.toml, which holds a token, out of commits", () => {
    assert.include(readFileSync(new URL("../../../.gitignore", import.meta.url), "utf8").split("\n"), "/node.toml")
  })
})
