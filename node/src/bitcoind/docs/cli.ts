import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { OPTIONS } from "../options/option-table.ts"
import { optionsPage } from "./options-page.ts"

const PAGE = join(import.meta.dirname, "../../../../docs/operate/bitcoind-options.md")

writeFileSync(PAGE, optionsPage(OPTIONS))
console.log(`${OPTIONS.length} options in docs/operate/bitcoind-options.md`)
