import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../trace/command-line.ts"
import { LAYERS_PAGE, TABLES, withGraphs } from "./layers-page.ts"

await runCommand(
  `Usage: pnpm docs:layers
Draws the graphs of ${LAYERS_PAGE} from the table of layers that the linter enforces.`,
  {},
  () => {
    const path = join(import.meta.dirname, "../../..", LAYERS_PAGE)
    writeFileSync(path, withGraphs(readFileSync(path, "utf8"), TABLES))
    return 0
  }
)
