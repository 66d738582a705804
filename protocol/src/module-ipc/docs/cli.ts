import { writeFileSync } from "node:fs"
import { layoutsPage } from "./layouts-page.ts"

writeFileSync(new URL("../../../../docs/modules/layouts.md", import.meta.url), layoutsPage())
