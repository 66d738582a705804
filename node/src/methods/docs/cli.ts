import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../version.ts"
import { TYPED_PARAMETERS, typedParametersText } from "../definition/typed-parameters.ts"
import { METHODS } from "../table.ts"
import { documentPages } from "./method-page.ts"
import { openRpcText } from "./openrpc.ts"

const directory = join(import.meta.dirname, "../../../../docs/rpc/methods")

mkdirSync(directory, { recursive: true })
const pages = documentPages(METHODS)
for (const name of readdirSync(directory)) if (!pages.has(name)) rmSync(join(directory, name))
writeFileSync(join(directory, "../openrpc.json"), openRpcText(METHODS.values(), version()))
writeFileSync(TYPED_PARAMETERS, typedParametersText(METHODS.values()))
for (const [name, page] of pages) writeFileSync(join(directory, name), page)
console.log(`${pages.size} pages in docs/rpc/methods`)
