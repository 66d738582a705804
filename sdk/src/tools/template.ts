const manifestOf = (name: string): string =>
  `name = "${name}"
version = "0.1.0"
description = "Counts blocks."
entry_point = "${name}"
capabilities = ["read_chain_state", "subscribe_events", "register_rpc_endpoint"]
`

const METHOD_OF = (name: string): string => `${name.toLowerCase().replaceAll("-", "_")}_seen`

const mainOf = (): string =>
  `import { runModule } from "@lockstep/sdk"
import { parts } from "./parts.ts"

await runModule(parts)
`

const partsOf = (name: string): string =>
  `import type { ModuleParts } from "@lockstep/sdk"

let blocks = 0

export const parts: ModuleParts = {
  version: "0.1.0",
  events: {
    NewBlock: ({ height }, { node }) => {
      blocks++
      node.log("Info", \`block \${height}\`)
    }
  },
  rpc: {
    ${METHOD_OF(name)}: {
      description: "How many blocks this module has seen, and the height of the chain.",
      call: async (_, { node }) => {
        const { value } = await node.ask("GetBlockHeight")
        return { blocks, height: value }
      }
    }
  }
}
`

const testOf = (name: string): string =>
  `import { startModule } from "@lockstep/sdk"
import { fakeNode } from "@lockstep/sdk/test-kit"
import assert from "node:assert/strict"
import { test } from "node:test"
import { parts } from "../src/parts.ts"

test("blocks are counted", async (t) => {
  const node = await fakeNode({
    answer: ({ _tag }) => _tag === "GetBlockHeight" ? { _tag: "U64", value: 7 } : undefined
  })
  t.after(() => node.close())
  await startModule(parts, node.environment)
  node.emit({ _tag: "NewBlock", block_hash: new Uint8Array(32), height: 7 })
  const { error, payload } = await node.invoke({ _tag: "Rpc", method: "${METHOD_OF(name)}", params: "[]" })
  assert.equal(error, undefined)
  assert.deepEqual(payload, { _tag: "Rpc", result: JSON.stringify({ blocks: 1, height: 7 }) })
})
`

/** Returns the files of a new module, by their paths. */
export const templateOf = (name: string): Readonly<Record<string, string>> => ({
  "module.toml": manifestOf(name),
  "package.json": `${JSON.stringify({ name, version: "0.1.0", private: true, type: "module" }, undefined, 2)}\n`,
  "src/main.ts": mainOf(),
  "src/parts.ts": partsOf(name),
  "test/parts.test.ts": testOf(name),
  ".gitignore": "target/\n.lockstep/\nnode_modules/\n"
})
