import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
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
