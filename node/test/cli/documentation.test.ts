import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { GLOBAL_OPTIONS } from "../../src/cli/global-options.ts"
import { VARIABLES } from "../../src/config/given/environment.ts"
import { NETWORK_ROWS } from "../../src/config/network-table.ts"

const page = readFileSync(new URL("../../../docs/operate/configuration.md", import.meta.url), "utf8")

describe("docs/operate/configuration.md", () => {
  it("names every option", () => {
    for (const { name } of GLOBAL_OPTIONS) assert.include(page, `--${name}`)
  })

  it("says of no option that works that it is not in this build", () => {
    const refused = page.split("\n").filter((line) => line.startsWith("| `--") && line.includes("| not in this build"))
      .join("\n")
    assert.include(refused, "`--assumeutxo`")
    for (const { about, name } of GLOBAL_OPTIONS) {
      if (!about.includes("not in this build")) assert.notInclude(refused, `\`--${name}\``)
    }
  })

  it("names every variable", () => {
    for (const [variable] of VARIABLES) assert.include(page, `\`${variable}\``)
  })

  it("has every network with its addresses", () => {
    for (const { listen, option, protocolVersion, rpc } of NETWORK_ROWS) {
      const row = page.split("\n").find((line) => line.startsWith(`| \`${option}\``))
      assert.include(row, `| \`${protocolVersion}\` | 0.0.0.0:${listen.port} | 127.0.0.1:${rpc.port} |`)
    }
  })
})

describe("a command in README and docs", () => {
  const ROOT = fileURLToPath(new URL("../../../", import.meta.url))
  /** Text that begins signed bytes, and the form that a link to the launcher makes possible. */
  const NO_COMMANDS = ["lockstep module manifest v1", "lockstep file v1", "lockstep <command>"]
  /** A span of code that is a command line, or a line of a block of code. */
  const COMMAND = /(?<=`)lockstep [^`]+(?=`)|^lockstep .+/gmu

  it("begins with `pnpm lockstep`, so that it can be pasted in a clone as it is", () => {
    const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT })]
    const bare = pages.flatMap((file) =>
      [...readFileSync(`${ROOT}${file}`, "utf8").matchAll(COMMAND)]
        .filter(([text]) => !NO_COMMANDS.includes(text))
        .map(([text]) => `${file}: ${text}`)
    )
    assert.deepStrictEqual(bare, [])
    const typed = pages.filter((file) => readFileSync(`${ROOT}${file}`, "utf8").includes("pnpm lockstep "))
    assert.includeMembers(typed, ["docs/operate/README.md", "docs/rpc/README.md"])
  })
})
