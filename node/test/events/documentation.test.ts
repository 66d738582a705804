import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { EVENT_TYPES, type EventType } from "../../src/events/event-types.ts"

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url))
const [, EMITTED, OTHERS] = readFileSync(new URL("../../../docs/operate/events.md", import.meta.url), "utf8")
  .split(/^## (?:Emitted events|Reserved event types)$/m)

const types = Object.keys(EVENT_TYPES) as ReadonlyArray<EventType>

/** Everything that is written outside of the table of types. */
const code = globSync("**/*.ts", { cwd: SOURCE }).filter((file) => !file.startsWith("events")).map((file) =>
  readFileSync(`${SOURCE}/${file}`, "utf8")
).join("\n")

describe("the page about events", () => {
  it("has a row for each type that the node emits, with its fields", () => {
    const rows = types.filter((type) => code.includes(`"${type}"`)).map((type) => {
      const { payload, when } = EVENT_TYPES[type]
      const fields = Object.keys(payload.fields).map((field) => `\`${field}\``).join(", ")
      return `| \`${type}\` | ${when} | ${fields} |`
    })
    assert.deepStrictEqual(EMITTED!.split("\n").filter((line) => line.startsWith("| `")), rows)
  })

  it("names all others as such", () => {
    const others = types.filter((type) => !code.includes(`"${type}"`))
    assert.deepStrictEqual([...OTHERS!.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name), others)
  })
})
