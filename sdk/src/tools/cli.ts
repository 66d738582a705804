import { runTool } from "./commands.ts"

/** `pnpm sdk`: the tools for authors and maintainers of modules. */
const { exitCode, stderr, stdout } = await runTool(process.argv.slice(2))
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = exitCode
