import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { openApiText } from "../openapi/openapi.ts"
import { ROUTES } from "../routes/table.ts"
import { resourcePage } from "./resource-page.ts"

const directory = join(import.meta.dirname, "../../../../docs/rest")

writeFileSync(join(directory, "openapi.json"), openApiText(ROUTES))
writeFileSync(join(directory, "resources.md"), resourcePage(ROUTES))
console.log(`${ROUTES.length} resources in docs/rest`)
